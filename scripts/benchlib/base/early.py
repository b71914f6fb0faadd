"""Imported by every script before all else: until console.run_cli() takes over, Ctrl-C ends the script without a traceback.

Whoever imports a script as a module (a test, another script) keeps its own handler, and where SIGINT is ignored (a shell's background
job) it stays so. `_signal` is what Python has loaded already: `signal` itself takes time, and ends in a traceback.
"""

import _signal
import os.path
import sys

_SCRIPTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_started = getattr(sys.modules["__main__"], "__file__", None)

if _started and os.path.dirname(os.path.realpath(_started)) == _SCRIPTS and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
