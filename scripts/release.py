#!/usr/bin/env python3
"""What a release holds beside the repository: every sample of every run, and each set's report.

    scripts/release.py [--out DIR]           writes, into DIR (default: build/release-files), of each set of results its report-<set>.html, and
                                             samples-<set>.tar.xz with the samples that lie beside its runs; and SHA256SUMS
    scripts/release.py --commit COMMIT       the samples that this commit has, as well: up to commit {last} the repository kept some

`tar -xJf samples-<set>.tar.xz` at the repository's root puts each sample beside its run's rows. No page needs one.
Exit codes: 0 done, 1 bad input, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import hashlib
import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from benchlib.base import archive, console, files
from benchlib.base.errors import InputError
from benchlib.results import schema

try:
    from benchlib.pages import report_file
except ModuleNotFoundError as error:
    sys.exit(f"release.py: Python's module {error.name} is missing here (package python3-jinja2)")

ROOT = Path(__file__).resolve().parent.parent
LAST_WITH_SAMPLES = "d6ab67639573"
SAMPLES = re.compile(r"results/(?P<set>[^/]+)/boards/[^/]+/run[0-9]+/exp[^/]+\.samples\.csv(\.xz)?")
SUMS = "SHA256SUMS"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.format(last=LAST_WITH_SAMPLES), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: build/release-files")
    parser.add_argument("--commit", metavar="COMMIT", help="take samples out of this commit, too")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    options = parser.parse_args(arguments)
    return console.run_cli("release.py", lambda: run(options))


def committed(root: Path, commit: str) -> dict[str, bytes]:
    """The samples of a commit, by their paths."""
    done = subprocess.run(["git", "-C", root, "archive", "--format=tar", commit, "results"], capture_output=True, check=False)
    if done.returncode:
        raise InputError(f"git archive {commit}: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as tar:
        return {entry.name: content.read() for entry in tar if SAMPLES.fullmatch(entry.name) and (content := tar.extractfile(entry))}


def run(options: argparse.Namespace) -> int:
    root, out = options.root.resolve(), options.out or options.root / "build/release-files"
    found = committed(root, options.commit) if options.commit else {}
    paths = ((path, path.relative_to(root).as_posix()) for path in sorted(root.glob("results/*/boards/*/run*/*.samples.csv*")))
    found |= {name: path.read_bytes() for path, name in paths if SAMPLES.fullmatch(name)}
    out.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for folder in sorted(path for path in (root / "results").iterdir() if path.is_dir() and path.name != schema.SHARED):
        if any(folder.glob("boards/*/run*/exp*")):
            made.append(out / f"report-{folder.name}.html")
            report_file.write(folder, root, made[-1])
        of_set = {name: data for name, data in found.items() if name.startswith(f"results/{folder.name}/")}
        if of_set:
            made.append(out / f"samples-{folder.name}{archive.SUFFIX}")
            files.write_atomic(made[-1], archive.packed(of_set))
            print(f"wrote {made[-1]}: samples of {len(of_set)} files")
    sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made)
    files.write_atomic(out / SUMS, "".join(sums))
    return 0


if __name__ == "__main__":
    sys.exit(main())
