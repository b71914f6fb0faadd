"""Every claim can be won and can be lost: on planted results its verdict is REPRODUCED, and flips with each of its queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from analyses import committed
from benchlib.base import csv_file
from benchlib.claims import claims
from benchlib.model.analysis import Study
from benchlib.claims.claims import Claim
from benchlib.pages.worklog_files import REFERENCE
from planting import Field

ROOT = Path(__file__).resolve().parents[2]
# A claim that no query decides says what it needs: it is NOT MEASURED whatever the results.
CLAIMS = {claim.id: claim for group in claims.load(ROOT) for claim in group.claims if "needs" not in claim.entry}
# Not planted yet, and why.
NO_PLANTER = dict.fromkeys(("09.1", "09.2", "09.16"), "an analysis makes one figure of a dozen cases: nothing here writes such cases")
NO_ROW = {"09.6": "asks for a row that the driver refuses: all 227 KiB of shared memory"}
PLANTED = [claim for claim in CLAIMS if claim not in NO_PLANTER and claim not in NO_ROW]


def sets() -> list[Path]:
    """The committed ones, the reference first, and then its model's others."""
    folders = sorted(path.parent for path in (ROOT / "results").glob("*/claims.csv"))
    return sorted(folders, key=lambda folder: not folder.name.startswith(REFERENCE.name))


@pytest.fixture(scope="module")
def studies() -> dict[str, Study]:
    """By experiment the committed results that have it; by claim those that measured it, where the experiment's did not."""
    found: dict[str, Study] = {}
    measured: set[str] = set()
    for folder in sets():
        study = committed(folder.name)
        found |= {experiment: study for experiment in study.tables if experiment not in found}
        here = {row["id"] for row in csv_file.rows(folder / "claims.csv") if row["verdict"] != claims.NOT_MEASURED} - measured
        found |= {claim: study for claim in here if found[CLAIMS[claim].experiment] is not study}
        measured |= here
    return found


def deciding(claim: Claim) -> list[dict[str, Any]]:
    """Mechanisms first: a figure may ask for a narrower range of the same cases."""
    found = [query for query in claim.entry.get("query", []) if "reproduced" in query]
    return sorted(found, key=lambda query: role_of(claim, query) == "figure")


def role_of(claim: Claim, query: dict[str, Any]) -> str:
    return query.get("role", "figure" if claim.kind == "figure" else "mechanism")


# Values that newer results have, each made of one that these have.
NEWER = {
    "feature": dict.fromkeys(
        ("vulkan_runs_cuda_code", "vulkan_low_priority", "vulkan_high_priority", "vulkan_second_device", "window_128_mib", "window_256_mib",
         "spread_128_mib"), "none"
    ),
    "memory": dict.fromkeys(("vulkan_sparse", "vulkan_scattered"), "own"),
}


def selected(query: dict[str, Any], column: str) -> list[str]:
    """Its values of the column."""
    values = [query[key][column] for key in ("where", "num", "den") if column in query.get(key, {})]
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def inside(bounds: dict[str, float]) -> float:
    if bounds.keys() >= {"lo", "hi"}:
        return (bounds["lo"] + bounds["hi"]) / 2
    return 1.5 * bounds["lo"] if "lo" in bounds else 0.5 * bounds["hi"]


def outside(bounds: dict[str, float]) -> float:
    """Above, where there is an above; of yes or no the other."""
    if bounds == {"lo": 1, "hi": 1}:
        return 0
    return 1.3 * bounds["hi"] + (not bounds["hi"]) if "hi" in bounds else 0.3 * bounds["lo"] if bounds["lo"] > 1e-6 else 0


CURVES = {"kingman": lambda load: load / (5000 - load) * 15, "straight": lambda load: load / 8}


def plant_latencies(field: Field, curve: str) -> None:
    """Of the loads from memory: as the formula has it, or straight, which takes twice the idle latency at 2880 GB/s."""
    for case, row in field.runs["results"].items():
        if case["level"] == "dram" and case["variant"] in ("idle", "loaded"):
            load = 0.0 if case["variant"] == "idle" else float(row["load_gbps"])
            latency = 360 + CURVES[curve](load)
            row |= dict.fromkeys(("latency_ns", "latency_ns_lo", "latency_ns_hi"), repr(latency))


HOMES = [f"half_{half}_home_{home}" for half in (0, 1, "both") for home in (0, 1, "both")]


def add_homes(field: Field) -> None:
    """Rows of each half against each home, as fast as write_share."""
    like = {"variant": "write_share", "feature": "none", "memory": "own", "elements": "max"}
    for case in field.table("results").select(like):
        row = field.runs["results"][case]
        names = [{"variant": variant, "feature": feature} for variant in ("home_store", "home_load") for feature in HOMES]
        names.append({"variant": "home_store", "feature": HOMES[-1], "memory": "from_cuda"})
        field.runs["results"] |= {case.replace(**name): row | name for name in names}


def plant_homes(field: Field, *, holds: bool) -> None:
    """Half the addresses and a slow half 1, or neither, and halves that are not the same."""
    for case, row in field.runs["results"].items():
        if case["variant"] == "home_store":
            row |= {"home_share": "0.5" if holds else "0.6", "half_by_sm": "0 1" if holds or case["api"] == "cuda" else "0 0"}
            row["home_by_granule"] = "1 0" if holds and case["api"] == "vulkan" else "0 1"
            time = repr(110.0 if holds and case["feature"].startswith("half_1") else 100.0)
            row |= dict.fromkeys(("device_ns", "device_ns_lo", "device_ns_hi"), time)


# Of work that the device decides about, in both APIs: variant, ways, dispatches.
DECIDED = [
    ("guarded", ("known", "taken", "not_taken"), ("100",)), ("repeated", ("known", "while", "tail"), ("10", "100", "1000")),
    ("launched", ("from_device",), ("100",)),
]  # fmt: skip


# The shapes that the search of exp07 found, in which types.
SEARCHED = {"product_workgroup_rows_128": (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")), "product_staged_rows": (("f16", "f16"),),
            "product_workgroup_128": (("s8", "s32"),), "product_staged_rows_sized": (("f16", "f16"),),
            "product_workgroup_sized": (("f16", "f32"), ("bf16", "f32"), ("s8", "s32"))}  # fmt: skip


def add_searched(field: Field) -> None:
    """Rows of those shapes and of cuBLAS in each of their types, as fast as those of f16 summed in f32."""
    like = {"in": "f16", "sums": "f32", "size": "8192", "data": "normal"}
    found = {"product_cublas": {types for each in SEARCHED.values() for types in each}, **SEARCHED}
    for variant, every in found.items():
        old = "product_cublas" if variant == "product_cublas" else "product_workgroup"
        for case in field.table("results").select({**like, "variant": old})[:1]:
            row = field.runs["results"][case]
            for in_, sums in every:
                name = {"variant": variant, "in": in_, "sums": sums}
                if not field.table("results").select({**name, "size": "8192", "data": "normal"}):
                    field.runs["results"][case.replace(**name)] = row | name


def add_decided(field: Field) -> None:
    """Rows of what the device decides, as independent dispatches are."""
    like = {"variant": "dispatches", "way": "independent_replayed", "dispatches": "100", "blocks": "1"}
    for case in field.table("results").select(like):
        row = field.runs["results"][case]
        for variant, ways, counts in DECIDED:
            names = [{"variant": variant, "way": way, "dispatches": count, "elements": count} for way in ways for count in counts]
            field.runs["results"] |= {case.replace(**name): row | name for name in names}


# What exp08's analyses find: microseconds by which each of so many parts of a case takes longer than those of another.
ADDED = {"exp08_dispatches": ("independent_replayed", "indirect", "dispatches"), "exp08_order": ("barrier", "queues", "links")}


def plant_added(field: Field, added_us: float) -> None:
    less, more, parts = ADDED[field.experiment]
    for case, row in field.runs["results"].items():
        if case["way"] in (less, more):
            count = int(case[parts]) - (parts == "links")
            time = 1e6 + (count * 1000 * added_us if case["way"] == more else 0)
            row |= dict.fromkeys(("device_ns", "device_ns_lo", "device_ns_hi"), repr(time))


def plant_analysis(field: Field, query: dict[str, Any], *, holds: bool) -> None:
    """What the analysis of the field's experiment finds."""
    if field.experiment in ADDED:
        plant_added(field, (inside if holds else outside)(query["reproduced"]))
    elif field.experiment == "exp10_l2_halves":
        plant_homes(field, holds=holds)
    else:
        plant_latencies(field, "kingman" if holds else "straight")


@pytest.fixture
def prepared(request: pytest.FixtureRequest, studies: dict[str, Study]) -> Iterator[tuple[Claim, Field]]:
    """The claim that the test is for, on results that have all that it asks for, and in which it holds."""
    claim = CLAIMS[request.param]
    field = Field.of(studies.get(claim.id) or studies[claim.experiment], claim.experiment)
    queries = deciding(claim)
    if any("checks" in select for query in queries for select in query.values() if isinstance(select, dict)):
        field.add_axis("checks", ["", "off"])
    if any(query.get("optional") for query in queries):
        field.add_like("counters", "instrument", "pm_sampling", "ncu", l1_sectors="1000")
    for column, values in NEWER.items():
        for value, like in values.items():
            if any(value in selected(query, column) for query in queries):
                field.add_like("results", column, value, like)
    if any(query.get("control") == "fault_rate" for query in queries):
        field.add_column("weak_rate", "fault_rate")
    if any(query.get("table") == "counters" for query in queries) and claim.experiment == "exp06_ordering":
        counted = field.runs["counters"]
        field.runs["counters"] = {case: row for case, row in counted.items() if case["variant"] != "load_rate"}
        field.add_counts("l1_hit_pct", lambda row: row["variant"] == "load_rate")
    if claim.experiment == "exp10_l2_halves" and not any(case["memory"] == "from_cuda" for case in field.runs["results"]):
        add_homes(field)
    if claim.experiment == "exp08_dispatches":
        add_decided(field)
    if claim.id in ("07.19", "07.20", "07.21"):
        add_searched(field)
    for query in queries:
        if query["combine"] == "analysis":
            plant_analysis(field, query, holds=True)
        else:
            field.plant(query, inside(query["reproduced"]))
    yield claim, field


@pytest.mark.parametrize("prepared", PLANTED, indirect=True)
def test_a_claim_can_be_won_and_lost(prepared: tuple[Claim, Field]) -> None:
    claim, field = prepared
    won = field.judged(claim)
    assert won.verdict == claims.REPRODUCED, won.note
    measured = [each.query for each in won.tested]
    for query in deciding(claim):
        if query.get("optional") and query not in measured:
            continue
        lost = field.copy()
        if query["combine"] == "analysis":
            plant_analysis(lost, query, holds=False)
        else:
            lost.plant(query, outside(query["reproduced"]))
        found = lost.judged(claim)
        # Another GPU's figure differs here as long as a query about the mechanism holds; without such a query it is refuted.
        differs = role_of(claim, query) == "figure" and any(stays(claim, other, query) for other in deciding(claim))
        assert found.verdict == (claims.DIFFERS if differs else claims.REFUTED), (query, found.note)


def stays(claim: Claim, other: dict[str, Any], query: dict[str, Any]) -> bool:
    """The other is about a mechanism, and of other cases or of a range that holds what is planted to lose the query."""
    if role_of(claim, other) != "mechanism":
        return False
    same = all(other.get(key) == query.get(key) for key in ("combine", "where", "num", "den"))
    return not same or other["reproduced"].get("lo", 0) <= outside(query["reproduced"]) <= other["reproduced"].get("hi", float("inf"))


RESULTS = [claim.id for claim in CLAIMS.values() if any(query.get("role") == "result" for query in deciding(claim))]


@pytest.mark.parametrize("prepared", RESULTS, indirect=True)
def test_wrong_output_refutes(prepared: tuple[Claim, Field]) -> None:
    """A row that failed for its output is evidence; one that failed for another reason is none."""
    claim, field = prepared
    query = next(query for query in deciding(claim) if query.get("role") == "result")
    case = field.table("results").select(query["where"])[0]
    field.runs["results"][case] |= {"status": "failed", "reason": "wrong output: 1 of 32 elements differ; [0] found 1, expected 2"}
    found = field.judged(claim)
    assert found.verdict == claims.REFUTED and "wrong output: 1 of 32" in found.note
    field.runs["results"][case]["reason"] = "cudaErrorMemoryAllocation"
    assert field.judged(claim).verdict in (claims.REPRODUCED, claims.NOT_MEASURED)


def test_another_axis_leaves_every_claim_as_it_is(studies: dict[str, Study]) -> None:
    """Newer results have each case also without bounds checks: what does not ask for those is decided as before."""
    for experiment in ("exp01_vector_add", "exp03_memory_coalescing", "exp04_bda", "exp05_strided"):
        before, after = (Field.of(studies[experiment], experiment) for _ in range(2))
        after.add_axis("checks", ["", "off"])
        for claim in CLAIMS.values():
            if claim.experiment == experiment and "off" not in str(claim.entry["query"]):
                assert after.judged(claim).verdict == before.judged(claim).verdict, claim.id
