"""Imported by every script before all else: until console.run_cli() takes over, Ctrl-C ends the script without a traceback. A standard
stream that was closed (`<&-`) is /dev/null: otherwise the next file that is opened takes its number, and print() finds no stream.

Whoever imports a script as a module (a test, another script) keeps its own handler, and where SIGINT is ignored (a shell's background
job) it stays so. `_signal` is what Python has loaded already: `signal` itself takes time, and ends in a traceback.
"""

import _signal
import os
import os.path
import sys

_SCRIPTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_started = getattr(sys.modules["__main__"], "__file__", None)

if _started and os.path.dirname(os.path.realpath(_started)) == _SCRIPTS and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

for _number, _name in enumerate(("stdin", "stdout", "stderr")):
    try:
        os.fstat(_number)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        os.set_inheritable(_number, True)
    if getattr(sys, _name) is None:
        setattr(sys, _name, open(_number, "w" if _number else "r", encoding="utf-8", closefd=False))
