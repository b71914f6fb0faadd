"""Machine code as bytes: cubins (ELF files of NVIDIA code), padding, and the hash by which a result names its code."""

import re
import struct
from collections import Counter
from dataclasses import dataclass

INSTRUCTION_BYTES = 16  # since compute capability 7.0
_NOP, _BRA = 0x918, 0x947  # bits 11:0 of an instruction

_SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
_SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym
_SHT_PROGBITS, _SHT_SYMTAB, _SHT_STRTAB, _SHT_NOBITS = 1, 2, 3, 8
_EM_CUDA = 190
_READ = (".text.", ".symtab", ".strtab", ".nv.info")  # what the names of the sections that are read here begin with
_EIATTR_REGCOUNT = b"\x04\x2f\x08\x00"  # .nv.info record: a pair (index of the symbol, registers)


class CubinError(Exception):
    """Not a cubin, or a damaged one; the message is one line."""


@dataclass(frozen=True)
class Function:
    name: str
    code: bytes
    registers: int | None


def _at(data: bytes, offset: int, size: int) -> bytes:
    if offset < 0 or offset + size > len(data):
        raise CubinError(f"{size} bytes at {offset:#x} lie outside the file's {len(data)}")
    return data[offset : offset + size]


def functions(cubin: bytes) -> dict[str, Function]:
    """The kernels of a cubin by name: its sections .text.<name>. Every offset is checked: the file may be anything."""
    if cubin[:6] != b"\x7fELF\x02\x01":
        raise CubinError("not a 64-bit little-endian ELF file")
    (table,) = struct.unpack("<Q", _at(cubin, 40, 8))
    entry_bytes, count, names_index = struct.unpack("<HHH", _at(cubin, 58, 6))
    if entry_bytes != _SECTION.size or names_index >= count:
        raise CubinError("damaged section table")
    headers = [_SECTION.unpack(_at(cubin, table + i * _SECTION.size, _SECTION.size)) for i in range(count)]

    def contents(header: tuple[int, ...]) -> bytes:
        return b"" if header[1] == _SHT_NOBITS else _at(cubin, header[4], header[5])

    names = contents(headers[names_index])
    sections = [(_text(names, header[0]), contents(header)) for header in headers]
    by_name = dict(sections)
    twice = next((name for name, number in Counter(name for name, _ in sections).items() if number > 1 and name.startswith(_READ)), None)
    if twice:
        raise CubinError(f"more than one section {twice}")
    symbols = [_SYMBOL.unpack_from(by_name.get(".symtab", b""), i) for i in _records(by_name.get(".symtab", b""), 24)]
    registers = {}
    info = by_name.get(".nv.info", b"")
    for match in re.finditer(re.escape(_EIATTR_REGCOUNT), info):
        if match.end() + 8 <= len(info):
            symbol, number = struct.unpack_from("<II", info, match.end())
            if symbol < len(symbols):
                registers[_text(by_name.get(".strtab", b""), symbols[symbol][0])] = number
    found = {}
    for section, code in sections:
        if section.startswith(".text."):
            name = section.removeprefix(".text.")
            found[name] = Function(name, code, registers.get(name))
    return found


def _text(table: bytes, offset: int) -> str:
    return table[offset:].split(b"\0", 1)[0].decode("utf-8", "replace")


def _records(table: bytes, size: int) -> range:
    return range(0, len(table) - len(table) % size, size)


def wrap(code: bytes, arch: int, name: str = "kernel") -> bytes:
    """A cubin in the layout of CUDA 11 around bare code: what an older nvdisasm reads whatever wrote the code, and the form
    in which it prints live registers (it does not for bare code). Only for reading: no driver would load it.
    """
    symbol_name = name.encode()
    strings = b"\0" + symbol_name + b"\0"
    section_names = b"\0.shstrtab\0.strtab\0.symtab\0.text." + symbol_name + b"\0"
    # The null symbol and the function: STB_GLOBAL, STT_FUNC, STO_CUDA_ENTRY, section 4.
    symbols = bytes(24) + _SYMBOL.pack(1, 0x12, 0x10, 4, 0, len(code))
    contents = [b"", section_names, strings, symbols, code]
    offsets, position = [], 64
    for content in contents:
        position += -position % 128
        offsets.append(position)
        position += len(content)
    position += -position % 8

    def header(index: int, name_at: int, kind: int, flags: int, link: int, info: int, align: int, entry: int) -> bytes:
        return _SECTION.pack(name_at, kind, flags, 0, offsets[index], len(contents[index]), link, info, align, entry)

    at = section_names.index
    headers = [
        bytes(_SECTION.size),
        header(1, at(b".shstrtab"), _SHT_STRTAB, 0, 0, 0, 1, 0),
        header(2, at(b".strtab"), _SHT_STRTAB, 0, 0, 0, 1, 0),
        header(3, at(b".symtab"), _SHT_SYMTAB, 0, 2, 1, 8, 24),
        # 6: SHF_ALLOC | SHF_EXECINSTR. info: registers << 24 | symbol.
        header(4, at(b".text."), _SHT_PROGBITS, 6, 3, 255 << 24 | 1, 128, 0),
    ]
    ident = b"\x7fELF\x02\x01\x01\x33\x07".ljust(16, b"\0")  # ELFOSABI_CUDA, ABI version 7
    flags = arch << 16 | 0x500 | arch  # 64-bit addresses, and the architecture twice
    elf = bytearray(ident)
    elf += struct.pack("<HHIQQQIHHHHHH", 2, _EM_CUDA, 0x76, 0, 0, position, flags, 64, 56, 0, 64, len(headers), 1)
    for offset, content in zip(offsets, contents):
        elf += bytes(offset - len(elf)) + content if content else b""
    elf += bytes(position - len(elf))
    return bytes(elf) + b"".join(headers)


def words(code: bytes, offset: int) -> tuple[int, int]:
    """The low and the high half of the instruction at `offset`."""
    low, high = struct.unpack_from("<QQ", code, offset)
    return low, high


def is_self_branch(code: bytes, offset: int) -> bool:
    """BRA to itself: -16 from the next instruction. The offset is bits 81:34, in 4-byte units; from compute capability 9.0 on
    its lowest 8 bits are bits 23:16.
    """
    low, high = words(code, offset)
    field, lowest = low >> 34, low >> 16 & 0xFF
    before_9 = field == 0x3FFFFFFC and lowest == 0
    since_9 = field == 0x3FFFFFFF and lowest == 0xFC
    return low & 0xFFF == _BRA and high & 0x3FFFF == 0x3FFFF and (before_9 or since_9)


def without_padding(code: bytes) -> bytes:
    """Without the NOPs that fill the end, and before them the branch to itself that no thread reaches. Code that is no
    multiple of 16 bytes is returned whole.
    """
    end = len(code)
    if end % INSTRUCTION_BYTES:
        return code
    while end and words(code, end - INSTRUCTION_BYTES)[0] & 0xFFF == _NOP:
        end -= INSTRUCTION_BYTES
    if end and is_self_branch(code, end - INSTRUCTION_BYTES):
        end -= INSTRUCTION_BYTES
    return code[:end]


def isa_hash(code: bytes) -> str:
    """The first 12 of the 16 hex digits of the 64-bit FNV-1a of without_padding(code), as in the results' column isa_hash."""
    if not code:
        return ""
    value = 0xCBF29CE484222325  # offset basis and prime: http://www.isthe.com/chongo/tech/comp/fnv/
    for byte in without_padding(code):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"[:12]
