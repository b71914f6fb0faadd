"""The Markdown that this package writes, as HTML: tables, lists, code blocks, bold, emphasis, links. Text is always escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\\(?P<escaped>[\\`*|\]])|`(?P<code>[^`]*)`|\*\*(?P<bold>.+?)(?<!\\)\*\*|(?<![\w*])\*(?P<em>[^*\s][^*]*)\*(?![\w*])"
    r"|!?\[(?P<text>(?:\\.|[^\]\\])*)\]\((?P<url>[^()\s]*)\)"
)
_CELL = re.compile(r"(?<!\\)(?:\\\\)*\|")
_FIGURE = re.compile(r"[-+\u2212\u2013<>~(]*\d")  # digits, after a minus or a dash at most
Link = Callable[[str], str]


def text(markdown: str) -> str:
    """A run of literal text: what is escaped for Markdown is unescaped first, so nothing is escaped twice or not at all."""
    return html.escape(html.unescape(markdown))


def inline(markdown: str, link: Link = lambda url: "") -> str:
    """`link` maps a URL to the one to use; "" leaves the text alone."""
    parts, at = [], 0
    for token in _TOKEN.finditer(markdown):
        parts.append(text(markdown[at : token.start()]))
        at = token.end()
        if token["escaped"] is not None:
            parts.append(text(token["escaped"]))
        elif token["code"] is not None:
            parts.append(f"<code>{text(token['code'])}</code>")
        elif token["bold"] is not None:
            parts.append(f"<strong>{inline(token['bold'], link)}</strong>")
        elif token["em"] is not None:
            parts.append(f"<em>{inline(token['em'], link)}</em>")
        elif not token[0].startswith("!"):
            target = link(token["url"])
            label = inline(token["text"])
            parts.append(f'<a href="{html.escape(target)}">{label}</a>' if target else label)
    return "".join([*parts, text(markdown[at:])])


def cells(line: str) -> list[str]:
    """Of `| a | b \\| c |`: the cells, their escapes kept."""
    found, at = [], 0
    for match in _CELL.finditer(line):
        found.append(line[at : match.end() - 1].strip())
        at = match.end()
    return found[1:]


def table(lines: list[str], link: Link) -> str:
    header, rules, *rows = (cells(line) for line in lines)
    # A column of words keeps to the left, whatever its neighbours do.
    words = [any(v[:1].isalpha() for v in column) and not any(map(_FIGURE.match, column)) for column in zip(*rows)]
    aligned = zip(rules, words or [False] * len(rules))
    classes = [' class="n"' if rule.endswith(":") and not word else "" for rule, word in aligned]

    def row(values: list[str], tag: str) -> str:
        return "".join(f"<{tag}{kind}>{inline(value, link)}</{tag}>" for value, kind in zip(values, classes))

    body = "\n".join(f"<tr>{row(values, 'td')}</tr>" for values in rows)
    head = f"<thead><tr>{row(header, 'th')}</tr></thead>" if any(header) else ""
    inner = f"<table>{head}<tbody>\n{body}\n</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="table">{inner}</div>'


def blocks(markdown: str, link: Link = lambda url: "") -> str:
    """Paragraphs, tables, lists and code blocks; an image is left out: the page shows figures itself."""
    parts: list[str] = []
    lines = markdown.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        taken = at + 1
        if line.startswith("```"):
            taken = next((i for i in range(at + 1, len(lines)) if lines[i].startswith("```")), len(lines))
            code = html.escape("\n".join(lines[at + 1 : taken]))
            parts.append(f'<pre tabindex="0" role="region" aria-label="listing">{code}</pre>')
            taken += 1
        elif line.startswith("| "):
            taken = _while(lines, at, "| ")
            parts.append(table(lines[at:taken], link) if taken - at > 1 else f"<p>{inline(line, link)}</p>")
        elif line.startswith("- "):
            taken = _while(lines, at, "- ")
            items = "".join(f"<li>{inline(item[2:], link)}</li>" for item in lines[at:taken])
            parts.append(f"<ul>{items}</ul>")
        elif line and not line.startswith("!["):
            parts.append(f"<p>{inline(line, link)}</p>")
        at = taken
    return "\n".join(parts)


def _while(lines: list[str], start: int, prefix: str) -> int:
    return next((i for i in range(start, len(lines)) if not lines[i].startswith(prefix)), len(lines))
