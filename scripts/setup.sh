#!/usr/bin/env bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'EOF'
Usage: scripts/setup.sh [--dev] [--check] [--nvdisasm]

Installs, by apt, what building and running the experiments needs and this machine lacks. Says nothing about what is there.
Made for Debian 12 and Ubuntu 24.04; elsewhere it lists what is missing. CUDA is never installed: without nvcc 12.8 or
newer the build is Vulkan-only.

  --dev     also what scripts/test.sh needs
  --check   install nothing; list what is missing
  --nvdisasm
            only fetch a disassembler for scripts/dump_sass.py, where there is none: nvdisasm out of the distribution's package
            nvidia-cuda-toolkit (84 MB), unpacked into build/tools and not installed. That release (11.8 in Debian 12) knows
            GPUs up to compute capability 9.0; the CUDA toolkit's own is better
  --help    this text

Exit code: 0 everything is there, 1 something is missing or too old, 2 usage.
EOF
}

# What to look for, and the package that brings it:  kind  name[|alternative...]  package
#   command: on PATH.  header: under an include folder.  file: a shell pattern.  python: a module, of Python 3.11 or newer.
readonly kRunning='
command  g++                               g++
command  cmake                             cmake
command  ninja                             ninja-build
command  git                               git
command  glslangValidator|glslang          glslang-tools
command  spirv-val                         spirv-tools
command  spirv-cross                       spirv-cross
header   vulkan/vulkan_raii.hpp            libvulkan-dev
header   benchmark/benchmark.h             libbenchmark-dev
header   CLI/CLI.hpp                       libcli11-dev
header   nlohmann/json.hpp                 nlohmann-json3-dev
header   fmt/format.h                      libfmt-dev
header   zstd.h                            libzstd-dev
file     /usr/lib/*/libvulkan.so.1|/usr/lib*/libvulkan.so.1|/usr/local/lib*/libvulkan.so.1   libvulkan1
file     /usr/share/vulkan/icd.d/lvp_icd*.json|/etc/vulkan/icd.d/lvp_icd*.json               mesa-vulkan-drivers
python   jinja2                            python3-jinja2
'
readonly kTesting='
header   gtest/gtest.h                     libgtest-dev
header   gmock/gmock.h                     libgmock-dev
command  clang-format-14                   clang-format-14
command  clang-tidy                        clang-tidy
command  clang++                           clang
file     /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a|/usr/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a   libclang-rt-dev
command  shellcheck                        shellcheck
python   pytest                            python3-pytest
python   xdist                             python3-pytest-xdist
file     /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json|/etc/vulkan/explicit_layer.d/VkLayer_khronos_validation.json   vulkan-validationlayers
'
# For the tests of the report in a browser, which are skipped without one. Ubuntu has it as a snap alone, which no container runs.
readonly kTestingOnDebian='
command  chromium|chromium-browser|google-chrome|chrome   chromium
'
readonly kLockWait=300  # seconds, for another apt to end
readonly kCmakeWanted=3.25 kGccWanted=12 kNvccWanted=12.8

# found KIND NAME[|ALTERNATIVE...]
found() {
  local kind=$1 name names folder
  IFS='|' read -r -a names <<<"$2"
  for name in "${names[@]}"; do
    case $kind in
      command) command -v "$name" >/dev/null && return 0 ;;
      file) compgen -G "$name" >/dev/null && return 0 ;;
      python) bench_python "$name" >/dev/null && return 0 ;;
      header)
        for folder in /usr/include /usr/local/include; do
          [[ -e $folder/$name ]] && return 0
        done
        ;;
    esac
  done
  return 1
}

# Sets `missing` (lines "what -> package") and `packages`.
look() {
  local kind name package
  missing=()
  packages=()
  while read -r kind name package; do
    if [[ -n $kind ]] && ! found "$kind" "$name"; then
      missing+=("$kind ${name%%|*}  (package $package)")
      packages+=("$package")
    fi
  done <<<"$1"
}

# Sets `as_root`: what to put before a command that needs root. Fails where there is no way to be root.
find_root() {
  as_root=()
  if ((EUID == 0)); then return 0; fi
  command -v sudo >/dev/null || return 1
  # Without a terminal sudo cannot ask for a password.
  if [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; then return 1; fi
  as_root=(sudo)
}

list_missing_and_exit() {
  note "setup.sh: $1 Missing:"
  printf '  %s\n' "${missing[@]}" >&2
  note "Install them, as root, with:"
  note "  apt-get update && apt-get install --no-install-recommends -y ${packages[*]}"
  exit 1
}

# Copies apt's words into a file, and shows what apt waits for: at once, and each thing once.
keep_log() {
  local line shown=''
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ $line == 'Waiting for '* && $line != "$shown" ]]; then
      note "setup.sh: $line (at most $kLockWait s)"
      shown=$line
    fi
  done >"$1"
}

# apt refuses to go on where dpkg was interrupted, and what was only unpacked looks as if it were there.
repair_dpkg() {
  if [[ -n $(dpkg --audit 2>/dev/null) ]] && find_root; then
    note "setup.sh: dpkg was interrupted; dpkg --configure -a"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive ${BENCH_RUN:+BENCH_RUN="$BENCH_RUN"} dpkg --configure -a \
      </dev/null >/dev/null || note "setup.sh: dpkg --configure -a failed (see above)"
  fi
}

install_packages() {
  local log=$bench_root/build/setup.log
  mkdir -p "${log%/*}"
  note "setup.sh: installing ${packages[*]} (log: build/setup.log)"
  # With the mark by which scripts/run.sh knows what it has started: sudo drops it.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C ${BENCH_RUN:+BENCH_RUN="$BENCH_RUN"}
    apt-get -o DPkg::Lock::Timeout="$kLockWait")
  # A failed update need not matter: the package lists may be recent enough.
  if ! {
    "${apt[@]}" update || echo "apt-get update failed"
    "${apt[@]}" install --no-install-recommends -y "${packages[@]}"
  } 2>&1 </dev/null | keep_log "$log"; then
    tail -n 15 "$log" >&2
    list_missing_and_exit "apt-get failed (see above)."
  fi
}

check_versions() {
  local version too_old=0
  version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
  if ! version_at_least "$version" "$kCmakeWanted"; then
    note "setup.sh: cmake $version ($(command -v cmake)) is too old: $kCmakeWanted or newer is needed (Debian 12, Ubuntu 24.04, or cmake.org)"
    too_old=1
  fi
  version=$("${CXX:-g++}" -dumpfullversion -dumpversion 2>/dev/null || echo 0)
  if [[ ${CXX:-g++} == *g++* ]] && ! version_at_least "$version" "$kGccWanted"; then
    note "setup.sh: ${CXX:-g++} $version is too old: g++ $kGccWanted or newer is needed (C++20); set CXX to a newer one"
    too_old=1
  fi
  return "$too_old"
}

# CMake looks in the same places, in the same order.
report_cuda() {
  local nvcc version
  for nvcc in ${CUDA_HOME:+"$CUDA_HOME/bin/nvcc"} ${CUDA_PATH:+"$CUDA_PATH/bin/nvcc"} \
      "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    if [[ -x $nvcc ]]; then
      version=$("$nvcc" --version | sed -n 's/.* V\([0-9.]*\).*/\1/p')
      if version_at_least "${version:-0}" "$kNvccWanted"; then
        note "CUDA: nvcc $version ($nvcc)"
        return
      fi
      note "CUDA: nvcc ${version:-of unknown version} ($nvcc) is older than $kNvccWanted: the build is Vulkan-only"
      break
    fi
  done
  if [[ -z ${version:-} ]]; then note "CUDA: no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda: the build is Vulkan-only"; fi
  if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    note "  This machine has an NVIDIA GPU. For the CUDA side install a CUDA toolkit, $kNvccWanted or newer (package cuda-toolkit"
    note "  of https://developer.nvidia.com/cuda-downloads), set CUDA_HOME to it, and build again."
  fi
}

# non_free_source APT-OPTION...: a source line for NVIDIA's package: the archive and the release that this machine's apt uses
# already, with the component that Debian (non-free) or Ubuntu (multiverse) keeps it in. Fails where apt has no package lists.
non_free_source() {
  local archive release origin component
  # shellcheck disable=SC2016  # apt expands these
  IFS='|' read -r archive release origin < <(apt-get "$@" indextargets --format '$(REPO_URI)|$(RELEASE)|$(ORIGIN)' \
    'Created-By: Packages' 'Component: main' | sed 1q) || return
  case $origin in
    Ubuntu) component=multiverse ;;
    *) component=non-free ;;
  esac
  printf 'deb %s %s %s\n' "$archive" "$release" "$component"
}

# Puts nvdisasm into build/tools. apt-get download and dpkg-deb need no root and change nothing outside that folder.
fetch_nvdisasm() {
  local tools=$bench_root/build/tools package=nvidia-cuda-toolkit scratch archive apt=()
  if [[ -x $tools/nvdisasm ]]; then
    note "nvdisasm: $tools/nvdisasm is there already"
    return
  fi
  command -v apt-get >/dev/null || die "there is no apt-get here; install the CUDA toolkit's nvdisasm (package cuda-nvdisasm)"
  mkdir -p "$tools"
  scratch=$(mktemp -d "$tools/fetch.XXXXXX")
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf '$scratch'" EXIT
  note "setup.sh: fetching $package (log: build/tools/fetch.log)"
  : >"$tools/fetch.log"
  find_package
  if ! (cd "$scratch" && apt-get "${apt[@]}" download "$package") >>"$tools/fetch.log" 2>&1; then
    give_up_fetching "apt-get download $package failed (see above)"
  fi
  archive=$(compgen -G "$scratch/*.deb") || die "apt-get download left no package"
  dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$scratch" --wildcards './usr/*/nvdisasm' ||
    die "$package contains no nvdisasm here; install the CUDA toolkit's (package cuda-nvdisasm)"
  find "$scratch/usr" -name nvdisasm -type f -exec mv {} "$tools/nvdisasm" \;
  [[ -x $tools/nvdisasm ]] || die "$package contains no nvdisasm here; install the CUDA toolkit's (package cuda-nvdisasm)"
  note "nvdisasm: $tools/nvdisasm ($("$tools/nvdisasm" --version | sed -n 's/.* V\([0-9.]*\).*/\1/p'))"
}

give_up_fetching() {
  tail -n 5 "$tools/fetch.log" >&2
  die "$@"
}

# Sets `apt`: the options with which apt-get finds the package. (fetch_nvdisasm's variables, as above)
find_package() {
  local source
  if [[ -n $(apt-cache madison "$package") ]]; then return; fi
  # Package lists of our own, so that the machine's stay as they are.
  mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
  local own=(-o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache")
  if ! source=$(non_free_source); then
    # The machine has none, as in a fresh container.
    apt=("${own[@]}")
    apt-get "${apt[@]}" update >>"$tools/fetch.log" 2>&1 || give_up_fetching "apt-get update failed (see above)"
    if [[ -n $(apt-cache "${apt[@]}" madison "$package") ]]; then return; fi
    source=$(non_free_source "${apt[@]}") ||
      give_up_fetching "apt-get update found no package lists (see above): are there sources in /etc/apt, and a network?"
  fi
  printf '%s\n' "$source" >"$scratch/sources.list"
  apt=("${own[@]}" -o "Dir::Etc::SourceList=$scratch/sources.list" -o Dir::Etc::SourceParts=/dev/null)
  apt-get "${apt[@]}" update >>"$tools/fetch.log" 2>&1 ||
    give_up_fetching "no package $package: neither this machine's sources nor '$source' have it"
}

main() {
  local wanted=$kRunning check=0
  while (($#)); do
    case $1 in
      --dev)
        wanted+=$kTesting
        if grep -qx 'ID=debian' /etc/os-release; then wanted+=$kTestingOnDebian; fi
        ;;
      --check) check=1 ;;
      --nvdisasm)
        fetch_nvdisasm
        exit
        ;;
      -h | --help) usage && exit 0 ;;
      *) usage_error "unknown option $1" ;;
    esac
    shift
  done

  if ((!check)); then repair_dpkg; fi
  look "$wanted"
  if ((${#packages[@]})); then
    if ((check)); then list_missing_and_exit "--check installs nothing."; fi
    command -v apt-get >/dev/null || list_missing_and_exit "there is no apt-get here."
    find_root || list_missing_and_exit "installing needs root, and there is no sudo that works here."
    install_packages
    look "$wanted"
    if ((${#packages[@]})); then list_missing_and_exit "apt-get succeeded, and yet something is not where it is looked for."; fi
  fi
  check_versions
  report_cuda
}

main "$@"
