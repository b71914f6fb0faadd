#!/usr/bin/env bash
# fleet_on_slurm.sh BIN WORK: scripts/fleet.sh on a Slurm of three nodes, all of them this machine, with four GPUs that exist in Slurm's
# books alone: Vulkan on the CPU runs the programs in BIN. A node is killed in the middle. The cluster lives in WORK, with a munged of its
# own. Exit code 77: what it takes is missing (a line says what).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../lib.sh"

bin=$(realpath "$1") work=$(realpath -m "$2")
out=$work/results
readonly kNodes=(n1 n2 n3) kSlots='n1-0 n1-1 n2-0 n3-0'
readonly kProgram=exp01_vector_add
readonly kFirstPort=17210
readonly kCount='import pathlib, sys; from benchlib.runner import row_counts; print(*row_counts.count(pathlib.Path(sys.argv[1])).values())'

missing() {
  printf '%s\n' "$*"
  exit 77
}

((EUID == 0)) || missing 'Slurm on one machine needs root'
for tool in munged slurmctld slurmd sbatch; do
  command -v "$tool" >/dev/null || missing "there is no $tool (apt-get install slurmctld slurmd slurm-client munge)"
done

expect() {
  printf 'expected: %s\n' "$1"
  squeue --array --format='%i %T %N %r' || true
  tail -n 5 "$work"/*.log "$out"/*.log || true
  exit 1
} 2>&1

# wait_for SECONDS WHAT COMMAND...: until it succeeds.
wait_for() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < deadline)) || expect "$what"
    sleep 0.3
  done
}

# ------------------------------------------------------------------------------------------------------------- the cluster

export SLURM_CONF=$work/slurm.conf
declare -A daemons=()

# processes_of NODE: what its tasks have started and is still there; of this cluster alone.
processes_of() {
  local file
  for file in /proc/[0-9]*/environ; do
    if grep -qzxF "SLURMD_NODENAME=$1" "$file" && grep -qzxF "SLURM_CONF=$SLURM_CONF" "$file"; then
      file=${file#/proc/}
      printf '%s\n' "${file%/environ}"
    fi
  done 2>/dev/null
}

# As if its power had failed: slurmd first, and the parents of what it has started, before they can tell how that ended.
kill_node() {
  local pids parents
  kill -KILL "${daemons[$1]}"
  wait "${daemons[$1]}" 2>/dev/null || true
  unset "daemons[$1]"
  mapfile -t pids < <(processes_of "$1")
  if ((${#pids[@]} == 0)); then return; fi
  mapfile -t parents < <(ps -o ppid= -p "$(IFS=, && echo "${pids[*]}")" | tr -d ' ' | sort -u | xargs ps -o pid=,comm= -p |
    awk '$2 == "slurmstepd" {print $1}')
  kill -KILL ${parents[0]:+"${parents[@]}"} "${pids[@]}" 2>/dev/null || true
}

start_node() {
  slurmd -D -N "$1" >>"$work/$1.log" 2>&1 &
  daemons[$1]=$!
}

stop_cluster() {
  local name
  for name in "${kNodes[@]}"; do
    if [[ -n ${daemons[$name]:-} ]]; then kill_node "$name"; fi
  done
  for name in slurmctld munged; do
    if [[ -n ${daemons[$name]:-} ]]; then kill "${daemons[$name]}" 2>/dev/null || true; fi
  done
  wait
}

write_configuration() {
  local node port=$((kFirstPort + 1)) gpus gpu
  cat >"$SLURM_CONF" <<EOF
ClusterName=test
SlurmctldHost=$(uname -n)(127.0.0.1)
SlurmctldPort=$kFirstPort
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
MpiDefault=none
SlurmdTimeout=5
ReturnToService=2
EOF
  : >"$work/gres.conf"
  for node in "${kNodes[@]}"; do
    gpus=1
    if [[ $node == n1 ]]; then gpus=2; fi
    echo "NodeName=$node NodeHostname=$(uname -n) NodeAddr=127.0.0.1 Port=$port CPUs=2 Gres=gpu:$gpus" >>"$SLURM_CONF"
    port=$((port + 1))
    for ((gpu = 0; gpu < gpus; gpu++)); do
      mknod "$work/$node-gpu$gpu" c 1 3 2>/dev/null || missing 'this container may make no devices'
    done
    echo "NodeName=$node Name=gpu File=$work/$node-gpu[0-$((gpus - 1))]" >>"$work/gres.conf"
  done
  echo 'PartitionName=all Nodes=ALL Default=YES State=UP' >>"$SLURM_CONF"
}

is_idle() { [[ $(sinfo --noheader --Node --format=%T | sort -u) == idle ]]; } 2>/dev/null

start_cluster() {
  local node
  rm -rf "$work"
  mkdir -p "$work/state"
  for node in "${kNodes[@]}"; do mkdir "$work/spool-$node"; done
  write_configuration
  head -c 1024 /dev/urandom >"$work/munge.key"
  chmod 400 "$work/munge.key"
  munged --force --foreground --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge.seed" >"$work/munged.log" 2>&1 &
  daemons[munged]=$!
  wait_for 10 'munged' test -S "$work/munge.socket"
  slurmctld -D >"$work/slurmctld.log" 2>&1 &
  daemons[slurmctld]=$!
  for node in "${kNodes[@]}"; do start_node "$node"; done
  wait_for 60 'three idle nodes' is_idle
}

# --------------------------------------------------------------------------------------------------------------- the tests

csv_of() { printf '%s' "$out"/*llvmpipe*/"$1"/boards/*/run1/$kProgram.csv; }
has_rows() { [[ -f $(csv_of "$1") ]] && (($(wc -l <"$(csv_of "$1")") > $2)); }
state_is() { [[ $(squeue --noheader --array --nodelist="$1" --format=%T 2>/dev/null) == "$2" ]]; }
is_requeued() { [[ $(scontrol show job "$1") == *Restarts=1* ]]; }
is_over() { [[ -z $(squeue --noheader --array) ]]; }

# From the variant to the cache policy: what tells a row from every other. The reasons of skipped rows have commas.
rows_twice() { grep ',ok,' "$1" | cut -d , -f 3-21 | sort | uniq -d; }

submit() {
  "$bench_root/scripts/fleet.sh" --nodes 'n[1-3]' --software --out "$out" --bin "$bin" --only "$kProgram" --runs 1 -- --smoke
}

trap stop_cluster EXIT
start_cluster

submitted=$(submit) || expect "fleet.sh submits: $submitted"
printf '%s\n' "$submitted"
[[ $(wc -l <<<"$submitted") == 3 && $submitted == *'n1: job '*' 2 tasks'* ]] || expect 'an array a node, one task a GPU'
job=$(sed -n 's/^n2: job \([0-9]*\),.*/\1/p' <<<"$submitted")

# A node dies when it has some rows.
wait_for 60 'rows of n2' has_rows n2-0 8
kill_node n2
cut=$(csv_of n2-0)
before=$(head -n 8 "$cut")
ls "$(dirname "$cut")/../complete" 2>/dev/null && expect 'n2 is not complete when it dies'
wait_for 60 "job $job to be requeued" is_requeued "$job"
start_node n2

wait_for 300 'all tasks to end' is_over
slots=$(cd "$out"/*llvmpipe* && echo *)
[[ $slots == "$kSlots" ]] || expect "the slots $kSlots, not $slots: no two tasks on one GPU"
for slot in $kSlots; do
  csv=$(csv_of "$slot")
  [[ -e $(dirname "$csv")/../complete ]] || expect "$slot is complete"
  read -r ok failed _ < <(PYTHONPATH=$bench_root/scripts "$(bench_python)" -c "$kCount" "$csv")
  ((ok && !failed)) || expect "whole rows in $csv"
  if [[ -z ${all:-} ]]; then all=$ok; fi
  ((ok == all)) || expect "$all rows in $csv, not $ok"
  [[ -z $(rows_twice "$csv") ]] || expect "no case twice in $csv"
  (($(wc -l <"$(dirname "$csv")/../board.csv") >= 3)) || expect "the board's state before and after, of $slot"
done
[[ $(head -n 8 "$cut") == "$before" ]] || expect 'the rows from before the death of n2 to be kept'
(($(grep -c ',before,\|^before,' "$(dirname "$cut")/../board.csv") == 2)) || expect 'two beginnings of n2'
printf 'node n2 died, its task was requeued and went on; %s rows a GPU\n' "$all"

# Once more: every GPU has been measured.
sums=$(find "$out"/*llvmpipe* -type f -exec sha256sum {} + | sort)
again=$(submit)
wait_for 120 'the second submission to end' is_over
while read -r job; do
  grep -q 'has been measured, by task .* is left as it is' "$out/fleet-${job}_1.log" || expect "job $job names the GPU that was measured"
done < <(sed -n 's/.*: job \([0-9]*\),.*/\1/p' <<<"$again")
[[ $(find "$out"/*llvmpipe* -type f -exec sha256sum {} + | sort) == "$sums" ]] || expect 'nothing to be overwritten'
echo 'submitted again: named, nothing overwritten'
