"""A claim's figures and ranges as a person would say them: 4.6 % slower, 16 blocks, within 1 %."""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchlib.stats.formats import NONE, sig
from benchlib.stats.stats import SAME_HI, SAME_LO, Figure

# How a query's figure is said; without one of these: the number and the unit.
#   slower     a ratio of times: 4.6 % slower
#   percent    a share: 96.9 % and the unit
#   whether    1 or 0: yes or no
#   takes      a ratio of times, before what it is against: 4.6 % longer than
SAYINGS = ("slower", "percent", "whether", "takes")
DIGITS = 3
GROUPED = 10_000  # a whole number from which on three digits are enough
SAME_TIME = "the same time"
MULTIPLE = 1.5  # a ratio of times from which on it is said as such, and not as a difference
FACTOR = 2.0  # a ratio of times from which on it is a factor, and no percentage
INTERVAL = re.compile(r" \[[^\]]*\]")
LOOSELY = re.compile(r" \(within a factor of [^)]*\)")
LOOSE = 10  # times that an interval's end is the other from which on it is said by a factor
NEXT_TO_NOTHING = 1e-6  # a range that begins there says: some
# In a text, of a figure: its name, or a claim's id, and what of it is asked for.
_PLACEHOLDER = re.compile(r"\{(?P<name>\d\d\.\d+[a-z]?|[a-z0-9_]+)(?:\.(?P<what>[a-z0-9_.]+))?\}")


def placeholders(text: str) -> list[tuple[str, str]]:
    """The names in braces, each with what is asked of it: {wide}, {wide.range}, {02.4b.gap.takes}."""
    return [(match["name"], match["what"] or "") for match in _PLACEHOLDER.finditer(text)]


def filled(text: str, shown: Callable[[str, str], str | None]) -> str | None:
    """The text with what is shown in place of each name; None where one has nothing to show."""
    found = [shown(*each) for each in placeholders(text)]
    words = iter([one for one in found if one is not None])
    return None if None in found else _PLACEHOLDER.sub(lambda _: next(words), text)


def plain(words: str) -> str:
    """Without intervals, which stand in tables; how far apart runs are stays where it is more than LOOSE."""
    return INTERVAL.sub("", words)


def bare(words: str) -> str:
    """Without that, too: for a sentence that was written for its figure."""
    return LOOSELY.sub("", plain(words))


def _number(value: float) -> str:
    """Counts below 10,000 as they are, others with three digits."""
    if value == round(value) and abs(value) < GROUPED:
        return f"{value:.0f}"
    return three_digits(value)


def three_digits(value: float, digits: int = DIGITS) -> str:
    """From 1,000 on with zeros behind them: 654,000."""
    return f"{float(f'{value:.{digits - 1}e}'):,.0f}" if abs(value) >= 1000 else sig(value, digits)


def _end(value: float) -> str:
    """Of a range: as it was written."""
    return f"{value:.10g}"


def _bracket(low: str, high: str, unit: str = "") -> str:
    return f" [{low}, {high}{unit}]"


def _exact(figure: Figure) -> bool:
    return not figure.has_interval or figure.runs == 0 or figure.lo == figure.hi == figure.value


def figure_words(figure: Figure, saying: str, unit: str) -> str:
    """The figure with its interval, in the query's words."""
    if saying == "whether":
        return f"{'yes' if figure.value else 'no'}: {unit}"
    if saying == "slower":
        return _time_words(figure)
    if saying == "takes":
        return _takes_words(figure)
    scale, mark = (100, " %") if saying == "percent" else (1, "")
    return f"{_with_interval(figure, scale)}{mark} {unit}".rstrip()


def _with_interval(figure: Figure, scale: float) -> str:
    """One that is LOOSE has two digits."""
    value, lo, hi = scale * figure.value, figure.lo, figure.hi
    if _exact(figure) or lo is None or hi is None:
        return _number(value)
    if 0 < LOOSE * lo < hi:
        return f"{_number(float(f'{value:.1e}'))} (within a factor of {sig(max(figure.value / lo, hi / figure.value), 2)})"
    number = three_digits(value) if abs(value) >= 1000 else _number(value)
    return f"{number}{_bracket(_number(scale * lo), _number(scale * hi))}"


def spread_words(figures: Sequence[Figure], saying: str = "") -> str:
    """Of several cases: from the least to the greatest, each without its interval; of one the figure."""
    if not figures:
        return NONE
    ordered = sorted(figures, key=lambda figure: figure.value)
    if saying == "takes":
        return _takes_words(figures[0]) if len(figures) == 1 else _takes_spread(ordered[0].value, ordered[-1].value)
    ends = [figure_words(each, saying, "") for each in (ordered[0], ordered[-1])]
    if len(figures) == 1 or ends[0] == ends[1]:
        return ends[0]
    least, greatest = (figure_words(Figure.exact(each.value), saying, "") for each in (ordered[0], ordered[-1]))
    return least if least == greatest else f"{least} to {greatest}".replace(SAME_TIME, "no slower")


def _time_words(figure: Figure) -> str:
    """A ratio of times: slower or faster, by a percentage of the time below a factor of two."""
    if figure.value >= FACTOR:
        return _factor(figure, "slower")
    if 0 < figure.value <= 1 / FACTOR:
        return _factor(_inverse(figure), "faster")
    bracket = "" if _exact(figure) else _bracket(_signed(figure.lo), _signed(figure.hi), " %")
    return _difference(figure.value) + bracket


def _factor(figure: Figure, word: str) -> str:
    number, space, interval = _with_interval(figure, 1).partition(" ")
    return f"{number}× {word}{space}{interval}"


def _inverse(figure: Figure) -> Figure:
    lo, hi = (1 / figure.hi if figure.hi else None, 1 / figure.lo if figure.lo else None) if figure.has_interval else (None, None)
    return dataclasses.replace(figure, value=1 / figure.value, lo=lo, hi=hi)


def _takes_words(figure: Figure) -> str:
    """By the whole interval: as long where all of it lies within 1 % of 1, a ratio without a direction where it holds 1 and is wider."""
    if figure.value >= MULTIPLE:
        return figure_words(figure, "", "times as long as")
    if figure.value <= 1 / MULTIPLE:
        return figure_words(figure, "percent", "of the time of")
    lo, hi = (figure.lo, figure.hi) if figure.lo is not None and figure.hi is not None else (figure.value, figure.value)
    bracket = "" if _exact(figure) else _bracket(_signed(lo), _signed(hi), " %")
    if SAME_LO <= lo and hi <= SAME_HI:
        return f"as long{bracket} as"
    if lo <= 1 <= hi:
        return f"{figure_words(figure, '', 'times as long')} as"
    return f"{percent(figure.value - 1)} % {'longer' if figure.value > 1 else 'less time'}{bracket} than"


def _takes_spread(least: float, greatest: float) -> str:
    """Of several cases, from the least to the greatest."""
    if SAME_LO <= least and greatest <= SAME_HI:
        return "as long as"
    if greatest >= MULTIPLE:
        ends = [_number(least), _number(greatest)]
        return f"{' to '.join(dict.fromkeys(ends))} times as long as"
    ends = [f"{percent(end - 1)} % {'less' if end < 1 else 'more'}" for end in (least, greatest)]
    if "0" in (percent(least - 1), percent(greatest - 1)):
        return f"up to {ends[percent(least - 1) == '0']} time than"
    if (least < 1) == (greatest < 1):
        ends[0] = ends[0].rpartition(" ")[0]
    return f"between {ends[0]} and {ends[1]} time than"


def percent(share: float) -> str:
    """A tenth of a percent is told apart below 10 %."""
    value = 100 * abs(share)
    return f"{value:.1f}".removesuffix(".0") if value < 10 else f"{value:.0f}"


def _difference(times: float) -> str:
    if times >= FACTOR or 0 < times <= 1 / FACTOR:
        return f"{_number(max(times, 1 / times))}× {'slower' if times > 1 else 'faster'}"
    text = percent(times - 1)
    return SAME_TIME if text == "0" else f"{text} % {'slower' if times > 1 else 'faster'}"


def _signed(times: float | None) -> str:
    assert times is not None
    text = percent(times - 1)
    return text if text == "0" else f"{'+' if times > 1 else '−'}{text}"


def range_words(query: Mapping[str, Any], unit: str) -> str:
    """The range in which the query's figure counts as reproduced, in the same words; empty without one."""
    bounds = query.get("reproduced")
    if not bounds:
        return ""
    low, high = bounds.get("lo"), bounds.get("hi")
    saying = query.get("say", "")
    if saying == "whether":
        return f"{'yes' if low else 'no'}: {unit}"
    if saying == "slower":
        return _time_range(low, high)
    scale, mark = (100, " %") if saying == "percent" else (1, "")
    ends = [_end(scale * end) for end in (low, high) if end is not None]
    if low is not None and low == high:
        text = ends[0]
    elif low is not None and high is not None:
        text = f"above 0, at most {ends[1]}" if 0 < low <= NEXT_TO_NOTHING else " to ".join(ends)
    elif low is not None:
        text = "above 0" if 0 < low <= NEXT_TO_NOTHING else f"at least {ends[0]}"
    else:
        text = f"at most {ends[0]}"
    return f"{text}{mark} {unit}".rstrip()


def _time_range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        if abs((1 - low) - (high - 1)) < 1e-9:
            return f"within {percent(high - 1)} %"
        return f"{_difference(low)} to {_difference(high)}"
    if high is not None:
        return f"at most {_difference(high)}" if high >= 1 else f"at least {_difference(high)}"
    assert low is not None
    return f"at least {_difference(low)}" if low >= 1 else f"at most {_difference(low)}"
