# SPDX-License-Identifier: GPL-2.0-or-later
"""The build's compilers, and compiling a program with them."""

import functools
import hashlib
import os
import re
import shutil

from harness import commands, files
from harness.expect import Skip

# For each suffix of a source: the environment variable that names the compiler, and the default.
NAMES = {".c": ("CC", "cc"), ".cc": ("CXX", "c++")}


def compiler_for(suffix):
    """The command of the build's compiler for sources with this suffix, as a list."""
    variable, name = NAMES[suffix]
    return (os.environ.get(variable) or name).split()


@functools.lru_cache(maxsize=None)
def _macros(command):
    """The macros that a compiler defines by itself; empty if the command is not a compiler."""
    done = commands.run([*command, "-dM", "-E", "-x", "c", os.devnull], status=None, compiles=True)
    return frozenset(line.split()[1] for line in done.out.splitlines()) if done.status == 0 else frozenset()


def is_clang(command):
    return "__clang__" in _macros(tuple(command))


def is_gcc(command):
    return "__GNUC__" in _macros(tuple(command)) and not is_clang(command)


def releases(name):
    """The commands of all installed releases of a compiler, each once: gcc, gcc-11, gcc-14."""
    names = {entry for folder in os.get_exec_path() if os.path.isdir(folder) for entry in os.listdir(folder)
             if re.fullmatch(re.escape(name) + r"(-\d+)?", entry) and shutil.which(entry)}
    found = {}
    for command in sorted(names, key=lambda entry: (len(entry), entry)):
        done = commands.run([command, "-dumpversion"], status=None)
        if done.status == 0:
            found.setdefault(done.out.partition(".")[0].strip(), command)
    return list(found.values())


def present(*names):
    """The installed ones of these compilers. If there are none, the test is skipped."""
    found = [name for name in names if shutil.which(name)]
    if not found:
        raise Skip("none of these compilers is installed: " + ", ".join(names))
    return found


def sanitizer_flags(command):
    """Flags for ASan and UBSan; each finding ends the program. None if the compiler cannot link with them."""
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
    done = commands.run([*command, *flags, "-x", "c", "-", "-o", os.devnull], status=None, stdin=b"int main(void) { return 0; }")
    return flags if done.status == 0 else None


def _kept(source, command):
    """The file below DMD_TESTS_COMPILED for this command and this source. None without such a folder."""
    if commands.COMPILED is None:
        return None
    key = "\0".join([os.path.basename(source), files.read(source), *command])
    return os.path.join(commands.COMPILED, hashlib.sha256(key.encode()).hexdigest())


def compile_program(source, output, builddir, flags=(), compiler=None):
    """Compiles with the header that the build in `builddir` installs, by this command or the build's. The flags come
    last, so that they may name libraries. Returns `output`, the program's path."""
    include = os.path.join(builddir, "include")
    headers = ["-I" + include, "-I" + os.path.join(include, "valgrind")]
    command = [*(compiler or compiler_for(os.path.splitext(source)[1])), *headers]
    kept = _kept(source, [*command, *flags])
    if kept and os.path.exists(kept):
        return shutil.copy(kept, output)
    commands.run([*command, source, "-o", output, *flags], compiles=True)
    if kept and commands.ONLY_COMPILES:
        shutil.copy(output, kept)
    return output
