"""The hash of the sources that measure: cmake/HashSources.cmake."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def hash_of(folder: Path, **texts: str) -> str:
    for name, text in texts.items():
        (folder / f"{name}.cu").write_text(text)
    (folder / "list").write_text(";".join(str(file) for file in sorted(folder.glob("*.cu"))))
    subprocess.run(["cmake", f"-DLIST={folder / 'list'}", f"-DOUTPUT={folder / 'hash.cpp'}", f"-DROOT={folder}", f"-DBUILT={folder / 'build'}",
                    "-P", ROOT / "cmake/HashSources.cmake"], check=True, capture_output=True)  # fmt: skip
    return (folder / "hash.cpp").read_text().split('"')[3]


def test_comments_spacing_and_the_folder_do_not_count(tmp_path: Path) -> None:
    first = hash_of(tmp_path, kernel="a = [b];  // as before\nc = \"x; y\";\n", other="d();\n")
    assert len(first) == 12 and int(first, 16) >= 0
    (there := tmp_path / "there").mkdir()
    assert hash_of(there, kernel="a = [b];\nc = \"x; y\";\n", other="d();\n") == first
    assert hash_of(tmp_path, kernel="// said\na  = [b];\nc = \"x; y\";\n") == first
    assert hash_of(tmp_path, kernel="a = [e];\nc = \"x; y\";\n") != first
    assert hash_of(tmp_path, kernel="a = [b];\nc = \"x; z\";\n") != first
