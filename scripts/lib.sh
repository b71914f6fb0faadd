# shellcheck shell=bash
# What the scripts share. Source it; it changes nothing but the names it defines, streams that are closed, and what was meant for another Python.

# A standard stream that was closed is /dev/null: otherwise the next file that is opened takes its number, as bash's own of the script does.
is_closed() { [[ -d /proc/$$/fd && (! -e /proc/$$/fd/$1 || /proc/$$/fd/$1 -ef /proc/$$/fd/255) ]]; }
if is_closed 0; then exec </dev/null; fi
if is_closed 1; then exec >/dev/null; fi
if is_closed 2; then exec 2>/dev/null; fi

unset PYTHONHOME PYTHONSAFEPATH

bench_root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

note() { printf '%s\n' "$*" >&2; }

die() {
  note "${0##*/}: $*"
  exit 1
}

usage_error() {
  note "${0##*/}: $* (see --help)"
  exit 2
}

# bench_python [module...]: prints the one Python >= 3.11 that has all of the modules; fails if there is none.
# /usr/bin/python3 comes first: apt's python3-* packages belong to it, and not to whatever else is first on PATH.
# shellcheck disable=SC2120  # no arguments is a fine call
bench_python() {
  local candidate
  for candidate in /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11; do
    if candidate=$(command -v "$candidate") && python_has "$candidate" "$@"; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

# python_has PYTHON [module...]: whether it is 3.11 or newer, has the modules, and says so within 20 s.
python_has() {
  timeout 20 "$1" -c 'import importlib, sys
sys.exit(sys.version_info < (3, 11) or any(importlib.import_module(name) is None for name in sys.argv[1:]))' \
    "${@:2}" </dev/null 2>/dev/null
}

# version_at_least FOUND WANTED: dotted versions.
version_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# The experiments' programs in a folder, one path a line.
bench_programs() {
  local program
  for program in "$1"/exp[0-9][0-9]_*; do
    if [[ -f $program && -x $program ]]; then printf '%s\n' "$program"; fi
  done
}

# bench_files PATTERN...: the repository's files whose paths match, from its top; new ones count before they are added.
bench_files() (
  cd "$bench_root" || exit
  # Not a git checkout (an archive), or git refuses somebody else's: every file outside the build folders.
  { git ls-files --cached --others --exclude-standard 2>/dev/null ||
    find . -path ./.git -prune -o -path './build*' -prune -o -type f -printf '%P\n'; } | sort -u |
    while IFS= read -r file; do
      for pattern in "$@"; do
        # shellcheck disable=SC2053  # the pattern is meant to be one
        if [[ $file == $pattern && -f $file ]]; then
          printf '%s\n' "$file"
          break
        fi
      done
    done
)

# The experiments' names in the sources, one a line.
bench_experiments() {
  grep -rhzoP --include=CMakeLists.txt 'add_experiment\(\s*NAME \K\w+' "$bench_root"/exp[0-9][0-9]_* | tr '\0' '\n' | sort
}

# bench_folder PROGRAM: where its sources are, from the repository's top.
bench_folder() {
  local list
  list=$(grep -rlE --include=CMakeLists.txt "add_experiment\(NAME $1\b" "$bench_root"/exp[0-9][0-9]_*)
  list=${list#"$bench_root/"}
  printf '%s\n' "${list%/CMakeLists.txt}"
}

# For bench_build: further arguments of cmake where it configures.
bench_configure=()

# bench_build PRESET LOG [RUNNER [TARGET...]]: configures and builds, each by the command RUNNER: all, or these targets. The log is
# shown only if that fails.
bench_build() {
  local preset=$1 log=$2 started=$SECONDS status=0
  local cmake=(${3:+"$3"} env -C "$bench_root" cmake) targets=("${@:4}")
  # A checkout that is read-only or somebody else's: what stands in its logs is of an older build.
  if ! { mkdir -p "$(dirname "$log")" "$bench_root/build/$preset" && [[ -w $bench_root/build/$preset ]] && : >"$log"; } 2>/dev/null; then
    note "cannot write to $bench_root/build: build as its owner or in a checkout of your own, or use the programs that are there by --no-build"
    return 1
  fi
  note "building build/$preset (log: ${log#"$bench_root"/})"
  { "${cmake[@]}" --preset "$preset" "${bench_configure[@]}" && "${cmake[@]}" --build --preset "$preset" ${targets[0]:+--target "${targets[@]}"}; } >"$log" 2>&1 || status=$?
  if ((status == 130)); then return 130; fi  # interrupted
  if ((status)); then
    # The first error with its context, then how it ended: a parallel build prints much after its first error.
    grep -nE -m 1 -A 20 'error:|FAILED:|CMake Error' "$log" >&2 || true
    note "..."
    tail -n 20 "$log" >&2
    note "the build failed; all of it: $log"
    return 1
  fi
  grep -E '^-- (CUDA|Vulkan):' "$log" >&2 || true
  note "built in $((SECONDS - started)) s"
}
