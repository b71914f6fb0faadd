#!/usr/bin/env python3
"""What a release holds: the source, all results with samples, listings and reports, and a page that says what each is. scripts/release.sh adds the package.

    scripts/release.py [--out DIR]      writes, into DIR (default: build/release-files), of the last commit NAME-source.tar.xz, and NAME-results.tar.xz with
                                        the rows, listings and pages, each set's report.html, the samples that lie beside the runs, results/README.md with the ids
                                        of all runs and the meaning of all columns; README.md; and SHA256SUMS of all that lies in DIR
    scripts/release.py --samples COMMIT    the samples that this commit has, as well: up to commit {last} the repository kept some
    scripts/release.py --build DIR      names the programs of that build whose sources are not those of their newest rows
    scripts/release.py --trial          also with changed files, and with figures that rest on rows older than the round, both of which it says
    scripts/release.py --version        says the version and nothing else, once all files that have it agree

NAME is cuda-vulkan-bench-VERSION. Both archives unpack into one folder of that name: there `scripts/worklog.py` makes README's tables again.
Exit codes: 0 done, 1 bad input, 2 usage, 130 interrupted.
"""

from benchlib.base import early  # noqa: F401  # first: see there

import argparse
import hashlib
import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchlib.base import archive, console, csv_file, files
from benchlib.base.errors import InputError
from benchlib.claims import claims, provenance
from benchlib.pages import older_rows
from benchlib.results import results, rounds, schema
from benchlib.results.results import Results

try:
    from benchlib.pages import report_file
except ModuleNotFoundError as error:
    sys.exit(f"release.py: Python's module {error.name} is missing here (package python3-jinja2)")

ROOT = Path(__file__).resolve().parent.parent
LAST_WITH_SAMPLES = "d6ab67639573"
SAMPLES = re.compile(r"results/(?P<set>[^/]+)/boards/[^/]+/run[0-9]+/exp[^/]+\.samples\.csv(\.xz)?")
SUMS = "SHA256SUMS"
# Where the version stands: CMakeLists.txt has it, the others must agree.
VERSIONS = {
    "CMakeLists.txt": r"project\(cuda_vulkan_bench VERSION ([0-9.]+)", "CITATION.cff": r"\nversion: ([0-9.]+)\n", ".zenodo.json": r'"version": "([0-9.]+)"',
    "CHANGELOG.md": r"\n## ([0-9.]+),",
}  # fmt: skip
# Beside the results, what recomputes README's figures from them, and what the pages are.
BESIDE = re.compile(r"README\.md|CITATION\.cff|LICENSE|CHANGELOG\.md|docs/.*|scripts/recomputed\.py|scripts/benchlib/stats/spreads\.csv|exp.*/(analysis\.py|differs\.toml|claims\.toml)")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.format(last=LAST_WITH_SAMPLES), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: build/release-files")
    parser.add_argument("--samples", metavar="COMMIT", help="take samples out of this commit, too")
    parser.add_argument("--build", type=Path, metavar="DIR", help="of the package")
    parser.add_argument("--trial", action="store_true", help="no release: says what would stop one")
    parser.add_argument("--version", action="store_true", help="says the version alone")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    options = parser.parse_args(arguments)
    return console.run_cli("release.py", lambda: run(options))


def version_of(root: Path) -> str:
    found = {name: match[1] if (match := re.search(pattern, files.read_text(root / name) or "")) else "none" for name, pattern in VERSIONS.items()}
    if len(set(found.values())) > 1:
        raise InputError(f"versions differ: {', '.join(f'{name} has {version}' for name, version in found.items())}")
    return found["CMakeLists.txt"]


def git(root: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=False)
    if done.returncode:
        raise InputError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def of_commit(root: Path, commit: str, pattern: re.Pattern[str], *paths: str) -> dict[str, bytes]:
    """A commit's files, by their paths."""
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", commit, *paths))) as tar:
        return {entry.name: content.read() for entry in tar if entry.isreg() and pattern.fullmatch(entry.name) and (content := tar.extractfile(entry))}


def stops(root: Path, build: Path | None, sets: Mapping[str, Results]) -> list[str]:
    """What is not as a release's must be."""
    found = []
    if changed := git(root, "status", "--porcelain").decode().splitlines():
        found.append(f"{len(changed)} files are not as the last commit has them, {changed[0][3:]} for one")
    if (root / older_rows.FILE).exists():
        reader = csv_file.Reader(root / older_rows.FILE)
        rows = [dict(zip(reader.header, cells)) for _, cells in reader]
        if any(int(row["older"]) for row in rows):
            found.append(older_rows.words(rows))
    built = {path.stem.removesuffix("_sources"): re.findall(r'"([0-9a-f]{12})"', path.read_text()) for path in build.glob("**/exp*_sources.cpp")} if build else {}
    for name, each in sets.items():
        newest = {table: results.origin(max((row for run in one.runs for row in run.values()), key=lambda row: row["started_at"])) for table, one in each.tables.items()}
        other = sorted(program for program, hashes in built.items() if program in newest and newest[program] not in hashes)
        if other:
            found.append(f"{name}: the newest rows of {len(other)} of {len(built)} programs are of other sources than the package's: {', '.join(other)}")
    return found


# ------------------------------------------------------------------------------------------------------------------ pages


def about(root: Path, version: str) -> str:
    return f"""# cuda-vulkan-bench {version}
| file | what it is |
| --- | --- |
| `cuda-vulkan-bench-{version}-source.tar.xz` | the repository's commit {git(root, 'rev-parse', 'HEAD').decode().strip()} |
| `cuda-vulkan-bench-{version}-results.tar.xz` | all rows, samples, listings, pages and reports; its `results/README.md` has every run's id and every column's meaning |
| `cuda-vulkan-bench-<commit>-x86_64.tar.gz` | programs and scripts for Linux on x86-64: needs a driver and Python 3.11, nothing else. `scripts/run.sh --quick` measures |
| `SHA256SUMS` | `sha256sum -c SHA256SUMS` |

Both archives unpack into one folder. There `scripts/worklog.py` makes README's tables again, `scripts/worklog.py --check` says whether they are the same, and `scripts/recomputed.py` comes to
README's figures without the other scripts.
"""


def about_results(root: Path, version: str, sets: Mapping[str, Results], samples: Iterable[str]) -> str:
    """Ids, folders, columns."""
    ids = ["| id | programs | rows | commits | first row |", "| --- | ---: | ---: | --- | --- |"]
    for name, each in sets.items():
        by_run: dict[results.RunFolder, list[results.RunFile]] = defaultdict(list)
        for folder, file in each.files:
            by_run[folder].append(file)
        for folder, of_run in by_run.items():
            rows = [row for file in of_run for row in file.rows]
            first = min((row["started_at"] for row in rows), default="")
            commits = " ".join(sorted({row["git_rev"] for row in rows}))
            ids.append(f"| {rounds.id_of(root, name, folder)} | {len(of_run)} | {len(rows)} | {commits} | {first} |")
    round_ = rounds.contents(root)
    return "\n".join(
        [
            f"# Results of cuda-vulkan-bench {version}, round {round_['number']} of {round_['date']}",
            "A run's id is round/model/board/run. It stays. A row's id is its run's, with its key: experiment, variant, API, parameters, elements, cache.",
            "",
            "| folder | what it holds |",
            "| --- | --- |",
            "| `MODEL/boards/BOARD/runK.tar.xz` | a run's rows: `EXPERIMENT.csv` with one for each case and API |",
            f"| `MODEL/boards/BOARD/runK/EXPERIMENT.samples.csv.xz` | every sample of these rows: of {len(list(samples))} files; of the others they were not kept |",
            "| `schemas/` | what a column is, by the hash of the header: the tables below |",
            "| `MODEL/sass/EXPERIMENT.tar.xz`, `sass.csv.xz`, `sass_twins.csv.xz` | listings, what is in them, both APIs' compared |",
            "| `MODEL/counters.csv.xz`, `claims.csv` | hardware counters; verdicts on claims |",
            "| `MODEL/worklog.md`, `worklog/`, `plots/`, `report.html` | pages made of all this |",
            "",
            "An unmeasured figure is empty, never 0. [CSV](../docs/CSV.md) says more.",
            "",
            "## Runs",
            *ids,
            "",
            *columns(root),
            "",
        ]
    )


def columns(root: Path) -> list[str]:
    """What each column means: those of all programs once, and each program's own."""
    by_program: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted((root / "results" / schema.SHARED).glob("*.json.xz")):
        said = json.loads(lzma.decompress(path.read_bytes()))
        for one in said["columns"]:
            name = f"`{one['name']}`" + (", `_lo`, `_hi`" if one["interval"] else "")
            by_program[said["experiment"]][name] = f"| {name} | {one['role']}{', key' if one['key'] else ''} | {one['type']} | {one['unit']} | {one['meaning'].replace('|', chr(92) + '|')} |"
    common = set.intersection(*(set(each) for each in by_program.values())) if by_program else set()
    head = ["| column | role | type | unit | meaning |", "| --- | --- | --- | --- | --- |"]
    lines = ["## Columns of all programs", *head, *(line for name, line in next(iter(by_program.values()), {}).items() if name in common)]
    for program, own in by_program.items():
        lines += ["", f"## Columns of {program}", *head, *(line for name, line in own.items() if name not in common)]
    return lines


# ------------------------------------------------------------------------------------------------------------------ files


def run(options: argparse.Namespace) -> int:
    root, out = options.root.resolve(), options.out or options.root / "build/release-files"
    version = version_of(root)
    if options.version:
        print(version)
        return 0
    folders = [path for path in sorted((root / "results").iterdir()) if path.name != schema.SHARED and any(path.glob("boards/*/run*"))]
    sets = {folder.name: results.load(folder) for folder in folders}
    stopping = stops(root, options.build, sets)
    for text in stopping:
        print(f"{'a release would stop here' if options.trial else 'stopped'}: {text}")
    if stopping and not options.trial:
        return 1
    name = f"cuda-vulkan-bench-{version}"
    out.mkdir(parents=True, exist_ok=True)
    files.write_atomic(out / f"{name}-source{archive.SUFFIX}", lzma.compress(git(root, "archive", "--format=tar", f"--prefix={name}/", "HEAD"), preset=9))
    members = of_commit(root, "HEAD", re.compile("results/.*"), "results") | of_commit(root, "HEAD", BESIDE)
    found = of_commit(root, options.samples, SAMPLES, "results") if options.samples else {}
    paths = ((path, path.relative_to(root).as_posix()) for path in sorted(root.glob("results/*/boards/*/run*/*.samples.csv*")))
    found |= {path: data.read_bytes() for data, path in paths if SAMPLES.fullmatch(path)}
    members |= found
    for folder in folders:
        report = out / "report.html"
        report_file.write(folder, root, report)
        members[f"results/{folder.name}/report.html"] = report.read_bytes()
        report.unlink()
    members["results/README.md"] = about_results(root, version, sets, found).encode()
    tests = [(claim.entry, claim.code) for group in claims.load(root) for claim in group.claims]
    members[provenance.TOLD.as_posix()] = provenance.told_text(provenance.of(root), {rev for each in sets.values() for rev in each.distinct("git_rev")}, tests).encode()
    files.write_atomic(out / f"{name}-results{archive.SUFFIX}", archive.packed({f"{name}/{path}": data for path, data in members.items()}))
    files.write_atomic(out / "README.md", about(root, version))
    runs = sum(len(each.runs) for each in sets.values())
    print(f"{out}: {len(members)} files of {runs} runs, samples of {len(found)} files")
    made = sorted(path for path in out.iterdir() if path.is_file() and path.name != SUMS)
    files.write_atomic(out / SUMS, "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
