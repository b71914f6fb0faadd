#!/usr/bin/env bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'EOF'
Usage: scripts/run.sh [options] [-- program options]

Sets the machine up, builds, runs every experiment, and writes <out>/<experiment>.csv (one row a case and API),
<experiment>.samples.csv (every sample), sass/ (the machine code of both APIs), counters.csv (Nsight Compute's counters), worklog.md
(the tables) and report.html (one page of all). <out> is results/<gpu>, or build/results/<device> if there is only a software
device: its figures say nothing about GPUs, and it has neither machine code nor counters. At the end: what each part took.

  --quick         a coarse sweep with short budgets, and neither machine code nor counters: a fifth of the time
  --only NAME     only this experiment, e.g. exp03 or exp03_memory_coalescing (repeatable)
  --out DIR       write the results to DIR
  --resume        keep the finished rows of an interrupted run and go on from there; machine code and counters are made anew
  --repeat        run all of it a second time, into <out>/rerun/: how far two runs agree
  --no-sass       leave the machine code out (scripts/dump_sass.py; it needs nvdisasm, else a line says so)
  --no-counters   leave the counters out (scripts/counters.py; it needs ncu and the driver's permission, else a line says so)
  --no-build      use build/release as it is
  --bin DIR       use the programs in DIR, e.g. a build carried from another machine (also: BENCH_BIN=DIR)
  --help          this text
  -- OPTIONS      for every program, e.g. -- --device 1 --api vulkan --benchmark_filter=add  (see <program> --help)

Exit code: 0 all ran (a skipped case is named, and no failure), 1 something failed, 2 usage, 130 interrupted.
EOF
}

quick=0 resume=0 repeat=0 build=1 sass=1 counters=1
only=() program_args=()
out='' bin=${BENCH_BIN:-}
interrupted=0 failures=0 child=''
table=()  # one line a part, for the end
seconds=0  # of all parts

parse_args() {
  while (($#)); do
    case $1 in
      --quick) quick=1 ;;
      --resume) resume=1 ;;
      --repeat) repeat=1 ;;
      --no-build) build=0 ;;
      --no-sass) sass=0 ;;
      --no-counters) counters=0 ;;
      --only | --out | --bin)
        [[ -n ${2:-} ]] || usage_error "$1 needs a value"
        case $1 in
          --only) only+=("$2") ;;
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
  else
    bin=$bench_root/build/release/bin
  fi
}

# Fails early: before minutes of measuring whose results have nowhere to go.
require_writable() {
  local probe
  if ! { mkdir -p "$1" && probe=$(mktemp "$1/.probe.XXXXXX"); } 2>/dev/null; then
    die "cannot write to $1: choose another folder with --out, or change its owner or permissions"
  fi
  rm -f "$probe"
}

# Sets `programs`: those in $bin that --only asks for, each once and in their order.
choose_programs() {
  local all program name wish
  local -A chosen=()
  mapfile -t all < <(bench_programs "$bin")
  ((${#all[@]})) || die "no experiment programs (exp??_*) in $bin: build first (without --no-build), or give --bin"
  for wish in "${only[@]:-exp}"; do
    local hits=0
    for program in "${all[@]}"; do
      name=${program##*/}
      if [[ $wish == exp || $name == "$wish" || $name == "$wish"_* ]]; then
        chosen[$program]=1
        hits=$((hits + 1))
      fi
    done
    ((hits)) || usage_error "no experiment $wish; there are: ${all[*]##*/}"
  done
  programs=()
  for program in "${all[@]}"; do
    if [[ -n ${chosen[$program]:-} ]]; then programs+=("$program"); fi
  done
}

on_signal() {
  interrupted=1
  if [[ -n $child ]]; then kill -INT "$child" 2>/dev/null || true; fi
}

# Runs a program in a process group of its own, so that Ctrl-C reaches it once (from on_signal) and not twice, and so that a signal
# to this script alone reaches it too. Sets `status`.
run_program() {
  set -m
  "$@" &
  child=$!
  set +m
  status=0
  wait "$child" || status=$?
  # A trapped signal ends `wait`, not the program.
  while kill -0 "$child" 2>/dev/null; do
    status=0
    wait "$child" || status=$?
  done
  child=''
}

# Prints "ok failed skipped": the rows of a result file by status.
row_counts() {
  "$python" -c '
import collections, csv, sys
rows = csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"))
counts = collections.Counter(row["status"] for row in rows)
print(counts["ok"], counts["failed"], counts["skipped"])' "$1" 2>/dev/null || echo '- - -'
}

# run_all DIR: every chosen experiment into DIR.
run_all() {
  local folder=$1 program name csv remark counts started k=0
  mkdir -p "$folder"
  for program in "${programs[@]}"; do
    if ((interrupted)); then return; fi
    name=${program##*/}
    csv=$folder/$name.csv
    k=$((k + 1))
    note "" "== $name ($k of ${#programs[@]}) -> $(shown "$csv")"
    local args=(--csv "$csv" "${program_args[@]}")
    # There is nothing to go on with where the interrupted run had not begun.
    if ((resume)) && [[ -s $csv ]]; then args+=(--resume); fi
    started=$SECONDS
    run_program "$program" "${args[@]}"
    remark=''
    case $status in
      0) ;;
      77) remark='all skipped' ;;
      *)
        remark="exit $status"
        failures=$((failures + 1))
        ;;
    esac
    if ((interrupted || status == 130)); then
      interrupted=1
      remark=interrupted
    fi
    read -r -a counts < <(row_counts "$csv")
    add_row "$name" "${counts[@]}" "$((SECONDS - started))" "$(shown "$csv")" "$remark"
  done
}

# add_row PART OK FAILED SKIPPED SECONDS WHERE REMARK
add_row() {
  seconds=$((seconds + $5))
  table+=("$(printf '%-28s %6s %6s %7s %7s  %s%s' "${@:1:6}" "${7:+  ($7)}")")
}

# run_part NAME WHERE COMMAND...: what comes after measuring. It may fail without taking the rest along: exit code 77 is something
# missing, which the command has named.
run_part() {
  local name=$1 where=$2 remark='' started=$SECONDS
  shift 2
  if ((interrupted)); then return; fi
  note "" "== $name -> $(shown "$where")"
  run_program "$@"
  if ((interrupted || status == 130)); then
    interrupted=1
    remark=interrupted
  elif ((status == 77)); then
    remark='not done: see above'
  elif ((status)); then
    note "run.sh: $name failed (exit $status); the CSV files are complete"
    remark="exit $status"
    failures=$((failures + 1))
  fi
  add_row "$name" '' '' '' "$((SECONDS - started))" "$(shown "$where")" "$remark"
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
  for wish in ${only[0]:+"${only[@]}"}; do named+=(--experiment "$wish"); done
  if ((sass)); then
    run_part 'machine code' "$out/sass" "$python" "$bench_root/scripts/dump_sass.py" --listings-only --bin "$bin" --out "$out" \
      "${named[@]}" ${device:+--device "$device"}
  fi
  if ((counters)); then
    if [[ $(program_option --api) == vulkan ]]; then
      note "" "no counters: nothing counts Vulkan"
    else
      run_part counters "$out/counters.csv" "$python" "$bench_root/scripts/counters.py" --bin "$bin" --out "$out" \
        "${named[@]}" ${program_args[0]:+-- "${program_args[@]}"}
    fi
  fi
}

# A path as a reader at the top of the repository would type it.
shown() { printf '%s' "${1#"$bench_root"/}"; }

print_table() {
  printf '\n%-28s %6s %6s %7s %7s  %s\n' part ok failed skipped seconds result
  printf '%s\n' "${table[@]}"
  printf '%-28s %6s %6s %7s %7s\n' 'in all' '' '' '' "$seconds"
}

main() {
  parse_args "$@"
  trap on_signal INT TERM HUP

  if [[ -n $out ]]; then
    require_writable "$out"
  else
    require_writable "$bench_root/results"
    require_writable "$bench_root/build/results"
  fi
  if ((build)); then
    "$bench_root/scripts/setup.sh"
    bench_build release "$bench_root/build/release.log" || exit "$((interrupted ? 130 : 1))"
    add_row 'set-up and build' '' '' '' "$SECONDS" build/release ''
  fi
  python=$(bench_python) || die "no Python 3.11 or newer (package python3)"
  choose_programs

  local slug software=0
  slug=$("${programs[0]}" --print-slug "${program_args[@]}") || slug=''
  [[ -n $slug && $slug != none ]] || die "there is no device to run on; $(shown "${programs[0]}") --list-devices says why"
  case $slug in
    llvmpipe* | lavapipe* | swiftshader*) software=1 ;;
  esac
  if [[ -z $out ]]; then
    if ((software)); then out=$bench_root/build/results/$slug; else out=$bench_root/results/$slug; fi
    require_writable "$out"
  fi
  note "device: $slug; results: $(shown "$out")"

  run_all "$out"
  if ((repeat && !interrupted)); then run_all "$out/rerun"; fi

  if ((!software)); then run_inspection; fi
  run_part worklog "$out/worklog.md" "$python" "$bench_root/scripts/worklog.py" "$out"
  run_part report "$out/report.html" "$python" "$bench_root/scripts/report.py" "$out"
  print_table
  if ((interrupted)); then
    note "interrupted: finished rows are kept; go on with --resume"
    exit 130
  fi
  printf '\nRead next: %s, or in a browser %s\n' "$(shown "$out/worklog.md")" "$(shown "$out/report.html")"
  ((failures == 0))
}

main "$@"
