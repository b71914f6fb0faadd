"""Files damaged at random: worklog.py, report.py and compare.py say what is wrong in one line and write nothing, or cope."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import compare
import pytest
import report
import synthetic
import worklog
from test_report import CODE, TWINS
from test_worklog import EXP03, EXP05, reference, snapshot

TRIALS = 12  # of each seed
CELLS = ["", "nan", "inf", "-1", "0", "1e400", "x", "=1+1", "<img src=x>", "\x1b[31m", "9" * 30, '"', "a,b", "\ufeff", "None"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with counters and listings."""
    root = tmp_path_factory.mktemp("sound")
    for name, rows in synthetic.EXPERIMENTS.items():
        (root / name).mkdir()
        shutil.copy(Path(worklog.__file__).resolve().parents[1] / name / "claims.toml", root / name)
        synthetic.write(reference(root), name, rows())
    synthetic.write_listings(reference(root))
    (reference(root) / "counters.csv").write_text(synthetic.counters_text(EXP03, EXP05), encoding="utf-8")
    (reference(root) / "sass_twins.csv").write_text("\n".join(TWINS) + "\n", encoding="utf-8")
    (reference(root) / "sass.csv").write_text("\n".join(CODE) + "\n", encoding="utf-8")
    return root


def damaged(text: str, chance: random.Random) -> bytes:
    lines = text.split("\n")
    kind = chance.choice(["cut", "cell", "cell", "cell", "column", "twice", "order", "line", "bytes"])
    at = chance.randrange(len(lines))
    if kind == "cut":
        text = text[: chance.randrange(len(text))]
    elif kind in ("cell", "column"):
        line = 0 if kind == "column" else at
        cells = lines[line].split(",")
        cells[chance.randrange(len(cells))] = chance.choice(CELLS)
        lines[line] = ",".join(cells)
    elif kind == "twice":
        lines.insert(at, lines[at])
    elif kind == "order":
        chance.shuffle(lines)
    elif kind == "line":
        del lines[at]
    data = bytearray((text if kind == "cut" else "\n".join(lines)).encode())
    for _ in range(3 if kind == "bytes" else 0):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_damage(sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int) -> None:
    chance = random.Random(seed)
    for trial in range(TRIALS):
        root = tmp_path / str(trial)
        shutil.copytree(sound, root)
        path = chance.choice(sorted(path for path in reference(root).rglob("*") if path.is_file()))
        path.write_bytes(damaged(path.read_text(encoding="utf-8"), chance))
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
