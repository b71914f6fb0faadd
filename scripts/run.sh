#!/usr/bin/env bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=jobs.sh
source "$bench_root/scripts/jobs.sh"

usage() {
  cat <<'EOF'
Usage: scripts/run.sh [options] [-- program options]

Sets the machine up and builds (not in an unpacked package), runs every experiment several times, each time a fresh process, and writes
<out>/boards/<board>/run<k>/<experiment>.csv (one row a case and API) and <experiment>.samples.csv (every sample), <board> being the
first eight digits of the GPU's UUID. Each run has a random order of cases, drawn from the run's number. What an output must be is compared
in full once and its checksum noted in run1/<experiment>.checksums; all that must hold the same words are compared by that. All boards' runs
together then make <out>/worklog.md (the tables) and report.html (one page of all); beside them are sass/ (the machine code of both APIs)
and counters.csv (what the GPU's counters counted). <out> is results/<gpu>, or build/results/<device> if there is only a software device:
its figures say nothing about GPUs, and it has neither machine code nor counters. At the end: what each part took.

  --runs N        so many runs (default: 6; with --quick, and on a software device, 1). Fewer than three decide nothing
  --quick         a coarse sweep with short budgets, and neither machine code nor counters
  --only NAME     only this experiment, e.g. exp03 or exp03_memory_coalescing (repeatable)
  --out DIR       write the results to DIR
  --resume        keep the finished rows of an interrupted run and go on from there, failed rows are tried again; machine code and
                  counters are made anew
  --no-sass       leave the machine code out (scripts/dump_sass.py; it needs nvdisasm, else a line says so)
  --no-counters   leave the counters out (scripts/counters.py; it needs the driver's permission, else a line says so)
  --no-tables     leave worklog.md and report.html out: where several GPUs are measured into one <out> at once (scripts/fleet.sh)
  --no-build      use build/release as it is
  --bin DIR       use the programs in DIR, e.g. a build carried from another machine (also: BENCH_BIN=DIR)
  --help          this text
  -- OPTIONS      for every program, e.g. -- --device 1 --api vulkan --benchmark_filter=add  (see <program> --help)

Ctrl-C or SIGTERM ends it after the sample in hand, a second one at once; nothing that it started is left after two seconds.

Exit code: 0 all ran (a skipped case is named, and no failure), 1 something failed (a program, a part, or a row of a result file),
2 usage, 130 interrupted.
EOF
}

quick=0 resume=0 runs='' build=1 sass=1 counters=1 tables=1
only=() program_args=()
out='' bin=${BENCH_BIN:-}
failures=0
complete=1  # every program has gone through all of its cases, and its result file is whole
done_parts=''
table=()  # one line a part, for the end
seconds=0  # of all parts
readonly kRuns=6
readonly kRunBudget=0.04  # seconds of sampling a case
declare -A run_counts=() run_seconds=() run_remarks=()  # by program, over its runs
readonly kDeviceLost=3  # a program's exit code

parse_args() {
  while (($#)); do
    case $1 in
      --quick) quick=1 ;;
      --resume) resume=1 ;;
      --no-build) build=0 ;;
      --no-sass) sass=0 ;;
      --no-counters) counters=0 ;;
      --no-tables) tables=0 ;;
      --only | --out | --bin | --runs)
        [[ -n ${2:-} ]] || usage_error "$1 needs a value"
        case $1 in
          --only) only+=("$2") ;;
          --runs)
            [[ $2 =~ ^[1-9][0-9]{0,2}$ ]] || usage_error "--runs $2: how many, from 1 to 999"
            runs=$2
            ;;
          --out) out=$2 ;;
          --bin) bin=$2 ;;
        esac
        shift
        ;;
      --)
        program_args+=("${@:2}")
        break
        ;;
      -h | --help) usage && exit 0 ;;
      *) usage_error "unknown option $1" ;;
    esac
    shift
  done
  if ((quick)); then
    program_args+=(--quick)
    sass=0 counters=0
  fi
  if [[ -n $out ]]; then out=$(realpath -m "$out"); fi
  if [[ -n $bin ]]; then
    build=0
  elif [[ -f $bench_root/CMakeLists.txt ]]; then
    bin=$bench_root/build/release/bin
  else
    build=0 bin=$bench_root/bin  # an unpacked package
  fi
}

# Fails early: before minutes of measuring whose results have nowhere to go. Makes nothing.
require_writable() {
  local folder=$1
  while [[ ! -e $folder ]]; do folder=$(dirname "$folder"); done
  if [[ ! -d $folder || ! -w $folder ]]; then
    die "cannot write to $1: choose another folder with --out, or change its owner or permissions"
  fi
}

# named_by WISH PROGRAM: whether an --only asks for a program.
named_by() { [[ $2 == "$1" || $2 == "$1"_* ]]; }

# check_only PROGRAM...: every --only names one of them.
check_only() {
  local wish program
  for wish in ${only[0]:+"${only[@]}"}; do
    for program in "$@"; do
      if named_by "$wish" "$program"; then continue 2; fi
    done
    usage_error "no experiment $wish; there are: $*"
  done
}

# chosen PROGRAM...: those that --only asks for, a line each, once and in their order.
chosen() {
  local program wish
  for program in "$@"; do
    for wish in "${only[@]:-${program##*/}}"; do
      if named_by "$wish" "${program##*/}"; then
        printf '%s\n' "$program"
        break
      fi
    done
  done
}

# Sets `programs`: what is chosen of $bin.
choose_programs() {
  local all
  mapfile -t all < <(bench_programs "$bin")
  ((${#all[@]})) || die "no experiment programs (exp??_*) in $bin: build first (without --no-build), or give --bin"
  check_only "${all[@]##*/}"
  mapfile -t programs < <(chosen "${all[@]}")
}

# run_all NUMBER: every chosen experiment once, into the board's folder run<NUMBER>.
run_all() {
  local folder=$out/boards/$board/run$1 program name csv status counts counts_status started remark k=0
  mkdir -p "$folder"
  for program in "${programs[@]}"; do
    if ((interrupted)); then return; fi
    name=${program##*/}
    csv=$folder/$name.csv
    k=$((k + 1))
    note "" "== run $1 of $runs: $name ($k of ${#programs[@]}) -> $(shown "$csv")"
    local args=(--csv "$csv")
    # What a long run would sample away, several short ones show.
    if ((runs > 1 && !quick)) && [[ -z $(program_option --budget) ]]; then args+=(--budget "$kRunBudget"); fi
    if [[ -z $(program_option --seed) ]]; then args+=(--seed "$1"); fi
    args+=(--shuffle)
    # What one case, or the first run, has verified in full, the others verify by checksums.
    if [[ -z $(program_option --checksums) ]]; then args+=(--checksums "$out/boards/$board/run1/$name.checksums"); fi
    args+=("${program_args[@]}")
    make_room "$name" "$folder"
    # There is nothing to go on with where the interrupted run had not begun.
    if ((resume)) && [[ -s $csv ]]; then args+=(--resume); fi
    started=$SECONDS status=0 counts_status=0
    run_job "$program" "${args[@]}" || status=$?
    counts=$("$python" "$bench_root/scripts/row_counts.py" "$csv") || counts_status=$?
    judge_program "$status" "$counts_status" "$counts"
    add_run "$name" "${counts:-- - -}" "$((SECONDS - started))" "$remark"
    if ((status == kDeviceLost)); then
      note "run.sh: $name lost the device; what it had measured is kept, and --resume tries the rest"
    fi
  done
}

# make_room PROGRAM FOLDER: nothing of an earlier measurement stays beside the new one, whose runs may be fewer. To go on with one, its
# files are needed as the program wrote them.
make_room() {
  local name=$1 folder=$2 old packed
  if ((resume)); then
    for packed in "$folder/$name"{,.samples}.csv.xz; do
      if [[ -f $packed ]]; then xz --decompress "$packed"; fi
    done
    return
  fi
  rm -f "$folder/$name"{,.samples}.csv.xz
  if [[ $folder == */run1 ]]; then rm -f "$folder/$name.checksums"; fi
  for old in "$out/boards/$board"/run*/; do
    old=${old%/}
    if ((${old##*/run} > runs)); then
      rm -f "$old/$name"{,.samples}.csv{,.xz} "$old/$name".{schema.json,checksums}
      rmdir --ignore-fail-on-non-empty "$old"
    fi
  done
}

# A run's samples are a tenth of their size when packed; compare.py reads them as they are.
pack_samples() {
  local file
  if ((failures || interrupted)) || ! command -v xz >/dev/null; then return; fi
  for file in "$out/boards/$board"/run*/*.samples.csv; do
    if [[ -f $file ]]; then run_job xz --force --threads 0 "$file" || note "run.sh: $(shown "$file") could not be packed"; fi
  done
}

# add_run PROGRAM "OK FAILED SKIPPED" SECONDS REMARK: one run's figures to the program's others.
add_run() {
  local was_ok was_failed was_skipped ok failed skipped
  read -r was_ok was_failed was_skipped <<<"${run_counts[$1]:-0 0 0}"
  read -r ok failed skipped <<<"$2"
  if [[ $was_ok == - || $ok == - ]]; then
    run_counts[$1]='- - -'
  else
    run_counts[$1]="$((was_ok + ok)) $((was_failed + failed)) $((was_skipped + skipped))"
  fi
  run_seconds[$1]=$((${run_seconds[$1]:-0} + $3))
  if [[ -n $4 && ${run_remarks[$1]:-} != *"$4"* ]]; then run_remarks[$1]+="${run_remarks[$1]:+; }$4"; fi
}

# The programs' rows of the table, all runs together.
add_run_rows() {
  local program name
  for program in "${programs[@]}"; do
    name=${program##*/}
    [[ -n ${run_counts[$name]:-} ]] || continue
    add_row "$name" "${run_counts[$name]}" "${run_seconds[$name]}" "$(shown "$out")/boards/$board/run*/$name.csv" "${run_remarks[$name]:-}"
  done
}

# judge_program STATUS COUNTS_STATUS "OK FAILED SKIPPED": what a program's exit code, and row_counts.py's of its result file, say.
# Sets `remark`, counts failures.
judge_program() {
  local failed
  read -r _ failed _ <<<"$3"
  remark=''
  if ((interrupted || $1 == 130)); then
    note_interrupted
    remark=interrupted
    return
  fi
  if (($1 == 77)); then remark='all skipped'; fi
  if (($1 != 0 && $1 != 77)); then
    remark="exit $1"
    if (($1 == kDeviceLost)); then remark='the device was lost'; fi
    failures=$((failures + 1)) complete=0
  elif (($2 == 77)); then
    complete=0  # there was nothing to measure: no device, or -- --describe
  elif (($2)); then
    remark='its file is damaged: see above'
    failures=$((failures + 1)) complete=0
  elif ((failed)); then
    remark="$failed failed"
    failures=$((failures + 1))
  fi
}

# add_row PART "OK FAILED SKIPPED" SECONDS WHERE REMARK
add_row() {
  local ok failed skipped
  read -r ok failed skipped <<<"$2"
  seconds=$((seconds + $3))
  table+=("$(printf '%-28s %6s %6s %7s %7s  %s%s' "$1" "$ok" "$failed" "$skipped" "$3" "$4" "${5:+  ($5)}")")
}

# run_part NAME WHERE COMMAND...: what comes after measuring. It may fail without taking the rest along: exit code 77 is something
# missing, which the command has named.
run_part() {
  local name=$1 where=$2 remark='' status=0 started=$SECONDS
  shift 2
  if ((interrupted)); then return; fi
  note "" "== $name -> $(shown "$where")"
  run_job "$@" || status=$?
  if ((interrupted || status == 130)); then
    note_interrupted
    remark=interrupted
  elif ((status == 77)); then
    remark='not done: see above'
  elif ((status)); then
    local files=''
    if ((complete)); then files='; the CSV files are complete'; fi
    note "run.sh: $name failed (exit $status)$files"
    remark="exit $status"
    failures=$((failures + 1))
  else
    done_parts+=" $name "
  fi
  add_row "$name" '' "$((SECONDS - started))" "$(shown "$where")" "$remark"
}

# The value that the programs' options give an option (the last one counts); empty if they do not.
program_option() {
  local value='' k
  for ((k = 0; k < ${#program_args[@]}; k++)); do
    case ${program_args[k]} in
      "$1") value=${program_args[k + 1]:-} ;;
      "$1"=*) value=${program_args[k]#*=} ;;
    esac
  done
  printf '%s' "$value"
}

# Machine code and counters, of the programs that ran and of the device that they ran on.
run_inspection() {
  local named=() device wish
  device=$(program_option --device)
  for wish in ${only[0]:+"${only[@]}"}; do named+=(--only "$wish"); done
  if ((sass)); then
    run_part 'machine code' "$out/sass" "$python" "$bench_root/scripts/dump_sass.py" --listings-only --bin "$bin" --out "$out" \
      "${named[@]}" ${device:+--device "$device"}
  fi
  if ((counters)); then
    run_part counters "$out/counters.csv" "$python" "$bench_root/scripts/counters.py" --bin "$bin" --out "$out" \
      --verified "$out/boards/$board/run1" "${named[@]}" ${program_args[0]:+-- "${program_args[@]}"}
  fi
}

# The pages of all boards' runs.
run_tables() {
  run_part worklog "$out/worklog.md" "$python" "$bench_root/scripts/worklog.py" "$out"
  if "$python" -c 'import jinja2' 2>/dev/null; then
    run_part report "$out/report.html" "$python" "$bench_root/scripts/report.py" "$out"
  elif ((!interrupted)); then
    note "" "no report.html: Python's module jinja2 is missing here (package python3-jinja2); scripts/report.py makes it anywhere"
  fi
}

# A path as a reader at the top of the repository would type it.
shown() { printf '%s' "${1#"$bench_root"/}"; }

print_table() {
  printf '\n%-28s %6s %6s %7s %7s  %s\n' part ok failed skipped seconds result
  printf '%s\n' "${table[@]}"
  printf '%-28s %6s %6s %7s %7s\n' 'in all' '' '' '' "$seconds"
}

# The pages that this run has made.
print_pages() {
  local pages=()
  if [[ $done_parts == *' worklog '* ]]; then pages+=("$(shown "$out/worklog.md")"); fi
  if [[ $done_parts == *' report '* ]]; then pages+=("in a browser $(shown "$out/report.html")"); fi
  case ${#pages[@]} in
    1) printf '\nRead next: %s\n' "${pages[0]}" ;;
    2) printf '\nRead next: %s, or %s\n' "${pages[@]}" ;;
  esac
}

exit_if_interrupted() {
  if ((interrupted)); then
    note "interrupted${1:+: $1}"
    exit 130
  fi
}

# set_up_and_build EXPERIMENT...: of these, what is chosen.
set_up_and_build() {
  local status=0 targets=()
  # sudo can ask for its password in the foreground only, where jobs are not.
  if ((EUID)) && [[ -t 0 ]] && ! "$bench_root/scripts/setup.sh" --check 2>/dev/null && command -v sudo >/dev/null; then
    sudo -v || true
  fi
  jobs_by_sudo=$((EUID != 0))
  run_job "$bench_root/scripts/setup.sh" </dev/null || status=$?
  exit_if_interrupted
  if ((status)); then exit "$status"; fi
  jobs_by_sudo=0
  if ((${#only[@]})); then mapfile -t targets < <(chosen "$@"); fi
  bench_build release "$bench_root/build/release.log" run_job ${targets[0]:+"${targets[@]}"} || status=$?
  exit_if_interrupted
  if ((status)); then exit 1; fi
  add_row 'set-up and build' '' "$SECONDS" build/release ''
}

# Sets `answer`: what the first program prints for OPTION.
ask_program() {
  local status=0 file
  file=$(mktemp)
  run_job "${programs[0]}" "$1" "${program_args[@]}" >"$file" || status=$?
  answer=$(<"$file")
  rm -f "$file"
  exit_if_interrupted
  case $status in
    0) ;;
    2) exit 2 ;;  # an option that the program does not know: it has said so
    *) die "$(shown "${programs[0]}") $1 failed (exit $status)" ;;
  esac
}

# Sets `slug`, the device as results/ spells it, and `board`, its folder there.
find_device() {
  local answer
  ask_program --print-slug
  slug=$answer
  [[ -n $slug && $slug != none ]] || die "there is no device to run on; $(shown "${programs[0]}") --list-devices says why"
  ask_program --print-board
  board=$answer
  [[ $board =~ ^[0-9a-z]+$ ]] || die "$(shown "${programs[0]}") --print-board says '$board'"
}

main() {
  local slug board software=0 run experiments
  parse_args "$@"
  if [[ -n $out ]]; then
    require_writable "$out"
  else
    require_writable "$bench_root/results"
    require_writable "$bench_root/build/results"
  fi
  begin_jobs
  if ((build)); then
    mapfile -t experiments < <(bench_experiments)
    check_only "${experiments[@]}"  # before minutes of building
    set_up_and_build "${experiments[@]}"
  fi
  python=$(bench_python jinja2 || bench_python) || die "no Python 3.11 or newer (package python3)"
  choose_programs

  find_device
  if bench_is_software "$slug"; then software=1; fi
  if [[ -z $out ]]; then
    if ((software)); then out=$bench_root/build/results/$slug; else out=$bench_root/results/$slug; fi
    require_writable "$out"
  fi
  note "device: $slug; results: $(shown "$out")"

  if [[ -z $runs ]]; then runs=$((quick || software ? 1 : kRuns)); fi
  for ((run = 1; run <= runs; run++)); do run_all "$run"; done
  add_run_rows
  pack_samples

  if ((!software)); then run_inspection; fi
  if ((tables)); then run_tables; fi
  print_table
  exit_if_interrupted 'finished rows are kept; go on with --resume'
  print_pages
  ((failures == 0))
}

main "$@"
