#!/usr/bin/env bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=chroots.sh
source "$bench_root/scripts/tests/chroots.sh"

usage() {
  cat <<'EOT'
Usage: scripts/tests/from_nothing.sh [--quick] [--work DIR] [system...]

Before a release: clones the last commit into bare systems (debootstrap's minbase and git), runs scripts/run.sh and then
scripts/test.sh there, and prints their exit codes and seconds, the installation's among them. Needs root, debootstrap and a
network; a Debian takes ten minutes on two cores, all of them an hour.

  bookworm          Debian 12
  bookworm-jinja2   Debian 12; first on PATH a Python that has jinja2 and no pytest
  bookworm-bare     the same; a Python that has no modules
  bookworm-old      the same; a Python that says it is 3.9, and has no tomllib
  trixie            Debian 13
  trixie-gcc13      Debian 13; GCC 13 builds, with warnings as errors, and the unit tests run
  trixie-clang      the same with clang

No Python takes part in the build: where bookworm has built this commit, the three beside another Python begin with its build
folders, and a line says so.

  --quick      scripts/run.sh --quick --only exp01
  --work DIR   where the systems are made (build/from_nothing). The bare ones, and every command's output, stay there
  --help       this text

Exit code: 0 every command exited 0, 1 one did not, 2 usage, 77 what making a system takes is missing (a line says what).
EOT
}

readonly kSystems=(bookworm bookworm-jinja2 bookworm-bare bookworm-old trixie trixie-gcc13 trixie-clang)
# Those of a compiler: its package, the compiler, and what it links with. GCC 13 has a C++ library of its own, older than what Debian
# 13's GoogleTest was built with: the programs link with that, the tests only with the system's.
declare -rA kCompilers=([trixie-gcc13]='g++-13 g++-13 libstdc++.so.6' [trixie-clang]='clang clang++')

# add_second_python ROOT KIND: a virtual environment in /opt/second, first on PATH.
add_second_python() {
  local root=$1 packages
  packages=$root/opt/second/lib/python3.11/site-packages
  inside "$root" sh -c 'apt-get update && apt-get install --no-install-recommends -y python3' || return
  mkdir -p "$packages" "$root/opt/second/bin"
  printf 'home = /usr/bin\ninclude-system-site-packages = false\n' >"$root/opt/second/pyvenv.cfg"
  ln -s /usr/bin/python3 "$root/opt/second/bin/python3"
  case $2 in
    jinja2)
      # shellcheck disable=SC2016  # for that shell
      inside "$root" sh -c 'cd /tmp && apt-get download python3-jinja2 python3-markupsafe &&
        for package in *.deb; do dpkg-deb -x "$package" unpacked || exit; done' || return
      cp -r "$root"/tmp/unpacked/usr/lib/python3/dist-packages/* "$packages"
      inside "$root" python3 -c 'import jinja2'
      ;;
    old) printf 'import sys\nsys.version_info = (3, 9, 2, "final", 0)\nsys.modules["tomllib"] = None\n' >"$packages/sitecustomize.py" ;;
  esac
}

# clone SYSTEM: the last commit. Beside another Python with the build folders of the Debian itself, if those are of that commit.
clone() {
  local suite=$work/$1/root/suite from=$work/${1%%-*}/root/suite preset
  git clone --quiet "$bench_root" "$suite"
  if [[ $1 != *-* || ! -d $from/build || $(git -C "$from" rev-parse HEAD) != $(git -C "$suite" rev-parse HEAD) ]]; then return; fi
  # The same files are as old as those that were built, or Ninja builds them again.
  find "$suite" -exec touch -h -r "$from/CMakeLists.txt" {} +
  mkdir "$suite/build"
  for preset in release ci; do
    if [[ -d $from/build/$preset ]]; then cp -a "$from/build/$preset" "$suite/build/"; fi
  done
  printf '%s begins with the build folders of %s\n' "$1" "${1%%-*}"
}

# try SYSTEM NAME COMMAND...: adds a line to the table.
try() {
  local status=0 started=$SECONDS
  inside "$work/$1" env -C /root/suite "${@:3}" >"$work/$1.$2.log" 2>&1 || status=$?
  if ((status)); then failed=1; fi
  table+=("$(printf '%-16s %-8s %4d %7d  %s' "$1" "$2" "$status" "$((SECONDS - started))" "$(tail -n 1 "$work/$1.$2.log")")")
  printf '%s\n' "${table[-1]}"
}

# try_commands SYSTEM: both, beside whatever Python.
try_commands() {
  if [[ $1 == *-* ]]; then
    add_second_python "$work/$1" "${1#*-}" >"$work/$1.log" 2>&1 || missing "no second Python: $(tail -n 1 "$work/$1.log")"
  fi
  clone "$1"
  try "$1" run.sh "${run[@]}"
  try "$1" test.sh scripts/test.sh
}

# try_compiler SYSTEM PACKAGE COMPILER [LIBRARY]: the programs, and the tests, which link with the system's LIBRARY.
try_compiler() {
  local build="cmake --preset release -DCMAKE_CXX_COMPILER=$3 -DBENCH_WERROR=ON -DBENCH_TESTS=ON && cmake --build --preset release"
  if [[ -n ${4:-} ]]; then
    build="${build/ -DBENCH_TESTS=ON/} && cmake --preset release -DCMAKE_CXX_STANDARD_LIBRARIES=\$(echo /usr/lib/*/$4) && $build"
  fi
  git clone --quiet "$bench_root" "$work/$1/root/suite"
  try "$1" setup.sh scripts/setup.sh --dev
  try "$1" apt-get apt-get install --no-install-recommends -y "$2"
  try "$1" build sh -c "$build"
  try "$1" unit ctest --test-dir build/release --output-on-failure --no-tests=error --label-exclude smoke --parallel "$(nproc)"
}

main() {
  local systems=() run=(scripts/run.sh) work=$bench_root/build/from_nothing system debian failed=0 table=()
  while (($#)); do
    case $1 in
      --quick) run=(scripts/run.sh --quick --only exp01) ;;
      --work)
        [[ -n ${2:-} ]] || usage_error "$1 needs a value"
        work=$2
        shift
        ;;
      -h | --help) usage && exit 0 ;;
      *)
        [[ " ${kSystems[*]} " == *" $1 "* ]] || usage_error "unknown system $1; there are: ${kSystems[*]}"
        systems+=("$1")
        ;;
    esac
    shift
  done
  if ((${#systems[@]} == 0)); then systems=("${kSystems[@]}"); fi

  need_chroots
  mkdir -p "$work"
  for system in "${systems[@]}"; do
    debian=${system%%-*}
    make_bare "$debian" "$work/bare-$debian" git,ca-certificates "$work/debootstrap-$debian.log"
    rm -rf "${work:?}/$system"
    cp -a "$work/bare-$debian" "$work/$system"
    cp -L /etc/resolv.conf "$work/$system/etc/"
    # shellcheck disable=SC2086  # two words or three
    if [[ -n ${kCompilers[$system]:-} ]]; then try_compiler "$system" ${kCompilers[$system]}; else try_commands "$system"; fi
  done
  printf '\n%-16s %-8s %4s %7s  %s\n' system command exit seconds 'last line'
  printf '%s\n' "${table[@]}"
  ((!failed))
}

main "$@"
