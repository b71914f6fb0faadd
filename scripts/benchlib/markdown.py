"""Markdown tables and number formats. Everything that came out of a file passes escape()."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from benchlib.stats import Figure

NONE = "–"


def escape(text: str) -> str:
    """Text that renders as itself, on one line, inside a table cell: no markup, no HTML, no cell or line break."""
    one_line = "".join(c if c.isprintable() else " " for c in text)
    one_line = one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"[\\`*|]|\](?=\()", r"\\\g<0>", one_line)  # "](" is what makes a link or an image


def sig(value: float | None, digits: int = 4) -> str:
    """At least `digits` significant digits, no exponent; a dash for nothing."""
    if not value:
        return NONE if value is None else "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def count(number: int) -> str:
    """A number of elements: 4 Mi, 64 Ki, 1000."""
    for shift, unit in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if number >= 1 << shift and number % (1 << shift) == 0:
            return f"{number >> shift} {unit}"
    return str(number)


def ratio_text(figure: Figure | None) -> str:
    """A ratio with its interval. Four decimals: the verdict's limits are 1 % away from 1."""
    if figure is None:
        return NONE
    if not figure.has_interval:
        return f"{figure.value:.4f}"
    return f"{figure.value:.4f} [{figure.lo:.4f}, {figure.hi:.4f}]"


def figure_text(figure: Figure | None) -> str:
    if figure is None:
        return NONE
    if figure.runs == 0 or figure.lo == figure.hi == figure.value:
        return f"{figure.value:.0f}" if abs(figure.value) >= 1e6 else f"{figure.value:.6g}"
    if not figure.has_interval:
        return sig(figure.value)
    return f"{sig(figure.value)} [{sig(figure.lo)}, {sig(figure.hi)}]"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells must be escaped already. Columns whose name ends in ":" are aligned right."""
    names = [name.removesuffix(":") for name in header]
    rules = ["---:" if name.endswith(":") else "---" for name in header]
    lines = [names, rules, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bars(rows: Sequence[tuple[str, float, str]], width: int = 40) -> str:
    """A code block of horizontal bars: (label, length, text after the bar)."""
    longest = max(length for _, length, _ in rows)
    labels = max(len(label) for label, _, _ in rows)
    lines = []
    for label, length, text in rows:
        filled = max(1, round(width * length / longest))
        lines.append(f"{label.ljust(labels)}  {'█' * filled}{'░' * (width - filled)}  {text}")
    return "\n".join(["```text", *lines, "```"])
