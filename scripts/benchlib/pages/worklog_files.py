"""All that scripts/worklog.py writes of a directory of results: its worklog, the verdicts, the plots, and for the set that the READMEs show
their tables.
"""

from pathlib import Path

from benchlib.base import files
from benchlib.base.errors import InputError
from benchlib.claims import provenance
from benchlib.tables.claim_tables import claims_csv
from benchlib.document import markdown, plots
from benchlib.pages import kernel_timings, pipeline, readmes, sass_pages

OF_HISTORY = "of commits that contain the test"  # claim_tables.py
PAGES = markdown.section_path("exp[0-9][0-9]_*")
PLOTS = "plots/*.svg"
REFERENCE = Path("results") / "nvidia-h200"  # the results that the READMEs show


def generate(directory: Path, root: Path, problems: list[str] | None = None) -> dict[Path, str]:
    """Every file this program owns, as it should be. Nothing is written before all of it is known. `problems` gets a line for each
    sentence of the READMEs and of docs/ that no longer holds.
    """
    return of(pipeline.load(directory, root), directory, root, problems)


def of(judged: pipeline.Judged, directory: Path, root: Path, problems: list[str] | None) -> dict[Path, str]:
    study = judged.study
    inside = directory.resolve().is_relative_to(root.resolve())  # elsewhere nobody knows where the repository lies
    outputs = {directory / "claims.csv": claims_csv(judged.groups)}
    pages = {markdown.section_path(name): page for name, page in judged.pages.items()}
    for name, page in {"worklog.md": pipeline.worklog(judged), **pages}.items():
        path = directory / name
        to_root = readmes.prefix(root.resolve(), path.parent.resolve()) if inside else None
        place = markdown.Place(readmes.prefix(directory, path.parent), to_root, name)
        outputs[path] = markdown.render([page], place) + "\n"
    outputs |= listings(judged, directory)
    for table in study.tables.values():
        for name, plot in pipeline.plots(study, table).items():
            outputs[directory / "plots" / f"{name}.svg"] = plots.svg(study.memoized(plot.chart, table))
    if directory.resolve() == (root / REFERENCE).resolve():
        outputs |= readmes.outputs(judged, root, problems)
    return outputs


def check_history(path: Path, root: Path, before: str, after: str) -> None:
    """Raises InputError where a page would lose what only git's history tells, and this clone has none."""
    if OF_HISTORY in before and OF_HISTORY not in after and (why := provenance.why_unknown(root)):
        raise InputError(f"{path} says which runs are newer than a claim's test, which needs git's history, and nothing is changed: {why}")


def listings(judged: pipeline.Judged, directory: Path) -> dict[Path, str]:
    """The pages of machine code that dump_sass.py wrote, with what was measured of them."""
    found: dict[Path, str] = {}
    for name, table in judged.study.tables.items():
        for path in sorted((directory / "sass" / name).glob("*.md")):
            blocks = kernel_timings.page(judged.study, table, judged.group(name), path.stem)
            measured = markdown.render(blocks, markdown.Place("../../", None))
            found[path] = readmes.fill(path, files.read_text(path) or "", {sass_pages.PAIRS: measured}.get)
    return found


def write(directory: Path, root: Path, *, check: bool = False) -> int:
    """Writes what differs, and says so; with `check` only names it. Returns the exit code: 1 if something would change."""
    problems: list[str] = []
    judged = pipeline.load(directory, root)
    outputs = of(judged, directory, root, problems)
    if left_out := judged.study.said_of_left_out:
        print(f"{directory}: {left_out}")
    stale = {path: text for path, text in outputs.items() if files.read_text(path) != text}
    for path, text in stale.items():
        check_history(path, root, files.read_text(path) or "", text)
    left = [path for pattern in (PAGES, PLOTS) for path in sorted(directory.glob(pattern)) if path not in outputs]
    if check:
        for path in left:
            print(f"{path}: a page of an experiment without results, or a figure that shows nothing")
        for path, text in stale.items():
            diff = files.short_diff(path, files.read_text(path), text)
            print(f"{path} differs from what the CSV files give:\n{diff}")
        print(*problems, sep="\n", end="\n" * bool(problems))
        return 1 if stale or left or problems else 0
    for path, text in stale.items():
        path.parent.mkdir(exist_ok=True)
        files.write_atomic(path, text)
        print(f"wrote {path}")
    for path in left:
        path.unlink()
        print(f"removed {path}")
    print(*problems, sep="\n", end="\n" * bool(problems))
    return 0
