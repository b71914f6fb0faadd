"""Pages that are filled from several folders of results: each figure from the folder of the model that it names, whatever the folders are called."""

from pathlib import Path

import pytest
import synthetic
import worklog

PEER = "exp06_peer"
ROOT = Path(worklog.__file__).resolve().parents[1]
NAMES = ("answers", "answer-exp06_peer", "exp06-peer-plots", "claims-exp06_peer")


def rows(gbps: float = 400, **cells: object) -> list[dict]:
    """Tensor copies and plain loads of 256 MiB over NVLink."""
    elements = 1 << 26
    found = []
    for variant in ("load_tma", "store_tma", "load_plain"):
        sized = {"elements": elements, "bytes_per_element": 4, "cache": "warm", "peak_pct": "", "block": None, "sms": 132, "link_gbps": 450, "link_pct": 88.9}
        found.append(synthetic.row(PEER, variant, "cuda", elements * 4 / gbps, **sized, **cells))
    return [{column: value for column, value in row.items() if column != "block"} for row in found]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reference has exp01 alone, its neighbour exp06_peer alone."""
    monkeypatch.setitem(synthetic.PARAMS, PEER, ["direction", "sms", "memory_order", "held_by", "changed_by", "table_bytes"])
    monkeypatch.setitem(synthetic.MEASURED, PEER, ["link_gbps", "link_pct", "latency_ns", "seen", "polls", "seen_ns", "wrong_words"])
    for name in ("exp01_vector_add", "exp06_memory_model/peer"):
        (tmp_path / name).mkdir(parents=True)
        for file in ("claims.toml", "analysis.py"):
            (tmp_path / name / file).write_bytes((ROOT / name / file).read_bytes())
    synthetic.write(tmp_path / worklog.REFERENCE, "exp01_vector_add", synthetic.exp01_rows())
    synthetic.write(tmp_path / "results/nvidia-h200-x2", PEER, rows())
    (tmp_path / "README.md").write_text("".join(f"<!-- worklog:{name} -->\n<!-- /worklog -->\n" for name in NAMES), encoding="utf-8")
    return tmp_path


def answer(root: Path) -> str:
    assert worklog.main(["--readme", str(root)]) == 0
    return (root / "README.md").read_text(encoding="utf-8").partition("worklog:answer-exp06_peer")[2].partition("<!-- /worklog")[0]


def test_readmes_show_a_program_of_another_folder(repository: Path) -> None:
    said = answer(repository)
    assert "memory at 400 GB/s" in said and "From results/nvidia-h200-x2." in said
    text = (repository / "README.md").read_text(encoding="utf-8")
    assert "](results/nvidia-h200-x2/plots/exp06-links" in text and "From results/nvidia-h200-x2.\n\n| id | claim |" in text
    # What the reference's own files say is what the reference has.
    assert "06.16,NOT MEASURED,exp06_peer" in (repository / worklog.REFERENCE / "claims.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("other", ["nvidia-a-first", "nvidia-z-last"])
def test_another_models_folder_fills_nothing_wherever_its_name_stands(repository: Path, other: str) -> None:
    before = answer(repository)
    synthetic.write(repository / "results" / other, PEER, rows(300, gpu="NVIDIA H100 80GB HBM3", gpu_uuid="GPU-2"))
    assert answer(repository) == before


def test_a_program_that_only_another_model_ran_is_not_measured(repository: Path) -> None:
    synthetic.write(repository / "results/nvidia-h200-x2", PEER, rows(gpu="NVIDIA H100 80GB HBM3"))
    said = answer(repository)
    assert said and "GB/s" not in said and "From results/" not in said


def test_skipped_rows_in_the_reference_do_not_count(repository: Path) -> None:
    alone = [row | {"status": "skipped", "reason": "CUDA shows one GPU"} for row in rows()]
    synthetic.write(repository / worklog.REFERENCE, PEER, alone)
    assert "From results/nvidia-h200-x2." in answer(repository)
