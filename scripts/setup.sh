#!/usr/bin/env bash
if [ -z "${BASH_VERSION:-}" ]; then exec bash "$0" "$@"; fi # sh scripts/setup.sh
if [[ ${BASH_SOURCE[0]} != "$0" ]]; then echo "${BASH_SOURCE[0]}: start it, do not source it" >&2 && return 2; fi # or the reader's shell ends
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

usage() {
  cat <<'EOF'
Usage: scripts/setup.sh [--dev | --all] [--check] [--nvdisasm] [--glslang] [--headers] [--mesa] [--hip]

Installs, by apt, what building and running the experiments needs and this machine lacks. Says nothing about what is there.
Made for Debian 12 and 13 and Ubuntu 24.04; elsewhere it lists what is missing. CUDA is never installed: without nvcc 12.8 or
newer the build is Vulkan-only.

  --dev     also what scripts/test.sh needs
  --all     also what scripts/test.sh --all uses: linters, a fuzzer's library, a browser. What a distribution lacks of it is left out
  --check   install nothing; list what is missing
  --nvdisasm
            only fetch a disassembler for scripts/dump_sass.py, where there is none: nvdisasm 11.8 out of Debian 12's package
            nvidia-cuda-toolkit (84 MB), checked by its hash, in build/tools and not installed. That release knows GPUs up to
            compute capability 9.0; the CUDA toolkit's own is better
  --glslang
            only fetch a newer glslang for kernels with cooperative matrices, where the system's is too old for one of them: Debian's
            packages (9 MB), checked by their hashes, unpacked into build/tools with the C library they need, and not installed.
            Without --check the other ways to call this do the same. Where it cannot be had, those kernels are left out
  --headers only fetch newer Vulkan headers, where the system's do not know all that the suite asks of a device: Debian's package
            (2 MB), in the same way. Without --check the other ways to call this do the same. Nothing is built without them
  --mesa    only fetch Mesa's compilers for AMD's and NVIDIA's GPUs, for scripts/dump_sass.py --chip: Debian's packages (70 MB), in
            the same way, and kernel drivers that only pretend, so that no GPU is needed. Nothing else wants them
  --hip     only fetch a compiler of HIP for AMD's GPUs, for scripts/dump_sass.py --hip: Debian's clang 19 (65 MB), in the same way
  --help    this text

Exit code: 0 everything is there, 1 something is missing or too old, 2 usage.
EOF
}

# What to look for, and the package that brings it:  kind  name[|alternative...]  package
#   command: on PATH.  header: under an include folder.  file: a shell pattern.
#   python: a module. One Python, 3.11 or newer, has to have all of them; apt's packages are for /usr/bin/python3.
readonly kRunning='
command  g++                               g++
command  cmake                             cmake
command  ninja                             ninja-build
command  git                               git
command  glslangValidator|glslang          glslang-tools
command  spirv-val                         spirv-tools
command  xz                                xz-utils
header   vulkan/vulkan_raii.hpp            libvulkan-dev
header   benchmark/benchmark.h             libbenchmark-dev
header   CLI/CLI.hpp                       libcli11-dev
header   nlohmann/json.hpp                 nlohmann-json3-dev
header   fmt/format.h                      libfmt-dev
header   zstd.h                            libzstd-dev
header   toml++/toml.h                     libtomlplusplus-dev
header   muParser.h                        libmuparser-dev
file     /usr/lib/*/libvulkan.so.1|/usr/lib*/libvulkan.so.1|/usr/local/lib*/libvulkan.so.1   libvulkan1
file     /usr/share/vulkan/icd.d/lvp_icd*.json|/etc/vulkan/icd.d/lvp_icd*.json               mesa-vulkan-drivers
python   jinja2                            python3-jinja2
'
readonly kTesting='
header   gtest/gtest.h                     libgtest-dev
header   gmock/gmock.h                     libgmock-dev
python   pytest                            python3-pytest
python   xdist                             python3-pytest-xdist
file     /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json|/etc/vulkan/explicit_layer.d/VkLayer_khronos_validation.json   vulkan-validationlayers
'
# Whatever is missing of these, the rest is built and tested; what needs it is skipped.
readonly kOptional='
command  clang-format-14                   clang-format-14
command  clang-tidy                        clang-tidy
command  clang++                           clang
file     /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a|/usr/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a   libclang-rt-dev
command  shellcheck                        shellcheck
command  flake8                            flake8
'
# For the tests of the report in a browser. Ubuntu has it as a snap alone, which no container runs.
readonly kOptionalOnDebian='
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
  local kind name package modules=() module_packages=() i
  missing=()
  packages=()
  while read -r kind name package; do
    if [[ $kind == python ]]; then
      modules+=("$name")
      module_packages+=("$package")
    elif [[ -n $kind ]] && ! found "$kind" "$name"; then
      missing+=("$kind ${name%%|*}  (package $package)")
      packages+=("$package")
    fi
  done <<<"$1"
  if ((${#modules[@]} == 0)) || bench_python "${modules[@]}" >/dev/null; then return; fi
  # apt brings what /usr/bin/python3 lacks, whatever another Python has.
  for i in "${!modules[@]}"; do
    if ! python_has /usr/bin/python3 "${modules[i]}"; then
      missing+=("python ${modules[i]}, of /usr/bin/python3 3.11 or newer  (package ${module_packages[i]})")
      packages+=("${module_packages[i]}")
    fi
  done
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

# install_packages PACKAGE...: all of them, or those that there are.
install_packages() {
  local log=$bench_root/build/setup.log package there=()
  mkdir -p "${log%/*}"
  note "setup.sh: installing $* (log: build/setup.log)"
  # With the mark by which scripts/run.sh knows what it has started: sudo drops it.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C ${BENCH_RUN:+BENCH_RUN="$BENCH_RUN"}
    apt-get -o DPkg::Lock::Timeout="$kLockWait") install=(install --no-install-recommends -y)
  # A failed update need not matter: the package lists may be recent enough.
  if {
    "${apt[@]}" update || echo "apt-get update failed"
    "${apt[@]}" "${install[@]}" "$@"
  } 2>&1 </dev/null | keep_log "$log"; then
    return
  fi
  # One package that a distribution lacks stops apt-get altogether.
  for package in "$@"; do
    if "${apt[@]}" "${install[@]}" --simulate "$package" </dev/null >/dev/null 2>&1; then
      there+=("$package")
    else
      note "setup.sh: apt-get cannot install $package here: left out"
    fi
  done
  if ((${#there[@]} == 0 || ${#there[@]} == $#)) || ! "${apt[@]}" "${install[@]}" "${there[@]}" 2>&1 </dev/null | keep_log "$log"; then
    tail -n 15 "$log" >&2
    note "setup.sh: apt-get failed (see above)"
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

# Debian's glslang 16.6 and the libraries that it needs, newer than an old system's: the hash, and the place in the archive.
readonly kGlslangWanted=15.4 kDebianArchives='http://deb.debian.org/debian http://snapshot.debian.org/archive/debian/20261123T000000Z'
readonly kGlslangPackages='
81e5c744084d19951502139231d0e2c5a48d49377c1e0bb4fdfdcd68bbb84be4 g/glslang/glslang-tools_16.6.0-1_amd64.deb
5c71715c51103beb4fbba9fe9f8dff604af6610dfa71c70bff342f54a7860803 g/glibc/libc6_2.43-7_amd64.deb
e716dc8baad27e884c45ff83a76955047a7a9e33a80e94f9459ee996ebb800b0 g/gcc-16/libgcc-s1_16.2.0-3_amd64.deb
7c9e1a89e6c0b9202699957b469c06d0b86f5c97e86c1ff912b6502ddd8793b6 g/gcc-16/libstdc++6_16.2.0-3_amd64.deb
'

# The version of a glslang; 0 where it does not run.
glslang_version() { "$1" --version 2>/dev/null | sed -n 's/^Glslang Version: [0-9]*:\{0,1\}\([0-9.]*\).*/\1/p' | grep . || echo 0; }

# Whether the system's glslang, or the one in build/tools, knows all that the kernels here are written in.
has_new_glslang() {
  local program
  for program in glslangValidator glslang "$bench_root/build/tools/glslang"; do
    if command -v "$program" >/dev/null && version_at_least "$(glslang_version "$program")" "$kGlslangWanted"; then return; fi
  done
  return 1
}

# Debian's Vulkan headers, and the youngest extension that the suite reads from them (as in cmake/VulkanHeaders.cmake).
readonly kVulkanWanted=VK_EXT_shader_float8
readonly kVulkanPackages='
518e000aa44620ed45e3c842b81488e019b9794e234746366ece31f01221702c v/vulkan-loader/libvulkan-dev_1.4.363.0-1_amd64.deb
'

# fetch_packages LIST FOLDER [ARCHIVES [COMPONENT]]: Debian's packages, unpacked into a folder of build/tools, whole or not at all.
fetch_packages() {
  local archives=${3:-$kDebianArchives} component=${4:-main} tools=$bench_root/build/tools helper=/usr/lib/apt/apt-helper scratch hash place archive
  if [[ ! -x $helper ]] || ! command -v dpkg-deb >/dev/null; then
    note "setup.sh: nothing can be fetched without apt (apt-helper, dpkg-deb)"
    return 1
  fi
  mkdir -p "$tools"
  scratch=$(mktemp -d "$tools/fetch.XXXXXX")
  while read -r hash place; do
    if [[ -z $hash ]]; then continue; fi
    for archive in $archives; do
      # apt's own downloader: it compares the hash.
      if "$helper" download-file "$archive/pool/$component/$place" "$scratch/package.deb" "SHA256:$hash" >>"$tools/fetch.log" 2>&1; then break; fi
      rm -f "$scratch/package.deb"
    done
    if [[ ! -f $scratch/package.deb ]] || ! dpkg-deb -x "$scratch/package.deb" "$scratch/root"; then
      rm -rf "$scratch"
      note "setup.sh: ${place##*/} could not be fetched (see build/tools/fetch.log)"
      return 1
    fi
    rm "$scratch/package.deb"
  done <<<"$1"
  rm -rf "${tools:?}/$2"
  mv "$scratch/root" "$tools/$2"
  rmdir "$scratch"
}

# fetch_root FOLDER WHAT NAME LIST ARCHIVES [ELSE]: fetch_packages of programs for x86-64, with a word on how it goes.
fetch_root() {
  if [[ $(uname -m) != x86_64 ]]; then
    note "setup.sh: no $2 to fetch but for x86-64"
    return 1
  fi
  note "setup.sh: fetching $3 (log: build/tools/fetch.log)"
  if ! fetch_packages "$4" "$1" "$5"; then
    note "setup.sh: no $2 here${6:-}"
    return 1
  fi
}

# Debian's Mesa 26.2 with the kernel drivers that pretend (mesa-drm-shim), and the libraries that both need, the C library among
# them. LLVM is RADV's disassembler.
readonly kMesaVersion=26.2.6 kMesaArchives='http://deb.debian.org/debian http://snapshot.debian.org/archive/debian/20261128T000000Z'
readonly kMesaPackages='
8b5b50893d4963801d2ad3a7e020912b871f48a2fff5bb8349787bf40e80248b m/mesa/mesa-drm-shim_26.2.6-1_amd64.deb
fe78bf25497ad1a7afae87cc59838fe86344d811e2e87d6f8047612fae521711 m/mesa/mesa-vulkan-drivers_26.2.6-1_amd64.deb
dde2ab88aebdc4dfc017c5309cd17917f7230f1684fb82551390089cf0b7ced1 e/elfutils/libelf1t64_0.196-1_amd64.deb
190d7f5e45f070c42a12f708fe417d6636cb45fae71175203168bb5c3695081b e/expat/libexpat1_2.9.0-1_amd64.deb
d251ea642c3795e8723ac2b9eeebe511467ca04590ba70f3d555a7616787d7e3 g/gcc-16/libgcc-s1_16.2.0-4_amd64.deb
cef6654bba1daece0bc0dbe0e3f69fa5a26eb6ba139f3536e6f4806bd787f3e7 g/gcc-16/libstdc++6_16.2.0-4_amd64.deb
5c71715c51103beb4fbba9fe9f8dff604af6610dfa71c70bff342f54a7860803 g/glibc/libc6_2.43-7_amd64.deb
4c4a1219e6d3b38024f13d1781f398dc1ebeca759a3bafd2cc9dc9366e6f741e l/llvm-toolchain-22/libllvm22_22.1.8-3_amd64.deb
0383e47d704a5e58080606cbcafd2f2aa725702767ccf8b877fb224d04ff38c5 libb/libbsd/libbsd0_0.12.2-3_amd64.deb
dfc160ad29f280ec15fea4d3d61536d2b477b37288b53276bbd121a185d801d6 libd/libdisplay-info/libdisplay-info3_0.3.0-1+b1_amd64.deb
b7282a3422545c6cb488c3f4f5740844ad06c31030e7b9600700342a807ff519 libd/libdrm/libdrm-amdgpu1_2.4.134-3_amd64.deb
e1a841ed70c7b7bbd9a03f41c781101d668db0d35b4eee58d7705a6c32b88aaa libd/libdrm/libdrm2_2.4.134-3_amd64.deb
85133718b6f81f44c88c4d95162e4e39af1521fbbd97d108d36294a37076a4cd libe/libedit/libedit2_3.1-20260512-1_amd64.deb
8f52979b2f3831088c419aae858f10fd3ad7e42cc6c1d28967bae996a98223a4 libf/libffi/libffi8_3.8.0-2_amd64.deb
b93615e08319799bedd98a68643d607b06a7713365f829fb3cae131f8a3b81b1 libm/libmd/libmd0_1.3.0-1_amd64.deb
3e516f161b8306e0ee556efb45a722ccd69b4da3d809ae0735b2c5c1afb9ca90 libx/libx11/libx11-xcb1_1.8.14-1_amd64.deb
f3046e170bd21969a063e23c1f1be28b16d82d02d3a4ea30e61c8497c6a736c2 libx/libxau/libxau6_1.0.11-1+b2_amd64.deb
0615ec62c1ac2c4849c04cd6c663d7397287e5c6e9a3fa4f4a42cbe545be4d79 libx/libxcb/libxcb-dri3-0_1.17.0-2+b2_amd64.deb
6003cce386cf8cd7502022d8f91ffe92911e9d360477ce987eb8660294490a43 libx/libxcb/libxcb-present0_1.17.0-2+b2_amd64.deb
a0e3b0ff8137d2fa3ef3de2b1a58f3e56f70c67e9edbf08ffaa298ecc14676e6 libx/libxcb/libxcb-randr0_1.17.0-2+b2_amd64.deb
12299c866c4b5e7b9da3ca7f1b9fbba992b744e10684e8f19830def9bc18ce67 libx/libxcb/libxcb-shm0_1.17.0-2+b2_amd64.deb
1c6b418990335aeb1259ac8e27022f6b6aa97410c0617935933abccd0aa8c831 libx/libxcb/libxcb-sync1_1.17.0-2+b2_amd64.deb
b9ebf6d05c193da5776c02879ca605eaa8f4baa2a847f4d562154bdeafa8966c libx/libxcb/libxcb-xfixes0_1.17.0-2+b2_amd64.deb
86d6a614fe7b663610b4d170c84ef6f4371b3ef8e2af5df7e1e4a82b2c290119 libx/libxcb/libxcb1_1.17.0-2+b2_amd64.deb
3170f2aaf8e5ec69547c04cba0064dcb05ad08b37b9bf2c6775468dbc3b0e7ec libx/libxdmcp/libxdmcp6_1.1.5-2+b1_amd64.deb
f2b4d9acff743ff71f5409ae301452ebbb37d0d8709cf46fc9ec755d7df803ff libx/libxml2/libxml2-16_2.15.4+dfsg-1+b1_amd64.deb
9fcb725191a740fc5d07609b04de5f2d60e10aac25f496848c6cf5aaae4b0204 libx/libxshmfence/libxshmfence1_1.3.3-1+b2_amd64.deb
93e7930e4c25b918f1dd980cc1c6d4487654a248f5fa71eacb976ed7bbe954bd libz/libzstd/libzstd1_1.5.7+dfsg-4_amd64.deb
14682d1f6e35df22df0fe1eb2c09418aff0e29e2ea5a7bc0aa1bcd37192ba5a7 n/ncurses/libtinfo6_6.6+20260608-2_amd64.deb
b432b1d30319f371efe776209e36143a23289285dd26d41751e89ad4a88b2c33 w/wayland/libwayland-client0_1.26.0-1_amd64.deb
17a0b6d5dba8db60732334ae3eb6be5f0c58f72a77304311add514a4d55bc434 z/z3/libz3-4_4.13.3-1.1_amd64.deb
8506ce550a81ac14b047608e0df121037d9cbb10c3cc28446f68cf8c1d9d31ce z/zlib/zlib1g_1.3.dfsg+really1.3.2-4_amd64.deb
'

# Debian 13's clang 19 with HIP's headers and AMD's device library, and what they need.
readonly kHipVersion=19.1.7 kHipArchives='http://deb.debian.org/debian http://snapshot.debian.org/archive/debian/20261128T000000Z'
readonly kHipPackages='
bbb74458d782b7792b61b0eed92746df5e6d033778c045cf8c2b3835b7c4efc4 l/llvm-toolchain-19/clang-19_19.1.7-3+b1_amd64.deb
a7d2b6df51050834f6ea5c0d5e34869c2298b0bcdaa91eff17ba3db2cd545c47 l/llvm-toolchain-19/libclang-cpp19_19.1.7-3+b1_amd64.deb
db0d614d61345ca710fb73e75105f1ec6e38898fa7b3aa99fa7eb7d8b0a11d57 l/llvm-toolchain-19/libllvm19_19.1.7-3+b1_amd64.deb
4018e40e2d4144fe38c45822e68cca63c1bf6c7872c3073ebb262ad4b2f9b8bc l/llvm-toolchain-19/libclang-common-19-dev_19.1.7-3+b1_amd64.deb
471242c9d89ce6aca57b2dc75eabbeb872d787f70d3b92144c58bb444e6256a1 r/rocm-hipamd/libamdhip64-dev_5.7.1-6+deb13u1_amd64.deb
fa10f0f5be5269c715492e4e3d3816f956a4d8b9098443d54052d351cfda9213 r/rocm-device-libs/rocm-device-libs-17_6.0+git20231212.5a852ed-2_amd64.deb
e0c6b63ce4602a036a526f60fe5e6c1586710688058d98fc1001b9b3147b7efd libx/libxml2/libxml2_2.12.7+dfsg+really2.9.14-2.1+deb13u3_amd64.deb
c1bf762996de9ecba9b9d871e4928a8090f023a3e9e7fa3240b3d90f892a01dc i/icu/libicu76_76.1-4_amd64.deb
b38acab30f295bf1066a6632e31cbd0a1980f2924b38040cda131d5dea5384ec x/xz-utils/liblzma5_5.8.1-1+deb13u2_amd64.deb
b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf g/glibc/libc6_2.41-12+deb13u5_amd64.deb
3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150 g/gcc-14/libgcc-s1_14.2.0-19_amd64.deb
ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0 g/gcc-14/libstdc++6_14.2.0-19_amd64.deb
71383373523ef62d47eccf660cf6535c3febcbb3f88e54cb7a43124014b57359 z/z3/libz3-4_4.13.3-1_amd64.deb
b002ea172b9c1e34a67bc497c523c67bb74c3f0a4e98113cb083990a1f1d3bfe libe/libedit/libedit2_3.1-20250104-1_amd64.deb
8b9f6a7983e9418564e48a627518de4c03917b56efe68d7f3e93bd8fffa1cc10 n/ncurses/libtinfo6_6.5+20250216-2_amd64.deb
e5a85986fa6bec3307ab1bc860736b478b331882bc45e17675a7bdf88eecb43a libb/libbsd/libbsd0_0.12.2-2_amd64.deb
7244ec3839b61fac0c1884fe08aaa040f26e8f1f35f1f5d3482eacefd30d1b44 libm/libmd/libmd0_1.1.0-2+b1_amd64.deb
8c27c342230503b73dfde629642c3b352e87b554e06d60cf58772f236a305ceb z/zlib/zlib1g_1.3.dfsg+really1.3.1-1+deb13u1_amd64.deb
2f6a2aeacfc925eba8b00ac9139bc4bfccf8cacb09eb93de067074b26948eef9 libz/libzstd/libzstd1_1.5.7+dfsg-1_amd64.deb
0ebdc340de33333639c3c63874cd4b15ac2e83dfa1ef3053b7eefaf4919f4f68 libf/libffi/libffi8_3.4.8-2_amd64.deb
'

# Debian 12's package of NVIDIA's disassembler.
readonly kNvdisasmPackages='
d1156026e704fe0368b6295db06224ed00a727966fb13454f34e3f3102db0457 n/nvidia-cuda-toolkit/nvidia-cuda-toolkit_11.8.89~11.8.0-5~deb12u1_amd64.deb
792157a3fdd0183024eed94eae9ea5ce76d7925118333cc99449171054ae4fb9 n/nvidia-cuda-toolkit/nvidia-cuda-toolkit_11.8.89~11.8.0-5~deb12u1_arm64.deb
'

# Puts nvdisasm into build/tools.
fetch_nvdisasm() {
  local tools=$bench_root/build/tools root=$bench_root/build/tools/nvdisasm.root instead="install the CUDA toolkit's (package cuda-nvdisasm)" arch found
  if [[ -x $tools/nvdisasm ]]; then
    note "nvdisasm: $tools/nvdisasm is there already"
    return
  fi
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) die "no nvdisasm to fetch for $(uname -m); $instead" ;;
  esac
  note "setup.sh: fetching nvdisasm (log: build/tools/fetch.log)"
  fetch_packages "$(grep "_$arch.deb" <<<"$kNvdisasmPackages")" nvdisasm.root "$kMesaArchives" non-free || die "no nvdisasm here; $instead"
  found=$(find "$root/usr" -name nvdisasm -type f)
  if [[ -n $found ]]; then mv "$found" "$tools/nvdisasm"; fi
  rm -rf "$root"
  [[ -n $found ]] || die "the package contains no nvdisasm; $instead"
  note "nvdisasm: $tools/nvdisasm ($("$tools/nvdisasm" --version | sed -n 's/.* V\([0-9.]*\).*/\1/p'))"
}

# Whether the system's Vulkan headers, or those in build/tools, know all that the suite asks of a device.
has_new_headers() {
  local folder
  for folder in /usr/include /usr/local/include ${VULKAN_SDK:+"$VULKAN_SDK/include"} "$bench_root/build/tools/vulkan/usr/include"; do
    if [[ -e $folder/vulkan/vulkan_raii.hpp ]] && grep -qs "define $kVulkanWanted 1" "$folder/vulkan/vulkan_core.h"; then return; fi
  done
  return 1
}

# Puts newer Vulkan headers into build/tools, where CMake finds them. They are the same for every machine.
fetch_headers() {
  local version=$bench_root/build/tools/vulkan/usr/include/vulkan/vulkan_core.h
  if has_new_headers; then return; fi
  note "setup.sh: fetching newer Vulkan headers (log: build/tools/fetch.log)"
  if ! fetch_packages "$kVulkanPackages" vulkan; then
    note "setup.sh: no Vulkan headers here that know $kVulkanWanted: the suite cannot be built"
    return 1
  fi
  rm -rf "$bench_root"/build/tools/vulkan/usr/{lib,share/vulkan,share/cmake}  # half of it, for other tools
  note "Vulkan: headers 1.4.$(sed -n 's/^#define VK_HEADER_VERSION //p' "$version") ($bench_root/build/tools/vulkan)"
}

# Puts a newer glslang into build/tools, where CMake finds it. Fails, with a word on what is then left out, where it cannot.
fetch_glslang() {
  local tools=$bench_root/build/tools left_out='kernels with cooperative matrices may be left out'
  if has_new_glslang; then return; fi
  fetch_root glslang.root "glslang $kGlslangWanted or newer" "a newer glslang" "$kGlslangPackages" "$kDebianArchives" || {
    note "setup.sh: $left_out"
    return 1
  }
  # The program runs with the C library that came with it.
  cat >"$tools/glslang" <<'WRAPPER'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")/glslang.root/usr
exec "$here/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" --library-path "$here/lib/x86_64-linux-gnu" "$here/bin/glslang" "$@"
WRAPPER
  chmod +x "$tools/glslang"
  note "glslang: $tools/glslang ($(glslang_version "$tools/glslang"))"
}

# Puts Mesa's compilers into build/tools, and the script that runs a program on them.
fetch_mesa() {
  local tools=$bench_root/build/tools driver
  if [[ -x $tools/mesa && $(cat "$tools/mesa.root/version" 2>/dev/null) == "$kMesaVersion" ]]; then
    note "Mesa: $tools/mesa is there already"
    return
  fi
  fetch_root mesa.root "Mesa" "Mesa $kMesaVersion" "$kMesaPackages" "$kMesaArchives" " but the system's" || return
  # Only the two drivers whose chips can be pretended.
  for driver in asahi freedreno gfxstream intel intel_hasvk lvp virtio; do
    rm -f "$tools/mesa.root/usr/lib/x86_64-linux-gnu/libvulkan_$driver.so"
  done
  rm -rf "$tools/mesa.root/usr/share/doc"
  cat >"$tools/mesa" <<'WRAPPER'
#!/bin/sh
# mesa amdgpu|nouveau CHIP PROGRAM [ARGUMENT...]: the program on Mesa's Vulkan driver for a chip that is not there. The program
# runs with the C library that came with Mesa.
here=$(dirname "$(readlink -f "$0")")/mesa.root/usr
lib=$here/lib/x86_64-linux-gnu kernel_driver=$1 chip=$2
shift 2
case $kernel_driver in
  amdgpu) export AMDGPU_GPU_ID="$chip" VK_DRIVER_FILES="$here/share/vulkan/icd.d/radeon_icd.json" ;;
  nouveau) export NOUVEAU_CHIPSET="$chip" VK_DRIVER_FILES="$here/share/vulkan/icd.d/nouveau_icd.json" NVK_I_WANT_A_BROKEN_VULKAN_DRIVER=1 ;;
  *) exit 2 ;;
esac
unset RADV_FORCE_FAMILY
export MESA_SHADER_CACHE_DISABLE=true
exec "$lib/ld-linux-x86-64.so.2" --library-path "$lib:/usr/lib/x86_64-linux-gnu" --preload "$lib/lib${kernel_driver}_noop_drm_shim.so" "$@"
WRAPPER
  chmod +x "$tools/mesa"
  echo "$kMesaVersion" >"$tools/mesa.root/version"
  note "Mesa: $tools/mesa ($kMesaVersion)"
}

# AMD's device library is older than gfx1201, which the compiler knows: the one number that it wants of a chip.
know_gfx1201() {
  local root=$bench_root/build/tools/hip.root/usr number
  local lib=$root/lib/x86_64-linux-gnu llvm=$root/lib/llvm-19
  number=$root/lib/llvm-17/lib/clang/17/amdgcn/bitcode/oclc_isa_version_1201.bc
  if [[ -f $number ]]; then return; fi
  "$lib/ld-linux-x86-64.so.2" --library-path "$lib:$llvm/lib" "$llvm/bin/clang" -x ir --target=amdgcn-amd-amdhsa -nogpulib -c -emit-llvm - -o "$number.new" \
    <<<'@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 12001, align 4' >>"$bench_root/build/tools/fetch.log" 2>&1 &&
    mv "$number.new" "$number"
}

# Puts a compiler of HIP into build/tools, and the script that runs it.
fetch_hip() {
  local tools=$bench_root/build/tools
  if [[ -x $tools/hip && $(cat "$tools/hip.root/version" 2>/dev/null) == "$kHipVersion" ]]; then
    know_gfx1201
    note "HIP: $tools/hip is there already"
    return
  fi
  fetch_root hip.root "compiler of HIP" "clang $kHipVersion for HIP" "$kHipPackages" "$kHipArchives" || return
  cat >"$tools/hip" <<'WRAPPER'
#!/bin/sh
# hip CHIP SOURCE OUTPUT [OPTION...]: the assembly that LLVM makes of the kernels in a CUDA C++ file, read as HIP.
root=$(dirname "$(readlink -f "$0")")/hip.root/usr
lib=$root/lib/x86_64-linux-gnu llvm=$root/lib/llvm-19 chip=$1 source=$2 output=$3
shift 3
exec "$lib/ld-linux-x86-64.so.2" --library-path "$lib:$llvm/lib" "$llvm/bin/clang" -resource-dir "$llvm/lib/clang/19" \
  -x hip --offload-arch="$chip" --offload-device-only -std=c++17 -O3 -S -fno-exceptions --rocm-path="$root" \
  --rocm-device-lib-path="$root/lib/llvm-17/lib/clang/17/amdgcn/bitcode" -I"$root/include" -D__HIP_PLATFORM_AMD__ \
  -include hip/hip_runtime.h -Wno-unused-command-line-argument "$@" -o "$output" "$source"
WRAPPER
  chmod +x "$tools/hip"
  know_gfx1201
  echo "$kHipVersion" >"$tools/hip.root/version"
  note "HIP: $tools/hip (clang $kHipVersion)"
}

main() {
  local wanted=$kRunning optional='' check=0 needed=() extra=()
  while (($#)); do
    case $1 in
      --dev) wanted=$kRunning$kTesting ;;
      --all)
        wanted=$kRunning$kTesting
        optional=$kOptional
        if grep -qx 'ID=debian' /etc/os-release; then optional+=$kOptionalOnDebian; fi
        ;;
      --check) check=1 ;;
      --nvdisasm | --glslang | --headers | --mesa | --hip)
        "fetch_${1#--}"
        exit
        ;;
      -h | --help) usage && exit 0 ;;
      *) usage_error "unknown option $1" ;;
    esac
    shift
  done

  if ((!check)); then repair_dpkg; fi
  look "$optional"
  extra=("${packages[@]}")
  look "$wanted"
  needed=("${packages[@]}")
  if ((!check && ${#needed[@]} + ${#extra[@]})); then
    if ! command -v apt-get >/dev/null; then
      if ((${#needed[@]})); then list_missing_and_exit "there is no apt-get here."; fi
    elif ! find_root; then
      if ((${#needed[@]})); then list_missing_and_exit "installing needs root, and there is no sudo that works here."; fi
    else
      install_packages "${needed[@]}" "${extra[@]}"
    fi
  fi
  look "$optional"
  if ((${#missing[@]})); then printf 'setup.sh: not here, and skipped by the tests: %s\n' "${missing[@]}" >&2; fi
  look "$wanted"
  if ((${#packages[@]})); then
    if ((check)); then list_missing_and_exit "--check installs nothing."; fi
    list_missing_and_exit "apt-get did not bring all of it (log: build/setup.log)."
  fi
  check_versions
  report_cuda
  if ((check)); then
    if ! has_new_headers; then
      missing=("Vulkan headers that know $kVulkanWanted  (scripts/setup.sh --headers)")
      note "setup.sh: --check installs nothing. Missing:"
      printf '  %s\n' "${missing[@]}" >&2
      exit 1
    fi
    return
  fi
  fetch_glslang || true
  fetch_headers
}

main "$@"
