# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of tests/valgrind/run itself, with made-up files and outcomes, and a source tree of a few programs."""

import os

import outcome
import vgsource
from harness import Failure, Skip, files
from outcome import Outcome
from vgbench import Bench

MAKEFILE = """
include $(top_srcdir)/Makefile.tool-tests.am
check_PROGRAMS = same \\
\tdiffers versions varies orphan script
if VGCONF_OS_IS_DARWIN
check_PROGRAMS += mac
else
check_PROGRAMS += help.so
endif
if !VGCONF_OS_IS_SOLARIS
if HAVE_SOMETHING
same_CFLAGS = ${AM_CFLAGS} -DN=1 '-DS="a b"' @FLAG_W_NO_NONNULL@  # a comment
endif
endif
AM_CFLAGS += -O2 -Wall
script_SOURCES = script.sh
versions_SOURCES = versions.c versions.h
versions_LDADD = help.so -lm `pwd`
help_so_SOURCES = help.c
help_so_CFLAGS = -fPIC
help_so_LDFLAGS = @FLAG_NO_PIE@ -shared -Wl,-soname -Wl,help.so
"""


# ---- The source tree ----


def test_variables_of_a_makefile(t):
    variables = vgsource.read_variables(MAKEFILE)
    programs = ["same", "differs", "versions", "varies", "orphan", "script", "help.so"]
    t.equal(vgsource.expand(variables, "check_PROGRAMS"), programs)
    t.equal(vgsource.expand(variables, "same_CFLAGS"), ["-O2", "-Wall", "-DN=1", '-DS="a b"'])
    t.equal(vgsource.expand(variables, "versions_LDADD"), ["help.so", "-lm"])
    t.equal(vgsource.expand(variables, "nothing"), [])


def test_conditions(t):
    for condition, holds in (("VGCONF_OS_IS_LINUX", True), ("!VGCONF_OS_IS_LINUX", False),
                             ("VGCONF_OS_IS_DARWIN", False), ("!VGCONF_OS_IS_DARWIN", True),
                             ("COMPILER_IS_CLANG", False), ("DWARF4", True)):
        t.equal(vgsource.condition_holds(condition), holds, condition)


def test_recipes(t):
    variables = vgsource.read_variables(MAKEFILE)
    there = {"same.c", "differs.cpp"}.__contains__
    recipes = {name: vgsource.recipe_of(variables, name, there) for name in vgsource.expand(variables, "check_PROGRAMS")}
    t.equal(recipes["same"], vgsource.Recipe("same", ["same.c"], ["-O2", "-DN=1", '-DS="a b"'], []))
    t.equal(recipes["differs"], vgsource.Recipe("differs", ["differs.cpp"], [], []))
    t.equal(recipes["versions"], vgsource.Recipe("versions", ["versions.c"], ["-O2"], ["help.so", "-lm"]))
    t.equal(recipes["help.so"], vgsource.Recipe("help.so", ["help.c"], ["-fPIC", "-no-pie", "-shared"], []))
    t.equal(recipes["script"], None)


SAME = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  free(malloc(strlen(argv[argc - 1])));
  printf("%d arguments\\n", argc - 1);
  return N + argc;
}
"""

DIFFERS = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
int main() {
  const char *preloaded = getenv("LD_PRELOAD");
  puts(preloaded != NULL && strstr(preloaded, "vgpreload_dmd") != NULL ? "dmd" : "another");
}
"""

# It allocates once more in each run.
VARIES = """
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  int fd = open("runs", O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (write(fd, "x", 1) != 1)
    return 1;
  for (off_t n = lseek(fd, 0, SEEK_END); n > 0; n--) {
    void *volatile block = malloc(10);
    free(block);
  }
  return 0;
}
"""

# Its child allocates after the parent has ended.
ORPHAN = """
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  pid_t parent = getpid();
  if (fork() == 0) {
    while (getppid() == parent)
      usleep(1000);
    void *volatile block = malloc(10);
    free(block);
  }
  return 0;
}
"""

VERSIONS = """
#include "../../config.h"
#include "../versions.h"
extern int answer(void);
int main(void) {
  return __VALGRIND_MAJOR__ == 7 && __VALGRIND_MINOR__ == 31 && answer() == 42 ? 0 : 1;
}
"""


def make_tree(t):
    """A source tree of a Valgrind 7.31, with tests of the tool none."""
    top = t.new_folder()
    folder = os.path.join(top, "none", "tests")
    os.makedirs(folder)
    os.makedirs(os.path.join(top, "include"))
    for name, text in {
            "configure.ac": "m4_define([v_major_ver], [7])\nm4_define([v_minor_ver], [31])\n",
            "include/valgrind.h.in": "#define __VALGRIND_MAJOR__ @VG_VER_MAJOR@\n"
                                     "#define __VALGRIND_MINOR__ @VG_VER_MINOR@\n",
            "none/versions.h": '#include "valgrind.h"\n',
            "none/tests/Makefile.am": MAKEFILE,
            "none/tests/same.c": SAME,
            "none/tests/differs.cpp": DIFFERS,
            "none/tests/versions.c": VERSIONS,
            "none/tests/varies.c": VARIES,
            "none/tests/orphan.c": ORPHAN,
            "none/tests/help.c": "int answer(void) { return 42; }\n",
            "none/tests/differs.vgtest": "prog: differs\nprereq: true\n",
            "none/tests/same.vgtest": "# prog: differs\nprog: ./same\nargs: a b\n",
            "none/tests/same-again.vgtest": "prog: same\nargs: a b\nvgopts: -q\n",
            "none/tests/same-c.vgtest": "prog: same\nargs: c\n",
            "none/tests/other.vgtest": "prog: ../../tests/true\n"}.items():
        files.write(os.path.join(top, name), text)
    return top


def test_tests_of_a_tree(t):
    # Equal runs are one, and a program without a .vgtest runs without arguments.
    tests, recipes = vgsource.read_tree(make_tree(t))
    t.equal([(test.name, test.group, test.program, test.args) for test in tests],
            [("none.differs", "none", "differs", ()), ("none.same-again", "none", "same", ("a", "b")),
             ("none.same-c", "none", "same", ("c",)), ("none.orphan", "none", "orphan", ()), ("none.varies", "none", "varies", ()),
             ("none.versions", "none", "versions", ())])
    t.equal(sorted(*recipes.values()), ["differs", "help.so", "orphan", "same", "varies", "versions"])


def test_programs_are_judged(t):
    source = make_tree(t)
    tests, recipes = vgsource.read_tree(source)
    tests = {test.name: test for test in tests}
    bench = Bench(t.place, source, recipes, {})
    modes = ["dark-matter", "cumulative"]
    t.equal(bench.judge(tests["none.same-c"], modes), ["equal"])
    t.equal(bench.run(tests["none.same-again"])[1:3], (4, b"2 arguments\n"))
    t.equal(bench.run(tests["none.versions"])[1], 0)
    t.equal(bench.judge(tests["none.varies"], modes), ["varies"])
    t.equal(bench.judge(tests["none.orphan"], modes), ["equal"])
    t.equal(bench.under(tests["none.orphan"], "dmd", ["--dmd-out-file=SCRATCH/%p.json"]).allocations, [(0, 0), (1, 10)])
    try:
        bench.judge(tests["none.differs"], modes)
        raise AssertionError("a difference was not seen")
    except Failure as failure:
        t.contains(str(failure), "dark-matter: output")
        t.contains(str(failure), "cumulative: output")
    bench.explained = {("none.differs", "output"): "it says who watches it"}
    t.equal(bench.judge(tests["none.differs"], modes), ["output"])


def test_what_does_not_compile_is_skipped(t):
    source = make_tree(t)
    files.write(os.path.join(source, "none", "tests", "same.c"), "#error no\n")
    tests, recipes = vgsource.read_tree(source)
    bench = Bench(t.place, source, recipes, {})
    try:
        bench.judge(next(test for test in tests if test.program == "same"), ["live"])
        raise AssertionError("it compiled")
    except Skip:
        pass


# ---- Outcomes ----

LOG = """==7== HEAP SUMMARY:
==7==     in use at exit: 1,020 bytes in 3 blocks
==7==   total heap usage: 4,000 allocs, 3,997 frees, 5,123,456 bytes allocated
==7== """


def outcome_with(**changes):
    return Outcome(0, b"out 1", b"err", [(4, 40)], [(3, 1, 10)], False)._replace(**changes)


def test_figures_of_memcheck(t):
    # One process ended without a summary.
    got = outcome.of_memcheck(0, b"", b"", [LOG.replace("4,000", "9"), "==8== killed", LOG])
    t.equal(got.allocations, [(9, 5123456), (4000, 5123456)])
    t.equal(got.in_use, [(3997, 3, 1020)] * 2)
    t.check(not got.has_failed, "it has not failed")


def test_figures_of_dmd(t):
    totals = {"allocs": 9, "allocBytes": 90, "frees": 2, "inUseBlocks": 7, "inUseBytes": 70}
    got = outcome.of_dmd(0, b"", b"", ["==7== all is well"], [totals, {**totals, "allocs": 1}])
    t.equal(got, Outcome(0, b"", b"", [(1, 90), (9, 90)], [(2, 7, 70)] * 2, False))


def test_failures_of_a_tool(t):
    for log, failed in (("Memcheck: mc_main.c:1 (f): the 'impossible' happened.", True),
                        ("\nvalgrind: m.c:2 (f): Assertion 'a' failed.", True),
                        ("==7== a.c:2: Assertion 'a' failed", False)):
        t.equal(outcome.has_failed(log), failed, log)


def test_differences(t):
    none = outcome_with()
    memcheck = outcome_with(out=b"out of 2", status=1)
    for changes, kinds in (
            ({}, []),
            ({"out": b"out 0x1f"}, ["numbers"]),
            ({"out": b"out of 3", "status": 1}, ["as-memcheck"]),
            ({"out": b"out of 3"}, ["output"]),
            ({"err": b""}, ["output"]),
            ({"status": -11}, ["output"]),
            ({"allocations": [(4, 41)]}, ["allocations"]),
            ({"allocations": [(4, 40)] * 2, "in_use": []}, ["allocations"]),
            ({"in_use": [(3, 1, 11)]}, ["in-use"]),
            ({"out": b"out 7", "in_use": []}, ["numbers", "in-use"]),
            ({"has_failed": True, "status": 1}, ["failure"])):
        t.equal(outcome.differences(none, memcheck, outcome_with(**changes)), kinds, str(changes))
    for kind, differs in (("output", False), ("allocations", True)):
        t.equal(outcome.differ(kind, none, outcome_with(out=b"out 3", allocations=[])), differs, kind)
    failed = memcheck._replace(has_failed=True)
    t.equal(outcome.differences(none, failed, outcome_with(has_failed=True)), [])


def test_explained_differences(t):
    explained, faults = outcome.read_explained(
        "# a comment\n\na.b output it is so\na.b in-use a pool\na.c numbers why\na.d output\na.b output twice\n")
    t.equal(explained, {("a.b", "output"): "it is so", ("a.b", "in-use"): "a pool"})
    t.equal([fault.split(" is ")[0] for fault in faults], ["line 5", "line 6", "line 7"])
    t.equal(outcome.unexplained("a.b", ["numbers", "output", "allocations"], explained), ["allocations"])
    t.equal(outcome.unexplained("a.c", ["as-memcheck", "output"], explained), ["output"])
