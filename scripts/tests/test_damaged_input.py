"""Files damaged at random, thousands of times: what is wrong is said in one line, or it is coped with; never a traceback.

Most trials call what the scripts call, on a few rows of the committed results of every experiment, so that one takes milliseconds.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import lzma
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import compare
import pytest
import report
import synthetic
import worklog
from benchlib.base import archive, console, csv_file, programs
from benchlib.claims import claims
from benchlib.document import markdown, plots
from benchlib.model import analysis
from benchlib.pages import pipeline
from benchlib.results import results, schema
from benchlib.sass import listings, sass_dump
from benchlib.model.analysis import Study
from benchlib.tables.claim_tables import claims_csv
from benchlib.pages.pipeline import Judged
from test_dump_sass import entry, write_dump
from test_report import CODE, TWINS
from test_worklog import EXP03, EXP05, reference, snapshot
from thorough import trials

ROOT = Path(worklog.__file__).resolve().parents[1]
SETS = [ROOT / "results" / "nvidia-h200", ROOT / "results" / "nvidia-h200-x2"]
# Every experiment's set, and a run's file there.
FILES = {experiment: (folder, path) for folder in SETS for run in results.run_folders(folder) for experiment, path in results.files_of(run.path).items()}
EXPERIMENTS = sorted(FILES)
ROWS = 24  # of each experiment
LISTINGS = 4
CELLS = [
    "", "nan", "inf", "-1", "0", "1e400", "1e-308", "x", "=1+1", "<img src=x>", "\x1b[31m", "9" * 30, "9" * 400, '"', "a,b", "\ufeff",
    "None", "1e30", "1e-30", "18446744073709551615", "\u0661", "1_0", " 1", "../../x", "\u202e", "a\nb", "\udcff", "0x1", "-0", "1.5",
]  # fmt: skip
VALUES = [None, True, 0, -1, 1.5, 10**400, "", "x", "../x", [], ["a"], [[]], {}, {"a": 1}, "9" * 400, "\x1b[31m", 2**64, "\ud800"]


def survives(work: Callable[[], object], what: object) -> None:
    """Nothing is raised but what a script says in a line."""
    try:
        work()
    except (results.InputError, OSError, console.UsageError) as error:
        text = console.plain(str(error))
        assert text and len(text) < 1000, what
    except Exception as error:
        raise AssertionError(f"{what}: {error!r}") from error


# ------------------------------------------------------------------------------------------------------------- the damage


def damaged(text: str, chance: random.Random) -> bytes:
    """A CSV."""
    lines = text.split("\n")
    kind = chance.choice(["cut", *["cell"] * 8, "column", "twice", "order", "line", "bytes", "swap", "long"])
    at = chance.randrange(len(lines))
    if kind == "cut":
        text = text[: chance.randrange(len(text))]
    elif kind in ("cell", "column", "swap"):
        line = 0 if kind == "column" else at
        cells = lines[line].split(",")
        place = chance.randrange(len(cells))
        cells[place] = cells[chance.randrange(len(cells))] if kind == "swap" else chance.choice(CELLS)
        lines[line] = ",".join(cells)
    elif kind == "twice":
        lines.insert(at, lines[at])
    elif kind == "order":
        chance.shuffle(lines)
    elif kind == "line":
        del lines[at]
    elif kind == "long":
        lines[at] += chance.choice([",", "x", '"', " "]) * chance.choice([1, 1000, 200000])
    data = bytearray((text if kind == "cut" else "\n".join(lines)).encode("utf-8", "surrogateescape"))
    for _ in range(3 if kind == "bytes" else 0):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def damaged_json(text: str, chance: random.Random) -> bytes:
    """Somewhere in it another value, a key more, or one less; or the text itself is damaged."""
    if chance.random() < 0.3:
        return damaged_text(text, chance)
    content = json.loads(text)
    place = content
    while isinstance(place, (dict, list)) and place:
        key = chance.choice(sorted(place)) if isinstance(place, dict) else chance.randrange(len(place))
        inner = place[key]
        if not isinstance(inner, (dict, list)) or not inner or chance.random() < 0.25:
            kind = chance.choice(["value", "value", "value", "delete", "add"])
            if kind == "delete":
                del place[key]
            elif kind == "add" and isinstance(place, dict):
                place[chance.choice(["x", "schema", "columns"])] = chance.choice(VALUES)
            else:
                place[key] = copy.deepcopy(chance.choice(VALUES))
            break
        place = inner
    return json.dumps(content).encode()


def damaged_text(text: str, chance: random.Random) -> bytes:
    """A word becomes another, lines go or come twice, bytes are anything."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    kind = chance.choice(["word", "word", "word", "line", "twice", "swap", "cut", "bytes", "quote"])
    if kind == "word":
        words = lines[at].split(" ")
        words[chance.randrange(len(words))] = chance.choice([*CELLS, "5", "[]", "{}", "true", "nan", '"x"', "[1]", "{ a = 1 }", "="])
        lines[at] = " ".join(words)
    elif kind == "line":
        del lines[at]
    elif kind == "twice":
        lines.insert(at, lines[at])
    elif kind == "swap":
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == "quote":
        lines[at] = lines[at].replace('"', "", 1)
    text = "\n".join(lines)
    data = bytearray((text[: chance.randrange(len(text) + 1)] if kind == "cut" else text).encode("utf-8", "surrogateescape"))
    for _ in range(3 if kind == "bytes" and data else 0):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def with_damage(path: Path, chance: random.Random) -> bytes:
    """Of a packed file: of what is packed in it, or of its own bytes."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        if chance.random() < 0.3:
            return damaged_text(data.decode("latin-1"), chance)
        return lzma.compress(damaged_text(lzma.decompress(data).decode("utf-8"), chance), preset=0)
    kinds = {".csv": damaged, ".json": damaged_json}
    return kinds.get(path.suffix, damaged_text)(data.decode("utf-8"), chance)


def write(path: Path, data: bytes) -> None:
    """In place of what is there, as a new file: a file that is cut to nothing and written anew is flushed to the disk by ext4."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


# ---------------------------------------------------------------------------------------------- every experiment's results


def few(path: Path, experiment: str) -> tuple[list[str], list[dict[str, str]]]:
    """Some rows of that experiment: neighbours, so that twins are among them, from all over the file."""
    header, records = csv_file.read(path)
    rows = [row for _, row in records if row["experiment"] == experiment]
    starts = range(0, len(rows), max(4, len(rows) * 4 // ROWS))
    return header, [row for start in starts for row in rows[start : start + 4]]


def text_of(header: list[str], rows: list[dict[str, str]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def small_set(folder: Path, experiment: str, version: int) -> Path:
    """The experiment's results in few rows, with the files beside them, as schema 1 or 2."""
    source, path = FILES[experiment]
    folder.mkdir(parents=True)
    header, rows = few(path, experiment)
    declared = json.loads(lzma.decompress(schema.sidecar(path, header).read_bytes()))
    (folder / f"{experiment}.csv").write_text(text_of(header, [row | {"schema": str(version)} for row in rows]), encoding="utf-8")
    (folder / f"{experiment}.schema.json").write_text(json.dumps(declared | {"schema": version}), encoding="utf-8")
    for name in ("sass.csv", "sass_twins.csv", "counters.csv"):
        if (packed := csv_file.there(source / name)).is_file():
            (folder / name).write_text(text_of(*few(packed, experiment)), encoding="utf-8")
    if members := archive.read(listings.path(source, experiment)):
        (folder / "sass").mkdir(exist_ok=True)
        listings.path(folder, experiment).write_bytes(archive.packed(dict(list(members.items())[:LISTINGS])))
    return folder


@pytest.fixture(scope="module")
def analyses() -> dict[str, analysis.Analysis]:
    return analysis.load(ROOT)


def groups_of(experiment: str) -> list[claims.ClaimFile]:
    return [claims._read(programs.source_folders(ROOT)[experiment] / "claims.toml", experiment, set())]


def show(folder: Path, blank: list[claims.ClaimFile], analyses: dict[str, analysis.Analysis]) -> None:
    """All that worklog.py makes of a directory. `blank`: the claims, not judged."""
    study = Study.of(results.load(folder), analyses)
    groups = [replace(group, claims=[replace(claim, figures={}) for claim in group.claims]) for group in blank]
    for group in groups:
        for claim in group.claims:
            claims.judge(claim, study)
    judged = Judged(study, groups)
    markdown.render([pipeline.worklog(judged), *judged.pages.values()])
    claims_csv(groups)
    for table in study.tables.values():
        for plot in pipeline.plots(study, table).values():
            plots.svg(plot.chart(study, table))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiments_files(tmp_path: Path, analyses: dict[str, analysis.Analysis], experiment: str) -> None:
    chance = random.Random(experiment)
    small = [small_set(tmp_path / str(version), experiment, version) for version in (1, 2)]
    blank = groups_of(experiment)
    for folder in small:
        show(folder, blank, analyses)
    sound = {path: path.read_bytes() for folder in small for path in sorted(folder.rglob("*")) if path.is_file()}
    for trial in range(trials(100)):  # of all programs together 2,800: one reader reads them
        folder = small[trial % 2]
        paths = [path for path in sound if path.is_relative_to(folder)]
        # Half of the trials in the results themselves.
        path = chance.choice(paths) if chance.random() < 0.5 else folder / f"{experiment}.csv"
        write(path, with_damage(path, chance))
        survives(lambda folder=folder: show(folder, blank, analyses), (experiment, trial, path))
        write(path, sound[path])


# ------------------------------------------------------------------------------------------------ claims, dumps and samples


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_claims(tmp_path: Path, experiment: str, analyses: dict[str, analysis.Analysis]) -> None:
    chance = random.Random(f"claims of {experiment}")
    study = Study.of(results.load(small_set(tmp_path / "set", experiment, 2)), analyses)
    text = (programs.source_folders(ROOT)[experiment] / "claims.toml").read_text(encoding="utf-8")
    path = tmp_path / "claims.toml"

    def judge() -> None:
        group = claims._read(path, experiment, set())
        for claim in group.claims:
            claims.judge(claim, study)
        claims_csv([group])

    path.write_text(text, encoding="utf-8")
    judge()
    for trial in range(trials(60)):
        write(path, damaged_text(text, chance))
        survives(judge, (experiment, trial))


def test_dumps(tmp_path: Path) -> None:
    chance = random.Random("dumps")
    dump = write_dump(tmp_path / "dump", entry(), entry("vulkan", constants=[2], container="a"), entry(kernel="copy_f32"))
    index = next(dump.glob("*/index.json"))
    text = index.read_text(encoding="utf-8")
    assert len(sass_dump.read_dump(dump).kernels) == 3
    for trial in range(trials(1000)):
        write(index, damaged_json(text, chance))
        survives(lambda: sass_dump.read_dump(dump), (trial, index.read_bytes()))


# ------------------------------------------------------------------------------------------------------- the programs whole


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with counters and listings."""
    root = tmp_path_factory.mktemp("sound")
    for name, rows in synthetic.EXPERIMENTS.items():
        (root / name).mkdir()
        for file in ("claims.toml", "analysis.py"):
            shutil.copy(ROOT / name / file, root / name)
        synthetic.write(reference(root), name, rows())
    synthetic.write_listings(reference(root))
    (reference(root) / "counters.csv").write_text(synthetic.counters_text(EXP03, EXP05), encoding="utf-8")
    (reference(root) / "sass_twins.csv").write_text("\n".join(TWINS) + "\n", encoding="utf-8")
    (reference(root) / "sass.csv").write_text("\n".join(CODE) + "\n", encoding="utf-8")
    return root


def test_the_programs_write_nothing_of_it(sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(0)
    for trial in range(trials(10)):
        root = tmp_path / str(trial)
        shutil.copytree(sound, root)
        path = chance.choice(sorted(path for path in reference(root).rglob("*") if path.is_file()))
        path.write_bytes(with_damage(path, chance))
        before = snapshot(root)
        for program, arguments in (
            (compare, [reference(sound), reference(root), "--csv", root / "out.csv"]),
            (report, ["--root", root, "--out", root / "page.html"]),
            (worklog, ["--readme", root]),
        ):
            code = program.main(list(map(str, arguments)))
            said = capsys.readouterr().err
            assert code in (0, 1), (trial, path, said)
            if code:
                assert said.count("\n") == 1 and said.strip().isprintable(), (trial, path, said)
                assert snapshot(root) == before, (trial, path, said)
            else:
                before = snapshot(root)
        shutil.rmtree(root)
