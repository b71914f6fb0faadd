#!/usr/bin/env bash
if [ -z "${BASH_VERSION:-}" ]; then exec bash "$0" "$@"; fi # sh scripts/test.sh
if [[ ${BASH_SOURCE[0]} != "$0" ]]; then echo "${BASH_SOURCE[0]}: start it, do not source it" >&2 && return 2; fi # or the reader's shell ends
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

usage() {
  cat <<'EOF'
Usage: scripts/test.sh [--all | step... | expNN...]

Sets the machine up, builds, and tests: setup, build, unit, smoke, worklog and python; with --all every step but the last two;
or only the steps named. No GPU is needed: Mesa's lavapipe runs the Vulkan kernels on the CPU.

With experiments or programs named (exp03, exp09_barrier): what a change to these alone breaks first, in minutes. Builds them as build/ci was
last configured; their unit tests, smoke runs and worklog; format, flake8, and the scripts' tests that read their files.

  setup     install what testing needs (scripts/setup.sh --dev; with --all scripts/setup.sh --all)
  build     CMake preset ci, warnings are errors, into build/ci. Without a step named, and where no NVIDIA GPU is found that could run
            it, the CUDA side is left out: kernels for two architectures are half of the build
  unit      ctest, less the smoke runs
  smoke     every experiment at its smallest sizes under the Vulkan validation layer
  worklog   the committed tables still agree with their CSV files; a worklog of the smoke results can be made
  python    pytest over scripts/tests; with --all also the tests marked thorough (a new experiment is built, the report is read in a
            browser) and more trials of the random ones
  format    clang-format 14 over C++ and CUDA. --all
  tidy      clang-tidy over the .cpp files that the build compiles, less those unchanged since they passed (build/tidy; or, for
            every checkout on this machine, the folder that BENCH_TIDY_CACHE names). --all
  shell     shellcheck. --all
  flake8    flake8's rules F (unused and undefined names) over the scripts and the experiments' analyses. --all
  fuzz      the parsers of what drivers and users hand in, under libFuzzer, each for 30 s (their own build, by clang). --all
  package   the package runs in a bare Debian 12 (debootstrap, as root, from the network: minutes at the first time). Only if named
  slurm     scripts/fleet.sh on a Slurm of three nodes on this machine, one of which dies (as root; installs slurmd and munge; four
            minutes). Only if named

unit, smoke, worklog, package and slurm use the build that is there: name `build` too after a change.
unit, which mostly waits, runs beside tidy or python, and fuzz beside python, where both are to run; their output comes
after the other's.
A tool for format, tidy, shell, flake8 or fuzz that is not here is a line among the skipped.
Exit code: 0 everything passed or was skipped (the skipped are named), 1 something failed, 2 usage.
EOF
}

readonly kSteps=(setup build unit smoke worklog python)
readonly kAllSteps=(setup build unit smoke worklog format tidy shell flake8 python fuzz)
readonly kStepsIfNamed=(package slurm)
readonly kNearSteps=(build unit smoke worklog format flake8 python)
# Their tests read the experiments' sources and pages.
readonly kNearTests=(style docs loops claim_lock rooms prose new_experiment sass_golden sass_same_work quick_time)
readonly kNeedBuild=' unit smoke worklog package slurm '
readonly kBuild=$bench_root/build/ci

near=() # the programs that are named in place of steps
scratch=$(mktemp -d)
results=$scratch/results # lines: passed, failed, skipped or table; a tab; a name or a row
cuda=ON                  # whether the build has the CUDA side, where there is a toolkit
beside=''                # the process group of the step that runs beside another
touch "$results"
trap 'if [[ -n $beside ]]; then kill -- "-$beside" || true; fi 2>/dev/null; rm -rf "$scratch"' EXIT

result() { printf '%s\t%s\n' "$1" "$2" >>"$results"; }
pass() { result passed "$step"; }
fail() { result failed "$step: $1"; }
skip() { result skipped "$step: $1"; }

# results_of KIND: their names, one a line.
results_of() { sed -n "s/^$1\t//p" "$results"; }
count_of() { results_of "$1" | wc -l; }

# here TOOL: whether it is on PATH; the step is skipped without it.
here() { command -v "$1" >/dev/null || { skip "$1 (not here)" && return 1; }; }

# check NAME COMMAND...: one test. Its output is shown if it fails; exit code 77 skips it, for the reason in its last line.
check() {
  local name=$1 output status=0
  shift
  output=$("$@" 2>&1) || status=$?
  case $status in
    0) pass && echo "ok       $name" ;;
    77) skip "$name${output:+ (${output##*$'\n'})}" && echo "skipped  $name" ;;
    *)
      fail "$name"
      printf 'FAILED   %s (exit %s)\n%s\n' "$name" "$status" "$output"
      ;;
  esac
}

# checks: a test a line, its name and its command, tabs between the words; as many at once as there are processors.
checks() {
  export -f check pass fail skip result
  export results step
  # shellcheck disable=SC2016  # for that shell
  tr '\n' '\0' | xargs -0 -r -P "$(nproc)" -n 1 bash -c 'IFS=$'"'\t'"' read -ra words <<<"$1" && check "${words[@]}"' _ ||
    fail 'the shell around a test was killed'
}
in_a_line() { printf '%s\t' "$@" | sed 's/\t$/\n/'; }

# count_junit FILE STATUS: the tests of a runner that exited with STATUS.
count_junit() {
  local outcome name before
  before=$(count_of failed)
  while IFS=$'\t' read -r outcome name; do
    case $outcome in
      passed) pass ;;
      failed) fail "$name" ;;
      skipped) skip "$name" ;;
    esac
  done < <("$(bench_python)" "$bench_root/scripts/junit_counts.py" "$1")
  if (($2 != 0 && $(count_of failed) == before)); then fail "the test runner exited with $2"; fi
}

step_setup() {
  "$bench_root/scripts/setup.sh" "$setup" || fail "scripts/setup.sh $setup"
  if [[ $setup == --all ]] && ! command -v nvdisasm >/dev/null; then
    "$bench_root/scripts/setup.sh" --nvdisasm || note 'without nvdisasm the golden SASS tests are skipped'
  fi
  if [[ $setup == --all ]]; then
    "$bench_root/scripts/setup.sh" --mesa || note "without Mesa's compilers the listings of chips are made by the system's alone"
  fi
}

step_build() {
  local bench_configure=("-DBENCH_CUDA=$cuda")
  if ((${#near[@]})); then bench_configure=(); fi
  # shellcheck disable=SC2046  # words
  bench_build ci "$bench_root/build/ci.log" '' $(near_targets) || fail 'the build'
}

# All that the programs' folders build, and the tests of their lists of cases.
near_targets() {
  local program
  for program in "${near[@]}"; do printf '%s\n' "$(bench_folder "$program")/all" "${program}_cases_test"; done
}

step_unit() {
  local status=0 program
  for program in "${near[@]}"; do
    status=0
    check "${program}_cases_test" "$kBuild/tests/${program}_cases_test" --gtest_brief=1
    rm -f "$kBuild/unit.xml"
    ctest --test-dir "$kBuild/$(bench_folder "$program")" --label-exclude smoke --no-tests=ignore --output-on-failure --output-junit "$kBuild/unit.xml" || status=$?
    count_junit "$kBuild/unit.xml" "$status"
  done
  if ((${#near[@]})); then return; fi
  rm -f "$kBuild/unit.xml"
  # The programs' smoke runs are the step smoke, which has them validated.
  ctest --preset ci --label-exclude smoke --parallel "$(nproc)" --output-junit "$kBuild/unit.xml" || status=$?
  count_junit "$kBuild/unit.xml" "$status"
}

step_smoke() {
  local program name
  rm -rf "$kBuild/smoke"
  mkdir -p "$kBuild/smoke"
  if [[ -z $(bench_programs "$kBuild/bin") ]]; then fail "no programs in $kBuild/bin"; fi
  bench_programs "$kBuild/bin" | while read -r program; do
    name=${program##*/}
    if ((${#near[@]})) && ! named "$name" "${near[@]}"; then continue; fi
    in_a_line "$name" timeout --foreground 600 "$program" --smoke --validate --csv "$kBuild/smoke/$name.csv"
  done | checks
}

step_worklog() {
  local python smoke=$kBuild/smoke
  python=$(bench_python jinja2) || {
    fail 'no Python 3.11 or newer with Jinja'
    return
  }
  {
    # The pages say which runs are of commits that have a claim's test: git knows, with all of its history.
    if ((${#near[@]})); then
      : # their own are made of the smoke runs
    elif [[ $(git -C "$bench_root" rev-parse --is-shallow-repository 2>/dev/null) == false ]]; then
      in_a_line 'docs/published.csv and the pages of results/' "$python" scripts/published.py --check --pages
    else
      skip 'the committed pages (no git history, or not all of it: git fetch --unshallow)'
    fi
    if compgen -G "$smoke/*.csv" >/dev/null; then
      # shellcheck disable=SC2016  # for that shell
      in_a_line 'the worklog and the report of the smoke results, made and checked' \
        bash -c '"$1" scripts/worklog.py "$2" && "$1" scripts/worklog.py --check "$2" && "$1" scripts/report.py "$2"' _ "$python" "$smoke"
    else
      skip 'worklog of the smoke results (there are none: run the step smoke)'
    fi
  } | checks
}

step_format() {
  local tool files
  # Releases differ in what they make of the same style, so only one of them can be obeyed.
  tool=$(command -v clang-format-14 || command -v clang-format || true)
  if [[ -z $tool || $("$tool" --version) != *' 14.'* ]]; then
    skip 'clang-format (needs version 14)'
    return
  fi
  mapfile -t files < <(bench_files '*.h' '*.cpp' '*.cu' '*.cuh')
  check "clang-format, ${#files[@]} files" "$tool" --dry-run -Werror "${files[@]}"
}

step_tidy() {
  local build=$bench_root/build/tidy python passed=${BENCH_TIDY_CACHE:-$bench_root/build/tidy/passed} sources status=0
  here clang-tidy || return 0
  python=$(bench_python) || {
    fail 'no Python 3.11 or newer'
    return
  }
  { cmake --preset ci -B "$build" && cmake --build "$build" --target bench_build_info; } >"$bench_root/build/tidy.log" 2>&1 || {
    fail 'cmake (see build/tidy.log)'
    return
  }
  mkdir -p "$passed"
  find "$passed" -type f -mtime +60 -delete
  mapfile -t sources < <(bench_files 'common/*.cpp' 'exp*/*.cpp')
  rm -f "$build/tidy.xml"
  "$python" scripts/tidy.py "$build" "$passed" "$build/tidy.xml" "${sources[@]}" || status=$?
  count_junit "$build/tidy.xml" "$status"
}

step_shell() {
  local file
  here shellcheck || return 0
  while read -r file; do
    check "$file" shellcheck --external-sources "$file"
  done < <(bench_files 'scripts/*.sh' 'scripts/*.sbatch' '.ci/run')
}

step_flake8() {
  local files
  here flake8 || return 0
  mapfile -t files < <(bench_files 'scripts/*.py' 'exp*.py')
  check "flake8, ${#files[@]} files" flake8 --select=F "${files[@]}"
}

step_python() {
  local status=0 python spread=() tests=(scripts/tests)
  if ((${#near[@]})); then tests=("${kNearTests[@]/#/scripts/tests/test_}") && tests=("${tests[@]/%/.py}" -k 'not results'); fi # pages of results stay as they are
  if python=$(bench_python jinja2 pytest xdist); then
    # conftest.py says which tests stay together. One process more than processors, for many tests wait.
    spread=(-n "$(($(nproc) + 1))" --dist=loadgroup)
  else
    python=$(bench_python jinja2 pytest) || {
      fail 'no Python 3.11 or newer with jinja2 and pytest'
      return
    }
  fi
  mkdir -p "$kBuild" "$scratch/bin"
  rm -f "$kBuild/python.xml"
  # The scripts that tests start by name run in this Python, too, whatever is first on PATH.
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$scratch/bin/python3"
  chmod +x "$scratch/bin/python3"
  PATH=$scratch/bin:$PATH nice "$python" -B -m pytest -q -p no:cacheprovider "${spread[@]}" --junit-xml="$kBuild/python.xml" "${tests[@]}" ||
    status=$?
  count_junit "$kBuild/python.xml" "$status"
}

# New inputs stay in build/fuzz/corpus, from one run to the next; one that breaks a parser is left in build/fuzz as crash-...
# libFuzzer exits 77 for some of these, which is a skipped test here.
# fuzz_for SECONDS PROGRAM SEEDS...: a line for `checks`
fuzz_for() {
  local seconds=$1 program=$2 corpus=$bench_root/build/fuzz/corpus/$2
  mkdir -p "$corpus"
  in_a_line "$program, $seconds s" "$bench_root/build/fuzz/bin/$program" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=1024 \
    -error_exitcode=1 -print_final_stats=1 -artifact_prefix="$bench_root/build/fuzz/" "$corpus" "${@:3}"
}

step_fuzz() {
  if ! command -v clang++ >/dev/null; then
    skip 'the fuzz targets (they need clang++ with libFuzzer)'
    return
  fi
  if ! clang++ -x c++ -fsanitize=fuzzer -o "$scratch/fuzzer" - <<<'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' 2>/dev/null; then
    skip 'the fuzz targets (clang++ has no libFuzzer here)'
    return
  fi
  bench_build fuzz "$bench_root/build/fuzz.log" || {
    fail 'the fuzz targets'
    return
  }
  {
    fuzz_for 30 machine_code_fuzz "$bench_root/common/tests/fuzz_corpus"
    if [[ -x $bench_root/build/fuzz/bin/own_reader_fuzz ]]; then fuzz_for 30 own_reader_fuzz "$bench_root"/own_kernel/examples/*/; fi
  } | checks
  if [[ ! -x $bench_root/build/fuzz/bin/own_reader_fuzz ]]; then skip 'own_reader_fuzz (needs toml++ and muparser)'; fi
}

step_package() {
  rm -f "$kBuild"/cuda-vulkan-bench-*.tar.gz
  (cd "$kBuild" && cpack) >"$kBuild/package.log" 2>&1 || {
    fail "cpack (see $kBuild/package.log)"
    return
  }
  check 'the package in a bare Debian' scripts/tests/package_in_chroot.sh "$kBuild"/cuda-vulkan-bench-*.tar.gz build/chroot
}

step_slurm() {
  if ((EUID == 0)) && ! command -v slurmctld >/dev/null; then
    { apt-get update && apt-get install --no-install-recommends -y slurmctld slurmd slurm-client munge; } >"$kBuild/slurm.log" 2>&1 ||
      note "apt-get failed (see $kBuild/slurm.log)"
  fi
  check 'a fleet on Slurm, with a node that dies' scripts/tests/fleet_on_slurm.sh "$kBuild/bin" build/slurm
}

run_step() {
  local step=$1 started=$SECONDS failures verdict=pass
  failures=$(count_of failed)
  printf '\n== %s\n' "$step"
  "step_$step"
  if (($(count_of failed) > failures)); then verdict=FAIL; fi
  result table "$(printf '%-8s %-8s %4d s' "$step" "$verdict" "$((SECONDS - started))")"
}

# run_beside WAITING COMPUTING: two steps at once; what the first one says is shown when both are done.
run_beside() {
  local step=$1 status=0
  : >"$scratch/beside"
  # A process group of its own: it can be ended, and SIGINT is not ignored in it, as in a script's other background processes.
  set -m
  results=$scratch/beside run_step "$1" </dev/null >"$scratch/output" 2>&1 &
  beside=$!
  set +m
  run_step "$2"
  wait "$beside" || status=$?
  beside=''
  cat "$scratch/output"
  cat "$scratch/beside" >>"$results"
  if ((status)); then fail "the step ended with $status"; fi
}

# named STEP STEP...: whether the first is among the others.
named() { [[ " ${*:2} " == *" $1 "* ]]; }

main() {
  local step other steps=() build_failed=0 setup=--dev
  local -A beside_of
  if [[ ${1:-} == --all ]]; then
    if (($# > 1)); then usage_error '--all is every step: name no others'; fi
    setup=--all
    export BENCH_THOROUGH=1
    shift
    set -- "${kAllSteps[@]}"
  elif [[ ${1:-} == exp[0-9][0-9]* ]]; then
    for other in "$@"; do
      mapfile -t -O "${#near[@]}" near < <(bench_experiments | grep -E "^${other%/}(_|\$)")
      [[ " ${near[*]}" == *" ${other%/}"* ]] || usage_error "no experiment $other; there are: $(bench_experiments | paste -sd ' ')"
    done
    set -- "${kNearSteps[@]}"
  fi
  for step in "$@"; do
    if [[ $step == -h || $step == --help ]]; then usage && exit 0; fi
    [[ " ${kAllSteps[*]} ${kStepsIfNamed[*]} " == *" $step "* ]] ||
      usage_error "unknown step $step; there are: ${kAllSteps[*]} ${kStepsIfNamed[*]}"
  done
  steps=("$@")
  if (($# == 0)); then
    steps=("${kSteps[@]}")
    if ! nvidia-smi >/dev/null 2>&1; then
      note 'no NVIDIA GPU: the CUDA side is not built (scripts/test.sh build unit smoke python builds it)'
      cuda=OFF
    fi
  fi
  cd "$bench_root"
  beside_of=() # what runs beside a step
  if named unit "${steps[@]}"; then
    if named tidy "${steps[@]}"; then beside_of[tidy]=unit; elif named python "${steps[@]}"; then beside_of[python]=unit; fi
  fi
  if named fuzz "${steps[@]}" && named python "${steps[@]}" && [[ -z ${beside_of[python]:-} ]]; then beside_of[python]=fuzz; fi

  for step in "${steps[@]}"; do
    if ((build_failed)) && [[ $kNeedBuild == *" $step "* ]]; then
      result table "$(printf '%-8s %-8s' "$step" 'not run')"
      continue
    fi
    if named "$step" "${beside_of[@]}"; then continue; fi
    other=${beside_of[$step]:-}
    if [[ -n $other ]] && ! { ((build_failed)) && [[ $kNeedBuild == *" $other "* ]]; }; then
      run_beside "$other" "$step"
    else
      run_step "$step"
    fi
    if [[ $step == build ]] && grep -q $'^failed\tbuild: ' "$results"; then build_failed=1; fi
  done

  printf '\n%s\n' '== summary'
  results_of table
  if (($(count_of skipped))); then printf '\nskipped:\n' && results_of skipped | sed 's/^/  /'; fi
  if (($(count_of failed))); then printf '\nfailed:\n' && results_of failed | sed 's/^/  /'; fi
  printf '\n%d passed, %d failed, %d skipped\n' "$(count_of passed)" "$(count_of failed)" "$(count_of skipped)"
  (($(count_of failed) == 0))
}

main "$@"
