#!/usr/bin/env bash
# archives_in_chroot.sh RELEASE WORK SUITE: unpacks a release's two archives in a bare Debian with Python and nothing else, wipes every figure of README.md
# and docs/RULES.md, and has them made again: byte for byte. Then an independent program comes to the same figures, and must see a wrong one.
# The system is made in WORK by debootstrap, and kept there. Exit code 77: what making it takes is missing (a line says what).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=chroots.sh
source "$bench_root/scripts/tests/chroots.sh"

release=$(readlink -f "$1") work=$2 suite=$3
bare=$work/$suite

need_chroots
mkdir -p "$work"
make_bare "$suite" "$bare" python3 "$work/debootstrap.log"

(cd "$release" && sha256sum --quiet -c SHA256SUMS)
rm -rf "$bare/opt"
mkdir "$bare/opt"
for archive in "$release"/*-source.tar.xz "$release"/*-results.tar.xz; do
  xz -dc "$archive" | tar -x -C "$bare/opt"
done
# What is the same in both is there once; what the second one overwrote was the same.
cat >"$bare/opt/again.py" <<'EOT'
import hashlib, re, subprocess, sys
from pathlib import Path

root = Path(next(path for path in Path("/opt").iterdir() if path.is_dir()))
pages = [root / "README.md", root / "docs/RULES.md"]
before = {page: page.read_bytes() for page in pages}
for page in pages:
    text = re.sub(r"(<!-- worklog:\S+ -->).*?(<!-- /worklog -->)", r"\1\2", page.read_text(), flags=re.S)
    page.write_text(re.sub(r"(<!-- q: [^\n]*? -->).*?(<!-- /q -->)", r"\1?\2", text))
    assert page.read_bytes() != before[page]


def scripts(name: str, *arguments: str) -> int:
    print(f"$ {name} {' '.join(arguments)}", flush=True)
    return subprocess.run([sys.executable, root / "scripts" / name, *arguments], cwd=root, check=False).returncode


assert scripts("worklog.py") == 0
for page, data in before.items():
    if page.read_bytes() != data:
        sys.exit(f"{page} is not what it was")
    print(f"{page.relative_to(root)}: made again, byte for byte: {hashlib.sha256(data).hexdigest()}")
assert scripts("worklog.py", "--check") == 0
assert scripts("published.py", "--check") == 0
assert scripts("recomputed.py") == 0
wrong, figures = re.subn(r"(<!-- q: [a-z]\w+ -->[0-9][0-9.,]*)", r"\g<1>1", pages[1].read_text(), count=1)
pages[1].write_text(wrong)
assert figures == 1 and scripts("recomputed.py") == 1, "a wrong figure was not seen"
pages[1].write_bytes(before[pages[1]])
print("all of it holds")
EOT
inside "$bare" env LC_ALL=C.UTF-8 python3 /opt/again.py
