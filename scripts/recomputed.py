#!/usr/bin/env python3
"""README's and RULES' figures from the raw rows, by docs/METHOD.md alone: nothing of benchlib is used, nothing but Python.

    usage: scripts/recomputed.py [ROOT]    ROOT: the repository, or the unpacked archives of a release (default: this one)

It reads ROOT/results/*/boards/*/run*, what a column is (results/schemas/), which pair is of which kind of work and what a figure is of
(docs/summary.toml, docs/figures.toml), and what the classes of cases differ by (scripts/benchlib/stats/spreads.csv). It compares what it finds with README.md
and docs/RULES.md. Figures of claims, and what the tables link to, are not recomputed: it says how many.
Exit codes: 0 all the same, 1 a figure differs, 2 usage.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import lzma
import math
import re
import statistics
import sys
import tarfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, cached_property
from os.path import commonprefix
from pathlib import Path
from typing import Any

Row = dict[str, str]
Boards = Mapping[str, Sequence[float]]
Atoms = Sequence[tuple[float, float, float]]  # share, variance between boards, between runs


def read(directory: Path, experiment: str) -> list[tuple[str, list[Row]]]:
    """Each run's rows, with its board's name. A row's time is the host's where the GPU took no stamps."""
    found = []
    for path in files_of(directory, experiment):
        found.append((path.parts[-3], [with_its_time(row) for row in csv.DictReader(io.StringIO(text_of(path), newline=""))]))
    return found


@cache
def members(archive: Path) -> Mapping[str, bytes]:
    with tarfile.open(archive) as tar:
        return {entry.name: file.read() for entry in tar if (file := tar.extractfile(entry))}


def files_of(directory: Path, experiment: str | None) -> list[Path]:
    """None: of all experiments. boards/<board>/run<k>/<experiment>.csv of each run, or .csv.xz, or run<k>.tar.xz/<experiment>.csv."""
    packed = (path / name for path in directory.glob("boards/*/run*.tar.xz") for name in members(path))
    named = ((path, *path.name.split(".")[:2]) for path in (*directory.glob("boards/*/run*/exp*.csv*"), *packed))
    return sorted(path for path, stem, end in named if end == "csv" and experiment in (None, stem))


def text_of(path: Path) -> str:
    if path.parent.suffix == ".xz":
        return members(path.parent)[path.name].decode()
    return (lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()).decode()


def with_its_time(row: Row) -> Row:
    """Older files of the same cases have the host's times as device_ns."""
    return row | {f"device_ns{end}": row[f"host_ns{end}"] for end in ("", "_lo", "_hi")} if row.get("host_ns") else row


def classes(path: Path) -> dict[tuple[str, str], list[tuple[float, float, float]]]:
    """spreads.csv, whose columns are deviations between runs: by what it is of, and class."""
    found = defaultdict(list)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            of, name, boards = (row.pop(column) for column in ("of", "class", "boards"))
            found[of, name] += [(float(share), float(boards) ** 2, float(runs) ** 2) for runs, share in row.items() if share]
    return found


def rows_of(runs: Sequence[tuple[str, list[Row]]], wanted: Mapping[str, str]) -> dict[int, tuple[str, Row]]:
    """A case's row with a result in each run, by the run's number, with its board: those of the newest sources that have the case, or of their machine code."""
    found = {}
    for number, (board, rows) in enumerate(runs):
        matching = [row for row in rows if all(row.get(name, "") == value for name, value in wanted.items())]
        assert len(matching) < 2
        if matching:
            found[number] = board, matching[0]
    origin = {number: row.get("sources") or row["git_rev"] for number, (_, row) in found.items()}
    newest = max((row["started_at"], origin[number]) for number, (_, row) in found.items())[1]
    results = {number: (board, row) for number, (board, row) in found.items() if row["status"] == "ok"}
    codes = {row["isa_hash"] for number, (_, row) in results.items() if origin[number] == newest}
    return {
        number: (board, row) for number, (board, row) in results.items() if origin[number] == newest or not row["isa_hash"] or codes <= {row["isa_hash"]}
    }


def by_board(values: Sequence[tuple[str, float]]) -> dict[str, list[float]]:
    found = defaultdict(list)
    for board, value in values:
        found[board].append(value)
    return found


def weighed(boards: Boards, atoms: Atoms, own: float) -> list[tuple[float, float, float]]:
    """The atoms with the weights that the runs give them: the density of the runs about a mean of which nothing is known, the product over boards of that of
    their runs about their means.
    """
    logs = []
    for share, between, within in atoms:
        variances = {board: between + within / len(runs) for board, runs in boards.items()}
        means = {board: sum(runs) / len(runs) for board, runs in boards.items()}
        precision = sum(1 / each for each in variances.values())
        middle = sum(means[board] / variances[board] for board in boards) / precision
        log = math.log(share) - math.log(precision) / 2
        for board, runs in boards.items():
            log -= math.log(variances[board]) / 2 + (means[board] - middle) ** 2 / variances[board] / 2
            log -= (len(runs) - 1) * math.log(within) / 2 + sum((value - means[board]) ** 2 for value in runs) / within / 2
        logs.append(log)
    most = max(logs)
    weights = [math.exp(each - most) for each in logs]
    whole = sum(weights)
    least = 0.0 if any(len(runs) > 1 for runs in boards.values()) else own
    return [(weight / whole, between, max(within, least)) for weight, (_, between, within) in zip(weights, atoms)]


def half(mixture: Sequence[tuple[float, float]]) -> float:
    """How far from 0 one value of twenty lies, of normal distributions of these weights and variances: by halving."""
    low, high = 0.0, 100 * math.sqrt(max(variance for _, variance in mixture))
    for _ in range(60):
        middle = (low + high) / 2
        beyond = sum(weight * math.erfc(middle / math.sqrt(2 * variance)) for weight, variance in mixture)
        low, high = (middle, high) if beyond > 0.05 else (low, middle)
    return high


def intervals(boards: Boards, atoms: Atoms, own: float) -> tuple[float, float, float]:
    """Of logarithms: the mean over boards, half of the effect's interval, half of a further run's."""
    number = len(boards)
    mean = sum(sum(runs) / len(runs) for runs in boards.values()) / number
    one_over = sum(1 / len(runs) for runs in boards.values()) / number
    known = [(weight, (between + within * one_over) / number, between + within) for weight, between, within in weighed(boards, atoms, own)]
    return mean, half([(weight, of_mean) for weight, of_mean, _ in known]), half([(weight, of_mean + more) for weight, of_mean, more in known])


def own_of(ends: Sequence[tuple[float, float]]) -> float:
    """The variance that the runs' own 95 % intervals say."""
    return sum((math.log(hi / lo) / 2 / 1.96) ** 2 for lo, hi in ends) / len(ends) if ends else 0.0


def ratio_ends(vulkan: Row, cuda: Row) -> tuple[float, float] | None:
    """A run's own interval of Vulkan/CUDA: the distances of both times' ends, on logarithms, at right angles."""
    cells = [[row["device_ns"], row["device_ns_lo"], row["device_ns_hi"]] for row in (vulkan, cuda)]
    if not all(all(each) for each in cells):
        return None
    (v, v_lo, v_hi), (c, c_lo, c_hi) = ([math.log(float(each)) for each in row] for row in cells)
    return math.exp(v - c - math.hypot(v - v_lo, c_hi - c)), math.exp(v - c + math.hypot(v_hi - v, c - c_lo))


def verdict(sides: Sequence[tuple[str, Row, Row]], atoms: Atoms) -> tuple[float, float, float, str]:
    """Of board, CUDA's row and Vulkan's of each run: the mean, half of the effect's interval and of a further run's, and the verdict."""
    boards = by_board([(board, math.log(float(vulkan["device_ns"]) / float(cuda["device_ns"]))) for board, cuda, vulkan in sides])
    own = own_of([ends for _, cuda, vulkan in sides if (ends := ratio_ends(vulkan, cuda))])
    mean, of_effect, of_run = intervals(boards, atoms, own)
    low, high = math.exp(mean - of_effect), math.exp(mean + of_effect)
    found = word(low, high)
    costs = [[(board, float(row["fixed_ns"])) for board, row in rows if row.get("fixed_ns")] for rows in ([(b, c) for b, c, _ in sides], [(b, v) for b, _, v in sides])]
    if found in ("FASTER", "SLOWER") and all(costs):
        cuda_ns = geometric_mean(by_board([(board, float(cuda["device_ns"])) for board, cuda, _ in sides]))
        launch = (geometric_mean(by_board(costs[1])) - geometric_mean(by_board(costs[0]))) / cuda_ns
        if launch * mean > 0 and word(low - launch, high - launch) == "SAME":
            found = "FIXED COST"
    return mean, of_effect, of_run, found


def geometric_mean(boards: Boards) -> float:
    """Over boards."""
    return math.exp(sum(sum(map(math.log, runs)) / len(runs) for runs in boards.values()) / len(boards))


def word(low: float, high: float) -> str:
    if low >= 0.99 and high <= 1.01:
        return "SAME"
    return "FASTER" if high < 0.99 else "SLOWER" if low > 1.01 else "UNCLEAR"


def brackets(rows: Sequence[tuple[str, Row]], atoms: Atoms) -> tuple[float, float, float]:
    """A time's value and its brackets."""
    boards = by_board([(board, math.log(float(row["device_ns"]))) for board, row in rows])
    ends = [(float(row["device_ns_lo"]), float(row["device_ns_hi"])) for _, row in rows if row["device_ns_lo"] and row["device_ns_hi"]]
    mean, _, of_run = intervals(boards, atoms, own_of(ends))
    return math.exp(mean), math.exp(mean - of_run), math.exp(mean + of_run)


# ------------------------------------------------------------------------------------------------------------ a set of results

Case = frozenset[tuple[str, str]]  # what tells a row from the others: column and value, without empty ones
CONTROLS = ("stamp_pair", "ruler", "ruler_full", "aa_control_a", "aa_control_b")
TWIN_MODES = {"stream": "rerecorded", "graph": "prerecorded"}
CHECKS = ("", "default")
# exp10's rows stand in exp04's files where they are older than it, with more parameters than it has.
SPLIT = ("exp04_bda", "exp10_l2_halves", ("write_share", "gpc_members", "home_store", "home_load"))
PICKS = {"least": min, "median": lambda found: sorted(found)[(len(found) - 1) // 2], "most": max}


class Program:
    """One program's rows that count."""

    def __init__(self, root: Path, name: str, runs: Sequence[tuple[str, list[Row]]], left_out: Mapping[frozenset[str], str]):
        self.name, self.boards = name, [board for board, _ in runs]
        declared = [column for path in (root / "results/schemas").glob(f"{name}-*.json.xz") for column in json.loads(lzma.decompress(path.read_bytes()))["columns"]]
        keys = {column["name"] for column in declared if column["key"]}
        self.integers = {column["name"] for column in declared if column["role"] == "measured" and column["type"] == "integer" and not column["interval"]}
        found: list[dict[Case, Row]] = []
        for _, rows in runs:
            found.append({frozenset((key, row[key]) for key in keys if row.get(key)): row for row in rows})
            assert len(found[-1]) == len(rows), name
        by_case: dict[Case, list[Row]] = defaultdict(list)
        for run in found:
            for case, row in run.items():
                by_case[case].append(row)
        self.runs: list[dict[Case, Row]] = [{} for _ in found]
        for case, rows in by_case.items():
            if any({row["git_rev"] for row in rows} <= commits for commits in left_out):
                continue
            newest = max((row["started_at"], row.get("sources") or row["git_rev"]) for row in rows)[1]
            codes = {row["isa_hash"] for row in rows if row["status"] == "ok" and (row.get("sources") or row["git_rev"]) == newest}
            for run, its in zip(self.runs, found):
                row = its.get(case)
                if row and (not row["isa_hash"] or (row.get("sources") or row["git_rev"]) == newest or codes <= {row["isa_hash"]}):
                    run[case] = row
        self.cases = dict.fromkeys(case for run in self.runs for case in run)
        text = next((path.read_text() for path in root.glob("exp*/**/analysis.py") if program_of(path) == name), "")
        said = {keyword.arg: keyword.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) for keyword in node.keywords}
        self.inside = ast.literal_eval(said["inside_sm"]) if "inside_sm" in said else []
        self.compares = "compares_times" not in said

    @cache
    def rows(self, case: Case) -> dict[int, Row]:
        """The case's results, by the run's number."""
        return {at: run[case] for at, run in enumerate(self.runs) if case in run and run[case]["status"] == "ok"}

    def over(self, values: Mapping[int, float], exact: bool = False) -> float:
        """The mean over boards, geometric where it can be; of what every run must find the same, the median."""
        if exact or min(values.values()) == max(values.values()):
            return statistics.median(values.values())
        logs = min(values.values()) > 0
        boards = by_board([(self.boards[at], math.log(value) if logs else value) for at, value in values.items()])
        mean = sum(sum(runs) / len(runs) for runs in boards.values()) / len(boards)
        return math.exp(mean) if logs else mean

    def values(self, case: Case, metric: str) -> dict[int, float]:
        rows = self.rows(case)
        if metric == "element_ns":
            return {at: float(row["device_ns"]) / int(row["elements"]) for at, row in rows.items() if row["device_ns"]}
        return {at: float(row[metric]) for at, row in rows.items() if row.get(metric)}

    def figure(self, case: Case, metric: str) -> float | None:
        values = self.values(case, metric)
        return self.over(values, metric in self.integers) if values else None

    @cache
    def same_gpu(self, one: Case, other: Case) -> list[int]:
        """The runs that took both on one GPU."""
        both = [(at, run[one], run[other]) for at, run in enumerate(self.runs) if one in run and other in run]
        cross = dict(one)["api"] != dict(other)["api"]
        return [at for at, a, b in both if a["gpu_uuid"] == b["gpu_uuid"] and not (cross and any(row["reason"].startswith("unpaired") for row in (a, b)))]

    def ratio(self, num: Case, den: Case, metric: str) -> float | None:
        above, below = self.values(num, metric), self.values(den, metric)
        values = {at: above[at] / below[at] for at in self.same_gpu(num, den) if at in above and below.get(at, 0) > 0}
        return self.over(values, metric in self.integers) if values else None

    def twin(self, case: Case) -> Case | None:
        cells = dict(case) | {"api": "vulkan"}
        if cells.get("mode") in TWIN_MODES:
            cells["mode"] = TWIN_MODES[cells["mode"]]
        other = frozenset(cells.items())
        return other if other in self.cases and self.rows(other) and self.same_gpu(case, other) else None

    def is_dram(self, case: Case) -> bool:
        return any(row["peak_pct"] for row in self.rows(case).values())

    def select(self, text: str | Mapping[str, Any]) -> list[Case]:
        """`column=value|value ...`: the cases with a result of which that is true."""
        where = dict(part.split("=", 1) for part in text.split()) if isinstance(text, str) else dict(text)
        size, pick = where.pop("elements", ""), where.pop("pick", "")
        wanted = {column: value.split("|") if isinstance(value, str) else value for column, value in where.items()}
        wanted.setdefault("checks", CHECKS)
        found = [case for case in self.cases if all(dict(case).get(column, "") in values for column, values in wanted.items())]
        if size.startswith("max"):
            largest: dict[Case, int] = defaultdict(int)
            for case in found:
                group = frozenset(cell for cell in case if cell[0] not in ("elements", "cache"))
                largest[group] = max(largest[group], int(dict(case)["elements"]))
            found = [case for case in found if int(dict(case)["elements"]) == largest[frozenset(cell for cell in case if cell[0] not in ("elements", "cache"))]]
        elif size and size != "dram":
            found = [case for case in found if dict(case)["elements"] in size.split("|")]
        found = [case for case in found if self.rows(case) and (not size.endswith("dram") or self.is_dram(case))]
        if pick == "fastest":
            best: dict[tuple[str, ...], tuple[float, Case]] = {}
            for case in found:
                group = tuple(dict(case).get(column, "") for column in ("variant", "api", "elements", "cache"))
                time = self.figure(case, "device_ns")
                if time and (group not in best or time < best[group][0]):
                    best[group] = time, case
            found = [case for _, case in best.values()]
        return found

    def found(self, entry: Mapping[str, Any]) -> list[float]:
        """A figure's cases."""
        metric = entry.get("metric", "device_ns")
        if "where" in entry:
            return [value for case in self.select(entry["where"]) if (value := self.figure(case, metric)) is not None]
        if "twins" in entry:
            pairs = [(twin, case) for case in self.select(f"{entry['twins']} api=cuda") if (twin := self.twin(case))]
        else:
            pairs = list(self.quotients(entry, metric))
        return [value for num, den in pairs if (value := self.ratio(num, den, metric)) is not None]

    def quotients(self, entry: Mapping[str, Any], metric: str) -> Iterator[tuple[Case, Case]]:
        """Numerators with the denominator that agrees in all that the query does not name; an empty cell agrees with any."""
        pinned = {part.split("=")[0] for side in ("num", "den") for part in entry[side].split()}
        pinned |= {"elements"} if metric == "element_ns" else set()
        pinned |= {"cache"} if "elements" in pinned else set()
        dens = self.select(entry["den"])
        for num in self.select(entry["num"]):
            differing = {den: {cell[0] for cell in num ^ den} - pinned for den in dens if den != num}
            one, partners = dict(num), []
            for den, columns in differing.items():
                if not any(one.get(column) and dict(den).get(column) for column in columns):
                    partners.append(den)
            exact = [den for den in partners if not differing[den]]
            if partners:
                yield num, (exact or partners)[0]


def program_of(path: Path) -> str:
    """exp06_memory_model/litmus/analysis.py is exp06_litmus's."""
    folder, above = path.parent.name, path.parent.parent.name
    return folder if folder.startswith("exp") else f"{above.partition('_')[0]}_{folder}"


class Set:
    """A folder of results/: its programs."""

    def __init__(self, root: Path, name: str):
        self.root, self.folder = root, root / "results" / name
        left: dict[str, dict[frozenset[str], str]] = defaultdict(dict)
        if (path := self.folder / "left_out.toml").exists():
            for entry in tomllib.loads(path.read_text())["rows"]:
                left[entry["experiment"]][frozenset(entry["commits"])] = entry["why"]
        names = {path.name.partition(".")[0] for path in files_of(self.folder, None)}
        runs = {name: [(path, board, rows) for path, board, rows in read_with_paths(self.folder, name)] for name in names}
        source, part, variants = SPLIT
        own = {path.parent for path, _, _ in runs.get(part, [])}
        for path, board, rows in runs.get(source, []):
            gone = [row for row in rows if row["variant"] in variants]
            rows[:] = [row for row in rows if row["variant"] not in variants]
            if gone and path.parent not in own:
                runs.setdefault(part, []).append((path, board, [{**row, "experiment": part} for row in gone]))
        order = {name: sorted(found, key=lambda run: run[0].parts[-3:-1]) for name, found in runs.items()}
        self.programs = {name: Program(root, name, [(board, rows) for _, board, rows in found if rows], left[name]) for name, found in sorted(order.items())}
        with open(root / "docs/summary.toml", "rb") as file:
            self.summary = tomllib.load(file)
        self.atoms = classes(root / "scripts/benchlib/stats/spreads.csv")
        self.model = Counter(row["gpu"] for each in self.programs.values() for run in each.runs for row in run.values() if row["gpu"]).most_common(1)[0][0]

    def boards(self, *patterns: str) -> int:
        return len({board for name, each in self.programs.items() for board in each.boards if any(fnmatchcase(name, pattern) for pattern in patterns or "*")})

    @cached_property
    def other_work(self) -> set[tuple[str, str]]:
        """Machine code of twins that did not do the same work, and no differs.toml says why they need not."""
        if not (path := self.folder / "sass_past.csv").exists():
            return set()
        excuses: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for one in self.root.glob("exp*/**/differs.toml"):
            excuses[program_of(one)] += tomllib.loads(one.read_text())["differs"]
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        findings = [(row, part.partition(": ")[0]) for row in rows for part in row["work"].split("; ") if part]
        left = [row for row, said in findings if not any(said == one["in"] and any(fnmatchcase(row["kernel"].partition(".")[0], each) for each in one["kernels"]) for one in excuses[row["experiment"]])]
        return {(row["cuda_hash"], row["vulkan_hash"]) for row in left}

    @cached_property
    def kinds(self) -> dict[str, dict[tuple[str, Case], tuple[float, str]]]:
        """By kind of work, Vulkan/CUDA of each pair, and its verdict."""
        found: dict[str, dict[tuple[str, Case], tuple[float, str]]] = defaultdict(dict)
        for name, program in self.programs.items():
            for cuda in program.select({"api": "cuda", "checks": [*CHECKS, "off"]}) if program.compares else ():
                vulkan, cells = program.twin(cuda), dict(cuda)
                if cells["variant"] in CONTROLS or vulkan is None or self.is_other_work(program, cuda, vulkan):
                    continue
                of = self.properties(name, program, cuda)
                for entry in self.summary["kind"]:
                    if all(of[key] in (value if isinstance(value, list) else [value]) for key, value in entry["of"].items()):
                        if one := self.judged(program, cuda, vulkan, entry.get("metric", "device_ns")):
                            found[entry["id"]][name, frozenset(cell for cell in cuda if cell[0] != "api" and cell != ("checks", "default"))] = one
        return found

    def is_other_work(self, program: Program, cuda: Case, vulkan: Case) -> bool:
        hashes = [next((row["isa_hash"] for row in program.rows(case).values() if row["isa_hash"]), "") for case in (cuda, vulkan)]
        return (hashes[0], hashes[1]) in self.other_work

    def properties(self, name: str, program: Program, case: Case) -> dict[str, str]:
        cells = defaultdict(str, case)
        said = [*(f"{cells['variant']} {column}={value}" for column, value in case), f"{name}:{cells['variant']}", cells["variant"]]
        named = {key: next((kind for text in said for kind, names in self.summary[key].items() if text in names), "") for key in ("does", "bytes")}
        by_address = "vulkan_address" in (cells["feature"], f"vulkan_{cells['binding']}")
        unchecked = cells["checks"] == "off" or cells["robustness"] in ("default", "disabled")
        has_memory = any("memory" in row for run in program.runs for row in list(run.values())[:1])
        changed = has_memory and cells["feature"] not in ("", "none", "vulkan_address") or cells["memory"] not in ("", "own") or cells["binding"] == "uniform"
        recorded = {"stream": "anew", "rerecorded": "anew", "graph": "before", "prerecorded": "before"}.get(cells["mode"], "anew" if cells["set_use"] else "")
        return {
            "does": named["does"] or "other", "bytes": cells["elem_bytes"] or named["bytes"] or ("16" if "x4" in cells["variant"] else "4"),
            "place": "memory" if cells["cache"] == "cold" or program.is_dram(case) else "caches",
            "through": "addresses" if by_address else "unchecked" if unchecked else "sets",
            "recorded": "one" if "1" in (cells["chain"], cells["dispatches"]) else recorded,
            "order": cells["memory_order"], "scope": cells["scope"], "changed": "yes" if changed else "no",
        }  # fmt: skip

    def judged(self, program: Program, cuda: Case, vulkan: Case, metric: str) -> tuple[float, str] | None:
        rows = program.rows(cuda), program.rows(vulkan)
        runs = [at for at in program.same_gpu(cuda, vulkan) if all(at in side and side[at].get(metric) and float(side[at][metric]) > 0 for side in rows)]
        gpu = metric == "device_ns"
        bare = {} if gpu else {"device_ns_lo": "", "device_ns_hi": "", "fixed_ns": ""}
        sides = [(program.boards[at], *({**side[at], "device_ns": side[at][metric], **bare} for side in rows)) for at in runs]
        if not sides or gpu and not any(ratio_ends(v, c) for _, c, v in sides):
            return None
        mean, _, _, said = verdict(sides, self.atoms["ratio", class_of(program, cuda, gpu)])
        return math.exp(mean), said


def class_of(program: Program, case: Case, gpu: bool) -> str:
    rows, cells = list(program.rows(case).values()), dict(case)
    if not gpu or any(row.get("host_ns") or row["stop"].startswith("host ") for row in rows):
        return "host"
    if cells["cache"] == "cold":
        return "cold"
    times = [float(row["device_ns"]) for row in rows if row["device_ns"]]
    return "warm, under 20 us" if times and statistics.median(times) < 20_000 else "inside an SM" if cells["variant"] in program.inside else "warm"


def read_with_paths(directory: Path, experiment: str) -> list[tuple[Path, str, list[Row]]]:
    paths = files_of(directory, experiment)
    return [(path, board, [without_barriers(row) for row in rows]) for path, (board, rows) in zip(paths, read(directory, experiment))]


def without_barriers(row: Row) -> Row:
    """Vulkan's round trips of older files hold a barrier and are not read."""
    return row | {"roundtrip_ns": ""} if row["api"] == "vulkan" and "roundtrip_ns" in row and "remade" not in row else row


# ------------------------------------------------------------------------------------------------------------ what the pages say


def digits(value: float, number: int = 3) -> str:
    """So many significant digits, or all before the point; from 1,000 on zeros behind them."""
    if value == round(value) and abs(value) < 10_000:
        return str(round(value))
    if abs(value) >= 1000:
        return f"{float(f'{value:.{number - 1}e}'):,.0f}"
    return f"{value:.{max(0, number - 1 - int(f'{value:.{number - 1}e}'.partition('e')[2]))}f}"


def percent(ratio: float) -> str:
    value = 100 * abs(ratio - 1)
    return f"{value:.1f}".removesuffix(".0") if value < 10 else f"{value:.0f}"


def slower(ratio: float) -> str:
    if ratio >= 2 or ratio <= 0.5:
        return f"{digits(max(ratio, 1 / ratio))}× {'slower' if ratio > 1 else 'faster'}"
    return "the same time" if percent(ratio) == "0" else f"{percent(ratio)} % {'slower' if ratio > 1 else 'faster'}"


def marked(entry: Mapping[str, Any], found: Sequence[float]) -> str:
    """A figure as a sentence has it: of several cases from the least to the greatest."""
    values = [PICKS[entry["pick"]](found)] if "pick" in entry else found
    if entry.get("as") == "percent":
        texts = [percent(value) for value in sorted(values, key=lambda value: abs(value - 1))]
    else:
        factor = entry.get("scale", 1) * (100 if entry.get("as") == "share" else 1)
        texts = [digits(value, entry.get("digits", 3)) for value in sorted(factor * (entry["per"] / value if "per" in entry else value) for value in values)]
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def word_of(pairs: Iterable[tuple[float, str]]) -> str:
    found = Counter(said for _, said in pairs)
    said, number = found.most_common(1)[0]
    return said if number >= 2 / 3 * found.total() else "pairs differ"


class Pages:
    """What the two pages say, and what it should be: `wrong` gets a line for each figure that differs."""

    def __init__(self, root: Path):
        self.root, self.same, self.left, self.wrong = root, 0, 0, list[str]()
        with open(root / "docs/figures.toml", "rb") as file:
            document = tomllib.load(file)
        self.figures = {name: (experiment, entry) for experiment, entries in document["figure"].items() for name, entry in entries.items()}
        self.sets = {"": Set(root, "nvidia-h200")} | {name: Set(root, folder) for name, folder in document["models"].items()}
        self.names: dict[str, str] = {}
        for name, each in self.sets.items():
            model = re.sub(r" \d+ ?GB\b.*", "", each.model.removeprefix("NVIDIA "))
            if model not in self.names.values():  # a second set of a model has figures of its own, and no column
                self.names[name] = model
        self.document = self.sets[""].summary

    def compare(self, where: str, said: str, made: str) -> None:
        self.same += said == made
        self.wrong += [f"{where}: the page says {said}, the rows say {made}"] if said != made else []

    def of(self, experiment: str, model: str, entry: Mapping[str, Any]) -> list[float]:
        return self.sets[model].programs[experiment].found(entry)

    def shared(self, kind: str) -> dict[str, list[tuple[float, str]]]:
        """Each model's pairs of the kind, those that all models have."""
        sets = {name: self.sets[name].kinds[kind] for name in self.names}
        keys = set.intersection(*map(set, sets.values()))
        return {name: [one for key, one in kinds.items() if key in keys] for name, kinds in sets.items()}

    def sentences(self, page: str) -> None:
        for match in re.finditer(r"<!-- q: (.*?) -->(.*?)<!-- /q -->", (self.root / page).read_text()):
            name, _, model = match[1].partition(" @")
            words = name.split()
            if words[0] == "boards":
                self.compare(f"{page}: {match[1]}", match[2], str(self.sets[model].boards(*words[1:])))
            elif words[0] == "kind" and words[1].endswith(".median"):
                pairs = self.sets[model].kinds[words[1].removesuffix(".median")].values()
                self.compare(f"{page}: {match[1]}", match[2], f"{statistics.median(ratio for ratio, _ in pairs):.2f}")
            elif words[0] in self.figures and "say" not in self.figures[words[0]][1]:
                experiment, entry = self.figures[words[0]]
                self.compare(f"{page}: {match[1]}", match[2], marked(entry, self.of(experiment, model, entry)))
            else:
                self.left += 1

    def headline(self) -> None:
        text = (self.root / "README.md").read_text()
        rows = {cells[0]: cells for line in block(text, "verdict") if len(cells := line.strip("| ").split(" | ")) == 6}
        names = {entry["id"]: entry["name"] for entry in self.document["kind"]}
        screen = [re.split(r" {2,}", line.strip()) for line in block(text, "screen")]
        for entry in self.document["headline"]:
            (own, *others), (name, *other_names) = self.shared(entry["kind"]).values(), self.names.values()
            low, high = (f"{end:.2f}" if end < 10 else digits(end) for end in (min(own)[0], max(own)[0]))
            medians = [statistics.median(ratio for ratio, _ in pairs) for pairs in (own, *others)]
            words = [word_of(pairs) for pairs in (own, *others)]
            kind = names[entry["kind"]]
            made = [f"{medians[0]:.2f} ({low}–{high})", *(f"{median:.2f}" for median in medians[1:])]
            made += [", ".join([words[0], *(f"{each}: {word}" for each, word in zip(other_names, words[1:]) if word != words[0])]), self.example(entry)]
            for column, said in zip((f"{name}, median and range", *(f"{each}, median" for each in other_names), "word", "example"), rows[kind][1:]):
                self.compare(f"README.md: {kind}: {column}", said, made.pop(0))
            line = next(cells for cells in screen if cells[0] == kind)
            here = len(self.sets[list(self.names)[-1]].kinds[entry["kind"]])  # of which some were measured there alone
            pairs = str(here) if here == len(own) else f"{len(own)} of {here}"
            self.compare(f"README.md: {kind}: on the screen", " ".join(line[1:]), f"{pairs} {medians[-1]:.3f} {words[-1]} {medians[0]:.3f} {words[0]}")

    def example(self, entry: Mapping[str, Any]) -> str:
        texts = []
        for model in self.names:
            said = {one["name"]: slower(PICKS[one.get("pick", "median")](self.of(one["experiment"], model, one))) for one in entry["figure"]}
            texts.append(entry["example"].format(**said))
        lead = commonprefix(texts).rfind(": ") + 2
        return texts[0] + "".join(f" ({name}: {text[lead:]})" for name, text in zip(list(self.names.values())[1:], texts[1:]) if text != texts[0])

    def rules(self) -> None:
        """The table's figures: what has a bound, else the kind's median."""
        rows = [line.strip("| ").split(" | ") for line in block((self.root / "docs/RULES.md").read_text(), "rules")]
        for rule in self.document["rule"]:
            cells = next((row for row in rows if row[0].startswith(f"[{rule['title'].rstrip('.')}]")), None)
            bounded = [one for one in rule.get("figure", []) if {"least", "most"} & one.keys()]
            one = next((one for one in bounded if f"{{{one['name']}}}" in rule["text"]), bounded[0] if bounded else None)
            for at, (model, name) in enumerate(self.names.items() if cells else (), start=2):
                if one:
                    value = PICKS[one.get("pick", "median")](self.of(one["experiment"], model, one))
                else:
                    value = statistics.median(ratio for ratio, _ in self.sets[model].kinds[next(iter(rule["holds"]))].values())
                self.compare(f"docs/RULES.md: {rule['title']} {name}", cells[at].split()[0].removeprefix("×"), significant(value))


def significant(value: float) -> str:
    return f"{value:.{max(0, 2 - int(f'{value:.2e}'.partition('e')[2]))}f}"


def block(text: str, name: str) -> list[str]:
    return text.partition(f"<!-- worklog:{name} -->")[2].partition("<!-- /worklog -->")[0].splitlines()


def main(arguments: Sequence[str]) -> int:
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0 if len(arguments) == 1 else 2
    pages = Pages(Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent)
    pages.headline()
    pages.rules()
    for page in ("README.md", "docs/RULES.md"):
        pages.sentences(page)
    print(*pages.wrong, sep="\n", end="\n" * bool(pages.wrong))
    print(f"{pages.same} figures of README.md and docs/RULES.md come from the rows, {len(pages.wrong)} differ, {pages.left} are of claims and were not recomputed")
    return 1 if pages.wrong or not pages.same else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
