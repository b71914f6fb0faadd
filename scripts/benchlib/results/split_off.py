"""Experiments that were split off another one: rows measured before that stand in the other one's files, and are read as their own.

The files stay as they were written. A row of `source` whose variant is one of `variants` belongs to the new experiment, and its
machine code (sass.csv) and counts (counters.csv) do, too. Where a run has a file of the new experiment's own, that one counts.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass


@dataclass(frozen=True)
class SplitOff:
    source: str
    variants: Set[str]
    params: Sequence[str]  # of the source's parameters those that it keeps
    measured: Set[str]  # columns that went along: the source has them no more


SPLIT_OFF = {
    "exp10_l2_halves": SplitOff(
        source="exp04_bda",
        variants=frozenset({"write_share", "gpc_members", "home_store", "home_load"}),
        params=("block", "feature", "memory"),
        measured=frozenset(
            {"blocks_by_sm", "gpc_by_sm", "half_sms", "home_share", "near_cycles", "far_cycles", "half_by_sm", "home_by_granule"}
            | {f"sm_blocks_{part}" for part in ("min", "q1", "median", "q3", "max")}
        ),
    )
}


def source_of(experiment: str) -> str:
    """In whose files its older rows stand; "" for an experiment that was split off none."""
    return SPLIT_OFF[experiment].source if experiment in SPLIT_OFF else ""


def owner(experiment: str, variant: str) -> str:
    """The experiment that a row of a file counts for."""
    for new, split in SPLIT_OFF.items():
        if experiment == split.source and variant in split.variants:
            return new
    return experiment
