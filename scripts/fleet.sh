#!/usr/bin/env bash
# Finds a Python and starts benchlib/runner/fleet_command.py: its text is this script's --help.
if [ -z "${BASH_VERSION:-}" ]; then exec bash "$0" "$@"; fi # sh scripts/fleet.sh
if [[ ${BASH_SOURCE[0]} != "$0" ]]; then echo "${BASH_SOURCE[0]}: start it, do not source it" >&2 && return 2; fi # or the reader's shell ends
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"
python=$(bench_python) || die 'no Python 3.11 or newer (package python3)'
exec "$python" "$bench_root/scripts/benchlib/runner" fleet "$@"
