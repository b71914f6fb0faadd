"""exp06: what the compiler makes of every order, scope, cache operator and hint, on sm_90a. No GPU. See test_sass_golden.py."""

import re

import pytest
from benchlib.sass import sass
from test_sass_golden import compiled  # noqa: F401

ORDERING, CACHE_OPS, CLUSTER = (f"exp06_memory_model/{name}" for name in ("ordering", "cache_ops", "cluster"))
SHOWN = ("load", "store", "generic_load", "generic_store", "atomic", "fence")

# PTX's scopes in SASS: a cluster's is the GPU's, and within a block the L1 is in common.
STRONG = {"cta": "STRONG.SM", "cluster": "STRONG.GPU", "gpu": "STRONG.GPU", "sys": "STRONG.SYS"}
INVALIDATE = {"cta": [], "cluster": ["CCTL.IVALL"], "gpu": ["CCTL.IVALL"], "sys": ["CCTL.IVALL"]}
SCOPES = list(STRONG)


def membar(kind, scope):
    where = {"cta": "CTA", "sys": "SYS"}.get(scope, "GPU")
    return [f"MEMBAR.{kind}.{where}"] + ([] if scope == "cta" else ["ERRBAR", "CGAERRBAR"])


# What comes before and after the access itself, by order.
BEFORE = {
    "relaxed": lambda scope: [],
    "acquire": lambda scope: [],
    "release": lambda scope: membar("ALL", scope),
    "acq_rel": lambda scope: membar("ALL", scope),
    "seq_cst": lambda scope: membar("SC", scope) + INVALIDATE[scope],
}
AFTER = {order: lambda scope: [] for order in ("relaxed", "release")} | {order: lambda scope: INVALIDATE[scope] for order in ("acquire", "acq_rel", "seq_cst")}
FENCES = {
    "acquire": lambda scope: INVALIDATE[scope],
    "release": lambda scope: membar("ALL", scope),
    "acq_rel": lambda scope: membar("ALL", scope) + INVALIDATE[scope],
    "seq_cst": lambda scope: membar("SC", scope) + INVALIDATE[scope],
}


def access(order, scope, opcode, last=True):
    """`last` false: a sequentially consistent store is a fence and a relaxed store."""
    after = AFTER[order](scope) if last else []
    return [*BEFORE[order](scope), f"{opcode}.{STRONG[scope]}", *after]


@pytest.fixture(scope="module")
def kernel(compiled):  # noqa: F811
    """kernel(ORDERING, "load", "load_weak"): its instructions."""
    return lambda experiment, stem, name: compiled(experiment, stem)[name]


def ordering(kernel, stem, name):
    """What needs sm_90 is in a file of its own."""
    since_90 = name.endswith("_cluster") or "_one_way_" in name or re.match(r"fence_(rate_)?(acquire|release)_", name)
    return kernel(ORDERING, "sm90" if since_90 else stem, name)


def memory(instructions):
    return [i.opcode for i in instructions if sass.kind(i) in SHOWN]


def opcodes(instructions, *bases):
    return [i.opcode for i in instructions if i.base in bases]


def in_loop(instructions):
    """The memory and fence instructions that a branch goes back to repeat."""
    loops = []
    for i in instructions:
        target = re.search(r"0x([0-9a-f]+)", i.operands) if i.base == "BRA" else None
        if target and int(target[1], 16) < i.offset:
            loops.append((int(target[1], 16), i.offset))
    return [i.opcode for i in instructions if sass.kind(i) in SHOWN and any(a <= i.offset <= b for a, b in loops)]


# ------------------------------------------------------------------------------------------------------------- ordering


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("order", ["relaxed", "acquire", "seq_cst"])
def test_loads(kernel, order, scope):
    """06.1, 06.2."""
    wanted = access(order, scope, "LDG.E")
    assert in_loop(ordering(kernel, "load", f"load_{order}_{scope}")) == wanted
    assert in_loop(ordering(kernel, "load", f"load_rate_{order}_{scope}")) == wanted * 4


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("order", ["relaxed", "release", "seq_cst"])
def test_stores(kernel, order, scope):
    wanted = access(order, scope, "STG.E", last=False)
    assert in_loop(ordering(kernel, "store", f"store_{order}_{scope}")) == [*wanted, f"LDG.E.{STRONG[scope]}"]
    assert in_loop(ordering(kernel, "store", f"store_rate_{order}_{scope}")) == wanted * 4


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("order", [("fence", "acq_rel", "acq_rel"), ("fence_one_way", "acquire", "release")])
def test_fences_of_their_own_beside_relaxed_accesses(kernel, order, scope):
    name, after, before = order
    load = [f"LDG.E.{STRONG[scope]}", *FENCES[after](scope)]
    store = [*FENCES[before](scope), f"STG.E.{STRONG[scope]}"]
    assert in_loop(ordering(kernel, "load", f"load_{name}_{scope}")) == load
    assert in_loop(ordering(kernel, "store", f"store_{name}_{scope}")) == [*store, f"LDG.E.{STRONG[scope]}"]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("order", BEFORE)
def test_additions(kernel, order, scope):
    wanted = access(order, scope, "ATOMG.E.ADD")
    assert in_loop(ordering(kernel, "atomic", f"add_{order}_{scope}")) == wanted
    assert in_loop(ordering(kernel, "atomic", f"add_rate_{order}_{scope}")) == wanted * 4


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("order", ["relaxed", "acq_rel"])
def test_swaps(kernel, order, scope):
    # Its address is in two registers without [R2.64]: nvdisasm 11.8 leaves a label as the loop's target, so the whole kernel.
    found = memory(ordering(kernel, "atomic", f"cas_{order}_{scope}"))
    assert found == ["LDG.E", *access(order, scope, "ATOMG.E.CAS"), "STG.E", "STG.E"]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("order", FENCES)
def test_fences(kernel, order, scope):
    wanted = FENCES[order](scope)
    assert in_loop(ordering(kernel, "fence", f"fence_{order}_{scope}")) == ["STG.E.128", *wanted]
    assert in_loop(ordering(kernel, "fence", f"fence_rate_{order}_{scope}")) == ["STG.E", *wanted]


def test_weak_accesses(kernel):
    assert in_loop(ordering(kernel, "load", "load_weak")) == ["LDG.E"]
    assert in_loop(ordering(kernel, "load", "load_rate_weak")) == ["LDG.E"] * 4
    assert in_loop(ordering(kernel, "store", "store_weak")) == ["STG.E", "LDG.E.STRONG.SM"]
    assert in_loop(ordering(kernel, "store", "store_rate_weak")) == ["STG.E"] * 4
    assert in_loop(ordering(kernel, "fence", "fence_none")) == ["STG.E.128"]


@pytest.mark.parametrize("scope", ["cta", "gpu", "sys"])
@pytest.mark.parametrize("order", ["relaxed", "acq_rel", "seq_cst"])
def test_the_library_says_the_same_with_generic_accesses(kernel, order, scope):
    load_order = {"acq_rel": "acquire"}.get(order, order)
    store_order = {"acq_rel": "release"}.get(order, order)
    assert in_loop(kernel(ORDERING, "library", f"library_load_{order}_{scope}")) == access(load_order, scope, "LD.E")
    found = in_loop(kernel(ORDERING, "library", f"library_store_{order}_{scope}"))
    assert found == [*access(store_order, scope, "ST.E", last=False), f"LD.E.{STRONG[scope]}"]
    assert in_loop(kernel(ORDERING, "library", f"library_add_{order}_{scope}")) == access(order, scope, "ATOM.E.ADD")


@pytest.mark.parametrize("scope", ["cluster", "gpu", "sys"])
@pytest.mark.parametrize("payload", [False, True])
def test_messages(kernel, payload, scope):
    """Which operations there are; how often the compiler repeats a poll is its affair."""

    def found(order):
        return set(in_loop(ordering(kernel, "message", f"message_{'payload' if payload else 'flag'}_{order}_{scope}")))

    strong = {f"LDG.E.{STRONG[scope]}", f"STG.E.{STRONG[scope]}"} | ({"LDG.E", "STG.E"} if payload else set())
    assert found("relaxed") == strong
    assert found("acq_rel") == strong | set(membar("ALL", scope)) | {"CCTL.IVALL"}
    assert found("fence") == strong | set(FENCES["acq_rel"](scope))
    assert found("fence_sc") == strong | set(FENCES["seq_cst"](scope))
    assert found("seq_cst") == strong | set(FENCES["seq_cst"](scope))


# ------------------------------------------------------------------------------------------------------ cache operators

LOADS = {
    "plain": "LDG.E",
    "ca": "LDG.E.STRONG.SM",
    "cg": "LDG.E.STRONG.GPU",
    "cs": "LDG.E.EF",
    "lu": "LDG.E.LU",
    "cv": "LDG.E.STRONG.SYS",
    "volatile": "LDG.E.STRONG.SYS",
    "mmio": "LDG.E.MMIO.SYS",
    "nc": "LDG.E.CONSTANT",
    "l1_evict_first": "LDG.E.EF",
    "l1_evict_last": "LDG.E.EL",
    "l1_evict_unchanged": "LDG.E.EU",
    "l1_no_allocate": "LDG.E.NA",
    "l2_64b": "LDG.E.LTC64B",
    "l2_128b": "LDG.E.LTC128B",
    "l2_256b": "LDG.E.LTC256B",
    "nc_no_allocate_256b": "LDG.E.NA.LTC256B.CONSTANT",
    # The policy is in the access's memory descriptor, not in its opcode.
    "l2_evict_first": "LDG.E",
    "l2_evict_last": "LDG.E",
}
STORES = {
    "plain": "STG.E",
    "wb": "STG.E.STRONG.SM",
    "cg": "STG.E.STRONG.GPU",
    "cs": "STG.E.EF",
    "wt": "STG.E.STRONG.SYS",
    "volatile": "STG.E.STRONG.SYS",
    "mmio": "STG.E.MMIO.SYS",
    "l1_evict_first": "STG.E.EF",
    "l1_evict_last": "STG.E.EL",
    "l1_evict_unchanged": "STG.E.EU",
    "l1_no_allocate": "STG.E.NA",
    "l2_evict_first": "STG.E",
    "l2_evict_last": "STG.E",
}


@pytest.mark.parametrize("op", LOADS)
def test_loads_by_operator(kernel, op):
    """06.10, 06.11. The loads of the reuse set stay plain."""
    assert in_loop(kernel(CACHE_OPS, "stream", f"stream_{op}")) == [LOADS[op]] * 4
    assert in_loop(kernel(CACHE_OPS, "reuse", f"reuse_{op}")) == [LOADS[op]] * 4 + ["LDG.E"] * 4


@pytest.mark.parametrize("op", ["plain", "cg", "cs", "volatile", "l1_evict_first", "l1_no_allocate"])
def test_a_reuse_set_that_nothing_writes(kernel, op):
    assert in_loop(kernel(CACHE_OPS, "reuse", f"reuse_ro_{op}")) == [LOADS[op]] * 4 + ["LDG.E.CONSTANT"] * 4


@pytest.mark.parametrize("op", ["l1_evict_last", "l2_evict_last"])
def test_loads_to_keep(kernel, op):
    assert in_loop(kernel(CACHE_OPS, "reuse", f"keep_{op}")) == ["LDG.E"] * 4 + [LOADS[op]] * 4


@pytest.mark.parametrize("op", STORES)
def test_stores_by_operator(kernel, op):
    assert in_loop(kernel(CACHE_OPS, "fill", f"fill_{op}")) == [STORES[op]] * 4


@pytest.mark.parametrize("stem", ["stream", "fill", "reuse"])
def test_a_policy_takes_the_place_of_the_memory_descriptor(kernel, stem):
    """createpolicy becomes the upper half of the 64-bit word that the access names; without it that word is c[0x0][0x208]."""

    def policy(op):
        found = kernel(CACHE_OPS, stem, f"{stem}_{op}")
        return [i.operands for i in found if i.base in ("UMOV", "ULOP3", "USHF") and "URZ" not in i.operands.split(", ")[1:2]]

    first, last, plain = policy("l2_evict_first"), policy("l2_evict_last"), policy("plain")
    assert len(first) > len(plain) and len(last) > len(plain)
    assert first != last


# ------------------------------------------------------------------------------------------------------------- clusters

RELEASE = ["MEMBAR.ALL.GPU", "ERRBAR", "CGAERRBAR"]
ARRIVE, WAIT = ["UCGABAR_ARV"], ["UCGABAR_WAIT", "CCTL.IVALL"]
CLUSTER_CODE = re.compile(r"UCGABAR|STAS|UBLKCP|SYNCS\.(?:ARRIVE|PHASECHK)|MEMBAR|ERRBAR|CGAERRBAR|CCTL|BAR\.SYNC|LDS|LD\.E|ST\.E|ATOM\.E|LDG|STG")


def cluster_loop(instructions):
    """As in_loop, with a cluster's instructions; a wait's second try, which the first one's success jumps over, is left out."""
    starts = {}
    for i in instructions:
        target = re.search(r"0x([0-9a-f]+)", i.operands) if i.base == "BRA" else None
        if target and int(target[1], 16) < i.offset:
            starts[int(target[1], 16)] = i.offset
    outer = max(starts.items(), key=lambda span: span[1] - span[0])
    inner = [(a, b) for a, b in starts.items() if (a, b) != outer and outer[0] <= a and b <= outer[1]]
    opcodes = []
    for i in instructions:
        if outer[0] <= i.offset <= outer[1] and CLUSTER_CODE.match(i.opcode) and not any(a <= i.offset <= b for a, b in inner):
            opcodes.append(i.opcode)
    return opcodes


def all_cluster_code(instructions):
    return [i.opcode for i in instructions if CLUSTER_CODE.match(i.opcode)]


def test_the_sources_two_kernels(kernel):
    """06.17: the arrival of the standard one releases, so that every thread waits for its stores in every round."""
    announce, look = ["SYNCS.ARRIVE.TRANS64"], ["SYNCS.PHASECHK.TRANS64.TRYWAIT", "CCTL.IVALL"]
    standard = cluster_loop(kernel(CLUSTER, "rounds", "rounds_standard"))
    assert standard == ["MEMBAR.ALL.CTA", *RELEASE, *announce, "STAS.128", *look]
    low_latency = cluster_loop(kernel(CLUSTER, "rounds", "rounds_low_latency"))
    assert low_latency == ["STAS.128", *announce, *look, *ARRIVE, *WAIT]
    assert cluster_loop(kernel(CLUSTER, "rounds", "rounds_sync")) == ["ST.E.128", *RELEASE, *ARRIVE, *WAIT, "LDS.128"]


def test_rounds_without_a_cluster_barrier(kernel):
    async_send = ["STAS.128", "SYNCS.ARRIVE.TRANS64", "SYNCS.PHASECHK.TRANS64.TRYWAIT"]
    for name in ("no_barrier", "one_thread"):
        assert cluster_loop(kernel(CLUSTER, "rounds", f"rounds_{name}")) == [*async_send, "CCTL.IVALL", "LDS.128"]
    assert cluster_loop(kernel(CLUSTER, "rounds", "rounds_one_thread_cta")) == [*async_send, "LDS.128"]
    assert cluster_loop(kernel(CLUSTER, "rounds", "rounds_poll")) == ["ST.E.64.STRONG.GPU", "LDS.64"]
    assert cluster_loop(kernel(CLUSTER, "rounds", "rounds_global")) == ["STG.E.64.STRONG.GPU", "LDG.E.64.STRONG.GPU"]


@pytest.mark.parametrize("work", ["", "_before", "_between"])
def test_cluster_barriers(kernel, work):
    """06.17: cluster.sync() is an arrival and a wait. Nothing asks whether there is a cluster: the kernels say so."""
    assert cluster_loop(kernel(CLUSTER, "barrier", f"barrier_release{work}")) == [*RELEASE, *ARRIVE, *WAIT]
    assert cluster_loop(kernel(CLUSTER, "barrier", f"barrier_relaxed{work}")) == [*ARRIVE, *WAIT]


def test_work_between_arrival_and_wait(kernel):
    def order(name):
        found = kernel(CLUSTER, "barrier", name)
        return " ".join(i.base for i in found if i.base.startswith("UCGABAR") or "0x19660d" in i.operands)

    between = re.compile(r"UCGABAR_ARV (?:IMAD )+UCGABAR_WAIT")
    assert between.search(order("barrier_relaxed_between"))
    assert "IMAD" in order("barrier_relaxed_before") and not between.search(order("barrier_relaxed_before"))


CHASES = {"local": "LDS", "load": "LD.E", "atom": "ATOM.E.ADD.STRONG.GPU", "l2": "LDG.E.STRONG.GPU"}


@pytest.mark.parametrize("op", CHASES)
def test_dependent_accesses(kernel, op):
    """06.19: what shared::cluster becomes."""
    found = all_cluster_code(kernel(CLUSTER, "chase", f"chase_{op}"))
    assert found.count(CHASES[op]) == 4


EXCHANGES = {
    "read_local": ("LDS.128", 4),
    "read": ("LD.E.128", 4),
    "read_global": ("LDG.E.128.STRONG.GPU", 4),
    "write_local": ("STS.128", 2),
    "write": ("ST.E.128", 2),
    "write_global": ("STG.E.128.STRONG.GPU", 2),
    "st_async": ("STAS.128", 2),
    "bulk": ("UBLKCP.S.S", 1),
}


@pytest.mark.parametrize("op", EXCHANGES)
def test_exchanges(kernel, op):
    opcode, count = EXCHANGES[op]
    assert [i.opcode for i in kernel(CLUSTER, "exchange", f"exchange_{op}")].count(opcode) == count


OWN = ("own", "own_32k", "own_producer_32k")
MULTICASTS = {op: "UBLKCP.S.G" for op in OWN} | {
    op: "UBLKCP.S.G.MULTICAST"
    for op in ("one", "split", "one_cluster", "split_cluster", "one_32k", "split_32k", "one_sync_32k", "one_producer_32k")
}


@pytest.mark.parametrize("op", MULTICASTS)
def test_multicasts(kernel, op):
    """06.21."""
    found = [i.opcode for i in kernel(CLUSTER, "multicast", f"multicast_{op}") if i.base == "UBLKCP"]
    assert set(found) == {MULTICASTS[op]}
    # Telling whoever copies that a slot is free: an arrival at another block's barrier.
    remote = [i.opcode for i in kernel(CLUSTER, "multicast", f"multicast_{op}") if "RED.A1T0" in i.opcode]
    assert bool(remote) == (op not in (*OWN, "one_sync_32k"))
    # The first and the last cluster barrier wait for stores, one_sync's in the loop, and what is released to the cluster.
    opcodes = [i.opcode for i in kernel(CLUSTER, "multicast", f"multicast_{op}")]
    assert opcodes.count("MEMBAR.ALL.GPU") == (3 if op.endswith("_cluster") or op == "one_sync_32k" else 2)
    assert opcodes.count("UCGABAR_WAIT") == (3 if op == "one_sync_32k" else 2)


def test_the_sources_multicast(kernel):
    found = [i.opcode for i in kernel(CLUSTER, "example", "example_multicast") if i.base == "UTMALDG"]
    assert found == ["UTMALDG.2D.MULTICAST"]
