# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs with an allocator other than the C library's, to which the engine forwards."""

import glob

from harness.expect import Skip

LIBRARIES = {"jemalloc": "libjemalloc.so*", "tcmalloc": "libtcmalloc_minimal.so*", "mimalloc": "libmimalloc.so*"}


def library(name):
    found = sorted(glob.glob("/usr/lib*/" + LIBRARIES[name]) + glob.glob("/usr/lib/*/" + LIBRARIES[name]))
    if not found:
        raise Skip("no lib" + name)
    return found[0]


def compare(t, name):
    """Every allocator leaves the same blocks of the program's own, and its operators are seen."""
    program = t.program("containers.cc")
    plain, run = t.run(program), t.run(program, preload=[library(name)])
    t.equal(run.out, plain.out)
    t.equal(run.profile.faults, [])
    for function in ("left()", "left_aligned()"):
        whole = "(anonymous namespace)::" + function
        t.equal([b.req for b in run.profile.blocks_at(whole)], [b.req for b in plain.profile.blocks_at(whole)])
        t.check(run.profile.blocks_at(whole) != [], whole)
    t.check(any(block.stack[0].startswith("operator new(") for block in run.profile.blocks), "operator new is seen")


def test_jemalloc(t):
    compare(t, "jemalloc")


def test_tcmalloc(t):
    compare(t, "tcmalloc")


def test_mimalloc(t):
    compare(t, "mimalloc")


def test_functions_of_jemalloc(t):
    run = t.run(t.program("jemallocx.c"), preload=[library("jemalloc")])
    usable = [int(line) for line in run.err.split()]
    for function, req, size in zip(("by_mallocx", "by_rallocx", "by_xallocx"), (100, 5000, None), usable):
        blocks = run.profile.blocks_at(function)
        t.equal([block.req + block.slop for block in blocks], [size])
        t.check(req is None or blocks[0].req == req, function)
        t.equal(blocks[0].stack[0], function[3:] if blocks[0].req != 1 << 20 else "mallocx")
    t.equal(run.profile.at("by_none"), [])
