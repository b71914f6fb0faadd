"""Running nvdisasm: finding one, and getting every instruction of a kernel out of it."""

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchlib.base import children, programs
from benchlib.base.errors import InputError
from benchlib.base.kept import kept_property
from benchlib.sass import sass, sass_cubin
from benchlib.sass.sass import Instruction, ListingError

ROOT = Path(__file__).resolve().parents[3]
HOW_TO_GET = (
    "install the CUDA toolkit's nvdisasm (package cuda-nvdisasm), name one with --nvdisasm PATH or BENCH_NVDISASM, "
    "or run scripts/setup.sh --nvdisasm"
)
_TIMEOUT_S = 120
# How many instructions that nvdisasm stumbles over are worth stepping around.
_MOST_STUMBLES = 64
_STUMBLE = re.compile(r"at address (0x[0-9a-f]+)")
_NOP = bytes.fromhex("18790000000000000000000000c00f00")


@dataclass(frozen=True)
class Disassembly:
    instructions: list[Instruction]  # all of them, padding left out
    via: str  # what nvdisasm read: "container", "wrapped code" or "bare code"


def find(explicit: str | None = None) -> Path | None:
    """An nvdisasm: the one named, else the toolkit's, else the one that scripts/setup.sh --nvdisasm fetched."""
    return programs.find_tool("nvdisasm", "BENCH_NVDISASM", explicit, [ROOT / "build" / "tools" / "nvdisasm"])


def sm_number(arch: str) -> int | None:
    """90 for sm_90a."""
    match = re.fullmatch(r"sm_(\d+)[a-z]?", arch)
    return int(match[1]) if match else None


class Nvdisasm:
    def __init__(self, path: Path):
        self.path = path
        self._refuses_cubins = False  # of this toolkit: found out once, for all kernels
        self._last: tuple[bytes, dict[str, list[Instruction]]] = (b"", {})  # the container read last, and what it holds

    @kept_property
    def version(self) -> str:
        _, said, _ = children.run([self.path, "--version"], _TIMEOUT_S)
        match = re.search(r"\bV(\d[\d.]*)", said)
        if not match:
            raise InputError(f"{self.path} is no nvdisasm (it does not say its version)")
        return match[1]

    def disassemble(self, code: bytes, arch: str, container: bytes | None = None, entry: str = "") -> Disassembly:
        """All instructions of `code`. `container`: the cubin or driver object that holds it, `entry` the kernel's name there.

        The container as it is comes first, and is read once for kernels that follow one another. A release refuses files that
        are newer than itself and still knows their instructions: then the code alone, wrapped as an old cubin, which prints live
        registers; then bare (-b SMxx).
        """
        if not code:
            raise InputError("no code")
        reasons = []
        for via, listing in self._attempts(code, sm_number(arch), container, entry, reasons):
            try:
                return Disassembly(sass.complete(listing, code), via)
            except ListingError as error:
                reasons.append(f"{via}: {error}")
        raise InputError(f"nvdisasm {self.version} cannot read it ({'; '.join(dict.fromkeys(reasons))})")

    def _attempts(
        self, code: bytes, sm: int | None, container: bytes | None, entry: str, reasons: list[str]
    ) -> Iterator[tuple[str, list[Instruction]]]:
        live = ["-c", "-plr", "-lrm", "count"]
        if container and not (self._refuses_cubins and container.startswith(b"\x7fELF")):
            try:
                if self._last[0] != container:
                    self._last = container, sass.parse(self._run(live, container))
                listings = self._last[1]
                found = listings.get(entry) or (next(iter(listings.values())) if len(listings) == 1 else None)
                if found:
                    yield "container", found
                else:
                    reasons.append(f"container: no kernel {entry}")
            except InputError as error:
                self._refuses_cubins |= "Cuda architecture information" in str(error)
                reasons.append(f"container: {error}")
        if sm is None:
            reasons.append("code alone: its architecture is not known")
            return
        for via, flags, form in (
            ("wrapped code", live, lambda patched: sass_cubin.wrap(patched, sm)),
            ("bare code", ["-b", f"SM{sm}"], bytes),
        ):
            if via == "wrapped code" and sm >= 100:
                continue  # this form of the file has 8 bits for the architecture, and its readers stop at 9.0
            try:
                listings = self._around_stumbles(flags, code, form)
                if listings:
                    yield via, listings
                else:
                    reasons.append(f"{via}: nothing printed")
            except InputError as error:
                reasons.append(f"{via}: {error}")

    def _around_stumbles(self, flags: list[str], code: bytes, form: Callable[[bytes], bytes]) -> list[Instruction]:
        """Where nvdisasm gives up over an instruction, a NOP takes its place, and the instruction is missing from the list."""
        patched, stumbles = bytearray(code), set()
        while True:
            try:
                listings = sass.parse(self._run(flags, form(bytes(patched))))
                return [i for found in listings.values() for i in found if i.offset not in stumbles]
            except InputError as error:
                match = _STUMBLE.search(str(error))
                at = int(match[1], 16) if match else -1
                if not 0 <= at < len(code) or at % 16 or at in stumbles or len(stumbles) == _MOST_STUMBLES:
                    raise
                stumbles.add(at)
                patched[at : at + 16] = _NOP

    def _run(self, flags: list[str], data: bytes) -> str:
        with tempfile.TemporaryDirectory(prefix="sass.") as folder:
            file = Path(folder, "code")
            file.write_bytes(data)
            status, out, err = children.run([self.path, *flags, file], _TIMEOUT_S)
            if status:
                words = err.replace(str(file), "the file").split()
                raise InputError(" ".join(words[:40]) or f"nvdisasm ended with {status}")
            return out
