"""On which rows the figures of README.md and docs/RULES.md rest, and which of these are older than the round: docs/older_rows.csv, which scripts/published.py
writes. Of a program on a model the round's rows are those of the newest sources that measured there (a row's column `sources`; older rows have their commit), and of
those that measure the same (docs/round.toml).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchlib.claims import claim_query, claims, query_form
from benchlib.claims.claims import ClaimFile
from benchlib.model.analysis import Study
from benchlib.pages import beside, prose, summary
from benchlib.pages.summary import Summary
from benchlib.results import rounds
from benchlib.results.results import Case, Row, Table, origin

FILE = Path("docs") / "older_rows.csv"
COLUMNS = ["page", "figure", "model", "experiment", "rows", "older", "boards", "boards_of_round"]
PAGES = ("README.md", "docs/RULES.md")
Sets = Mapping[str, tuple[Study, Summary]]  # by the folder's name; the first is the reference
Used = tuple[str, Sequence[Case]]  # a program, and its cases


def csv_rows(root: Path, sets: Sets) -> list[dict[str, object]]:
    groups, alike = claims.load(root), rounds.newest_alike(root)
    found: list[dict[str, object]] = []
    for page, figure, folder, used in _figures(root, sets, groups):
        for experiment, cases in used:
            if (table := _table(sets, folder, experiment)) and (rows := _rows(table, cases)):
                newest = table.memoized(_newest)
                of_round = [(board, row) for board, row in rows if alike.get(origin(row), origin(row)) == newest]
                counts = {"rows": len(rows), "older": len(rows) - len(of_round), "boards": _boards(rows), "boards_of_round": _boards(of_round)}
                found.append({"page": page, "figure": figure, "model": beside.model(sets[folder][0]), "experiment": experiment, **counts})
    return found


def words(rows: Sequence[Mapping[str, object]]) -> str:
    """How many of the figures rest on older rows."""
    older, every = ({(row["page"], row["figure"], row["model"]) for row in some} for some in ([row for row in rows if int(str(row["older"]))], rows))
    return f"{len(older)} of {len(every)} figures of {' and '.join(PAGES)} rest on rows that are older than the round ({FILE})"


def _newest(table: Table) -> str:
    return origin(max((row for run in table.runs for row in run.values()), key=lambda row: row["started_at"]))


def _table(sets: Sets, folder: str, experiment: str) -> Table | None:
    """The folder's, or that of another one of the model."""
    own = beside.model(sets[folder][0])
    found = [study.tables[experiment] for study, _ in (sets[folder], *sets.values()) if experiment in study.tables and beside.model(study) == own]
    return found[0] if found else None


def _rows(table: Table, cases: Iterable[Case]) -> list[tuple[str, Row]]:
    """The results, each with its board."""
    return [(board, run[case]) for case in dict.fromkeys(cases) for board, run in zip(table.boards, table.runs) if case in run and run[case]["status"] == "ok"]


def _boards(rows: Iterable[tuple[str, Row]]) -> int:
    return len({board for board, _ in rows})


def _figures(root: Path, sets: Sets, groups: Sequence[ClaimFile]) -> Iterator[tuple[str, str, str, list[Used]]]:
    """Page, figure, folder, and what it rests on."""
    reference, pages = next(iter(sets)), prose.Prose(root, lambda folder: prose.Model(lambda _: sets[folder][0], groups, {}))
    folders = {"": reference, **pages.models}
    for folder in dict.fromkeys(folders.values()):
        study, said = sets[folder]
        if folder != reference and beside.model(study) == beside.model(sets[reference][0]):
            continue  # a set of its own: only sentences that name it show it
        for entry, kind in summary.headline(said):
            yield PAGES[0], f"kind {entry['kind']}", folder, _of_kind(study, kind)
            for query in entry.get("figure", []):
                yield PAGES[0], f"example of {entry['kind']}: {query['name']}", folder, _of_query(sets, folder, query["experiment"], query, summary.OF_RULE)
        for rule in said.document.get("rule", []):
            for query in rule.get("figure", []):
                yield PAGES[1], f"{rule['title']} {query['name']}", folder, _of_query(sets, folder, query["experiment"], query, summary.OF_RULE)
    queries = {claim.id: (group.experiment, claim.entry.get("query", [])) for group in groups for claim in group.claims}
    for page in PAGES:
        for name in dict.fromkeys(re.findall(r"<!-- q: (.*?) -->", (root / page).read_text(encoding="utf-8"))):
            bare, _, model = name.partition(" @")
            folder, words_ = folders[model], bare.split()
            if words_[0] in pages.figures:
                yield page, name, folder, _of_query(sets, folder, *pages.figures[words_[0]], prose.OWN_KEYS)
            elif match := prose.CLAIM.fullmatch(words_[0]):
                experiment, asked = queries[match[1]]
                yield page, name, folder, [one for query in asked for one in _of_parsed(sets, folder, experiment, query)]
            elif words_[0] == "kind":
                yield page, name, folder, _of_kind(sets[folder][0], sets[folder][1].kinds[words_[1].partition(".")[0]])


def _of_kind(study: Study, kind: summary.Kind) -> list[Used]:
    found: dict[str, list[Case]] = {}
    for one in kind.found:
        twin = study.tables[one.experiment].twin(one.case)
        found.setdefault(one.experiment, []).extend([one.case, *([twin] if twin else [])])
    return list(found.items())


def _of_query(sets: Sets, folder: str, experiment: str, entry: Mapping[str, Any], own: Sequence[str]) -> list[Used]:
    return _of_parsed(sets, folder, experiment, query_form.parsed(f"{experiment}: {entry}", entry, own))


def _of_parsed(sets: Sets, folder: str, experiment: str, query: Mapping[str, Any]) -> list[Used]:
    """Nothing of what is read from listings or counters."""
    table = _table(sets, folder, experiment) if query.get("table", "results") == "results" else None
    return [(experiment, claim_query.cases(query, table))] if table else []
