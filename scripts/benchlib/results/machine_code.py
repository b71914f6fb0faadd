"""Machine code is the architecture's, not the model's: listings that GPUs of one architecture share are kept in one set of results.

A set with a folder of listings shows its own. A set without one is lent those of a set beside it, kernel by kernel: where both sets' sass.csv
have the kernel with one hash of its code (isa_hash). A kernel with another hash, or with none, has no listing here.

Newer listings of a kernel take the place of older ones, and rows of the older code stay, in this set or in one beside it. What its twins did not
do alike is kept in PAST, by the hashes.
"""

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from benchlib.base import csv_file
from benchlib.base.kept import kept_last, kept_property

FOLDER, CODES, TWINS = "sass", "sass.csv", "sass_twins.csv"
PAST = "sass_past.csv"  # what twins did not do alike, by the hashes of their code, whether or not their listings are still here

KernelKey = tuple[str, str, str]  # experiment, name, API
Codes = Mapping[KernelKey, Set[tuple[str, str]]]  # of each kernel its architectures and hashes


class MachineCode:
    """Of the results in `directory`. Reads CODES when it is asked. Raises InputError where one is damaged."""

    def __init__(self, directory: Path):
        self.directory = directory

    @kept_property
    def lender(self) -> Path:
        """Whose listings are shown: its own directory, or the one beside it that has most of its kernels."""
        return self.directory if (self.directory / FOLDER).is_dir() else self._beside[0]

    @property
    def is_kept_twice(self) -> bool:
        """Whether a set beside it has every listing that it has itself."""
        made = {kernel for kernel, found in self._own.items() if all(hash_ for _, hash_ in found)}
        return (self.directory / FOLDER).is_dir() and bool(made) and made == self._beside[1]

    @kept_property
    def _beside(self) -> tuple[Path, Set[KernelKey]]:
        """The set beside it that has most of its kernels, and those; itself and none where no set has any."""
        here = self.directory.resolve()
        found = [(path.parent, same(self._own, codes(path.parent))) for path in sorted(here.parent.glob(f"*/{FOLDER}")) if path.parent != here]
        best = max(found, key=lambda each: len(each[1]), default=(self.directory, set()))
        return best if best[1] else (self.directory, set())

    @property
    def is_lent(self) -> bool:
        return self.lender != self.directory

    def path(self, name: str = FOLDER) -> str:
        """Of the folder of the listings, or of a file beside the results: from the directory."""
        lent = name in (FOLDER, TWINS) and not csv_file.there(self.directory / name).exists() and self.is_lent
        return os.path.relpath(self.lender / name, self.directory.resolve()) if lent else name

    def has(self, experiment: str, kernel: str, api: str) -> bool:
        """Whether the lender's listing, should there be one, is of the code that was found here."""
        return not self.is_lent or (experiment, kernel, api) in self._beside[1]

    @kept_property
    def _own(self) -> Codes:
        return codes(self.directory)


def codes(directory: Path) -> Codes:
    """What sass.csv says, as it was written or packed; nothing where there is none."""
    found: dict[KernelKey, set[tuple[str, str]]] = {}
    for row in csv_file.rows(directory / CODES):
        key = row.get("experiment", ""), row.get("kernel", ""), row.get("api", "")
        found.setdefault(key, set()).add((row.get("arch", ""), row.get("isa_hash", "")))
    return found


def by_hashes(code: Iterable[Mapping[str, str]], twins: Iterable[Mapping[str, str]]) -> dict[tuple[str, str], list[Mapping[str, str]]]:
    """The rows of TWINS by the hashes that CODES has of both kernels, CUDA's first; all of one experiment."""
    hashes: dict[tuple[str, str], set[str]] = {}
    for row in code:
        hashes.setdefault((row["api"], row["kernel"]), set()).add(row.get("isa_hash", ""))
    named: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in twins:
        for ours in hashes.get(("cuda", row.get("cuda_kernel", "")), ()):
            for theirs in hashes.get(("vulkan", row.get("vulkan_kernel", "")), ()):
                if ours and theirs:
                    named.setdefault((ours, theirs), []).append(row)
    return named


def past(directory: Path, experiment: str) -> dict[tuple[str, str], list[Mapping[str, str]]]:
    """The rows of PAST by both hashes, of the set in `directory` and of those beside it. Raises InputError where a file is damaged."""
    named: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    places = (csv_file.there(folder / PAST) for folder in sorted(directory.resolve().parent.glob("*/")))
    for row in _past(tuple(path for path in places if path.is_file())):
        if row["experiment"] == experiment:
            named.setdefault((row["cuda_hash"], row["vulkan_hash"]), []).append(row)
    return named


@kept_last(128)
def _past(paths: Sequence[Path]) -> list[Mapping[str, str]]:
    return [row for path in paths for row in csv_file.rows(path)]


def same(ours: Codes, theirs: Codes) -> Set[KernelKey]:
    """The kernels whose code is known on both sides, and alike."""
    return {kernel for kernel, found in ours.items() if theirs.get(kernel) == found and all(hash_ for _, hash_ in found)}
