#!/usr/bin/env bash
# Finds a Python, has one installed where there is none, and starts benchlib/runner/run_command.py: its text is this script's --help.
if [ -z "${BASH_VERSION:-}" ]; then exec bash "$0" "$@"; fi # sh scripts/run.sh
if [[ ${BASH_SOURCE[0]} != "$0" ]]; then echo "${BASH_SOURCE[0]}: start it, do not source it" >&2 && return 2; fi # or the reader's shell ends
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

# What is to be built here is set up first, Python with it.
if ! python=$(bench_python jinja2 || bench_python) && [[ -f $bench_root/CMakeLists.txt ]]; then
  set -m
  "$bench_root/scripts/setup.sh" &
  trap 'kill -s TERM -- "-$!"; exit 130' INT TERM HUP QUIT USR1 USR2 ALRM PIPE XCPU ABRT
  wait "$!"
  set +m
  python=$(bench_python jinja2 || bench_python) || true
fi
if [[ -z $python ]]; then die "no Python 3.11 or newer (package python3)"; fi
exec "$python" "$bench_root/scripts/benchlib/runner" run "$@"
