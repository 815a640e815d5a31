# SPDX-License-Identifier: GPL-2.0-or-later
"""Misuse of the heap is reported and does not end the program, as under Valgrind."""

FAULTS = {"free_twice": ["invalid-free x 1"], "free_inside": ["invalid-free x 1"], "free_data": ["invalid-free x 1"],
          "realloc_data": ["invalid-realloc x 1"], "negative": ["absurd-size x 1"],
          "negative_realloc": ["absurd-size x 1"], "too_large": [], "report_data": ["report-global x 1"]}


def test_each_mistake(t):
    run = t.run(t.program("mistakes.c"))
    t.equal({function: run.profile.faults_at(function) for function in FAULTS}, FAULTS)
    t.equal(run.profile.totals["inUseBlocks"], 0)
    t.equal([f.memory for f in run.profile.faults if f.kind == "report-global"], ["the global variable data"])


def test_told_at_once(t):
    """The program might end before a dump: the message comes at once, with the stack, as far as names are
    known."""
    log = t.run(t.program("mistakes.c")).log
    t.contains(log, "invalid free: no block starts at 0x")
    t.contains(log, "   at free (")
    t.contains(log, "   by free_twice (")
    t.equal(t.run(t.program("mistakes.c"), options=["--quiet"]).log, "")
