"""Numbers as people read them: the same in the worklog, the READMEs and the report."""

from benchlib.stats.stats import Figure

NONE = "–"


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


def binary(bytes_: int) -> str:
    """4 KiB, 1536 MiB, 512 B."""
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if bytes_ >= 1 << shift:
            return f"{bytes_ >> shift} {unit}"
    return f"{bytes_} B"


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
