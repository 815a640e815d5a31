# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv history with builds that are runs of real programs, and the figures of perf/README.md on how well it
distinguishes changes from chance."""

import os
import re
import sys

from harness import Skip, commands, files


def alarms(test, program, *args):
    """The output of perf/alarms for a few runs of a program, by kind of trial."""
    builddir = os.path.abspath(test.builddir)
    if not os.path.exists(builddir + "/libdmd.so"):
        raise Skip("the native engine was not built")
    if "without SQLite" in test.dmdv("history", "--help")[0]:
        raise Skip("this dmdv was built without SQLite")
    command = [sys.executable, test.srcdir + "/perf/alarms", "--builddir", builddir, "--quick", *args, program]
    done = commands.run(command, test.folder, dict(os.environ, TMPDIR=test.folder), status=None)
    if "left out:" in done.out:
        raise Skip(done.out.strip())
    test.check(program in done.out, done.out + done.err)
    return dict(re.findall(r"^%s +(\w+(?: [\d.]+%%)?)  +(\S.*)$" % program, done.out, re.MULTILINE))


def check_found(test, said):
    """Which build and which record made the step is certain. How soon it is found is a matter of chance, mostly with
    the second of its six builds; the tables of power, below, have the chances."""
    test.check(re.match(r"found with build [1-6], \S+%; first build right(, from \w+ to \w+)?; the change is record 1", said), said)


def test_real_equal_runs_raise_no_alarm_and_a_step_does(test):
    """Python, whose hashes differ from run to run."""
    found = alarms(test, "python", "--builds=20", "--threefold=6", "--shares=2")
    test.equal(found["equal"], "20 builds, 0 alarms", "20 equal runs")
    check_found(test, found["threefold 2%"])


def test_real_step_of_threads(test):
    """Threads with their natural scheduling, and some percent of noise, more on a busy machine."""
    check_found(test, alarms(test, "threads", "--builds=18", "--threefold=6", "--shares=25")["threefold 25%"])


def test_real_power_is_what_the_document_says(test):
    """The tables of perf/README.md are what the simulation prints."""
    program = os.path.join(test.builddir, "tests/power/power")
    if not os.path.exists(program):
        raise Skip("tests/power/power was not built")
    out = test.run([program]).out
    document = files.read(test.srcdir + "/perf/README.md")
    for table in out.strip().split("\n\n"):
        test.check("\n" + table + "\n" in document, "perf/README.md has another table than\n" + table)
