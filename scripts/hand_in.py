#!/usr/bin/env python3
"""Makes a folder of results ready to be committed: shows what is private in it, checks it, packs it, writes its pages.

    scripts/hand_in.py DIR                 checks alone, on a copy: what names of hosts and users stand in it, what is wrong, what would be packed
    scripts/hand_in.py --write DIR         packs each run into run<k>.tar.xz, samples and counters into .xz, removes
                                           listings that a set beside it has as well (benchlib/results/machine_code.py), writes the pages,
                                           says what to commit; all of it or nothing
    scripts/hand_in.py --attach FILE DIR   without a clone: packs a copy of all of it, hosts hidden and samples with it, into FILE (.zip), and says where to attach it
    scripts/hand_in.py --hide-hosts DIR    with --write: the hosts of board.csv become host-1, host-2, ...
    scripts/hand_in.py --allow WORD DIR    WORD, which is called like a host or a user here, is no name where it stands (repeatable)

What is handed in names no host, no user and no path: every file is searched, unpacked, and one that is no file of a set of results is refused.

Exit codes: 0 ready (or written), 1 bad input or something that must not be handed in, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import contextlib
import getpass
import io
import itertools
import json
import lzma
import os
import re
import shutil
import socket
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchlib.base import archive, console, csv_file, files
from benchlib.model import analysis
from benchlib.model.analysis import Study
from benchlib.claims import provenance
from benchlib.pages import report_page, state, worklog_files
from benchlib.results import board_states, counters_file, results, rounds, schema
from benchlib.results.machine_code import CODES, FOLDER, TWINS, MachineCode
from benchlib.results.results import InputError
from benchlib.runner.lock import Lock
from benchlib.stats.stats import MIN_RUNS

try:
    from benchlib.pages import report_file
except ModuleNotFoundError as error:
    sys.exit(f"hand_in.py: Python's module {error.name} is missing here (package python3-jinja2)")

HIDDEN = re.compile(r"host-[1-9][0-9]*")
# .gitignore has them.
IGNORED = re.compile(r"(.*/)?([^/]+\.checksums|run\.log|run\.lock|fleet\.log|lock|complete)|.*/run[0-9]+/[^/]*\.samples\.csv[^/]*|report\.html|sass/exp[^/]+/.*")
NAMING_HOST = ("lock", "complete")  # scripts/fleet.sh's of a board: that they are there is what they say
# The files of a set of results. Whatever else lies there is not looked through, so it is not handed in.
KNOWN = re.compile(
    r"boards/[^/]+/(board\.csv|run[0-9]+\.tar\.xz|run[0-9]+/exp[^/]+\.(csv|csv\.xz|schema\.json))|(counters|sass|sass_twins|sass_past)\.csv(\.xz)?|(claims|fleet)\.csv|(left_out|pages)\.toml|"
    r"(worklog|fleet)\.md|worklog/[^/]+\.md|report\.png(\.sha256)?|(plots/)?[^/]+\.svg|sass/README\.md|sass/[^/]+\.tar\.xz"
)
GENERATED = (".md", ".html", ".svg", ".png", ".sha256")
MOST_FILE_BYTES = 1 << 28  # of a file, unpacked
COMMON_NAMES = {"root", "user", "ubuntu", "localhost", "vm", "nvidia", "cuda", "vulkan"}  # they tell nothing, or stand everywhere
MIN_LETTERS = 3
# Of two parts or more, but for those of every system.
A_PATH = re.compile(rb"(?<![\w.)\]/*<>-])/(?!(?:usr|lib|lib64|dev|proc|sys|etc)/)(?:[\w.+-]+/)+[\w.+-]+|\b[A-Za-z]:\\[\w.+-]+\\[\w.+-]+")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Makes a folder of results ready to be committed.")
    parser.add_argument("directory", type=Path, help="results/<gpu>")
    parser.add_argument("--write", action="store_true", help="pack, and write the pages; without it nothing is changed")
    parser.add_argument("--attach", type=Path, metavar="FILE", help="pack a copy into this .zip, for an issue")
    parser.add_argument("--hide-hosts", action="store_true", help="with --write: hosts of board.csv become host-1, host-2, ...")
    parser.add_argument("--allow", action="append", default=[], metavar="WORD", help="no name, though a host or a user here is called so (repeatable)")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the repository (default: this one)")
    options = parser.parse_args(arguments)
    if options.hide_hosts and not options.write:
        parser.error("--hide-hosts goes with --write")
    if options.attach and (options.write or options.attach.suffix != ".zip"):
        parser.error("--attach names a .zip, and goes without --write")
    return console.run_cli("hand_in.py", lambda: run(options))


@dataclass
class Checked:
    errors: list[str] = field(default_factory=list)  # it must not be handed in
    notes: list[str] = field(default_factory=list)


def check(study: Study, root: Path) -> Checked:
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
    history = provenance.of(root)
    if strange := [rev for rev in study.distinct("git_rev") if history.has(rev) is False]:
        found.notes.append(f"of commits that are not in this repository: {', '.join(strange)}")
    if its_state.few:
        found.notes.append(f"fewer than {MIN_RUNS} runs do not tell how far a further run lies off: {its_state.next_command}")
    found.notes += [text for text in its_state.sentences if text.startswith(("Seen in", "Not here", "Vulkan alone", "CUDA alone"))]
    return found


# ------------------------------------------------------------------------------------------------------------ private names


def hosts(directory: Path) -> list[str]:
    """Of every board.csv, in the order of the boards. Raises InputError for one without the columns that it must have."""
    states = (state for folder in sorted(directory.glob("boards/*/")) for state in board_states.read(folder))
    return list(dict.fromkeys(state["host"] for state in states if state["host"]))


def are_private(names: Iterable[str], allowed: Sequence[str]) -> list[str]:
    """Those that tell something; of a long host name the first part, too."""
    parts = (part for name in names for part in (name, name.partition(".")[0]))
    return [name for name in dict.fromkeys(parts) if len(name) >= MIN_LETTERS and name not in {*COMMON_NAMES, *allowed} and not HIDDEN.fullmatch(name)]


def own_names() -> list[str]:
    """What this machine is called, and who runs this."""
    found = [socket.gethostname(), socket.getfqdn()]
    with contextlib.suppress(KeyError, OSError):  # a user without a name
        found.append(getpass.getuser())
    return found


@dataclass
class Searched:
    names: dict[str, list[Path]] = field(default_factory=dict)  # what is private, and the files that have it
    wrong: list[str] = field(default_factory=list)  # files that nobody can look through


def search(directory: Path, hosts_: Sequence[str], others: Sequence[str]) -> Searched:
    """Every file that is handed in, unpacked. Hosts are names in whatever is written; the others, and paths, in all that no page's text is in."""
    found = Searched()
    patterns = {name: re.compile(rb"(?<![A-Za-z0-9])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9])", re.IGNORECASE) for name in (*hosts_, *others)}
    for path in contents(directory):
        shown = path.relative_to(directory).as_posix()
        if path.is_symlink():
            found.wrong.append(f"{shown} is a link, and git would take where it leads to: put what it leads to in its place")
            continue
        if not KNOWN.fullmatch(shown):
            found.wrong.append(f"{shown} is no file of a set of results: move it elsewhere")
            continue
        data = _unpacked(path)
        if path.suffix != ".png" and not _is_text(data):
            found.wrong.append(f"{shown} is no text in UTF-8")
        if path.suffix == ".html":
            data = report_page.unpacked(data.decode()).encode()
        is_page = path.suffix in GENERATED
        texts = [name for name, pattern in patterns.items() if pattern.search(shown.encode()) or ((name in hosts_ or not is_page) and pattern.search(data))]
        if not is_page:
            texts += sorted({match[0].decode(errors="replace") for match in A_PATH.finditer(data)})
        for text in texts:
            found.names.setdefault(text, []).append(path)
    return found


def _unpacked(path: Path) -> bytes:
    """What stands in the file; of an archive the names of its files, and what stands in each."""
    if path.name.endswith(archive.SUFFIX):
        return b"\n".join(part for name, data in archive.read(path).items() for part in (name.encode(), data))
    return files.unpacked(path, MOST_FILE_BYTES) if path.suffix == ".xz" else files.read_at_most(path, MOST_FILE_BYTES)


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def contents(directory: Path) -> Iterator[Path]:
    """The files and links that git would take."""
    return (path for path in sorted(directory.rglob("*")) if (path.is_file() or path.is_symlink()) and not IGNORED.fullmatch(path.relative_to(directory).as_posix()))


def hide_hosts(directory: Path) -> None:
    """A host that is hidden already keeps its name, and no other one gets it."""
    names = hosts(directory)
    free = (name for name in map("host-{}".format, itertools.count(1)) if name not in names)
    hidden = {name: name if HIDDEN.fullmatch(name) else next(free) for name in names}
    for path in sorted(directory.glob(f"boards/*/{board_states.FILE}")):
        header, states = board_states.read_file(path)
        files.write_atomic(path, csv_file.text(header, ({**state, "host": hidden.get(state["host"], "")} for state in states)))


# ------------------------------------------------------------------------------------------------------------------ packing


def to_pack(study: Study) -> list[Path]:
    """The folders of runs, each of which becomes an archive, and what was counted in hardware and in code."""
    beside = (study.directory / name for name in (counters_file.NAME, CODES, TWINS))
    return [*(each.path for each in study.runs if each.path.is_dir() and results.files_of(each.path)), *(path for path in beside if path.is_file())]


def pack_run(folder: Path) -> None:
    """Into run<k>.tar.xz: the archive is read again before the files go. What git does not take (samples, checksums) stays in the folder."""
    for path in sorted(folder.glob("exp*.samples.csv")):
        pack(path)
    found = {path: _unpacked(path) for path in results.files_of(folder).values()}
    members = {f"{csv_file.stem(path)}.csv": data for path, data in found.items()}
    target = folder.with_name(f"{folder.name}{archive.SUFFIX}")
    files.write_atomic(target, archive.packed(members))
    if archive.read(target) != members:
        raise InputError(f"{folder}: what was packed is not what was read")
    for path in found:
        path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def pack(path: Path) -> None:
    """Like `xz -9`: the packed file is read again before the other one goes."""
    if path.is_dir():
        return pack_run(path)
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
        shared = study.directory.resolve().parent / schema.SHARED / schema.shared_name(path, results.RunFile(path).header)
        if not shared.exists():
            shared.parent.mkdir(exist_ok=True)
            files.write_atomic(shared, lzma.compress(beside.read_bytes()))
            new += 1
        known = files.unpacked(shared, schema.MOST_SIDECAR_BYTES)
        if known != beside.read_bytes():
            if _wordless(known) != _wordless(beside.read_bytes()):
                raise InputError(f"{beside}: it declares other columns than {shared}")
            files.write_atomic(shared, lzma.compress(beside.read_bytes()))
        beside.unlink()
    return new


def _wordless(sidecar: bytes) -> object:
    """What it declares, less what is for people to read."""
    return json.loads(sidecar, object_hook=lambda entry: {key: value for key, value in entry.items() if key != "meaning"})


# ------------------------------------------------------------------------------------------------------------- all or nothing


def copied(source: Path, target: Path) -> None:
    """By links: what is replaced there stays as it is here. Nothing that is done to a set writes into a file."""

    def link(one: str, other: str) -> None:
        try:
            os.link(one, other)
        except OSError:  # another file system, or one without links
            shutil.copy2(one, other)

    shutil.copytree(source, target, copy_function=link)


@contextlib.contextmanager
def whole(directory: Path) -> Iterator[None]:
    """Either all that is done to the set inside stays, or nothing."""
    here = directory.resolve()
    before, shared = here.parent / f".before-{here.name}" / here.name, here.parent / schema.SHARED
    if before.exists():
        raise InputError(f"{before} is {directory} as it was when a hand_in.py was killed in it: put it back in its place, or remove it")
    sidecars = {path: path.read_bytes() for path in shared.glob("*")}
    try:
        copied(here, before)
    except BaseException:
        shutil.rmtree(before.parent, ignore_errors=True)
        raise
    try:
        yield
    except BaseException:
        shutil.rmtree(here)
        before.rename(here)
        before.parent.rmdir()
        for path in shared.glob("*"):
            if path not in sidecars:
                path.unlink()
            elif path.read_bytes() != sidecars[path]:
                files.write_atomic(path, sidecars[path])
        raise
    shutil.rmtree(before.parent)


def tried(options: argparse.Namespace) -> None:
    """Makes all of it of a copy, beside the sets that are beside the folder. Raises InputError for what --write would."""
    here = options.directory.resolve()
    with tempfile.TemporaryDirectory(prefix="hand-in-") as folder:
        beside = Path(os.path.realpath(folder)) / here.parent.name
        beside.mkdir()
        for path in here.parent.iterdir():
            if path.name == schema.SHARED:
                copied(path, beside / path.name)
            elif path != here and path.is_dir():
                (beside / path.name).symlink_to(path)
        copied(here, beside / here.name)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                made(beside / here.name, options, hiding=True)
            if options.attach:
                attach(beside, here, options.attach)
        except InputError as error:
            raise InputError(str(error).replace(str(beside), str(options.directory.parent))) from error


def attach(beside: Path, here: Path, target: Path) -> None:
    """The folder as it was made, its samples, and what declares columns that the sets beside it do not have."""
    folder, shared = beside / here.name, here.parent / schema.SHARED
    new = [path for path in (beside / schema.SHARED).glob("*") if not (shared / path.name).exists()]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted([*contents(folder), *folder.glob("boards/*/run*/*.samples.csv.xz"), *new]):
            packed.writestr(zipfile.ZipInfo(path.relative_to(beside).as_posix()), path.read_bytes(), zipfile.ZIP_DEFLATED)
    files.write_atomic(target, buffer.getvalue())


def made(directory: Path, options: argparse.Namespace, hiding: bool) -> None:
    """Hides, packs, writes the pages, and looks through all of it. Raises InputError."""
    hiding_names = hosts(directory)
    if hiding:
        hide_hosts(directory)
    for path in (path for name in NAMING_HOST for path in directory.glob(f"boards/*/{name}")):
        files.write_atomic(path, "")
    study = Study.of(results.load(directory), analysis.load(options.root))
    new, packing = share_sidecars(study), to_pack(study)
    for path in packing:
        pack(path)
    print(f"packed {len(packing)} runs and files; {new} new in {schema.SHARED}/")
    drop_listings(directory)
    for code in (worklog_files.write(directory, options.root), report_file.write(directory, options.root)):
        if code:
            raise InputError(f"{directory}: the pages were not written")
    found = search(directory, are_private(hiding_names, options.allow), are_private(own_names(), options.allow))
    for name, paths in found.names.items():
        raise InputError(f"{paths[0]}: {name} stands in it")
    for text in found.wrong:
        raise InputError(f"{directory}: {text}")


def run(options: argparse.Namespace) -> int:
    directory = options.directory
    study = Study.of(results.load(directory), analysis.load(options.root))
    named = are_private(hosts(directory), options.allow)
    found = search(directory, named, are_private(own_names(), options.allow))
    states = {path.relative_to(directory) for path in directory.glob(f"boards/*/{board_states.FILE}")}
    checked = check(study, options.root)
    checked.errors += found.wrong
    for name, paths in found.names.items():
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        print(f"private? {console.plain(name)}: {paths[0].relative_to(directory)}{more}")
        if beyond := [path for path in paths if name not in named or path.relative_to(directory) not in states]:
            checked.errors.append(f"{console.plain(name)} stands in {beyond[0].relative_to(directory)}: take it out, or --allow it where it is no name")
    if options.write and named and not options.hide_hosts:
        checked.errors.append("hosts are named in board.csv: --hide-hosts hides them")
    for kind, texts in (("wrong", checked.errors), ("note", checked.notes)):
        for text in texts:
            print(f"{kind}: {text}")
    if checked.errors:
        return 1
    ids = f"ids: {' '.join(rounds.id_of(options.root, directory.resolve().name, each) for each in study.runs)}"
    if not options.write:
        tried(options)
        hide = " --hide-hosts" if named else ""
        print(ids)
        if options.attach:
            print(f"attach {options.attach} ({options.attach.stat().st_size / 1e6:.1f} MB) to a new issue of the repository, with the ids as its title; say which host, driver and cooling it had")
            return 0
        print(f"without a clone: scripts/hand_in.py --attach results.zip {directory} packs what an issue takes")
        print(f"{len(to_pack(study))} runs and files to pack; nothing was written: scripts/hand_in.py --write{hide} {directory}")
        return 0
    held = Lock(directory)  # what a run.sh still writes into would be lost with the file that is packed
    try:
        with whole(directory):
            made(directory, options, hiding=options.hide_hosts)
    finally:
        held.let_go()
    size = sum(path.stat().st_size for path in contents(directory))
    print(f"commit {os.path.relpath(directory, options.root)}: {size / 1e6:.1f} MB in {sum(1 for _ in contents(directory))} files")
    print(f"    git add {directory} {directory.parent / schema.SHARED} && git commit -m 'Results of {console.plain(directory.resolve().name)}'")
    print(ids)
    print("Say in the pull request which host, driver and cooling it had. Then scripts/published.py puts the model beside the others.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
