#!/usr/bin/env bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=jobs.sh
source "$bench_root/scripts/jobs.sh"

usage() {
  cat <<'EOF'
Usage: scripts/fleet.sh --nodes LIST | --local | --task [options] [-- program options]

Measures many GPUs: scripts/run.sh once a GPU, into <out>/<gpu>/boards/<first 8 of the UUID>/run<k>/. Beside the runs, board.csv has the
GPU's clock, power, temperature, ECC errors and throttle reasons, before and after. scripts/fleet.py <out>/<gpu> compares the GPUs.

  --nodes LIST    submit to Slurm: for each of these nodes (e.g. gpu[01-16]) a job array with one task a GPU
  --local         all GPUs of this host at once, without Slurm
  --task          the one GPU that this process sees: what scripts/fleet.sbatch runs

  --out DIR       results are DIR/<gpu>/... (default: results). For --nodes it must be on a file system that the nodes share
  --bin DIR       the programs (default: the package's, or build/release/bin)
  --quick         \
  --runs N         } as run.sh has them
  --only NAME     /
  --software      measure Vulkan on the CPU where there is no GPU, for tests: no figure says anything about GPUs
  --sbatch OPTION for --nodes: an option of sbatch, e.g. --sbatch --partition=gpu (repeatable)
  -- OPTIONS      for every program

What is unfinished is gone on with: after a failure run the same command again. A GPU that is complete, or that another task is
measuring, is named and left as it is.

Exit code: 0 done (--nodes: submitted), 1 something failed, or two tasks were given one GPU, 2 usage, 130 interrupted.
EOF
}

readonly kConflict=75
mode='' nodes='' out=$bench_root/results bin='' uuid='' software=0 log=0
sbatch_options=()
run_options=()      # for run.sh
program_options=()  # for the programs
passed_on=()        # what the tasks of --nodes and --local get

parse_args() {
  while (($#)); do
    case $1 in
      --local | --task) mode+=$1 ;;
      --quick) run_options+=("$1") ;;
      --software) software=1 && passed_on+=("$1") ;;
      --log) log=1 ;;
      --nodes | --out | --bin | --runs | --only | --sbatch | --uuid)
        [[ -n ${2:-} ]] || usage_error "$1 needs a value"
        case $1 in
          --nodes) mode+=$1 nodes=$2 ;;
          --out) out=$2 ;;
          --bin) bin=$2 ;;
          --runs | --only) run_options+=("$1" "$2") ;;
          --sbatch) sbatch_options+=("$2") ;;
          --uuid) uuid=$2 ;;
        esac
        shift
        ;;
      --)
        program_options=("${@:2}")
        break
        ;;
      -h | --help) usage && exit 0 ;;
      *) usage_error "unknown option $1" ;;
    esac
    shift
  done
  out=$(realpath -m "$out")
  if [[ -z $bin ]]; then
    bin=$bench_root/bin
    if [[ -f $bench_root/CMakeLists.txt ]]; then bin=$bench_root/build/release/bin; fi
  fi
  bin=$(realpath -m "$bin")
  passed_on+=(--out "$out" --bin "$bin" ${run_options[0]:+"${run_options[@]}"})
  if ((${#program_options[@]})); then passed_on+=(-- "${program_options[@]}"); fi
}

# ------------------------------------------------------------------------------------------------------------------- Slurm

# gpus_of NODE: how many Slurm knows of there: gpu:h200:8(S:0-1) and the like.
gpus_of() {
  local gres count=0
  while IFS= read -r gres; do
    if [[ $gres =~ ^gpu(:[^:]*[^:0-9][^:]*)?:([0-9]+)$ ]]; then count=$((count + BASH_REMATCH[2])); fi
  done < <(sinfo --noheader --Node --nodes="$1" --format=%G | head -n 1 | sed 's/([^)]*)//g' | tr ',' '\n' | sed 's/ *$//')
  printf '%s' "$count"
}

submit() {
  local node count job all
  command -v sbatch >/dev/null || die 'there is no Slurm here (no sbatch): --local measures all GPUs of this host without it'
  all=$(scontrol show hostnames "$nodes") || die "--nodes $nodes: no list of nodes"
  mkdir -p "$out"
  while IFS= read -r node; do
    count=$(gpus_of "$node")
    ((count)) || die "node $node: Slurm knows of no GPU there (GresTypes=gpu, and Gres=gpu:N in slurm.conf)"
    # Its own array, so that a task which is requeued comes back to the node whose GPU it has begun.
    # A task finds the package where it was submitted.
    job=$(cd "$bench_root" && sbatch --parsable --nodelist="$node" --array="1-$count" \
      --output="$out/fleet-%A_%a.log" ${sbatch_options[0]:+"${sbatch_options[@]}"} \
      "$bench_root/scripts/fleet.sbatch" "${passed_on[@]}") || die "node $node: sbatch refused"
    printf '%s: job %s, %s tasks, %s/fleet-%s_*.log\n' "$node" "${job%%;*}" "$count" "$out" "${job%%;*}"
  done <<<"$all"
}

# ----------------------------------------------------------------------------------------------------------------- one GPU

# Sets `program`, whatever it is: all of them see the same devices.
find_program() {
  local all
  mapfile -t all < <(bench_programs "$bin")
  ((${#all[@]})) || die "no experiment programs (exp??_*) in $bin: build first, or give --bin"
  program=${all[0]}
}

# Sets `gpus`, a UUID each, and `kind`: those that CUDA sees, else those that Vulkan sees; without any, with --software, the CPU's.
find_gpus() {
  local cuda vulkan id name by_cuda=() by_vulkan=() by_cpu=() listed
  listed=$("$program" --list-devices 2>/dev/null) || die "$program --list-devices failed"
  while read -r cuda vulkan id name; do
    [[ $id == *-*-*-*-* ]] || continue
    if bench_is_software "$name"; then
      by_cpu+=("$id")
    elif [[ $cuda != - ]]; then
      by_cuda+=("$id")
    elif [[ $vulkan != - ]]; then
      by_vulkan+=("$id")
    fi
  done <<<"$listed"
  gpus=(${by_cuda[0]:+"${by_cuda[@]}"})
  if ((${#gpus[@]} == 0)); then gpus=(${by_vulkan[0]:+"${by_vulkan[@]}"}); fi
  if ((${#gpus[@]} == 0 && software)); then
    gpus=(${by_cpu[0]:+"${by_cpu[@]}"})
    kind=cpu
  fi
  ((${#gpus[@]})) || die "no GPU on $(uname -n): $program --list-devices says why"
}

# As a reader knows this task.
task_name() {
  local name="process $$"
  if [[ -n ${SLURM_ARRAY_JOB_ID:-} ]]; then name="task ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"; fi
  printf '%s on %s' "$name" "${SLURMD_NODENAME:-$(uname -n)}"
}

# Sets `results` and `folder`, the GPU's.
find_folder() {
  local slug
  slug=$("$program" --print-slug --device "$uuid") || die "$program --print-slug failed"
  [[ -n $slug && $slug != none ]] || die "no device $uuid"
  results=$out/$slug
  # The CPU stands for as many GPUs as there are tasks.
  if bench_is_software "$slug"; then results+=/${SLURMD_NODENAME:-$(uname -n)}-${CUDA_VISIBLE_DEVICES:-0}; fi
  folder=$results/boards/${uuid:0:8}
  mkdir -p "$folder"
}

# No other task gets the GPU's folder as long as this one, or anything that it started, lives. Slurm gives no GPU to two tasks at once;
# what starts tasks by hand may.
lock_folder() {
  local status=0 other
  exec 9>>"$folder/lock"
  flock --nonblock --conflict-exit-code "$kConflict" 9 || status=$?
  if ((status == kConflict)); then
    other=$(<"$folder/lock")
    die "two tasks were given GPU $uuid: $(task_name), and ${other:-another one}, which is measuring it; nothing is changed"
  fi
  ((status == 0)) || die "$folder/lock cannot be locked (exit $status): choose another file system with --out"
  if [[ -e $folder/complete ]]; then
    die "GPU $uuid has been measured, by $(<"$folder/complete"): $folder is left as it is; choose another --out to measure it again"
  fi
  task_name >"$folder/lock"
}

note_state() {
  run_job "$python" "$bench_root/scripts/board_state.py" --uuid "$uuid" --when "$1" "$folder/board.csv" || true
}

measure() {
  local status=0 results folder
  if [[ -z $uuid ]]; then
    ((${#gpus[@]} == 1)) || die "this task sees ${#gpus[@]} GPUs: it takes one (sbatch --gres=gpu:1), or start with --local"
    uuid=${gpus[0]}
  fi
  find_folder
  lock_folder
  if ((log)); then exec >>"$folder/fleet.log" 2>&1; fi
  note "$(task_name): GPU $uuid -> $folder"
  note_state before
  run_job "$bench_root/scripts/run.sh" --bin "$bin" --out "$results" --resume --no-sass --no-counters --no-tables \
    ${run_options[0]:+"${run_options[@]}"} -- --device "$uuid" ${program_options[0]:+"${program_options[@]}"} || status=$?
  if ((interrupted || status == 130)); then
    note 'interrupted; the same command goes on from here'
    exit 130
  fi
  note_state after
  ((status == 0)) || die "GPU $uuid: run.sh failed (exit $status); the same command goes on from here"
  task_name >"$folder/complete.part"
  mv "$folder/complete.part" "$folder/complete"
  note "$(task_name): GPU $uuid is complete"
}

# Every GPU of this host, each by a process of its own that sees no other.
measure_all() {
  local status=0
  note "${#gpus[@]} on $(uname -n), logs: $out/*/boards/*/fleet.log"
  # shellcheck disable=SC2016  # for that shell
  run_job xargs --arg-file=<(printf '%s\n' "${gpus[@]}") -P "${#gpus[@]}" -I @GPU@ bash -c '
    visible=() status=0
    if [[ $1 == gpu ]]; then visible=(CUDA_VISIBLE_DEVICES="GPU-$2"); fi
    env --default-signal=INT,QUIT "${visible[@]}" "${@:3}" || status=$?
    if ((status)); then echo "$2: exit $status"; else echo "$2: complete"; fi
    exit "$((status != 0))"' _ "$kind" @GPU@ "$bench_root/scripts/fleet.sh" --task --log --uuid @GPU@ "${passed_on[@]}" || status=$?
  if ((interrupted || status == 130)); then
    note 'interrupted; the same command goes on from here'
    exit 130
  fi
  ((status == 0))
}

main() {
  local program gpus=() python kind=gpu
  parse_args "$@"
  case $mode in
    --nodes)
      submit
      return
      ;;
    --local | --task) ;;
    '')
      command -v sbatch >/dev/null || die 'there is no Slurm here (no sbatch): --local measures all GPUs of this host without it'
      usage_error 'one of --nodes LIST, --local and --task'
      ;;
    *) usage_error 'only one of --nodes, --local and --task' ;;
  esac
  begin_jobs
  python=$(bench_python) || die 'no Python 3.11 or newer (package python3)'
  # As Slurm counts.
  export CUDA_DEVICE_ORDER=PCI_BUS_ID
  find_program
  find_gpus
  if [[ $mode == --task ]]; then
    measure
  else
    measure_all
  fi
}

main "$@"
