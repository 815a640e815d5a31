# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests of tests.list, for the programs that run them: tests/tool/run and tests/native/run."""

import importlib
import os

from harness.valgrind import ToolTest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")


def read_list():
    """The lines of tests.list: [(name, [program, ...]), ...]."""
    with open(os.path.join(HERE, "tests.list"), encoding="utf-8") as file:
        lines = [line.partition("#")[0].split() for line in file]
    return [(words[0], words[1:]) for words in lines if words]


def load_groups(entries):
    """The modules that hold the tests: test_GROUP.py of each GROUP.name."""
    names = sorted({name.partition(".")[0] for name, _ in entries})
    return {name: importlib.import_module("test_" + name) for name in names}


def test_functions(module):
    """Every public function that a module defines is a test."""
    return {n for n, f in vars(module).items()
            if callable(f) and not n.startswith("_") and getattr(f, "__module__", "") == module.__name__}


def list_faults(entries, groups):
    """Tests that are in the folder but not in the list, and the other way round."""
    faults = []
    listed = [name for name, _ in entries]
    defined = {"%s.%s" % (group, name) for group, module in groups.items() for name in test_functions(module)}
    modules = {name[5:-3] for name in os.listdir(HERE) if name.startswith("test_") and name.endswith(".py")}
    programs = {name for name in os.listdir(PROGRAMS) if name.endswith((".c", ".cc"))}
    used = {program for _, sources in entries for program in sources}
    faults += ["listed twice: " + name for name in sorted(listed) if listed.count(name) > 1]
    faults += ["not in tests.list: " + name for name in sorted(defined - set(listed))]
    faults += ["not defined: " + name for name in sorted(set(listed) - defined)]
    faults += ["no test of this file is listed: test_%s.py" % name for name in sorted(modules - set(groups))]
    faults += ["in no line of tests.list: programs/" + name for name in sorted(programs - used)]
    faults += ["missing: programs/" + name for name in sorted(used - programs)]
    return faults


class Listed:
    """All tests, and their context: the functions of test_*.py, and a Bench."""

    def __init__(self, bench):
        self.bench = bench
        self.entries = read_list()
        self.groups = load_groups(self.entries)

    def faults(self):
        return list_faults(self.entries, self.groups)

    def call(self, name, sources, kind=ToolTest):
        """Runs a test; `kind` makes the function's argument."""
        group, _, function = name.partition(".")
        test = getattr(self.groups[group], function, None)  # a listed test without a function fails, alone
        test(kind(self.bench, name, sources))
