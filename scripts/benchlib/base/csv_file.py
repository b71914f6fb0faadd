"""CSV files. What is read may be anything: a record at a time, in memory that no line can blow up."""

import codecs
import csv
import io
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from benchlib.base import archive
from benchlib.base.errors import InputError

_PART_BYTES = 1 << 18  # unpacked at a time
MOST_BYTES = 1 << 30  # of a file, unpacked: a program's samples have 10 MB
MOST_LINE_BYTES = 1 << 20  # a line of 100 MB of commas would become 100 million cells


SUFFIXES = (".csv", ".csv.xz")  # as it was written, and packed


def stem(path: Path) -> str:
    """The name without its suffix."""
    return path.name.removesuffix(".xz").removesuffix(".csv")


def there(path: Path) -> Path:
    """The file, or where only that is there the same one packed."""
    packed = path.with_name(f"{path.name}.xz")
    return packed if packed.exists() and not path.exists() else path


class Reader:
    """A file's header (of an .xz file: of what is packed in it; of NAME.tar.xz/<file>: of that file in it), and an iterator over its records, each with the line that it ends on.
    Raises InputError, with the file and the line, for what is no CSV: not UTF-8, cut short, a record of another length than the header.
    """

    def __init__(self, path: Path):
        self.path = path
        # It does not know this reader. So it ends with it, and with it the file: an .xz file's decoder holds up to 64 MiB.
        self._records = _records(path)
        self.header: list[str] = next(self._records)[1]

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        return self._records


def opened(path: Path) -> IO[bytes]:
    """A file as it was written, whatever it is packed in: .xz, or NAME.tar.xz/<file>."""
    if archive.holds(path):
        return io.BytesIO(archive.read(path.parent)[path.name])
    return cast(IO[bytes], io.BufferedReader(lzma.open(path), _PART_BYTES)) if path.suffix == ".xz" else open(path, "rb")


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    with opened(path) as file:
        reader = csv.reader(_lines(path, file), strict=True)
        width = 0
        try:
            for record in reader:
                if not width:
                    _check_header(path, record)
                    width = len(record)
                elif len(record) != width:
                    line = f"line {reader.line_num}"
                    raise InputError(f"{path}: {line}: {len(record)} fields, the header has {width}")
                yield reader.line_num, record
        except csv.Error as error:
            raise InputError(f"{path}: line {reader.line_num}: {_reason(error)}") from error
        except (lzma.LZMAError, EOFError) as error:
            raise InputError(f"{path}: damaged: {error}") from error
        if not width:
            raise InputError(f"{path}: empty")


def _lines(path: Path, file: IO[bytes]) -> Iterator[str]:
    number = start = 0
    while line := file.readline(MOST_LINE_BYTES + 1):
        number += 1
        if len(line) > MOST_LINE_BYTES:
            raise InputError(f"{path}: line {number} is longer than {MOST_LINE_BYTES >> 20} MiB")
        if number == 1 and line.startswith(codecs.BOM_UTF8):
            raise InputError(f"{path}: it begins with a byte order mark, as spreadsheets write it: save it without")
        if not line.endswith(b"\n"):
            only_cr = number == 1 and b"\r" in line
            raise InputError(f"{path}: {'its lines end with CR alone' if only_cr else 'the last line is cut short (no line end)'}")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 at byte {start + error.start}") from error
        start += len(line)
        if start > MOST_BYTES:
            raise InputError(f"{path}: longer than {MOST_BYTES >> 20} MiB{' when it is unpacked' if path.suffix == '.xz' else ''}")
        yield text


def _check_header(path: Path, header: list[str]) -> None:
    if not any(header):
        raise InputError(f"{path}: the first line names no columns")
    twice = sorted(name for name, number in Counter(header).items() if number > 1)
    if twice:
        raise InputError(f"{path}: two columns {ascii(twice[0])[:80]}")


def _reason(error: csv.Error) -> str:
    text = str(error)
    if text.startswith("field larger"):
        return f"a field is longer than {csv.field_size_limit() >> 10} KiB"
    return "a line end (CR) inside a field without quotes" if text.startswith("new-line") else text


def read(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header, and every record by column, with the line it ends on."""
    reader = Reader(path)
    return reader.header, [(line, dict(zip(reader.header, record))) for line, record in reader]


def rows(path: Path) -> list[dict[str, str]]:
    """Every record of a file, as it was written or packed; none where there is no file."""
    path = there(path)
    return [record for _, record in read(path)[1]] if path.exists() else []


def text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """A file's, as all of this suite's are. A value that a row lacks, or that is None, is empty; what is no column is left out."""
    return text_of_lists([columns, *([row.get(column, "") for column in columns] for row in rows)])


def text_of_lists(records: Iterable[Iterable[object]]) -> str:
    """The same of records whose first is the header."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(records)
    return buffer.getvalue()
