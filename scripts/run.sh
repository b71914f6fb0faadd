#!/usr/bin/env bash
# Finds a Python, has one installed where there is none, and starts benchlib/runner/run_command.py: its text is this script's --help.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# What is to be built here is set up first, Python with it.
if ! bench_python >/dev/null && [[ -f $bench_root/CMakeLists.txt ]]; then
  set -m
  "$bench_root/scripts/setup.sh" &
  trap 'kill -s TERM -- "-$!"; exit 130' INT TERM HUP QUIT USR1 USR2 ALRM PIPE XCPU ABRT
  wait "$!"
  set +m
fi
python=$(bench_python jinja2 || bench_python) || die "no Python 3.11 or newer (package python3)"
exec "$python" "$bench_root/scripts/benchlib/runner" run "$@"
