"""All that scripts/worklog.py writes of a directory of results: its worklog, the verdicts, the plots, and for the set that the READMEs show
their tables.
"""

from pathlib import Path

from benchlib.base import files, toml_file
from benchlib.base.errors import InputError
from benchlib.claims import provenance
from benchlib.tables.claim_tables import claims_csv
from benchlib.document import document, markdown, plots
from benchlib.pages import kernel_timings, pipeline, readmes, sass_pages

OF_HISTORY = "of commits that contain the test"  # claim_tables.py
PAGES = markdown.section_path("exp[0-9][0-9]_*")
PLOTS = "plots/*.svg"
KEPT = "pages.toml"  # of a directory of results whose pages are not all kept
MOST_KEPT_BYTES = 1 << 16
REFERENCE = Path("results") / "nvidia-h200"  # the results that the READMEs show


def kept_pages(directory: Path) -> list[str] | None:
    """The experiments whose pages are kept in the directory; None where all are."""
    path = directory / KEPT
    if not path.exists():
        return None
    try:
        kept = toml_file.parsed(files.read_at_most(path, MOST_KEPT_BYTES).decode())["kept"]
        if all(isinstance(name, str) for name in kept):
            return list(kept)
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: kept is no list of experiments: {ascii(str(error))[:200]}") from error
    raise InputError(f"{path}: kept is no list of experiments")


def said_of_kept(directory: Path, root: Path) -> document.Block:
    way = readmes.prefix(directory.resolve(), root.resolve()).rstrip("/")
    command = document.Code(f"scripts/worklog.py --out build/pages {way}")
    return document.paragraph("Kept here are the pages that others link to. ", command, " writes the page of every experiment, and its figures.")


def of(judged: pipeline.Judged, directory: Path, root: Path, problems: list[str], out: Path | None = None) -> dict[Path, str]:
    """Every file this program owns, as it should be. Nothing is written before all of it is known. `problems` gets a line for each
    sentence of the READMEs and of docs/ that no longer holds. `out`: where every page goes, in place of the directory.
    """
    study, to = judged.study, out or directory
    inside = to.resolve().is_relative_to(root.resolve())  # elsewhere nobody knows where the repository lies
    kept = None if out else kept_pages(directory)
    outputs = {} if out else {directory / "claims.csv": claims_csv(judged.groups, kept)}
    pages = {markdown.section_path(name): page for name, page in judged.pages.items() if kept is None or name in kept}
    for name, page in {"worklog.md": pipeline.worklog(judged), **pages}.items():
        path = to / name
        to_root = readmes.prefix(root.resolve(), path.parent.resolve()) if inside else None
        to_results = readmes.prefix(directory.resolve() if out else directory, path.parent.resolve() if out else path.parent)
        place = markdown.Place(to_results, to_root, name, readmes.prefix(to, path.parent), kept)
        blocks = [page, said_of_kept(directory, root)] if kept is not None and name == "worklog.md" else [page]
        outputs[path] = markdown.render(blocks, place) + "\n"
    for experiment, table in study.tables.items():
        for name, plot in pipeline.plots(study, table).items() if kept is None or experiment in kept else ():
            outputs[to / "plots" / f"{name}.svg"] = plots.svg(study.memoized(plot.chart, table))
    if out:
        return outputs
    outputs |= listings(judged, directory)
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


def write(directory: Path, root: Path, *, check: bool = False, out: Path | None = None, judged: pipeline.Judged | None = None) -> int:
    """Writes what differs, and says so; with `check` only names it. Returns the exit code: 1 if something would change. `judged`: the directory's results, where
    they are read already.
    """
    problems: list[str] = []
    judged = judged or pipeline.load(directory, root)
    outputs = of(judged, directory, root, problems, out)
    if left_out := judged.study.said_of_left_out:
        print(f"{directory}: {left_out}")
    stale = {path: text for path, text in outputs.items() if files.read_text(path) != text}
    for path, text in stale.items():
        check_history(path, root, files.read_text(path) or "", text)
    left = [path for pattern in (PAGES, PLOTS) for path in sorted((out or directory).glob(pattern)) if path not in outputs]
    if check:
        for path in left:
            print(f"{path}: a page of an experiment without results, or a figure that shows nothing")
        for path, text in stale.items():
            diff = files.short_diff(path, files.read_text(path), text)
            print(f"{path} differs from what the CSV files give:\n{diff}")
        print(*problems, sep="\n", end="\n" * bool(problems))
        return 1 if stale or left or problems else 0
    for path, text in stale.items():
        path.parent.mkdir(parents=bool(out), exist_ok=True)
        files.write_atomic(path, text)
        print(f"wrote {path}")
    for path in left:
        path.unlink()
        print(f"removed {path}")
    print(*problems, sep="\n", end="\n" * bool(problems))
    return 0
