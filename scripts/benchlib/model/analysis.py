"""What an experiment says of its own results: the ANALYSIS in the analysis.py beside its claims.toml.

    ANALYSIS = Analysis(
        sections=[("Sizes", sizes)],           of the worklog and the report, with their titles; without any: a table of all pairs
        readme={"exp07-sizes": sizes},         the tables of READMEs, by the name in <!-- worklog:NAME -->
        plots={"exp07-sizes": Plot(...)},      figures, by the name of their file in plots/
        plots_marker="exp07-plots",            that name for all of the figures
        counting=Counting(...),                what hardware counters are to count of it
        floor=FloorFacts(...),                 what the time floor needs to know of it, or learns from it
        controls=[CHECKS],                     what causes of gaps it measures itself
        figures={"fit_worst_pct": fit},        what claims ask for that is reckoned from many rows: of one run's table, by case
        inside_sm=["spin"],                    variants whose timed work stays in an SM's registers and shared memory
        exact=["resident_blocks"],             columns, and figures, of which every run must find the same; whole numbers are anyway
    )

A program without the file gets the defaults. The functions take a Study and the program's own table, and give blocks (document.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from types import ModuleType

from benchlib.base import programs
from benchlib.base.kept import kept_last
from benchlib.model import work
from benchlib.results.results import Case, InputError, Results, Table

FILE = "analysis.py"
GENERAL = ("answers", "experiments", "verdict", "picture", "picture-of-all", "kinds", "rules", "models")  # what is generated of all programs together
Show = Callable[["Study", Table], Sequence[object]]  # of a table, the blocks (document.py) that show it


@dataclass(frozen=True)
class Plot:
    """A figure of a program's results."""

    title: str
    chart: Callable[[Study, Table], object]  # a Chart of plots.py
    variants: str  # of the program's --variant: what measures it again


@dataclass(frozen=True)
class Counting:
    """What scripts/counters.py counts of a program: whether it does unless the program is named, the options that choose the cases, and
    those that choose, of CUDA's, what Nsight Compute counts as well (it takes far longer). None: nothing.
    """

    by_default: bool = True
    options: Sequence[str] = ()
    ncu: Sequence[str] | None = None


@dataclass(frozen=True)
class Stream:
    """A kernel that does nothing but stream: of its useful bytes the share that is read, and the arrays that it reads."""

    read_share: float
    arrays: int = 1


@dataclass(frozen=True)
class FloorFacts:
    """What the time floor (floor.py) learns from a program, and what it must know of its kernels."""

    streams: Mapping[str, Stream] = field(default_factory=dict)  # variants whose best bandwidth is this GPU's ceiling
    resident: Sequence[str] = ()  # of those, the ones that also run with all of their bytes in the L2: its ceiling
    l2_loads: Sequence[str] = ()  # variants that read sectors in the L2 again and again: what it delivers, where they were counted
    empty: Mapping[str, object] = field(default_factory=dict)  # the rows of an empty kernel: what a block takes
    one_slot: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # those with one block at a time on an SM, by name
    loops: Mapping[str, Stream] = field(default_factory=dict)  # variants of persistent loops: what so many bytes in flight reach
    stores: str = ""  # the loop that only writes
    one_by_one: Sequence[str] = ()  # variants whose threads loop, an element a turn; elsewhere they do all that they do at once
    foreign: Sequence[str] = ()  # variants that run no kernel of ours
    launch: Mapping[str, str] = field(default_factory=dict)  # of one warp, `chain` of them a submission: what one costs


@dataclass(frozen=True)
class Control:
    """A cause of a gap between twins that the experiment measures itself: what it adds to Vulkan's time over CUDA's is the time of the
    row `more` less that of the row `less`. Each is an API, and the cells in which its row differs from the pair's.
    """

    cause: str
    more: tuple[str, Mapping[str, str]]
    less: tuple[str, Mapping[str, str]]
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the pairs that it is about: all, without any
    includes: Sequence[str] = ()  # causes that are a part of it, and are counted once
    localizes_only: bool = False  # it tells where a gap lies, and is a part of what is left


# For Counting.ncu: CUDA's row of `checks: off` runs the same kernel as its row with checks, which has none. It is counted once.
WITHOUT_COPIES = "--benchmark_filter=-checks:off"
# Every experiment's with the parameter `checks`: the driver's bounds checks, less the row without them.
CHECKS = Control("bounds checks", ("vulkan", {}), ("vulkan", {"checks": "off"}), {"checks": ["", "default"]})


@dataclass(frozen=True)
class Analysis:
    sections: Sequence[tuple[str, Show]] = ()
    readme: Mapping[str, Show] = field(default_factory=dict)
    plots: Mapping[str, Plot] = field(default_factory=dict)
    plots_marker: str = ""
    counting: Counting = Counting()
    floor: FloorFacts = FloorFacts()
    figures: Mapping[str, Callable[[Table], Mapping[Case, float]]] = field(default_factory=dict)  # of a table with one run
    controls: Sequence[Control] | None = None  # the causes that it measures; None: its gaps are not accounted for
    elements_requested: Mapping[str, Callable[[Table, Case], float]] = field(default_factory=dict)  # by variant: of a launch
    compares_times: bool = True  # False: a time is no figure of merit here, and twins' times get no verdict
    inside_sm: Sequence[str] = ()
    exact: Sequence[str] = ()


@dataclass
class Study(Results):
    """A directory's results, and every program's analysis. Many tables show the same of it: see memoized()."""

    analyses: Mapping[str, Analysis] = field(default_factory=dict)

    @staticmethod
    def of(found: Results, analyses: Mapping[str, Analysis]) -> Study:
        for name, table in found.tables.items():
            table.learn(analyses.get(name, Analysis()))
        study = Study(**{each.name: getattr(found, each.name) for each in fields(Results)}, analyses=analyses)
        for table in study.tables.values():
            table.differing = partial(work.differing, study, table)
        return study

    def analysis_of(self, experiment: str) -> Analysis:
        """A program whose folder is not here gets the defaults."""
        return self.analyses.get(experiment, Analysis())


def untimed(analyses: Mapping[str, Analysis]) -> set[str]:
    """The experiments whose times are no figures of merit."""
    return {name for name, each in analyses.items() if not each.compares_times}


def module(experiment: str, path: Path) -> ModuleType:
    """The experiment's analysis.py; nothing is written beside it."""
    return _loaded(experiment, path, path.read_bytes())


@kept_last(128)  # a process may load the same file again and again
def _loaded(experiment: str, path: Path, text: bytes) -> ModuleType:
    loaded = ModuleType(f"analysis_of_{experiment}")
    loaded.__file__ = str(path)
    sys.modules[loaded.__name__] = loaded  # where its dataclasses look for their names
    exec(compile(text, path, "exec"), vars(loaded))
    return loaded


def load(root: Path) -> dict[str, Analysis]:
    """Every program's under the repository's root, by its name. Raises InputError where one is none, or two use one name."""
    found: dict[str, Analysis] = {}
    owners: dict[str, Path] = {}
    for experiment, folder in programs.source_folders(root).items():
        path = folder / FILE
        if not path.is_file():
            found[experiment] = Analysis()
            continue
        one = getattr(module(experiment, path), "ANALYSIS", None)
        if not isinstance(one, Analysis):
            raise InputError(f"{path}: no ANALYSIS in it")
        for name in [*one.readme, *([one.plots_marker] if one.plots else []), *(f"plots/{plot}" for plot in one.plots)]:
            if not name or name in GENERAL or name.startswith(("claims-", "answer-")) or name in owners:
                taken = f", {owners[name]} has it" if name in owners else ""
                raise InputError(f"{path}: {name!r} is no name for a table or figure here{taken}")
            owners[name] = path
        found[experiment] = one
    return found
