"""scripts/setup.sh with a PATH on which chosen programs are missing, and an apt-get that only writes down how it was called."""

import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
# What setup.sh itself runs on: there is no Debian without it.
BASE = ("bash", "cat", "dirname", "readlink", "env", "head", "id", "mkdir", "sed", "sort", "tail", "timeout", "grep")
TOOLS = ("cmake", "g++", "git", "glslangValidator", "ninja", "spirv-val", "xz")
MODULES = ("jinja2", "pytest", "xdist")


@pytest.fixture
def machine(tmp_path):
    """A copy of the scripts, a folder bin/ that is all of PATH, a Python that apt's packages belong to, with all modules, and Vulkan's headers."""
    (tmp_path / "scripts").mkdir()
    for name in ("lib.sh", "setup.sh"):
        text = (SCRIPTS / name).read_text().replace("/usr/bin/python3", f"{tmp_path}/apt/python3")
        text = text.replace("/usr/include /usr/local/include $", f"{tmp_path}/include $").replace("/usr/lib/apt/apt-helper", f"{tmp_path}/bin/apt-helper")
        (tmp_path / "scripts" / name).write_text(text)
    for name in ("bin", "apt"):
        (tmp_path / name).mkdir()
    add_links(tmp_path, *BASE, *TOOLS)
    add_python(tmp_path / "apt/python3", MODULES)
    add_headers(tmp_path / "include")
    return tmp_path


def add_links(machine, *names):
    """To programs that are here."""
    for name in names:
        if (path := shutil.which(name)) and not (machine / "bin" / name).exists():
            (machine / "bin" / name).symlink_to(path)


def add_headers(folder, extension="VK_EXT_shader_float8"):
    (folder / "vulkan").mkdir(parents=True, exist_ok=True)
    (folder / "vulkan/vulkan_raii.hpp").touch()
    (folder / "vulkan/vulkan_core.h").write_text(f"#define VK_HEADER_VERSION 363\n#define {extension} 1\n")


def add_python(path, modules, version=(3, 11)):
    """A Python that says it is of this version, and has these of the modules."""
    path.unlink(missing_ok=True)
    code = f"""import sys, types
sys.version_info = {(*version, 0)}
for name in {MODULES}:
    sys.modules[name] = types.ModuleType(name) if name in {tuple(modules)} else None
sys.argv.pop(1)
exec(sys.argv.pop(1))"""
    path.write_text(f'#!/bin/bash\nexec {sys.executable} -c {shlex.quote(code)} "$@"\n')
    path.chmod(0o755)


def add_tool(machine, name, body):
    path = machine / "bin" / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/bash\n{body}\n")
    path.chmod(0o755)


def run_setup(machine, *args, **env):
    command = ["bash", str(machine / "scripts/setup.sh"), *args]
    path = {"PATH": str(machine / "bin"), "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={**path, **env})


def remove(machine, *names):
    for name in names:
        (machine / "bin" / name).unlink()


def add_apt(machine, installs=""):
    """An apt-get that logs its arguments, and whose `install` makes the tools named in `installs` appear."""
    add_tool(machine, "sudo", f'echo "sudo $*" >>{machine}/apt.log\nexec "$@"')
    links = "\n".join(f"ln -sf {shutil.which(name)} {machine}/bin/{name}" for name in installs.split())
    (machine / "bin/ln").symlink_to(shutil.which("ln"))
    add_tool(machine, "apt-get", f'echo "$DEBIAN_FRONTEND $*" >>{machine}/apt.log\nif [[ $* == *install* ]]; then :\n{links}\nfi')


def apt_calls(machine):
    return [line for line in (machine / "apt.log").read_text().splitlines() if not line.startswith("sudo")]


def test_installs_only_what_is_missing(machine):
    remove(machine, "ninja", "spirv-val")
    add_apt(machine, "ninja spirv-val")
    result = run_setup(machine)
    assert result.returncode == 0, result.stderr
    options = "noninteractive -o DPkg::Lock::Timeout=300"
    assert apt_calls(machine) == [f"{options} update", f"{options} install --no-install-recommends -y ninja-build spirv-tools"]


@pytest.mark.parametrize(("first", "has"), [(None, ()), (("jinja2",), ()), ((), ("jinja2",)), ("3.9", ("pytest", "xdist")), ("hangs", ("pytest", "xdist"))])
def test_the_modules_are_installed_for_one_python(machine, first, has):
    """Whatever another Python has that comes first on PATH."""
    if first == "hangs":
        add_tool(machine, "python3", "exec sleep 60")
        (machine / "bin/sleep").symlink_to(shutil.which("sleep"))
        lib = machine / "scripts/lib.sh"
        lib.write_text(lib.read_text().replace("timeout 20", "timeout 1"))
    elif first is not None:
        add_python(machine / "bin/python3", MODULES if first == "3.9" else first, (3, 9) if first == "3.9" else (3, 11))
    add_python(machine / "apt/python3", has)
    add_apt(machine)
    log = machine / "apt.log"
    add_tool(machine, "apt-get", f'echo "$*" >>{log}; if [[ $* == *install* ]]; then cp {machine}/whole {machine}/apt/python3; fi')
    (machine / "bin/cp").symlink_to(shutil.which("cp"))
    add_python(machine / "whole", MODULES)
    result = run_setup(machine)
    assert result.returncode == 0, result.stderr
    if "jinja2" in has or first == ("jinja2",):
        assert not log.exists()
    else:
        assert log.read_text().splitlines()[-1].endswith(" -y python3-jinja2")
    add_python(machine / "apt/python3", has)
    packages = [f"python3-{'pytest-xdist' if name == 'xdist' else name}" for name in MODULES if name not in has]
    tested = run_setup(machine, "--dev", "--check").stderr
    assert [name for name in packages if f", of {machine}/apt/python3 3.11 or newer  (package {name})" not in tested] == []
    chosen = f'source {machine}/scripts/lib.sh; bench_python jinja2 pytest xdist'
    add_python(machine / "apt/python3", MODULES)
    done = subprocess.run(["bash", "-c", chosen], capture_output=True, text=True, env={"PATH": str(machine / "bin")}, check=False)
    assert done.stdout == f"{machine}/apt/python3\n"


def test_a_package_that_the_distribution_lacks_is_left_out(machine):
    """Debian 13 has no clang-format-14: one line, and the rest is installed."""
    remove(machine, "ninja")
    add_apt(machine, "ninja")
    apt = (machine / "bin/apt-get").read_text()
    lacks = 'if [[ $* == *install*clang-format-14* ]]; then echo "E: Unable to locate package clang-format-14"; exit 100; fi'
    add_tool(machine, "apt-get", f"{lacks}\n{apt}")
    # What the fake apt-get cannot bring is not this test's.
    setup = machine / "scripts/setup.sh"
    kept = [line for line in setup.read_text().splitlines() if not line.startswith(("header", "file "))]
    setup.write_text("\n".join(kept) + "\n")
    result = run_setup(machine, "--all")
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("apt-get cannot install") == 1
    assert "setup.sh: apt-get cannot install clang-format-14 here: left out\n" in result.stderr
    assert "not here, and skipped by the tests: command clang-format-14  (package clang-format-14)\n" in result.stderr
    last = apt_calls(machine)[-1]
    assert " ninja-build" in last and "clang-tidy" in last and "clang-format-14" not in last


@pytest.mark.parametrize("audit", ["", "The following packages have been unpacked but not yet configured."])
def test_an_interrupted_dpkg_is_repaired_first(machine, audit):
    remove(machine, "ninja")
    add_apt(machine, "ninja")
    add_tool(machine, "dpkg", f'echo "dpkg $*" >>{machine}/apt.log; if [[ $1 == --audit ]]; then echo "{audit}"; fi')
    assert run_setup(machine, "--check").returncode == 1
    assert not (machine / "apt.log").exists()
    assert run_setup(machine).returncode == 0
    assert [line.split()[0] for line in apt_calls(machine)] == ["dpkg"] * (2 if audit else 1) + ["noninteractive"] * 2


@pytest.mark.parametrize("place", ["a'$(touch PWNED)'b", 'a"; touch PWNED; "b', "-rf *"])
def test_nvdisasm_does_nothing_that_the_clones_path_says(machine, place):
    """And leaves nothing behind there but its log."""
    add_archive(machine, lacking="nvidia-cuda-toolkit")
    clone = machine / place
    clone.mkdir()
    (machine / "scripts").rename(clone / "scripts")
    command = ["bash", clone / "scripts/setup.sh", "--nvdisasm"]
    env = {"PATH": str(machine / "bin"), "HOME": str(machine)}
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, cwd=machine)
    assert result.returncode == 1
    assert "could not be fetched" in result.stderr and "no nvdisasm here" in result.stderr
    assert sorted(path.name for path in (clone / "build/tools").iterdir()) == ["fetch.log"]
    assert not list(machine.rglob("PWNED"))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="there is no nvdisasm to fetch")
@pytest.mark.parametrize("content", ["nvdisasm", "nvprof"])
def test_nvdisasm_is_unpacked_and_not_installed(machine, content):
    add_archive(machine)
    add_links(machine, "find", "mkdir", "grep")
    program = machine / "program"
    program.write_text("#!/bin/bash\necho Cuda compilation tools, release 11.8, V11.8.86\n")
    program.chmod(0o755)
    add_tool(machine, "dpkg-deb", f'mkdir -p "$3/usr/lib/nvidia-cuda-toolkit/bin"\ncp {program} "$3/usr/lib/nvidia-cuda-toolkit/bin/{content}"')
    result = run_setup(machine, "--nvdisasm")
    (asked,) = (machine / "asked.log").read_text().splitlines()
    assert "/pool/non-free/n/nvidia-cuda-toolkit/" in asked and len(asked.rpartition("SHA256:")[2]) == 64
    if content == "nvprof":
        assert result.returncode == 1
        assert "contains no nvdisasm" in result.stderr
        assert sorted(path.name for path in (machine / "build/tools").iterdir()) == ["fetch.log"]
        return
    assert result.returncode == 0, result.stderr
    assert "build/tools/nvdisasm (11.8.86)" in result.stderr
    assert sorted(path.name for path in (machine / "build/tools").iterdir()) == ["fetch.log", "nvdisasm"]
    assert "there already" in run_setup(machine, "--nvdisasm").stderr


def add_fetching(machine, downloads=True):
    """apt's downloader, which logs what it is asked for, and dpkg-deb, which unpacks headers in place of the package."""
    add_links(machine, "mktemp", "rm", "mv", "rmdir", "uname", "mkdir", "cp", "touch")
    add_tool(machine, "apt-helper", f'echo "$*" >>{machine}/fetched.log\n{"touch $3" if downloads else "exit 100"}')
    add_headers(machine / "package")
    add_tool(machine, "dpkg-deb", f'mkdir -p "$3/usr"\ncp -r {machine}/package "$3/usr/include"')


@pytest.mark.parametrize("arguments", [(), ("--headers",)])
def test_newer_vulkan_headers_are_fetched_where_the_systems_are_too_old(machine, arguments):
    add_headers(machine / "include", "VK_KHR_shader_bfloat16")
    add_fetching(machine)
    result = run_setup(machine, *arguments)
    assert result.returncode == 0, result.stderr
    assert "Vulkan: headers 1.4.363 (" in result.stderr
    asked = [line for line in (machine / "fetched.log").read_text().splitlines() if "/vulkan-loader/" in line]
    assert len(asked) == 1 and " SHA256:" in asked[0] and asked[0].startswith("download-file http://deb.debian.org/debian/pool/main/v/")
    assert (machine / "build/tools/vulkan/usr/include/vulkan/vulkan_raii.hpp").is_file()
    assert list((machine / "build/tools").glob("fetch.*/")) == []
    (machine / "fetched.log").write_text("")
    assert "headers" not in run_setup(machine, "--headers").stderr
    assert (machine / "fetched.log").read_text() == ""


def add_archive(machine, lacking="nothing"):
    """An apt-helper that brings every package but one, and logs what it was asked for; and what unpacks them."""
    add_links(machine, "rm", "mv", "mktemp", "rmdir", "chmod", "uname", "ls", "readlink", "cp")
    add_tool(machine, "apt-helper", f'echo "$2 $4" >>{machine}/asked.log\n[[ $2 != *{lacking}* ]] && echo "$2" >"$3"')
    body = 'mkdir -p "$3/usr/lib/x86_64-linux-gnu"\nread -r from <"$2"\necho "$from" >>"$3/usr/packages"\necho >"$3/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so"'
    add_tool(machine, "dpkg-deb", body)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is a Mesa to fetch for x86-64 alone")
def test_mesas_compilers_come_whole_or_not_at_all(machine):
    tools = machine / "build/tools"
    add_archive(machine, lacking="libllvm")
    failed = run_setup(machine, "--mesa")
    assert failed.returncode == 1 and "libllvm22" in failed.stderr and "no Mesa here but the system's" in failed.stderr
    assert [path.name for path in tools.iterdir()] == ["fetch.log"]
    asked = (machine / "asked.log").read_text().splitlines()
    assert [line.split("/pool/")[0] for line in asked if "libllvm" in line] == [
        "http://deb.debian.org/debian", "http://snapshot.debian.org/archive/debian/20261128T000000Z"], "the archive that keeps everything is asked, too"

    add_archive(machine)
    (machine / "asked.log").unlink()
    done = run_setup(machine, "--mesa")
    assert done.returncode == 0, done.stderr
    asked = (machine / "asked.log").read_text().splitlines()
    assert all(len(line.rpartition("SHA256:")[2]) == 64 for line in asked) and sum("/mesa" in line for line in asked) == 2
    assert len((tools / "mesa.root/usr/packages").read_text().splitlines()) == len(asked) > 20
    assert not (tools / "mesa.root/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so").exists(), "drivers that nothing here can pretend for"
    assert not [path for path in tools.iterdir() if path.name.startswith("fetch.") and path.is_dir()]
    assert "is there already" in run_setup(machine, "--mesa").stderr
