#!/usr/bin/env bash
# Finds a Python and starts benchlib/runner/fleet_command.py: its text is this script's --help.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"
python=$(bench_python) || die 'no Python 3.11 or newer (package python3)'
exec "$python" "$bench_root/scripts/benchlib/runner" fleet "$@"
