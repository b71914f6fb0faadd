"""Tables of a row for each thing that is shown, from columns that say what stands below their names.

    pivot(pairs(table, {"variant": "wait"}), keys({"way": "way"}), by_api(["{} GPU, µs:"], figures(table, micros, "device_ns")), versus(table))
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from benchlib.document import document
from benchlib.document.document import NO_RESULTS, NONE, Block, Blocks, Cell, fixed, paragraph
from benchlib.model.pairs import Pair, figure_of
from benchlib.results.results import API_NAMES, APIS, Case, Table
from benchlib.stats.stats import Figure

Of = TypeVar("Of")
Value = TypeVar("Value")
Columns = tuple[Sequence[str], Callable[[Of], Sequence[Cell]]]  # names, those of numbers with ":" behind, and a row's cells below them


def pivot(rows: Iterable[Of], *columns: Columns[Of]) -> Block:
    """A row each; without any, that there are no results."""
    shown = [[cell for _, cells in columns for cell in cells(row)] for row in rows]
    return document.table([name for names, _ in columns for name in names], shown) if shown else NO_RESULTS


def told(shown: Block, before: Sequence[Block | str] = (), after: Sequence[Block | str] = ()) -> Blocks:
    """The table between what is said of it; alone, that there are no results."""
    blocks = [each if not isinstance(each, str) else paragraph(each) for each in (*before, shown, *after)]
    return [NO_RESULTS] if shown == NO_RESULTS else blocks


def column(name: str, cell: Callable[[Of], Cell]) -> Columns[Of]:
    return [name], lambda row: [cell(row)]


def keys(of: Mapping[str, str | Callable[[Case], Cell]]) -> Columns[Case | Pair]:
    """By the column's name the case's column, or what is made of the case."""

    def cells(row: Case | Pair) -> list[Cell]:
        case = row if isinstance(row, Case) else row.case
        return [case[each] or NONE if isinstance(each, str) else each(case) for each in of.values()]

    return list(of), cells


def across(values: Sequence[Value], name: Callable[[Value], str], cell: Callable[[Of, Value], Cell]) -> Columns[Of]:
    """A column of numbers for each value."""
    return [f"{name(value)}:" for value in values], lambda row: [cell(row, value) for value in values]


def grid(
    cases: Iterable[Case],
    rows: Mapping[str, str | Callable[[Case], Cell]],
    value: Callable[[Case], Value],
    name: Callable[[Value], str],
    cell: Callable[[Sequence[Case]], Cell],
) -> Block:
    """A row for what the cases have in `rows`, in their order, and a column of numbers for each `value` among them, in its own: a cell of
    the cases that have both.
    """
    names, cells = keys(rows)
    found: dict[tuple[Cell, ...], dict[Value, list[Case]]] = {}
    for case in cases:
        found.setdefault(tuple(cells(case)), {}).setdefault(value(case), []).append(case)
    values = sorted({each for row in found.values() for each in row})  # type: ignore[type-var]
    return pivot(found.items(), (names, lambda row: row[0]), across(values, name, lambda row, each: cell(row[1].get(each, []))))


def by_api(names: Sequence[str], cells: Callable[[Case | None], Sequence[Cell]]) -> Columns[Pair]:
    """Of CUDA's side, then of Vulkan's. `{}` in a name is the API's."""
    return [name.format(api) for api in API_NAMES.values() for name in names], lambda pair: [cell for side in pair.sides for cell in cells(side)]


def for_apis(cuda: str, vulkan: str, cell: Callable[[Of, str], Cell]) -> Columns[Of]:
    """A column of each API's, by its name: a cell of the row and the API."""
    return [cuda, vulkan], lambda row: [cell(row, api) for api in APIS]


def figures(table: Table, shown: Callable[[Figure | None], Cell], *metrics: str) -> Callable[[Case | None], list[Cell]]:
    return lambda case: [shown(figure_of(table, case, metric)) for metric in metrics]


def decimals(table: Table, of: Mapping[str, tuple[str, int]]) -> Columns[Case]:
    """By the column's name the figure, and with how many decimals it is shown."""
    return list(of), lambda case: [rounded(figure_of(table, case, metric), digits) for metric, digits in of.values()]


def rounded(figure: Figure | None, digits: int, unit: str = "") -> Cell:
    return fixed(figure.value if figure else None, digits, unit)


def quotient(num: Figure | None, den: Figure | None, digits: int) -> Cell:
    """Of two figures over all runs, where none of it within a run is asked for."""
    return fixed(num.value / den.value if num and den else None, digits)


# ------------------------------------------------------------------------------------------------------- what is made of a case


def api_name(case: Case) -> Cell:
    return API_NAMES[case["api"]]


def named(names: Mapping[str, str], key: str) -> Callable[[Case], Cell]:
    """The case's column, by another name where it has one."""
    return lambda case: names.get(case[key], case[key])


def thousandth(key: str) -> Callable[[Case], Cell]:
    """Microseconds of a column of nanoseconds."""
    return lambda case: f"{case.whole(key) / 1000:g}"
