# SPDX-License-Identifier: GPL-2.0-or-later
"""jemalloc's functions beyond those of the C library."""

import glob
import os
import re

from harness import Skip


def _run(t, **more):
    if not glob.glob("/usr/lib/*/libjemalloc.so.2") + glob.glob("/usr/lib*/libjemalloc.so.2"):
        raise Skip("libjemalloc.so.2 is not installed")
    return t.run(**more)


def same_answers_as_natively(t):
    run = _run(t)
    native = t.run_natively([t.program()]).out.splitlines()
    t.check(len(native) > 15000, "%d answers" % len(native))
    t.equal([pair for pair in zip(native, run.out.splitlines()) if pair[0] != pair[1]], [])
    t.equal(len(run.out.splitlines()), len(native))
    # Everything was allocated here, and freed: by mallocx 930 + 896 + 4847 times and more.
    totals = run.profile.totals
    t.check(totals["allocs"] > 6673, "blocks came from dmd: %s" % totals)
    t.equal(run.profile.blocks_at("allocate") + run.profile.blocks_at("resize"), [])
    t.equal(run.profile.doc["dmd"]["faults"], [])


def blocks(t):
    profile = _run(t).profile
    # Classes: 112, 128, 160, 192 (a multiple of 64), 224, 1024, 48 and 56 KiB.
    for function, expected in (("plain", "100+12"), ("aligned", "130+62"), ("grown", "1000+24"),
                               ("grown_within_its_class", "110+2"), ("shrunk_in_place", "51000+6344"),
                               ("given_all_there_is", "112+0"), ("left_as_it_was", "200+24")):
        t.equal(profile.at(function), [expected], function)
    t.equal(profile.at("freed"), [])


def stacks(t):
    profile = _run(t).profile
    for function, innermost in (("plain", "mallocx"), ("grown", "rallocx"), ("shrunk_in_place", "xallocx")):
        t.equal([block.stack for block in profile.blocks_at(function)], [[innermost, function, "main"]])
    # All of the replacements are in one place, as Valgrind's are.
    frames = [frame for frame in profile.doc["frameTable"].values() if "allocx" in frame]
    t.check(frames != [] and all(frame.endswith("allocx (vg_replace_malloc.c:0)") for frame in frames), frames)


def mistakes(t):
    run = _run(t)
    found = sorted((fault.kind, fault.stack[0]) for fault in run.profile.faults if "mistakes" in fault.stack)
    t.equal(found, [("absurd-size", "mallocx"), ("absurd-size", "rallocx"), ("absurd-size", "xallocx"),
                    ("invalid-free", "dallocx"), ("invalid-free", "dallocx"), ("invalid-free", "sdallocx"),
                    ("invalid-realloc", "rallocx"), ("invalid-realloc", "xallocx")])
    for said in "invalid free: no block starts at 0x", "invalid realloc: no block starts at 0x":
        t.contains(run.log, said)
    t.equal(run.profile.at("mistakes"), ["14+2"])


def asking_for_the_size_reports(t):
    profile = _run(t, options=["--report-fn=measure"]).profile
    t.equal(profile.at("plain"), ["100+12 reported by sallocx as explicit/measure"])


def answered_in_translated_code(t):
    """The same answers as from the core's scheduler."""
    direct, usual = [_run(t, options=["--stats=yes", *options]) for options in ([], ["--direct-requests=no"])]
    answered = re.search(r"dmd: (\d+) requests answered in translated code", direct.log)
    t.check(int(answered.group(1)) >= 30, answered.group())
    for function in "plain", "grown", "shrunk_in_place", "mistakes":
        t.equal(direct.profile.at(function), usual.profile.at(function))
    t.equal(direct.profile.faults_at("mistakes"), usual.profile.faults_at("mistakes"))
    t.equal(direct.profile.totals, usual.profile.totals)


def left_alone_where_malloc_is(t):
    """If the option says that malloc is not replaced, these are not either."""
    run = _run(t, options=["--soname-synonyms=somalloc=nouserintercepts"])
    t.check(len(run.out.splitlines()) > 15000, "the program works")
    t.equal(run.profile.totals["allocs"], 0)


def bind9_counts_the_same_blocks(t):
    """BIND 9 counts the requested size with isc_mem_get, and with isc_mem_allocate the result of sallocx."""
    if not os.path.exists("/usr/include/isc/mem.h"):
        raise Skip("BIND 9's headers are not installed")
    run = t.run()
    in_use = int(run.out)
    t.check(in_use > 10000000, "BIND 9 has %d bytes in use" % in_use)
    t.equal(run.out, t.run_natively([t.program()]).out, "as natively")
    by_usable = {"isc__mem_allocate", "isc__mem_reallocate"}
    counted = 0
    for block in run.profile.blocks:
        functions = set(block.stack)
        if any(function.startswith("isc__mem") for function in functions):
            counted += block.num * (block.req + (block.slop if functions & by_usable else 0))
    t.check(abs(counted - in_use) < in_use / 100, "dmd has %d bytes, BIND 9 %d" % (counted, in_use))
