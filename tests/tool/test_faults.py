# SPDX-License-Identifier: GPL-2.0-or-later
"""Misuse of the heap, and blocks that the program announces. The program goes on, and all of it is counted."""

import re

from harness import commands


def invalid_frees(t):
    profile = t.run().profile
    for function in "free_stack", "free_global", "free_interior":
        t.equal(profile.faults_at(function), ["invalid-free x 1"], function)
    t.equal(profile.faults_at("free_twice"), ["invalid-free x 1", "invalid-free x 1"])
    t.equal(profile.at("free_interior"), ["100+4"])
    t.equal(profile.at("goes_on"), ["100+4"])
    stacks = [f.stack for f in profile.faults if "free_stack" in f.stack]
    t.equal(stacks, [["free", "free_stack", "main"]])


def first_call_is_wrong(t):
    t.equal(t.run().profile.faults_at("main"), ["invalid-free x 4"])


def invalid_reallocs(t):
    profile = t.run().profile
    t.equal(profile.faults_at("realloc_bad"), ["invalid-realloc x 1", "invalid-realloc x 1"])
    t.equal(profile.at("realloc_bad"), [])


def absurd_sizes(t):
    # calloc finds an overflow itself before it calls the tool, and reports it: that is not a fault.
    profile = t.run().profile
    t.equal(profile.faults_at("negative_size"), ["absurd-size x 1"] * 4)
    t.equal(profile.faults_at("overflow"), [])
    t.equal(profile.at("negative_size") + profile.at("overflow"), [])


def told_at_once(t):
    # Before the dump, with the address and the stack, once a place.
    run = t.run()
    before = run.log.partition("#----")[0]
    t.equal(len(re.findall(r"^invalid free: no block starts at 0x[0-9a-f]+$", before, re.MULTILINE)), 5)
    t.equal(len(re.findall(r"^invalid realloc: no block starts at 0x[0-9a-f]+$", before, re.MULTILINE)), 2)
    t.contains(before, "allocation of an impossible size: the size is 0xffffffffffffffff\n")
    t.check(re.search(r"at 0x[0-9A-F]+: free .*\n +by 0x[0-9A-F]+: free_stack \(faults.c:\d+\)\n", before), "a stack")
    t.contains(run.log, "  Invalid free: 5 times\n  Invalid realloc: 2 times\n"
                        "  Allocation of an impossible size: 4 times\n")


def counted_as_memcheck_does(t):
    _compare_with_memcheck(t)


def _compare_with_memcheck(t):
    totals = t.run().profile.totals
    log = t.run_command([t.program()], tool="memcheck").log
    numbers = [int(n.replace(",", "")) for n in re.search(
        r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks\s+"
        r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes allocated", log).groups()]
    t.equal([totals[key] for key in ("inUseBytes", "inUseBlocks", "allocs", "frees", "allocBytes")], numbers)


def announced_blocks(t):
    # They have no slop, and they may lie in a block of malloc.
    profile = t.run().profile
    t.equal(profile.at("in_static_pool"), ["100+0", "50+0 reported by in_static_pool"])
    t.equal(profile.at("in_malloced_arena"), ["32+0", "64+0"])
    t.equal(profile.blocks_at("in_malloced_arena")[0].stack, ["carve", "in_malloced_arena", "main"])
    # A resize in place keeps the stack and the report.
    t.equal(profile.at("resized"), ["20+0 reported by resized, resized"])
    # The pool has the rest: 1000 - 64 - 32.
    t.equal([b.describe() for b in profile.blocks if b.stack[:2] == ["malloc", "main"]], ["904+0"])


def announced_wrongly(t):
    profile = t.run().profile
    t.equal(profile.at("resized_wrongly"), ["10+0"])
    t.equal(profile.faults_at("resized_wrongly"), ["invalid-realloc x 1"] * 3)
    t.equal(profile.faults_at("freed_wrongly"), ["invalid-free x 1"] * 2)
    t.equal(profile.at("freed_wrongly"), [])
    t.equal(len(profile.faults), 5)


def announced_and_freed(t):
    profile = t.run().profile
    t.equal(profile.at("freed_with_free"), [])
    t.equal(profile.at("moved_with_realloc"), ["500+4"])
    t.equal(profile.faults_at("freed_with_free") + profile.faults_at("moved_with_realloc"), [])


def announced_absurdly(t):
    # An empty block for each, except the one that stays as it was; and every mode's file can be read.
    for mode in "dark-matter", "live", "cumulative":
        profile = t.run(options=["--mode=" + mode]).profile
        reported = " reported by largest" if mode == "dark-matter" else ""
        t.equal([profile.at(f) for f in ("largest", "negative", "beyond", "grown")],
                [["0+0" + reported], ["0+0"], ["0+0"], ["10+0"]], mode)
        for function in "largest", "negative", "beyond", "grown":
            t.equal(profile.faults_at(function), ["absurd-size x 1"], mode)
        commands.run([t.place.dmdv(), "print", profile.path])


def announced_as_memcheck_counts(t):
    _compare_with_memcheck(t)
