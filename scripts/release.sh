#!/usr/bin/env bash
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

usage() {
  cat <<'EOT'
Usage: scripts/release.sh [--trial] [--out DIR] [--samples COMMIT] [--archs LIST] [--no-package] [suite...]

Makes a release's files of the last commit, and checks them: the package of programs for Linux on x86-64, the archive of the source, the archive of
results with samples, listings and reports, a page that says what each is, and SHA256SUMS (scripts/release.py). Then, in bare Debians that it makes by
debootstrap (it takes root), the package runs with a Vulkan driver and Python alone, and README's and RULES' figures are made again from the two archives, byte for
byte. Publishes nothing.

  --trial            also where something stops a release: changed files, figures that rest on rows older than the round. It says which
  --out DIR          where the files go (build/release-files)
  --samples COMMIT   the samples that this commit has, as well
  --archs LIST       CUDA architectures of the package (75;80;86;89;90a;100;120, those that nvcc has; and PTX)
  --no-package       makes no package: one that lies in DIR stays
  suite...           the systems (bookworm trixie); none: checks in none

Exit code: 0 all of it holds, 1 something does not, 2 usage, 77 what making a system takes is missing.
EOT
}

# The architectures that nvcc can compile for, of those wanted; 90a is compute_90's.
archs_of_nvcc() {
  local known arch found=()
  known=$("${CUDA_HOME:+$CUDA_HOME/bin/}nvcc" --list-gpu-arch) || die 'the package needs nvcc, on PATH or in CUDA_HOME'
  for arch in ${1//;/ }; do
    if grep -qx "compute_${arch%[a-z]}" <<<"$known"; then found+=("$arch"); else note "nvcc has no compute_$arch"; fi
  done
  (
    IFS=';'
    printf '%s\n' "${found[*]}"
  )
}

# make_package OUT ARCHS: every program has an image for every architecture.
make_package() {
  local build=$bench_root/build/package arch image
  cmake --preset release -B "$build" -DBENCH_CUDA_ARCHS="$2" >"$build.log" 2>&1 || die "cmake failed (see $build.log)"
  rm -f "$build"/cuda-vulkan-bench-*.tar.gz
  cmake --build "$build" --target package >>"$build.log" 2>&1 || die "the package was not built (see $build.log)"
  for arch in ${2//;/ }; do
    image=$build/exp01_vector_add/exp01_kernels/add_f32.sm_$arch.cubin
    [[ -s $image ]] || die "no image for sm_$arch: $image"
  done
  cp "$build"/cuda-vulkan-bench-*.tar.gz "$1"
  printf 'the package has images for %s and PTX\n' "$2"
}

main() {
  local out=$bench_root/build/release-files archs='75;80;86;89;90a;100;120' package=yes told=() suites=() suite python
  while (($#)); do
    case $1 in
      --trial) told+=(--trial) ;;
      --no-package) package=no ;;
      --out | --samples | --archs)
        [[ -n ${2:-} ]] || usage_error "$1 needs a value"
        case $1 in
          --out) out=$2 ;;
          --samples) told+=(--samples "$2") ;;
          --archs) archs=$2 ;;
        esac
        shift
        ;;
      -h | --help) usage && exit 0 ;;
      -*) usage_error "unknown option $1" ;;
      *) suites+=("$1") ;;
    esac
    shift
  done
  if ((${#suites[@]} == 0)); then suites=(bookworm trixie); fi
  python=$(bench_python jinja2) || die 'Python 3.11 with jinja2 is missing (package python3-jinja2)'
  mkdir -p "$out"
  rm -f "$out"/*.tar.xz
  if [[ $package == yes ]]; then
    rm -f "$out"/*.tar.gz
    archs=$(archs_of_nvcc "$archs")
    make_package "$out" "$archs"
  fi
  if [[ -d $bench_root/build/package ]]; then told+=(--build "$bench_root/build/package"); fi
  "$python" "$bench_root/scripts/release.py" --out "$out" "${told[@]}"
  for suite in "${suites[@]}"; do
    if [[ $suite == none ]]; then continue; fi
    printf '== %s\n' "$suite"
    "$bench_root/scripts/tests/archives_in_chroot.sh" "$out" "$bench_root/build/chroot" "$suite"
    for package in "$out"/*.tar.gz; do
      if [[ -e $package ]]; then "$bench_root/scripts/tests/package_in_chroot.sh" "$package" "$bench_root/build/chroot" "$suite"; fi
    done
  done
  (cd "$out" && sha256sum -c SHA256SUMS)
}

main "$@"
