#!/usr/bin/env bash
# package_in_chroot.sh TARBALL WORK [SUITE]: runs the unpacked package in a bare Debian (SUITE: bookworm unless said) with Python, where there is
# nothing to run on, and in one that has Vulkan, too, on the CPU. Both systems are made in WORK by debootstrap, and kept there for the next time.
# Exit code 77: what making them takes is missing (a line says what).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=chroots.sh
source "$bench_root/scripts/tests/chroots.sh"

tarball=$1 work=$2 suite=${3:-bookworm}
mapfile -t experiments < <(bench_experiments)
name=$(basename "$tarball" .tar.gz)
mkdir -p "$work"

need_chroots

# The systems: whole only under their final names.
bare=$work/$suite vulkan=$work/$suite-vulkan
make_bare "$suite" "$bare" python3 "$work/debootstrap.log"
if [[ ! -d $vulkan ]]; then
  rm -rf "$vulkan.part"
  cp -a "$bare" "$vulkan.part"
  cp -L /etc/resolv.conf "$vulkan.part/etc/"
  inside "$vulkan.part" apt-get install --no-install-recommends -y libvulkan1 mesa-vulkan-drivers >"$work/apt.log" 2>&1 ||
    missing "apt-get failed: $(tail -n 1 "$work/apt.log")"
  mv "$vulkan.part" "$vulkan"
fi

expect() {
  printf '%s\n' "expected: $1" "$output"
  exit 1
}

# run_in ROOT STATUS COMMAND...: sets `output`, both streams.
run_in() {
  local status=0
  output=$(inside "$1" "${@:3}" 2>&1) || status=$?
  ((status == $2)) || expect "exit code $2 of ${*:3}, not $status"
}

for root in "$bare" "$vulkan"; do
  rm -rf "$root/opt"
  mkdir "$root/opt"
  tar -x -C "$root/opt" -f "$tarball"
done

# Nothing to run on: every program starts, and says why it measures nothing.
programs=("$bare/opt/$name/bin"/exp*)
output=${programs[*]##*/}
[[ $output == "${experiments[*]}" ]] || expect "the programs ${experiments[*]}"
for program in "${programs[@]#"$bare"}"; do
  run_in "$bare" 0 "$program" --list-devices
  [[ $output == *cuda:* && $output == *vulkan:* ]] || expect "why there are no devices, from $program"
  run_in "$bare" 77 "$program" --smoke
  [[ $output == *'nothing can run on this machine'* ]] || expect "why nothing runs, from $program"
done
run_in "$bare" 1 "/opt/$name/scripts/run.sh"
[[ $output == *'there is no device to run on; bin/exp01_vector_add --list-devices says why'* ]] || expect "what run.sh misses"

# What decides whether a pair does the same work is there, too: all that the checkout says of its kernels.
read_asks='import sys
sys.path.insert(0, sys.argv[1] + "/scripts")
from pathlib import Path
from benchlib.sass import same_work
folders = sorted(path.parent for path in Path(sys.argv[1]).glob("exp*/**/claims.toml"))
print(sum(len(same_work.asks(folder)) for folder in folders), sum(len(same_work.excuses(folder)) for folder in folders))'
wanted=$("$(bench_python)" -c "$read_asks" "$bench_root")
run_in "$bare" 0 python3 -c "$read_asks" "/opt/$name"
[[ $output == "$wanted" && $output != 0* ]] || expect "$wanted lines of what a turn does, and reasons why twins differ"

# Vulkan on the CPU: from run.sh to the tables, without git, CMake and a compiler.
run_in "$vulkan" 0 "/opt/$name/scripts/run.sh" --only exp01 --only exp06_litmus -- --smoke
[[ $output == *'Read next: '*worklog.md* ]] || expect "the worklog's name"
results=("$vulkan/opt/$name/build/results"/*llvmpipe*)
revision=${name#cuda-vulkan-bench-} revision=${revision%-"$(uname -m)"}
for csv in "${results[0]}"/boards/*/run1/exp{01_vector_add,06_litmus}.csv; do
  output=$(head -n 3 "$csv")
  [[ $output == *",$revision,"* ]] || expect "rows of the commit $revision in $csv"
done

# A fleet of one: from fleet.sh to a verdict.
run_in "$vulkan" 0 "/opt/$name/scripts/fleet.sh" --local --software --out /opt/fleet --only exp01 -- --smoke
[[ $output == *': complete'* ]] || expect "a board that is complete"
fleet=("$vulkan/opt/fleet"/*llvmpipe*/*)
run_in "$vulkan" 0 "/opt/$name/scripts/fleet.py" "${fleet[0]#"$vulkan"}"
[[ $output == *'  not compared'* && -f ${fleet[0]}/fleet.csv ]] || expect "a board that nothing can be compared with"
printf '%s runs in %s: nothing to run on, Vulkan on the CPU, a fleet of one\n' "$name" "$suite"
