# shellcheck shell=bash
# Bare Debians for tests, sourced: chroots that debootstrap makes.

missing() {
  printf '%s\n' "$*"
  exit 77
}

# need_chroots: or ends the script with 77, and a line about what is missing.
need_chroots() {
  ((EUID == 0)) || missing 'debootstrap needs root'
  command -v debootstrap >/dev/null || missing 'there is no debootstrap'
  unshare --mount true 2>/dev/null || missing 'this container may not mount'
}

# make_bare SUITE ROOT PACKAGES LOG: debootstrap's minbase and those packages, once. Whole only under its final name.
make_bare() {
  if [[ -d $2 ]]; then return; fi
  rm -rf "$2.part"
  debootstrap --variant=minbase --include="$3" "$1" "$2.part" >"$4" 2>&1 || missing "debootstrap failed: $(tail -n 1 "$4")"
  mv "$2.part" "$2"
}

# inside ROOT COMMAND...: in a mount and process namespace of its own. Nothing of the outer environment, nor of it afterwards.
inside() {
  # shellcheck disable=SC2016  # for that shell
  env -i PATH=/opt/second/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root unshare --mount --pid --fork --kill-child bash -c '
    root=$1
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    exec chroot "$root" "${@:2}"' _ "$@" </dev/null
}
