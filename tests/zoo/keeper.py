# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs programs of the zoo, for the programs with its tests: tests/zoo/run and tests/native/zoo."""

import copy
import json
import os
import shutil

import animal as zoo
import registered
from harness import Case, Skip, commands, files
from harness.expect import Expect
from harness.valgrind import Bench, ToolTest

HERE = os.path.dirname(os.path.abspath(__file__))

# What every program must compile with, without a warning. A program that has a fault may not look as if it had one.
COMPILERS = {".c": ("gcc", "clang"), ".cc": ("g++", "clang++")}
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]

def read_list():
    """The sources that zoo.list names, in its order."""
    lines = [line.split("#")[0].strip() for line in files.read(os.path.join(HERE, "zoo.list")).split("\n")]
    return [line for line in lines if line]


class Keeper:
    """Runs programs of the zoo and looks at what dmd says of them. The checks return what is wrong, in words. `kind`:
    the tests that run them, under the tool or with the native engine."""

    def __init__(self, place, kind=ToolTest):
        self.place = place
        self.kind = kind
        self.bench = Bench(place, HERE)

    def program(self, animal, twin):
        return self.bench.compile(animal.source, ["-DFIXED"] if twin else [])

    def run(self, animal, twin):
        options = [*animal.options, "--max-records=all", "--max-frames=20"]
        return self.kind(self.bench, animal.name, [animal.source]).run_command([self.program(animal, twin)], options=options)

    def run_registered(self, animal, text, twin):
        if shutil.which("gcc") is None:
            raise Skip("needs gcc, for nested functions")
        flags = (["-DFIXED"] if twin else []) + ["-Wno-unused-value", "-ldmd-reporters", "-pthread"]
        program = self.bench.compile_text(animal.source, text, flags, "gcc")
        return self.kind(self.bench, animal.name, []).run_command([program], options=[*animal.options, "--max-records=all"])

    def registered_reporters_are_judged_alike(self, animal, text):
        """As the scopes of the original; only the place of a claim is in the library."""
        for expectation in animal.expected:
            if expectation.kind == "claim":
                expectation.keys.pop("at", None)
        faults = []
        for twin, expected in ((False, animal.expected), (True, animal.expected_of_twin)):
            doc = self.run_registered(animal, text, twin).profile.doc
            faults += zoo.differences(expected, zoo.findings_of(doc, animal.source))
        return faults

    def texts(self, run):
        """What people read: the log, and what dmdv prints of the file."""
        yield run.log
        dmdv = os.path.join(self.place.builddir, "dmdv")
        if os.path.exists(dmdv):
            yield commands.run([dmdv, "print", "--max-records=all", "--max-frames=20", run.profile.path]).out

    def owners(self, animal):
        """What dmdv owners prints of the heap graph; None: this dmdv cannot read one, or finds no types. Debug
        information says most where compilers optimise for it."""
        program = self.bench.compile(animal.source, ["-Og"])
        run = self.kind(self.bench, animal.name, [animal.source]).run_command([program], options=["--graph=yes"])
        graph = run.profile.path.replace(".json.gz", ".graph.gz")
        dmdv = os.path.join(self.place.builddir, "dmdv")
        done = commands.run([dmdv, "owners", "--json", graph], status=None) if os.path.exists(dmdv) else None
        if done is None or "built without" in done.err:
            return None
        printed = commands.run([dmdv, "print", run.profile.path]).out
        lacking = [one.proposal for one in animal.expected if one.proposal
                   and "  Proposal: " + one.proposal.partition(" in ")[0] not in printed]
        assert lacking == [], "dmdv print does not say " + ", ".join(lacking)
        return json.loads(done.out)

    def line_is_proposed(self, animal):
        owners = self.owners(animal)
        if owners is None:
            raise Skip("needs a dmdv with libdw")
        return zoo.unproposed(animal.expected, owners)

    def fault_is_named(self, animal):
        run = self.run(animal, twin=False)
        if not animal.expected:
            return ["nothing is expected of it"]
        faults = zoo.differences(animal.expected, zoo.findings_of(run.profile.doc, animal.source))
        for text in self.texts(run):
            faults += zoo.unsaid(animal.expected, text)
        return faults

    def twin_is_silent(self, animal):
        run = self.run(animal, twin=True)
        doc = run.profile.doc
        faults = zoo.differences(animal.expected_of_twin, zoo.findings_of(doc, animal.source))
        if zoo.blocks_of(doc, animal.source)[1] == 0:
            faults.append("no block was reported")
        ToolTest(self.bench, animal.name, []).run_natively([self.program(animal, twin=True)])
        return faults

    def compiles_without_warnings(self, animal):
        include = os.path.join(self.place.builddir, "include")
        faults = []
        for compiler in COMPILERS[os.path.splitext(animal.source)[1]]:
            if shutil.which(compiler) is None:
                continue
            for flags in (["-O0"], ["-O0", "-DFIXED"], ["-O2"], ["-O2", "-DFIXED"]):
                command = [compiler, "-g", *flags, *WARNINGS, "-I" + include, "-c", "-o", os.devnull,
                           os.path.join(HERE, animal.source)]
                done = commands.run(command, status=None)
                if done.status != 0:
                    faults.append(" ".join(command) + "\n" + done.err)
        return faults

    def show(self, animal):
        for twin in (False, True):
            print("==== %s%s: %s\n" % (animal.name, " (fixed)" if twin else "", animal.title))
            run = self.run(animal, twin)
            print(run.log)
            print("\n".join(f.describe() for f in zoo.findings_of(run.profile.doc, animal.source)) + "\n")


# ---- Tests ----


def case(group, name, faults):
    """A test that passes where the function `faults` returns none."""
    return Case(group, name, lambda: Expect.none_of(faults()))


def runs_of(keeper, animal):
    """What must hold of its runs, whatever runs it."""
    return [
        case(animal.name, animal.name + ": the fault is named", lambda: keeper.fault_is_named(animal)),
        case(animal.name, animal.name + ": of the twin there is nothing to say", lambda: keeper.twin_is_silent(animal)),
    ] + registered_cases_of(keeper, animal)


def registered_cases_of(keeper, animal):
    text = registered.transformed(animal.source, files.read(os.path.join(HERE, animal.source)))
    return [] if text is None else [
        case(animal.name, animal.name + ": registered reporters are judged like scopes",
             lambda: keeper.registered_reporters_are_judged_alike(copy.deepcopy(animal), text))
    ]


def cases_of(keeper, animal):
    proposed = [
        case(animal.name, animal.name + ": the missing line is proposed", lambda: keeper.line_is_proposed(animal))
    ] if any(expectation.proposal for expectation in animal.expected) else []
    return proposed + runs_of(keeper, animal) + [
        case(animal.name, animal.name + ": compiles without warnings", lambda: keeper.compiles_without_warnings(animal)),
    ]
