"""What Vulkan's own rows say of a GPU, with CUDA or without: docs/vulkan.toml, filled from the results.

    [[say]]
    text = "... {a.takes} ..."     a sentence; left out where a figure of it has not been measured
    experiment = "exp01_vector_add"
    [[say.figure]]                 a query (claims/query_form.py), of Vulkan alone; `name` is for the text
    name = "a"

A figure is said as in an experiment's answer: from the least to the greatest case, or as one of claim_words.SAYINGS. A percent of the memory's peak
(peak_pct) is reckoned from GB/s by docs/cards.toml where no API tells the peak, and the sentence says so.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchlib.base import toml_file
from benchlib.claims import claim_query, claim_words, query_form
from benchlib.stats.formats import sig
from benchlib.model.analysis import Study
from benchlib.results.results import InputError, Table
from benchlib.stats.stats import Figure

FILE = Path("docs") / "vulkan.toml"
CARDS = Path("docs") / "cards.toml"
PORTABLE = re.compile(r"laptop|mobile|max-q", re.IGNORECASE)  # other cards under a name
TITLE = "What Vulkan shows on this GPU"
ONE_API = ("where", "num", "den")


def sentences(root: Path, study: Study) -> list[str]:
    """Those whose figures there are."""
    path = root / FILE
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    try:
        entries = toml_file.parsed(text).get("say", [])
    except ValueError as error:
        raise InputError(f"{path}: {ascii(str(error))[1:-1]}") from error
    places = (f"{path}:{toml_file.line_of_table(text, 'say', at)}: sentence no. {at}" for at in range(1, len(entries) + 1))
    said = [_sentence(place, entry, study, root) for place, entry in zip(places, entries)]
    return [sentence for sentence in said if sentence]


def card_gbps(root: Path, gpu: str) -> float | None:
    """The memory's theoretical bandwidth of the card that the name names, as its API has it: Radeon RX 7900 XTX (RADV NAVI31)."""
    path = root / CARDS
    if not path.is_file() or PORTABLE.search(gpu):
        return None
    bare = re.sub(r"\((?:R|TM)\)", "", gpu, flags=re.IGNORECASE)
    found = toml_file.parsed(path.read_text(encoding="utf-8"))["bandwidth"]
    # The longest name: an RX 7900 XTX is no RX 7900 XT.
    names = [name for name in found if re.search(rf"\b{re.escape(name)}(?!\w| (?:XTX?|Ti|SUPER|GRE|D)\b)", bare)]
    return max((found[name]["bits"] * found[name]["gbit"] / 8 for name in names), default=None)


def _sentence(where: str, entry: Mapping[str, Any], study: Study, root: Path) -> str:
    for key in ("text", "experiment", "figure"):
        if key not in entry:
            raise InputError(f"{where}: no {key}")
    queries = {each["name"]: query_form.parsed(f"{where}: figure {each['name']}", each) for each in entry["figure"]}
    table = study.tables.get(entry["experiment"])
    words, note, undecided = [], "", 0
    for name, saying in claim_words.placeholders(entry["text"]):
        if name not in queries:
            raise InputError(f"{where}: no figure is {name}")
        query = queries[name]
        if any(query[key].get("api") != "vulkan" for key in ONE_API if key in query):
            raise InputError(f"{where}: figure {name} is not of Vulkan alone")
        if not table:
            return ""
        figures = _figures(query, table, study, where)
        peak = card_gbps(root, _gpu(table)) if not figures and query["metric"] == "peak_pct" else None
        if peak:
            figures = [_over(figure, peak) for figure in _figures({**query, "metric": "gbps"}, table, study, where)]
            note = f" The peak, {sig(peak, 4)} GB/s, is the maker's figure ({CARDS.as_posix()})."
        if not figures:
            return ""
        undecided = max([undecided, *(figure.runs for figure in figures if query["combine"] == "ratio" and figure.undecided)])
        words.append(claim_words.plain(claim_words.spread_words(figures, saying)))
    said = iter(words)
    text = claim_words.filled(entry["text"], lambda *_: next(said)) or ""
    if undecided:
        text = f"{text.removesuffix('.')}: undecided in {undecided} run{'s' * (undecided > 1)}."
    return text + note


def _figures(query: Mapping[str, Any], table: Table, study: Study, where: str) -> list[Figure]:
    found = claim_query.run(query, table.name, study, where)
    return [] if isinstance(found, str) else [one.figure for one in found]


def _over(figure: Figure, peak: float) -> Figure:
    """Percent of it."""
    return Figure(100 * figure.value / peak, *(None if end is None else 100 * end / peak for end in (figure.lo, figure.hi)), figure.runs)


def _gpu(table: Table) -> str:
    return next((row["gpu"] for run in table.runs for row in run.values() if row["api"] == "vulkan" and row["gpu"]), "")

