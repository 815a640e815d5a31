# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads from Valgrind's source tree which programs its tests have, how they are compiled, and with which arguments they
run. It reads only the necessary parts of their Makefile.am and .vgtest files, and executes neither."""

import collections
import os
import re
import shlex

from harness import files

# One run of a program: `name` is that of its test, `group` the tool whose test it is, `folder` that of the program,
# below the source tree.
VgTest = collections.namedtuple("VgTest", "name group folder program args")

# How a program, or a shared object that it needs, is made; paths are relative to its folder.
Recipe = collections.namedtuple("Recipe", "name sources flags libraries")

TOOLS = ("none", "memcheck", "massif", "dhat", "helgrind", "drd", "gdbserver", "callgrind", "cachegrind")

# Folders of tests that are for every Linux on this machine's processor, below the folder of a tool's tests.
SUBFOLDERS = ("", "linux", "common", "amd64", "amd64-linux")

TRUE_CONDITIONS = {"VGCONF_OS_IS_LINUX", "VGCONF_ARCHS_INCLUDE_AMD64", "VGCONF_PLATFORMS_INCLUDE_AMD64_LINUX"}


def condition_holds(condition):
    """Evaluates an `if` in a Makefile.am. Features that the compiler or the machine may lack count as present: a
    program that then does not compile is left out."""
    name = condition.lstrip("!")
    holds = name in TRUE_CONDITIONS or not name.startswith(("VGCONF_", "COMPILER_"))
    return holds != condition.startswith("!")


def read_variables(text):
    """The variables of a Makefile.am, including those under conditions that hold; references are not yet expanded."""
    variables, conditions = {}, []
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        words = line.partition("#")[0].split()
        if words[:1] == ["if"]:
            conditions.append(condition_holds(words[1]))
        elif words[:1] == ["else"]:
            conditions[-1] = not conditions[-1]
        elif words[:1] == ["endif"]:
            conditions.pop()
        elif all(conditions):
            match = re.match(r"\s*(\w+)\s*(\+?=)(.*)", line.partition("#")[0])
            if match:
                name, how, value = match.groups()
                variables[name] = (variables.get(name, "") if how == "+=" else "") + " " + value
    return variables


def expand(variables, name, depth=8):
    """The words of a variable, as a shell splits them. Words that only configure knows (@...@), and commands, are left
    out."""
    text = variables.get(name, "")
    for _ in range(depth):
        text = re.sub(r"\$[({](\w+)[)}]", lambda match: variables.get(match.group(1), ""), text)
    words = shlex.split(text.replace("@FLAG_NO_PIE@", "-no-pie"))
    return [word for word in words if "@" not in word and "`" not in word]


def recipe_of(variables, name, there):
    """The recipe of the program with this name; `there` tests whether the folder has a file. None if the program is not
    made of C or C++."""
    key = re.sub(r"\W", "_", name)
    sources = expand(variables, key + "_SOURCES") or [name + s for s in (".c", ".cpp") if there(name + s)][:1]
    sources = [source for source in sources if not source.endswith(".h")]
    if not sources or not any(source.endswith((".c", ".cpp")) for source in sources):
        return None
    kind = "CXXFLAGS" if sources[0].endswith(".cpp") else "CFLAGS"
    flags = expand(variables, key + "_CPPFLAGS")
    flags += expand(variables, key + "_" + kind) if key + "_" + kind in variables else expand(variables, "AM_" + kind)
    flags += expand(variables, key + "_LDFLAGS")
    flags = [flag for flag in flags if not flag.startswith(("-W", "-I"))]
    return Recipe(name, sources, flags, expand(variables, key + "_LDADD"))


def read_recipes(folder):
    """All that a folder of tests compiles, by name."""
    path = os.path.join(folder, "Makefile.am")
    if not os.path.exists(path):
        return {}
    variables = read_variables(files.read(path))
    made = (recipe_of(variables, name, lambda file: os.path.exists(os.path.join(folder, file)))
            for name in expand(variables, "check_PROGRAMS"))
    return {recipe.name: recipe for recipe in made if recipe is not None}


def read_vgtest(text):
    """The keys of a .vgtest file; the first one counts if a key is there twice."""
    keys = {}
    for line in text.split("\n"):
        key, colon, value = line.partition(":")
        if colon and not line.startswith("#"):
            keys.setdefault(key.strip(), value.strip())
    return keys


def read_tests(folder, recipes, group, name):
    """The tests of one folder: one for each program and list of arguments in its .vgtest files, and one for a program
    without such files. `name` is put before their names."""
    tests, seen, used = [], set(), set()
    for file in sorted(os.listdir(os.path.join(folder))):
        if not file.endswith(".vgtest"):
            continue
        keys = read_vgtest(files.read(os.path.join(folder, file)))
        program, args = keys.get("prog", ""), tuple(keys.get("args", "").split())
        program = program[2:] if program.startswith("./") else program
        if program in recipes and (program, args) not in seen:
            seen.add((program, args))
            used.add(program)
            tests.append(VgTest(name + file[:-len(".vgtest")], group, folder, program, args))
    tests += [VgTest(name + program, group, folder, program, ()) for program in sorted(set(recipes) - used)
              if not program.endswith(".so")]
    return tests


def read_tree(source):
    """All tests of the tree at `source`, and the recipes of each folder: ([VgTest, ...], {folder: {name: Recipe}})."""
    tests, recipes = [], {}
    for tool in TOOLS:
        top = "gdbserver_tests" if tool == "gdbserver" else os.path.join(tool, "tests")
        for sub in SUBFOLDERS:
            folder = os.path.join(source, top, sub) if sub else os.path.join(source, top)
            if os.path.isdir(folder):
                recipes[folder] = read_recipes(folder)
                tests += read_tests(folder, recipes[folder], tool, tool + "." + (sub + "." if sub else ""))
    return tests, recipes
