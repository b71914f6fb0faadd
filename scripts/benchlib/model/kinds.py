"""What a pair does, by the columns of its row: each pair is of at most one kind of work, and none is chosen by hand. Controls are of none.

    does       of docs/summary.toml's table [does], by "variant column=value", "experiment:variant" or variant, whichever fits first; else "other"
    bytes      of an access: elem_bytes, else of the table [bytes], else what the variant's name says (x4: 16 bytes), else 4
    place      "memory": a footprint of four times the L2 and more, or an L2 that was emptied; else "caches"
    through    "addresses", "unchecked" (sets without the driver's bounds checks), or "sets"
    recorded   of launches: "anew" each time, "before", once, or "one": a launch alone, whose time is mostly its stamps
    order      the memory order that a load, store or atomic has; scope: whose
    changed    "yes" where one side was changed on purpose, to find a cause, or reads its arrays as constants; else "no"
"""

from collections.abc import Mapping, Sequence

from benchlib.results.results import Case, Table
from benchlib.model.pairs import Pair

PROPERTIES = ("does", "bytes", "place", "through", "recorded", "order", "scope", "changed")
OTHER = "other"
ADDRESS = "vulkan_address"
UNCHECKED = ("default", "disabled")  # of `robustness`, in devices that enable pipelineRobustness: the driver then checks what asks for it
UNIFORM = "uniform"  # arrays in uniform buffers: Vulkan's side reads them through the constant cache, CUDA's with loads
AS_THEY_ARE = ("", "none", ADDRESS)  # of `feature`: that name no change
RECORDED = {"stream": "anew", "rerecorded": "anew", "graph": "before", "prerecorded": "before"}
NamedVariants = Mapping[str, Sequence[str]]  # variants, "experiment:variant", or "variant column=value", by what they have in common
Wanted = Mapping[str, str | list[str]]


def properties(table: Table, pair: Pair, does: NamedVariants, widths: NamedVariants) -> dict[str, str]:
    case = pair.case
    by_address = ADDRESS in (case["feature"], f"vulkan_{case['binding']}")
    unchecked = case["checks"] == "off" or case["robustness"] in UNCHECKED
    is_changed = table.column("memory") is not None and case["feature"] not in AS_THEY_ARE or case["memory"] not in ("", "own") or case["binding"] == UNIFORM
    return {
        "does": _of(does, table, case) or OTHER,
        "bytes": case["elem_bytes"] or _of(widths, table, case) or ("16" if "x4" in case["variant"] else "4"),
        "place": "memory" if case["cache"] == "cold" or table.is_dram(case) else "caches",
        "through": "addresses" if by_address else "unchecked" if unchecked else "sets",
        "recorded": "one" if "1" in (case["chain"], case["dispatches"]) else RECORDED.get(case["mode"], "anew" if case["set_use"] else ""),
        "order": case["memory_order"],
        "scope": case["scope"],
        "changed": "yes" if is_changed else "no",
    }


def _of(named: NamedVariants, table: Table, case: Case) -> str:
    """The key under which the case's variant stands; empty for none."""
    wanted = (*(f"{case['variant']} {column}={value}" for column, value in case.cells), f"{table.name}:{case['variant']}", case["variant"])
    return next((key for name in wanted for key, names in named.items() if name in names), "")


def matches(found: Mapping[str, str], wanted: Wanted) -> bool:
    return all(found[name] in (value if isinstance(value, list) else [value]) for name, value in wanted.items())
