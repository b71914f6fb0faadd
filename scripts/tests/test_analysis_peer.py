"""exp06_peer's tables, and the READMEs of a program whose results lie in a folder of their own."""

from pathlib import Path

import pytest
import synthetic
import worklog
from analyses import module, rendered, study
from benchlib.model.analysis import Study

PEER = "exp06_peer"
ANALYSIS = module(PEER)
ROOT = Path(worklog.__file__).resolve().parents[1]
LARGE = 1 << 26  # words: 256 MiB


def rows() -> list[dict]:
    def cuda(variant: str, elements: int, gbps: float, **cells: object) -> dict:
        sized = {"elements": elements, "bytes_per_element": 4, "cache": "warm", "peak_pct": "", "block": None}
        row = synthetic.row(PEER, variant, "cuda", elements * 4 / gbps, **sized, **cells)
        return {column: value for column, value in row.items() if column != "block"}

    found = []
    for variant in ("load_tma", "store_tma", "load_plain"):
        found.append(cuda(variant, LARGE, 400, sms=132, link_gbps=450, link_pct=88.9))
    found.append(cuda("load_plain", LARGE, 50, sms=1, link_gbps=450, link_pct=11.1))
    found.append(cuda("load_plain", 1 << 14, 25, sms=8, link_gbps=450, link_pct=5.6))
    found.append(cuda("copy_in", LARGE, 410))
    found.append(cuda("tile_tma", 1 << 19, 300, wrong_words=0, wrong_words_lo=0, wrong_words_hi=0))
    found.append(cuda("chase", 4096, 4 / 900, memory_order="relaxed", held_by="peer", table_bytes=16384))
    flag = {"memory_order": "relaxed", "held_by": "reader", "latency_ns_lo": 690, "latency_ns_hi": 710}
    found.append(cuda("flag", 8192, 1, **flag, latency_ns=700))
    found.append(cuda("watch", 1, 1, memory_order="weak", held_by="peer", changed_by="kernel", seen=0, polls=3e6))
    found.append(cuda("watch", 1, 1, memory_order="relaxed", held_by="peer", changed_by="host", seen=1, polls=40, seen_ns=30000))
    vulkan = {**found[5], "api": "vulkan", "status": "skipped", "reason": "Vulkan reaches ...", "device_ns": "", "gbps": ""}
    return [*found, vulkan | {"device_ns_lo": "", "device_ns_hi": "", "roundtrip_ns": "", "submit_ns": ""}]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reference has exp01 alone, its neighbour exp06_peer alone."""
    params = ["direction", "sms", "memory_order", "held_by", "changed_by", "table_bytes"]
    measured = ["link_gbps", "link_pct", "latency_ns", "latency_ns_lo", "latency_ns_hi", "seen", "polls", "seen_ns"]
    monkeypatch.setitem(synthetic.PARAMS, PEER, params)
    monkeypatch.setitem(synthetic.MEASURED, PEER, [*measured, "wrong_words", "wrong_words_lo", "wrong_words_hi"])
    for name in ("exp01_vector_add", "exp06_memory_model/peer"):
        (tmp_path / name).mkdir(parents=True)
        for file in ("claims.toml", "analysis.py"):
            (tmp_path / name / file).write_bytes((ROOT / name / file).read_bytes())
    synthetic.write(tmp_path / worklog.REFERENCE, "exp01_vector_add", synthetic.exp01_rows())
    synthetic.write(tmp_path / "results" / "nvidia-h200-x2", PEER, rows())
    readme = "<!-- worklog:answers -->\n<!-- /worklog -->\n<!-- worklog:answer-exp06_peer -->\n<!-- /worklog -->\n<!-- worklog:exp06-peer-plots -->\n<!-- /worklog -->\n"
    (tmp_path / "README.md").write_text(readme + "<!-- worklog:claims-exp06_peer -->\n<!-- /worklog -->\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def found(repository: Path) -> Study:
    return study(repository / "results" / "nvidia-h200-x2")


def test_bandwidth_by_size_and_by_sms(found: Study) -> None:
    lines = rendered(ANALYSIS.sizes(found, found.tables[PEER])).splitlines()
    assert lines[2] == "|  | 64 KiB | 256 MiB |"
    assert lines[4] == "| load_plain | 25.00 (6 %) | 400.0 (89 %) |"
    assert "| copy_in | – | 410.0 |" in lines
    lines = rendered(ANALYSIS.sms(found, found.tables[PEER])).splitlines()
    assert lines[2] == "|  | 1 | 132 |"
    assert lines[4] == "| load_plain | 50.00 (11 %) | 400.0 (89 %) |"


def test_latency(found: Study) -> None:
    lines = rendered(ANALYSIS.latency(found, found.tables[PEER])).splitlines()
    assert lines[4:] == ["| chase | relaxed | peer | 16 KiB | 900.0 |", "| flag | relaxed | reader | – | 700.0 |"]


def test_what_polls_saw(found: Study) -> None:
    lines = rendered(ANALYSIS.watch(found, found.tables[PEER])).splitlines()
    assert lines[4:] == ["| weak | peer | kernel | 0 % | 3000000 | – |", "| relaxed | peer | host | 100 % | 40.00 | 30000 |"]


def run(root: Path, *arguments: Path) -> int:
    return worklog.main(["--readme", str(root), *map(str, arguments)])


def test_readmes_show_a_program_of_another_folder(repository: Path) -> None:
    assert run(repository) == 0
    text = (repository / "README.md").read_text(encoding="utf-8")
    answer = text.partition("worklog:answer-exp06_peer")[2].partition("<!-- /worklog")[0]
    assert "memory at 400 GB/s" in answer and "From results/nvidia-h200-x2." in answer
    assert "](results/nvidia-h200-x2/plots/exp06-links" in text
    assert "From results/nvidia-h200-x2.\n\n| id | claim |" in text
    # What the reference's own files say is what the reference has.
    claims = (repository / worklog.REFERENCE / "claims.csv").read_text(encoding="utf-8")
    assert "06.16,NOT MEASURED,exp06_peer" in claims


def test_skipped_rows_in_the_reference_do_not_count(repository: Path) -> None:
    alone = [row | {"status": "skipped", "reason": "CUDA shows one GPU"} for row in rows()]
    synthetic.write(repository / worklog.REFERENCE, PEER, alone)
    assert run(repository) == 0
    assert "From results/nvidia-h200-x2." in (repository / "README.md").read_text(encoding="utf-8")


def test_a_folder_of_this_program_alone(repository: Path) -> None:
    folder = repository / "results" / "nvidia-h200-x2"
    assert run(repository, folder) == 0
    text = synthetic.worklog_text(folder)
    assert "# exp06_peer" in text and "## What a poll sees" in text
    assert "06.16,REPRODUCED,exp06_peer" in (folder / "claims.csv").read_text(encoding="utf-8")
    assert run(repository, folder, Path("--check")) == 0


def test_nothing_measured(repository: Path) -> None:
    for folder in (repository / "results").iterdir():
        if folder.name != worklog.REFERENCE.name:
            synthetic.write(folder, PEER, [row | {"status": "skipped", "reason": "one GPU"} for row in rows()])
            assert run(repository, folder) == 0
    assert run(repository) == 0
    assert "No results of exp06_peer yet." in (repository / "README.md").read_text(encoding="utf-8")


def slower_rows(**cells: str) -> list[dict]:
    """Of another GPU: twice the time, half the rate."""
    scales = {"device_ns": 2, "device_ns_lo": 2, "device_ns_hi": 2, "gbps": 0.5}
    return [row | cells | {name: row[name] and row[name] * scale for name, scale in scales.items()} for row in rows()]


@pytest.mark.parametrize("other", ["nvidia-a100-x2", "nvidia-z100-x2"])
def test_a_figure_of_the_reference_is_never_another_models(repository: Path, other: str) -> None:
    """Whatever the other folder's name, a page says what GPUs of the reference's model reached."""
    synthetic.write(repository / "results" / other, PEER, slower_rows(gpu="NVIDIA H100 80GB HBM3", gpu_uuid="GPU-2"))
    figures = '[figure.exp06_peer]\nlink = { metric = "gbps", where = "variant=load_tma" }\n'
    (repository / "docs").mkdir()
    (repository / "docs" / "figures.toml").write_text(figures, encoding="utf-8")
    page = repository / "docs" / "PAGE.md"
    page.write_text("<!-- q: link -->?<!-- /q --> <!-- q: 06.16.flag.value -->?<!-- /q -->\n", encoding="utf-8")
    assert run(repository) == 0
    assert "From results/nvidia-h200-x2." in (repository / "README.md").read_text(encoding="utf-8")
    assert "<!-- q: link -->400<!-- /q -->" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("names", [("a-x2", "b-x2"), ("b-x2", "a-x2")])
def test_of_two_folders_of_the_model_the_fuller_one_counts(repository: Path, names: tuple[str, str]) -> None:
    """In either order of their names."""
    fuller, other = (repository / "results" / name for name in names)
    (repository / "results" / "nvidia-h200-x2").rename(fuller)
    synthetic.write_again(fuller, PEER, rows())
    synthetic.write(other, PEER, slower_rows())
    assert run(repository) == 0
    text = (repository / "README.md").read_text(encoding="utf-8")
    assert "memory at 400 " in text and f"From results/{fuller.name}." in text


def test_a_program_that_only_another_model_ran_is_not_measured(repository: Path) -> None:
    folder = repository / "results" / "nvidia-h200-x2"
    synthetic.write(folder, PEER, [row | {"gpu": "NVIDIA H100 80GB HBM3"} for row in rows()])
    assert run(repository) == 0
    text = (repository / "README.md").read_text(encoding="utf-8")
    answer = text.partition("worklog:answer-exp06_peer")[2].partition("<!-- /worklog")[0]
    assert answer and "GB/s" not in answer and "From results/" not in answer
