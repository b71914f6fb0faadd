"""Tables from rows and columns."""

from __future__ import annotations

from benchlib.document import markdown
from benchlib.document.document import NO_RESULTS, NONE, Block, is_empty, paragraph, section
from benchlib.results.results import Case
from benchlib.tables.pivot import column, grid, keys, pivot, told


def case(**cells: str) -> Case:
    return Case(tuple(cells.items()))


def shown(block: Block) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.render([block]).splitlines()]


def test_cells_stand_below_their_names() -> None:
    cases = [case(variant="a", ways="2"), case(variant="b", ways="")]
    block = pivot(cases, keys({"": "variant", "ways:": "ways"}), (["x:", "x:"], lambda one: [one["ways"] * 2, "y"]), column("z", lambda one: one["variant"] * 3))
    assert shown(block) == [["", "ways", "x", "x", "z"], ["---", "---:", "---:", "---:", "---"], ["a", "2", "22", "y", "aaa"], ["b", NONE, "", "y", "bbb"]]


def test_grid_has_a_column_for_each_value_in_its_order_and_a_cell_for_those_that_have_both() -> None:
    cases = [case(op=op, size=size, api=api) for op, size, api in (("b", "10", "x"), ("a", "9", "x"), ("b", "9", "x"), ("b", "9", "y"))]
    block = grid(cases, {"op": "op"}, lambda one: one.whole("size"), lambda size: f"{size} bytes", lambda found: " ".join(one["api"] for one in found) or NONE)
    assert shown(block) == [["op", "9 bytes", "10 bytes"], ["---", "---:", "---:"], ["b", "x y", "x"], ["a", "x", NONE]]


def test_without_rows_there_are_no_results_and_nothing_is_said() -> None:
    assert told(pivot([], column("a", str)), ["before"], ["after"]) == [NO_RESULTS]
    assert told(grid([], {"op": "op"}, lambda one: one["size"], str, lambda found: NONE), ["before"]) == [NO_RESULTS]
    before, block, after = told(pivot(["a"], column("a", str)), ["before"], ["after"])
    assert [markdown.render([each]) for each in (before, after)] == ["before", "after"] and shown(block)[2:] == [["a"]]


def test_a_section_without_anything_is_empty() -> None:
    """As one is about CUDA's rows alone where there are none."""
    assert is_empty(section("a", [])) and is_empty(section("a", [NO_RESULTS])) and not is_empty(section("a", [paragraph("b")]))
