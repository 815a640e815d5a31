# SPDX-License-Identifier: GPL-2.0-or-later
"""The build's compilers, and compiling a program with them."""

import functools
import os
import re
import shutil

from harness import commands

# The environment variable that names the compiler, and its name where that is not set, by a source's suffix.
NAMES = {".c": ("CC", "cc"), ".cc": ("CXX", "c++")}


def compiler_for(suffix):
    """The command of the build's compiler for sources with this suffix, as a list."""
    variable, name = NAMES[suffix]
    return (os.environ.get(variable) or name).split()


@functools.lru_cache(maxsize=None)
def _macros(command):
    """The macros that a compiler defines by itself; none where the command is not a compiler."""
    done = commands.run([*command, "-dM", "-E", "-x", "c", os.devnull], status=None)
    return frozenset(line.split()[1] for line in done.out.splitlines()) if done.status == 0 else frozenset()


def is_clang(command):
    return "__clang__" in _macros(tuple(command))


def is_gcc(command):
    return "__GNUC__" in _macros(tuple(command)) and not is_clang(command)


def releases(name):
    """The commands of all releases of a compiler that are here, each once: gcc, gcc-11, gcc-14."""
    names = {entry for folder in os.get_exec_path() if os.path.isdir(folder) for entry in os.listdir(folder)
             if re.fullmatch(re.escape(name) + r"(-\d+)?", entry) and shutil.which(entry)}
    found = {}
    for command in sorted(names, key=lambda entry: (len(entry), entry)):
        done = commands.run([command, "-dumpversion"], status=None)
        if done.status == 0:
            found.setdefault(done.out.partition(".")[0].strip(), command)
    return list(found.values())


def sanitizer_flags(command):
    """For ASan and UBSan, of which each finding ends the program; None where the compiler cannot link with them."""
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
    done = commands.run([*command, *flags, "-x", "c", "-", "-o", os.devnull], status=None, stdin=b"int main(void) { return 0; }")
    return flags if done.status == 0 else None


def compile_program(source, output, builddir, flags=(), compiler=None):
    """Compiles with the header that the build in `builddir` installs, by this command or the build's; the flags come
    last, so that they may name libraries. Returns the program's path, which is `output`."""
    include = os.path.join(builddir, "include")
    headers = ["-I" + include, "-I" + os.path.join(include, "valgrind")]
    commands.run([*(compiler or compiler_for(os.path.splitext(source)[1])), *headers, source, "-o", output, *flags])
    return output
