# SPDX-License-Identifier: GPL-2.0-or-later
"""Blocks of the program's own allocator, whatever function they come from."""

REQUESTED = {"by_malloc": 100, "by_calloc": 200, "by_realloc_of_null": 300, "by_realloc_that_grows": 5000,
             "by_reallocarray": 400, "by_posix_memalign": 1000, "by_aligned_alloc": 640, "by_memalign": 700,
             "by_valloc": 800, "by_pvalloc": 900, "by_strdup": 13, "by_realloc_that_fails": 60}


def test_each_function(t):
    run = t.run(t.program("blocks.c"))
    usable = dict(line.split() for line in run.out.decode().splitlines())
    t.equal(sorted(usable), sorted(REQUESTED))
    for function, req in REQUESTED.items():
        if function != "by_strdup":  # its caller needs more than frame pointers
            t.equal(run.profile.at(function), ["%d+%d" % (req, int(usable[function]) - req)])
    t.equal(run.profile.at("by_none"), [])
    t.equal(run.profile.totals["inUseBlocks"], len(REQUESTED))
    t.equal(run.profile.totals["inUseBytes"], sum(REQUESTED.values()))
    t.equal(run.log, "dmd: wrote %s\n" % run.profile.path.replace(".named.json", ""))


def test_counts_are_those_of_memcheck(t):
    """By hand, with its rules: 13 functions allocate at first sight; 2 of realloc's blocks come and go before, and those
    of by_none; the realloc that fails counts as both."""
    totals = t.run(t.program("blocks.c")).profile.totals
    t.equal(totals["allocs"], 12 + 2 + 4 + 1)
    t.equal(totals["frees"], 2 + 4 + 1)


def test_innermost_is_the_function_that_was_called(t):
    profile = t.run(t.program("blocks.c")).profile
    for function in ("malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign",
                     "valloc", "pvalloc"):
        t.check(any(block.stack[0] == function for block in profile.blocks), function)
