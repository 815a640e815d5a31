# SPDX-License-Identifier: GPL-2.0-or-later
"""A test program: the options that all have, the scratch folder, which tests run, and TAP.

A program describes itself in its docstring, lists its tests, and leaves the rest to `main`:

    def cases(place):
        return [Case("fruit", "fruit.peel", lambda: peel(Test(place, "fruit.peel"))), ...]

    sys.exit(harness.main(__doc__, cases))

`make check` gives no arguments; the folders of the tree and of the build are then in the environment. So are, in
DMD_TESTS, the names of the tests to run, if only some are wanted: `make check DMD_TESTS="blocks print"`.
"""

import argparse
import collections
import inspect
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback

from harness.expect import Expect, Failure, Skip, need

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# One test. It runs if its name or its group's is given; a test without a group always runs. The function takes no
# arguments; the test passes unless it raises.
Case = collections.namedtuple("Case", "group name function")

# A test that takes so many seconds says so.
LONG = 5


def parser(doc):
    """The options of all test programs, with `doc` as the help."""
    srcdir = os.environ.get("DMD_SRCDIR") or TOP
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--srcdir", default=srcdir, metavar="DIR", help="the source tree [%(default)s]")
    options.add_argument("--builddir", default=os.environ.get("DMD_BUILDDIR") or os.path.join(srcdir, "build"),
                         metavar="DIR", help="where it was built [%(default)s]")
    options.add_argument("--keep", action="store_true", help="leave the scratch folder, and say where it is")
    options.add_argument("--times", action="store_true", help="say at the end what each test took of processors, most first")
    options.add_argument("--list", action="store_true", help="print the names of the tests, and run none")
    options.add_argument("names", nargs="*", metavar="NAME", help="a test, or a group of them [all]")
    return options


class Place:
    """The folders that tests work with: the tree, the build, and a scratch folder, which is removed at the end of a
    `with` unless an option keeps it."""

    def __init__(self, args):
        self.srcdir, self.builddir = os.path.abspath(args.srcdir), os.path.abspath(args.builddir)
        self.keep, self.folders, self.ends = args.keep, 0, []
        self.scratch = tempfile.mkdtemp(prefix="dmd-tests-")
        os.chmod(self.scratch, 0o755)  # accessible to all: one test runs a program as another user

    def __enter__(self):
        return self

    def at_end(self, function):
        """Adds a function to call before the scratch folder is removed, for example to end a server."""
        self.ends.append(function)

    def __exit__(self, *_):
        for function in self.ends:
            function()
        if self.keep:
            print("# scratch: " + self.scratch)
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def new_folder(self, name):
        """Makes an empty folder, for one test or one run of a program."""
        self.folders += 1
        folder = os.path.join(self.scratch, "%03d-%s" % (self.folders, name.replace("/", "-")))
        os.mkdir(folder)
        return folder

    def launcher(self):
        """The command that runs Valgrind with the tools of the build."""
        return os.path.join(self.builddir, "vg-in-place")

    def dmdv(self):
        """The path of dmdv, which some builds do not have."""
        path = os.path.join(self.builddir, "dmdv")
        if not os.path.exists(path):
            raise Skip("no dmdv was built")
        return path


class Test(Expect):
    """The argument of a test's function: its folder, and the checks."""

    def __init__(self, place, name):
        self.place, self.name = place, name
        self.srcdir, self.builddir = place.srcdir, place.builddir

    def new_folder(self):
        return self.place.new_folder(self.name)

    need = staticmethod(need)

    def note(self, text):
        """Adds a note for readers of the results."""
        print("# %s: %s" % (self.name, text))


def functions_of(module):
    """The functions test_* that a module defines, in the order of its lines: [(name without test_, function), ...]."""
    functions = [(n[5:], f) for n, f in inspect.getmembers(module, inspect.isfunction)
                 if n.startswith("test_") and f.__module__ == module.__name__]
    return sorted(functions, key=lambda each: each[1].__code__.co_firstlineno)


def outcome(function):
    """Runs a test; returns (whether it passed, its diagnostics, why it was skipped)."""
    try:
        function()
    except Skip as skip:
        return True, "", " # SKIP %s" % skip
    except Failure as failure:
        return False, str(failure), ""
    except Exception:  # a broken test fails alone
        return False, traceback.format_exc(), ""
    return True, "", ""


def processor_seconds():
    """The CPU time of this program and of all children that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def select(cases, names, environment=os.environ, left_out=lambda case: False):
    """The cases with these names; ends the program if a name is neither a test nor a group. Without names, those of
    DMD_TESTS, but for those that are left out because another program runs them. That variable is for several programs
    at once, so a name in it may belong to another program."""
    cases = [case for case in cases if names or not left_out(case)]
    known = {name for case in cases for name in (case.group, case.name)}
    if not names and "DMD_TESTS" in environment:
        wanted = known.intersection(environment["DMD_TESTS"].split())
        return [case for case in cases if not case.group or wanted.intersection((case.group, case.name))]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit("no test or group has this name: " + ", ".join(unknown))
    return [case for case in cases if not names or not case.group or case.group in names or case.name in names]


def run(args, cases, left_out=lambda case: False):
    """Runs the cases that the arguments name, and prints TAP. Returns the exit status."""
    cases = select(cases, args.names, left_out=left_out)
    if args.list:
        print("\n".join(case.name for case in cases))
        return 0
    failed, times = 0, []
    print("1..%d" % len(cases))
    for number, case in enumerate(cases, start=1):
        began, clock = processor_seconds(), time.monotonic()
        good, details, skip = outcome(case.function)
        times.append((processor_seconds() - began, case.name))
        took = time.monotonic() - clock
        failed += not good
        print("%s %d - %s%s" % ("ok" if good else "not ok", number, case.name, skip))
        if took >= LONG:
            print("# %s took %.0f s" % (case.name, took))
        for line in details.splitlines():
            print("#   " + line)
        sys.stdout.flush()
    if args.times:
        print("# %.1f s of processors" % sum(seconds for seconds, _ in times))
        for seconds, name in sorted(times, reverse=True):
            print("# %6.2f %s" % (seconds, name))
    return 1 if failed else 0


def main(doc, cases, finds_leaks=False, left_out=lambda case: False):
    """A whole test program: `cases` takes the Place and returns the list of all tests. left_out: see `select`.
    finds_leaks: in a build with sanitizers, each process looks for leaks at its end, which takes as long as a short run
    of dmdv. The unit tests do, and tests/reader in part."""
    args = parser(doc).parse_args()
    if not finds_leaks:
        os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    with Place(args) as place:
        return run(args, cases(place), left_out)
