"""`python3 scripts/benchlib/runner run|fleet OPTIONS...`: what scripts/run.sh and scripts/fleet.sh start."""

import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a job to end
sys.path[0] = __file__.removesuffix("/benchlib/runner/__main__.py")

from benchlib.base import early  # noqa: E402, F401  # first: see there

from benchlib.base import console  # noqa: E402
from benchlib.base.errors import InputError  # noqa: E402
from benchlib.runner import command_line, fleet_command, run_command  # noqa: E402


def main(command: str, arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    chosen = {"run": run_command, "fleet": fleet_command}[command]
    try:
        return chosen.main(arguments)
    except command_line.Ended as ended:
        return ended.code
    except console.UsageError as error:
        console.fail(chosen.NAME, str(error))
        return console.USAGE
    except BrokenPipeError:
        console.lead_nowhere(sys.stdout)
        return console.INTERRUPTED
    except (InputError, OSError) as error:
        console.fail(chosen.NAME, console.reason(error))
        return console.FAILED
    finally:
        console.drop_unsaid()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
