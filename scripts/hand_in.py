#!/usr/bin/env python3
"""Makes a folder of results ready to be committed: shows what is private in it, checks it, packs it, writes its pages.

    scripts/hand_in.py DIR                 checks alone: what names of hosts and users stand in it, what is wrong, what would be packed
    scripts/hand_in.py --write DIR         packs what no page links to (all runs but the first of each case, all samples) and the counters, removes
                                           listings that a set beside it has as well (benchlib/results/machine_code.py), writes the pages,
                                           says what to commit
    scripts/hand_in.py --hide-hosts DIR    with --write: the hosts of board.csv become host-1, host-2, ...

Exit codes: 0 ready (or written), 1 bad input or something that must not be handed in, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import getpass
import json
import lzma
import os
import re
import shutil
import socket
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base import console, csv_file, files
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.pages import state, worklog_files
from benchlib.results import counters_file, results, schema
from benchlib.results.machine_code import CODES, FOLDER, TWINS, MachineCode
from benchlib.results.results import InputError
from benchlib.stats.stats import MIN_RUNS

try:
    from benchlib.pages import report_file
except ModuleNotFoundError as error:
    sys.exit(f"hand_in.py: Python's module {error.name} is missing here (package python3-jinja2)")

BOARD_FILE = "board.csv"
HIDDEN = re.compile(r"host-[1-9][0-9]*")
IGNORED = (".checksums",)  # .gitignore has them, and every sample but those of a board's first run
SAMPLES = ".samples.csv"
TEXTS = (".csv", ".json", ".md", ".log", ".txt", ".html", ".sass", ".svg", ".xz", ".lock")
COMMON_NAMES = {"root", "user", "ubuntu", "localhost", "vm", "nvidia", "cuda", "vulkan"}  # they tell nothing, or stand everywhere
MIN_LETTERS = 3
HOME = re.compile(rb"/(?:home|Users)/([A-Za-z0-9._-]+)")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Makes a folder of results ready to be committed.")
    parser.add_argument("directory", type=Path, help="results/<gpu>")
    parser.add_argument("--write", action="store_true", help="pack, and write the pages; without it nothing is changed")
    parser.add_argument("--hide-hosts", action="store_true", help="with --write: hosts of board.csv become host-1, host-2, ...")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the repository (default: this one)")
    options = parser.parse_args(arguments)
    if options.hide_hosts and not options.write:
        parser.error("--hide-hosts goes with --write")
    return console.run_cli("hand_in.py", lambda: run(options))


@dataclass
class Checked:
    errors: list[str] = field(default_factory=list)  # it must not be handed in
    notes: list[str] = field(default_factory=list)


def check(study: Study) -> Checked:
    found = Checked()
    its_state = state.of(study)
    if its_state.software:
        found.errors.append("a software device: its times mean nothing")
    if not study.runs[0].board:
        found.errors.append("no boards/<board>/run<k>/: scripts/run.sh writes them")
    for name, table in study.tables.items():
        if failed := table.statuses["failed"]:
            found.errors.append(f"{name}: {failed} rows failed: scripts/run.sh --only {name} again, or say in the pull request why")
    dirty = sorted({rev for table in study.tables.values() for rev in table.distinct("git_rev") if rev.endswith("-dirty")})
    if dirty:
        found.errors.append(f"measured from a changed working tree: {', '.join(dirty)}")
    if its_state.few:
        found.notes.append(f"fewer than {MIN_RUNS} runs do not tell how far a further run lies off: {its_state.next_command}")
    found.notes += [text for text in its_state.sentences if text.startswith(("Seen in", "Not here", "Vulkan alone", "CUDA alone"))]
    return found


# ------------------------------------------------------------------------------------------------------------ private names


def hosts(directory: Path) -> list[str]:
    """Of every board.csv, in the order of the boards."""
    rows = [row for path in sorted(directory.glob(f"boards/*/{BOARD_FILE}")) for _, row in csv_file.read(path)[1]]
    return list(dict.fromkeys(row["host"] for row in rows if row.get("host")))


def private_names(directory: Path) -> list[str]:
    """What this machine and the boards' hosts are called, and who runs this."""
    own = [socket.gethostname(), socket.getfqdn(), socket.gethostname().partition(".")[0]]
    try:
        own.append(getpass.getuser())
    except (KeyError, OSError):  # a user without a name
        pass
    found = dict.fromkeys([*hosts(directory), *own])
    return [name for name in found if len(name) >= MIN_LETTERS and name not in COMMON_NAMES and not HIDDEN.fullmatch(name)]


def where_found(directory: Path, names: Iterable[str]) -> dict[str, list[Path]]:
    """The files that have each name as a word, and home folders wherever they are named."""
    found: dict[str, list[Path]] = {}
    patterns = {name: re.compile(rb"(?<![A-Za-z0-9])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9])") for name in names}
    for path in contents(directory):
        if not path.name.endswith(TEXTS):
            continue
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        for name, pattern in patterns.items():
            if pattern.search(data):
                found.setdefault(name, []).append(path)
        for home in {match[0].decode() for match in HOME.finditer(data)}:
            found.setdefault(home, []).append(path)
    return found


def contents(directory: Path) -> Iterator[Path]:
    """The files that git would take."""
    files_ = (path for path in sorted(directory.rglob("*")) if path.is_file() and not path.name.endswith(IGNORED))
    return (path for path in files_ if SAMPLES not in path.name or path.parent.name == "run1")


def hide_hosts(directory: Path) -> None:
    hidden = {name: name if HIDDEN.fullmatch(name) else f"host-{at}" for at, name in enumerate(hosts(directory), start=1)}
    for path in sorted(directory.glob(f"boards/*/{BOARD_FILE}")):
        header, records = csv_file.read(path)
        rows = [row | ({"host": hidden[row["host"]]} if row.get("host") else {}) for _, row in records]
        files.write_atomic(path, csv_file.text(header, rows))


# ------------------------------------------------------------------------------------------------------------------ packing


def to_pack(study: Study) -> list[Path]:
    """What was counted, in hardware and in code, every sample, and the runs' files but those that are the first to have a case: the pages link to their rows."""
    first = {next(path for path, run in zip(table.files, table.runs) if case in run) for table in study.tables.values() for case in table.cases}
    runs = [path for each in study.runs for path in sorted(each.path.glob("exp*.csv"))]
    beside = (study.directory / name for name in (counters_file.NAME, CODES, TWINS))
    return [path for path in [*runs, *beside] if path not in first and path.is_file()]


def pack(path: Path) -> None:
    """Like `xz -9`: the packed file is read again before the other one goes."""
    data = path.read_bytes()
    packed = lzma.compress(data, preset=9)
    if lzma.decompress(packed) != data:
        raise InputError(f"{path}: what was packed is not what was read")
    files.write_atomic(path.with_name(f"{path.name}.xz"), packed)
    path.unlink()


def drop_listings(directory: Path) -> None:
    """The folder of listings that a set beside it has as well: that one's are shown from now on."""
    if MachineCode(directory).is_kept_twice:
        shutil.rmtree(directory / FOLDER)
        csv_file.there(directory / TWINS).unlink(missing_ok=True)
        print(f"removed {FOLDER}/: {MachineCode(directory).lender.name} has the same machine code")


def share_sidecars(study: Study) -> int:
    """What declares a file's columns is kept once for all files of the same columns, above the results. Returns how many are new there.
    Of words alone that differ, what a column means, the file's are kept: it is newer.
    """
    new = 0
    for path in (path for run in study.runs for path in results.files_of(run.path).values()):
        beside = schema.own_sidecar(path)
        if not beside.exists():
            continue
        shared = study.directory.resolve().parent / schema.SHARED / schema.shared_name(path, csv_file.Reader(path).header)
        if not shared.exists():
            shared.parent.mkdir(exist_ok=True)
            files.write_atomic(shared, beside.read_bytes())
            new += 1
        if shared.read_bytes() != beside.read_bytes():
            if _wordless(shared) != _wordless(beside):
                raise InputError(f"{beside}: it declares other columns than {shared}")
            files.write_atomic(shared, beside.read_bytes())
        beside.unlink()
    return new


def _wordless(sidecar: Path) -> object:
    """What it declares, less what is for people to read."""
    return json.loads(sidecar.read_bytes(), object_hook=lambda entry: {key: value for key, value in entry.items() if key != "meaning"})


def run(options: argparse.Namespace) -> int:
    directory = options.directory
    study = Study.of(results.load(directory), analysis.load(options.root))
    if options.hide_hosts:
        hide_hosts(directory)
    names = where_found(directory, private_names(directory))
    for name, paths in names.items():
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        print(f"private? {console.plain(name)}: {paths[0].relative_to(directory)}{more}")
    checked = check(study)
    for kind, texts in (("wrong", checked.errors), ("note", checked.notes)):
        for text in texts:
            print(f"{kind}: {text}")
    packing = to_pack(study)
    if not options.write:
        hide = " --hide-hosts" if names.keys() & set(hosts(directory)) else ""
        print(f"{len(packing)} files to pack; nothing was written: scripts/hand_in.py --write{hide} {directory}")
        return 1 if checked.errors else 0
    if checked.errors:
        return 1
    new = share_sidecars(study)
    for path in packing:
        pack(path)
    print(f"packed {len(packing)} files; {new} new in {schema.SHARED}/")
    drop_listings(directory)
    for code in (worklog_files.write(directory, options.root), report_file.write(directory, options.root)):
        if code:
            return code
    size = sum(path.stat().st_size for path in contents(directory))
    print(f"commit {os.path.relpath(directory, options.root)}: {size / 1e6:.1f} MB in {sum(1 for _ in contents(directory))} files")
    print(f"    git add {directory} {directory.parent / schema.SHARED} && git commit -m 'Results of {console.plain(directory.resolve().name)}'")
    print("Say in the pull request which host, driver and cooling it had. Then scripts/published.py puts the model beside the others.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
