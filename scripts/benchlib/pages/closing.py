"""What scripts/run.sh ends with: a folder's results on one screen."""

import textwrap
from collections import Counter

from benchlib.claims.claims import NOT_MEASURED, UNCLEAR, VERDICTS
from benchlib.stats.formats import NONE
from benchlib.model.analysis import Study
from benchlib.pages import beside, summary
from benchlib.pages.beside import WIDTH
from benchlib.pages.pipeline import Judged
from benchlib.results import board_states, schema
from benchlib.stats.stats import MIN_RUNS

NAME = 12  # columns of a line's name


def lines(judged: Judged) -> list[str]:
    """The table, the rules, the claims and warnings; of Vulkan alone what it shows, and the rules that it decides; of a software device its state."""
    study, said = judged.study, judged.state.sentences
    shown = textwrap.wrap(" ".join(said), WIDTH)
    if not judged.state.software and (found := summary.load(judged.root, study)):
        table = beside.screen_table(judged.root, {f"here: {beside.short(beside.model(study)) or 'this GPU'}": (study, found)})
        texts = [] if table else judged.vulkan
        alone = [line for text in texts for line in textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")]
        shown += ["", *table, *alone, "", *beside.screen_rules(study, found)]
        shown += ["", *textwrap.wrap(_named("claims", _claims(judged)), WIDTH, subsequent_indent=" " * (NAME + 1))]
    shown.append(_named("warnings", "; ".join(warnings(study)) or "none"))
    if command := judged.state.next_command:
        shown.append(_named("next", command))
    return shown[1:] if shown[:1] == [""] else shown


def _named(name: str, text: str) -> str:
    return f"{name:<{NAME}} {text}"


def _claims(judged: Judged) -> str:
    """How many have which verdict. What few runs leave open is said apart from what many do."""
    claims = [claim for group in judged.groups for claim in group.claims if group.experiment in judged.study.tables]
    waiting = [claim for claim in claims if claim.verdict == UNCLEAR and 0 < claim.runs < MIN_RUNS]
    counted = Counter(claim.verdict for claim in claims if claim not in waiting)
    parts = [f"{counted[verdict]} {verdict}" for verdict in VERDICTS if counted[verdict] and verdict != NOT_MEASURED]
    parts += [f"{len(waiting)} need more runs"] if waiting else []
    parts += [f"{counted[NOT_MEASURED]} not measured"] if counted[NOT_MEASURED] else []
    parts += [f"{judged.not_run} of experiments that did not run"] if judged.not_run else []
    return ", ".join(parts) or NONE


def warnings(study: Study) -> list[str]:
    """What makes figures doubtful: failed rows, throttled samples, and what a board should not have."""
    rows = [row for table in study.tables.values() for run in table.runs for row in run.values()]
    failed = sum(row["status"] == "failed" for row in rows)
    throttled = sum(schema.real(row.get("throttled_samples", "")) or 0 for row in rows)
    found = [f"{failed} rows failed"] if failed else []
    found += [f"{throttled:.0f} throttled samples were retaken"] if throttled else []
    boards = sorted((study.directory / "boards").glob("*/"))
    return found + [f"{folder.name}: {problem}" for folder in boards for problem in board_states.problems(board_states.read(folder))]
