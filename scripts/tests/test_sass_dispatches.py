"""exp02, exp08_dispatches: what lets launches of one stream overlap, on sm_90a. No GPU. See test_sass_golden.py."""

from test_sass_golden import compiled  # noqa: F401

FOLDER = "exp08_host_and_queues/dispatches"


def test_a_programmatic_launch_lets_the_next_one_begin_and_waits_for_none(compiled):  # noqa: F811
    plain, programmatic = ([i.opcode for i in compiled(FOLDER, name)[name]] for name in ("work", "work_programmatic"))
    assert programmatic.count("PREEXIT") == 1 and "ACQBULK" not in programmatic, "griddepcontrol.launch_dependents, .wait"
    assert "EXIT" not in programmatic[: programmatic.index("PREEXIT")], "every thread executes it"
    assert sorted(opcode for opcode in programmatic if opcode not in ("PREEXIT", "NOP")) == sorted(opcode for opcode in plain if opcode != "NOP")


def test_a_programmatic_step_waits_before_it_reads(compiled):  # noqa: F811
    plain, programmatic = ([i.opcode for i in compiled("exp02_descriptors", name)[name]] for name in ("step", "step_programmatic"))
    assert programmatic.count("PREEXIT") == 1 and programmatic.count("ACQBULK") == 1, "griddepcontrol.launch_dependents, .wait"
    assert programmatic.index("PREEXIT") < programmatic.index("ACQBULK") < next(at for at, opcode in enumerate(programmatic) if opcode.startswith("LDG"))
    assert "EXIT" not in programmatic[: programmatic.index("ACQBULK")], "every thread executes both"
    waits = ("PREEXIT", "ACQBULK", "NOP")
    assert sorted(opcode for opcode in programmatic if opcode not in waits) == sorted(opcode for opcode in plain if opcode != "NOP")
