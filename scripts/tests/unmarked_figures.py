"""What looks like a measured figure in prose and stands in no marker."""

from __future__ import annotations

import re

from benchlib.pages.prose import FENCE

_DIGITS = r"\d(?:[\d,.]*\d)?"
_NUMBER = rf"(?<![\w.]){_DIGITS}"
_JOIN = r"(?:\s(?:to|and|or|against)\s|,\s|\s\()"
_BARE = r"(?=[,;:).]?(?:\s(?:in|on|for|through|with|of)\b|\s?$)|[;:).])"
_UNITS = "%|ns|µs|us|ms|GB/s|TB/s|times|cycles|MB|million"
FIGURE = re.compile(rf"{_NUMBER}(?:\s(?:to|and|or|against)\s{_DIGITS})*\s?(?:{_UNITS})(?![\w/])")
# Beside these, where every figure counts: spans of time, the bare number that shares another's unit ("456 ns and 169 in CUDA"), and ratios
# ("0.83 of"). Versions and claims' ids are none.
_VERSION = "".join(rf"(?<!{name})" for name in ("CUDA ", r"CUDA \(", "Vulkan ", "Python ", "Ubuntu ", "PTX "))
STRICT = re.compile(
    rf"{_NUMBER}(?:{_JOIN}{_DIGITS})*\s?(?:{_UNITS}|s|seconds|minutes|hours|W|MHz|TFLOP/s|TOPS)(?![\w/])(?:{_JOIN}{_DIGITS}{_BARE})?"
    rf"|\0\s?(?:{_UNITS})?{_JOIN}{_DIGITS}{_BARE}"
    rf"|{_VERSION}(?<![\w.])(?!0\d\.\d)\d+\.\d+(?!\w|\.\d)",
    re.M,
)
# Sections whose figures are predictions, arguments and sizes, in the experiments' READMEs: their headings.
_PREDICTED = re.compile(r"^## (?:Hypothesis|Variants|How to run)\n.*?(?=^## |\Z)", re.M | re.S)
_NO_PROSE = r"<!-- worklog:.*?<!-- /worklog -->|<!-- q: .*?<!-- /q -->|<!--.*?-->|\]\([^)]*\)"
_LEFT_OUT = re.compile(rf"{FENCE}|{_NO_PROSE}", re.M | re.S)
_LEFT_OUT_STRICT = re.compile(rf"`[^`\n]*`|{_NO_PROSE}", re.M | re.S)  # a marked figure leaves a NUL


def unmarked(text: str, *, strict: bool = False) -> list[tuple[int, str]]:
    """The line and the words of what looks like a measured figure and stands in no marker, generated part, code or prediction. `strict`: blocks
    of code are looked into, too, and numbers count whose unit is another's, or that have none.
    """
    rest = text
    for pattern in (_LEFT_OUT_STRICT if strict else _LEFT_OUT, _PREDICTED):
        rest = pattern.sub(lambda match: "\0" * (strict and match[0].startswith("<!-- q:")) + "\n" * match[0].count("\n"), rest)
    return [(rest.count("\n", 0, match.start()) + 1, match[0].strip("\0 ")) for match in (STRICT if strict else FIGURE).finditer(rest)]
