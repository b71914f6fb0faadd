"""Machine code that one set of results lends to another of its architecture."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import hand_in
import pytest
import synthetic
from benchlib.results.machine_code import FOLDER, codes
from benchlib.results.results import InputError, Results, Table
from benchlib.sass import listings

ROOT = Path(__file__).resolve().parents[2]
EXP = "exp01_vector_add"
CODE = "0000        EXIT\n"


def a_set(folder: Path, hashes: dict[str, str], *, listed: bool) -> Results:
    """`hashes`: of each kernel, alike in both APIs."""
    folder.mkdir()
    rows = [f"{EXP},{kernel},{api},{arch},{hash_}" for kernel, hash_ in hashes.items() for api, arch in (("cuda", "sm_90a"), ("vulkan", "sm_90"))]
    (folder / "sass.csv").write_text("\n".join(["experiment,kernel,api,arch,isa_hash", *rows]) + "\n")
    if listed:
        twins = [f"{EXP},{kernel},sm_90a,{kernel},{kernel},x" for kernel in hashes]
        (folder / "sass_twins.csv").write_text("\n".join(["experiment,kernel,arch,cuda_kernel,vulkan_kernel,summary", *twins]) + "\n")
        for kernel in hashes:
            for api in ("cuda", "vulkan"):
                synthetic.write_listing(folder, EXP, kernel, api, CODE)
    return Results(folder, {}, [])


def shown(found: Results) -> dict[str, str]:
    """The kernels of which something is shown here."""
    table, twins = Table(EXP, [], []), found.auxiliary("sass_twins.csv", EXP)
    named = {row["kernel"] for case in twins.cases for row in twins.rows(case)} if twins else set()
    return {
        kernel: "".join(
            letter for letter, there in (("c", listings.of(found, table, kernel, "cuda")), ("v", listings.of(found, table, kernel, "vulkan")),
                                         ("p", listings.are_twins(found, EXP, kernel)), ("t", kernel in named)) if there
        )
        for kernel in ("add", "copy", "new")
    }  # fmt: skip


def test_code_of_the_same_hash_is_lent_and_no_other(tmp_path: Path) -> None:
    a_set(tmp_path / "b", {"add": "1", "copy": "2"}, listed=True)
    found = a_set(tmp_path / "c", {"add": "1", "copy": "3", "new": "4"}, listed=False)
    assert shown(found) == {"add": "cvpt", "copy": "", "new": ""}
    assert found.code.path() == "../b/sass" and found.code.path("sass_twins.csv") == "../b/sass_twins.csv"
    assert found.code.path("sass.csv") == "sass.csv" and found.code.path("counters.csv") == "counters.csv"


def test_the_set_with_most_of_the_kernels_lends(tmp_path: Path) -> None:
    a_set(tmp_path / "a", {"add": "1", "copy": "9"}, listed=True)
    a_set(tmp_path / "b", {"add": "1", "copy": "2"}, listed=True)
    assert a_set(tmp_path / "c", {"add": "1", "copy": "2"}, listed=False).code.path() == "../b/sass"


def test_listings_that_another_set_has_are_not_handed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a_set(tmp_path / "a", {"add": "1", "copy": "2"}, listed=True)
    same, other = a_set(tmp_path / "b", {"add": "1"}, listed=True), a_set(tmp_path / "c", {"add": "1", "copy": "3"}, listed=True)
    for each in (same, other):
        hand_in.drop_listings(each.directory)
    assert shown(Results(same.directory, {}, [])) == {"add": "cvpt", "copy": "", "new": ""}
    assert sorted(path.name for path in same.directory.iterdir()) == ["sass.csv"] and listings.path(other.directory, EXP).is_file()
    assert capsys.readouterr().out == "removed sass/: a has the same machine code\n"


def test_a_damaged_table_of_the_lender_is_named(tmp_path: Path) -> None:
    (a_set(tmp_path / "b", {"add": "1"}, listed=True).directory / "sass.csv").write_text("experiment")
    with pytest.raises(InputError, match="b/sass.csv: the last line is cut short"):
        _ = a_set(tmp_path / "c", {"add": "1"}, listed=False).code.lender


def test_no_code_is_kept_twice() -> None:
    """The committed sets: what another one could lend is not listed again."""
    kept: Counter[tuple[object, ...]] = Counter()
    for folder in sorted(path.parent for path in ROOT.glob(f"results/*/{FOLDER}")):
        kept.update((kernel, *sorted(found)) for kernel, found in codes(folder).items())
    assert kept and kept.most_common(1)[0][1] == 1
