"""exp06_peer: what its kernels are meant to ask of another GPU's memory, on sm_90a. No GPU. See test_sass_golden.py."""

import pytest
from test_sass_memory_model import compiled, in_loop, kernel, memory, opcodes  # noqa: F401

PEER = "exp06_memory_model/peer"
RELEASE = ["MEMBAR.ALL.SYS", "ERRBAR", "CGAERRBAR"]


@pytest.mark.parametrize(("name", "opcode"), [
    ("weak", "LDG.E"), ("volatile", "LDG.E.STRONG.SYS"), ("relaxed", "LDG.E.STRONG.SYS"),
])  # fmt: skip
def test_a_poll_stays_in_its_loop(kernel, name, opcode):  # noqa: F811
    """ptxas takes a plain load of a fixed address out of it."""
    assert in_loop(kernel(PEER, "stale", f"watch_{name}")) == [opcode]


def test_the_change_is_told_and_made_for_the_system(kernel):  # noqa: F811
    found = memory(kernel(PEER, "stale", "change"))
    assert found == ["LDG.E.STRONG.SYS", "CCTL.IVALL", "STG.E.STRONG.SYS"]
    watch = memory(kernel(PEER, "stale", "watch_weak"))
    assert watch[:3] == ["LDG.E", "STG.E.STRONG.SYS", "LDG.E"], "no fence between the first look and the others"


@pytest.mark.parametrize(("name", "poll", "send"), [
    ("relaxed", ["LDG.E.STRONG.SYS"], ["STG.E.STRONG.SYS"]),
    ("acq_rel", ["LDG.E.STRONG.SYS", "CCTL.IVALL"], [*RELEASE, "STG.E.STRONG.SYS"]),
])  # fmt: skip
def test_flags(kernel, name, poll, send):  # noqa: F811
    assert in_loop(kernel(PEER, "flag", f"flag_{name}")) == [*poll, *send]


@pytest.mark.parametrize(("name", "opcode"), [("weak", "LDG.E"), ("relaxed", "LDG.E.STRONG.SYS")])
def test_chases(kernel, name, opcode):  # noqa: F811
    assert in_loop(kernel(PEER, "chase", f"chase_{name}")) == [opcode]


def test_plain_accesses_in_flight(kernel):  # noqa: F811
    assert in_loop(kernel(PEER, "plain", "load_plain_8"))[:8] == ["LDG.E.128"] * 8
    assert in_loop(kernel(PEER, "plain", "store_plain_8")) == ["STG.E.128"] * 8


def test_bulk_and_tensor_copies(kernel):  # noqa: F811
    copies = ("UBLKCP", "UTMALDG", "UTMASTG")
    assert set(opcodes(kernel(PEER, "bulk", "load_bulk"), *copies)) == {"UBLKCP.S.G"}
    assert set(opcodes(kernel(PEER, "bulk", "store_bulk"), *copies)) == {"UBLKCP.S.G", "UBLKCP.G.S"}
    assert set(opcodes(kernel(PEER, "tensor", "load_tma"), *copies)) == {"UTMALDG.2D"}
    assert set(opcodes(kernel(PEER, "tensor", "store_tma"), *copies)) == {"UBLKCP.S.G", "UTMASTG.2D"}


def test_a_tile_is_changed_between_two_proxy_fences(kernel):  # noqa: F811
    found = opcodes(kernel(PEER, "tensor", "tile_tma"), "UTMALDG", "LDS", "STS", "FENCE", "UTMASTG")
    assert found[-4:] == ["LDS", "STS", "FENCE.VIEW.ASYNC.S", "UTMASTG.2D"]
    assert found.index("UTMALDG.2D") < found.index("LDS")
