# SPDX-License-Identifier: GPL-2.0-or-later
"""Which blocks exist, their sizes, and where they come from.

The C library's usable size of n bytes is max(24, round_up(n + 8, 16) - 8), which gives the slop that is expected here:
48 -> 56, 100 -> 104, 1000 -> 1000. From 128 KiB on it is whole pages: round_up(round_up(n + 8, 16) + 8, 4096) - 16.
"""

import signal

from harness import Skip


def malloc_and_free(t):
    profile = t.run(status=3).profile
    t.equal(profile.at("come_and_go"), [])
    t.equal(profile.at("leak"), ["10 x 48+8"])
    t.equal(profile.blocks_at("leak")[0].stack, ["malloc", "leak", "main"])


def free_of_null(t):
    # come_and_go frees 100 and clear_again 2 x 50 blocks; the five frees of NULL do not count.
    profile = t.run(status=3).profile
    t.equal(profile.totals["frees"], 200)
    t.equal(profile.faults, [])


def calloc(t):
    profile = t.run(status=3).profile
    t.equal(profile.at("clear"), ["21+3"])
    t.equal(profile.blocks_at("clear")[0].stack, ["calloc", "clear", "main"])
    t.equal(profile.at("clear_again"), [])


def size_zero(t):
    t.equal(t.run(status=3).profile.at("nothing"), ["0+24", "0+24", "0+24", "0+24"])


def usable_sizes(t):
    # 131072: chunk 131088, mapping 135168, usable 135152. 200000: chunk 200016, mapping 200704, usable 200688.
    t.equal(t.run(status=3).profile.at("sizes"),
            sorted(["24+0", "25+15", "1000+0", "131072+4080", "200000+688"]))


def allocator_exact(t):
    profile = t.run(status=3, options=["--allocator=exact"]).profile
    t.equal((profile.run["allocator"], profile.run["allocatorChosen"]), ("exact", "option"))
    t.equal(sum(block.slop for block in profile.blocks), 0)
    t.equal(profile.at("sizes"), sorted(["24+0", "25+0", "1000+0", "131072+0", "200000+0"]))
    t.equal(profile.at("leak"), ["10 x 48+0"])
    t.equal(profile.at("nothing"), ["0+0", "0+0", "0+0", "0+0"])


def totals_are_exact(t):
    # come_and_go: 100 blocks, 1 + ... + 100 = 5050 bytes. leak: 10, 480. clear: 1, 21. clear_again: 100, 20000.
    # nothing: 4, 0. sizes: 5, 24 + 25 + 1000 + 131072 + 200000 = 332121.
    run = t.run(status=3)
    expected = {"allocs": 220, "frees": 200, "allocBytes": 5050 + 480 + 21 + 20000 + 332121,
                "inUseBytes": 480 + 21 + 332121, "inUseBlocks": 20, "freedReported": 0}
    t.equal(run.profile.totals, expected)
    t.contains(run.log, "total heap usage: 220 allocs, 200 frees, 357,672 bytes allocated; "
                        "in use: 332,622 bytes in 20 blocks\n")


# ---- realloc ----


def realloc_of_null(t):
    profile = t.run().profile
    t.equal(profile.at("from_null"), ["50+6"])
    t.equal(profile.blocks_at("from_null")[0].stack[-2:], ["from_null", "main"])


def realloc_to_zero(t):
    profile = t.run().profile
    t.equal(profile.at("to_zero"), [])
    t.equal(profile.faults_at("to_zero"), [])


def realloc_to_zero_that_keeps(t):
    # Newer releases of Valgrind have an option to keep the block. The program expects NULL, and aborts.
    option = "--realloc-zero-bytes-frees=no"
    if t.run_command([t.program()], options=[option], status=None).status == 1:
        raise Skip("this Valgrind has no " + option)
    profile = t.run(options=[option], status=-signal.SIGABRT).profile
    t.equal([block.req for block in profile.blocks_at("to_zero")], [1])


def realloc_grows(t):
    # The stack is that of the realloc.
    profile = t.run().profile
    t.equal(profile.at("grow"), ["5000+0"])
    t.equal(profile.blocks_at("grow")[0].stack, ["realloc", "grow", "main"])


def realloc_shrinks(t):
    profile = t.run().profile
    t.equal(profile.at("shrink"), ["100+4"])
    t.equal(profile.blocks_at("shrink")[0].stack, ["realloc", "shrink", "main"])


def realloc_in_place(t):
    profile = t.run().profile
    t.equal(profile.at("stay"), ["999+1"])
    t.equal(profile.blocks_at("stay")[0].stack, ["realloc", "stay", "main"])


def realloc_by_one(t):
    profile = t.run().profile
    t.equal(profile.at("creep"), ["300+12"])


def realloc_fails(t):
    # The block, its stack and its report stay; only the negative size is a fault.
    profile = t.run().profile
    t.equal(profile.at("fail"), ["77+11 reported by measure"])
    t.equal(profile.blocks_at("fail")[0].stack, ["malloc", "make", "fail", "main"])
    t.equal(profile.faults_at("fail"), ["absurd-size x 1"])
    t.equal(len(profile.faults), 1)


def realloc_keeps_slop(t):
    # The program checks this itself, under both models and natively.
    t.run("slop")
    t.run("slop", options=["--allocator=exact"])
    t.run_natively([t.program(), "slop"])


def realloc_drops_reports(t):
    profile = t.run().profile
    for function in "grow", "shrink", "stay":
        t.equal([block.reps for block in profile.blocks_at(function)], [[]], function)
    t.equal(profile.totals["freedReported"], 3)


# ---- Alignment ----


def memalign_family(t):
    profile = t.run().profile
    t.equal(profile.at("with_memalign"), ["100+4"])
    t.equal(profile.at("with_posix_memalign"), ["300+12"])
    t.equal(profile.at("with_bad_posix_memalign"), [])
    t.equal(profile.at("with_aligned_alloc"), ["256+8"])
    t.equal(profile.at("with_valloc"), ["10+14"])
    t.equal(profile.at("free_each"), [])


def memalign_then_realloc(t):
    t.equal(t.run().profile.at("move"), ["4000+8"])


def pvalloc(t):
    # Unless Valgrind's own replacement ends the program: a page, and the rest of its chunk.
    profile = t.run("pvalloc").profile
    t.equal(profile.at("with_pvalloc"), ["4096+8"])
    t.equal([block.stack[0] for block in profile.blocks_at("with_pvalloc")], ["pvalloc"])


def names_of_the_c_library(t):
    profile = t.run().profile
    for function, expected in (("with_malloc", "100+4"), ("with_calloc", "200+0"), ("with_realloc", "300+12"),
                               ("with_memalign", "400+8"), ("with_valloc", "500+4"), ("with_pvalloc", "8192+8")):
        t.equal(profile.at(function), [expected], function)
    t.equal(profile.at("freed"), [])


def frees_with_a_size(t):
    profile = t.run().profile
    t.equal(profile.at("freed_twice"), [])
    found = sorted((fault.kind, fault.stack[0]) for fault in profile.faults if "freed_twice" in fault.stack)
    t.equal(found, [("invalid-free", "free_aligned_sized"), ("invalid-free", "free_sized")])


# ---- C++ ----


def _aligned_by_128(t):
    """The C++ library of GCC 12 and earlier rounds up to the alignment before it asks for memory. We see it natively."""
    text = """#include <malloc.h>
#include <new>
int main() { return malloc_usable_size(::operator new(200, std::align_val_t(128))) >= 256 ? 10 : 11; }
"""
    probe = t.run_natively([t.bench.compile_text("probe.cc", text, ["-std=c++17"])], status=None)
    slop = {10: 264, 11: 200}
    names = ["aligned()", "aligned_array()", "aligned_nothrow()", "aligned_nothrow_array()"]
    return {name: "%d+%d" % (req, max(slop[probe.status], (req + 23) // 16 * 16 - 8) - req)
            for req, name in enumerate(names, start=200)}


def new_each_form(t):
    profile = t.run().profile
    expected = {
        "new()": "100+4", "array()": "101+3", "nothrow()": "102+2", "nothrow_array()": "103+1",
        **_aligned_by_128(t)}
    got = {name: profile.at("leak_" + name) for name in expected}
    t.equal(got, {name: [blocks] for name, blocks in expected.items()})
    t.check(profile.blocks_at("leak_array()")[0].stack[0].startswith("operator new[]("), "the innermost frame is new[]")


def new_expressions(t):
    # int, char[33], a struct of 192 bytes and two of them
    t.equal(t.run().profile.at("leak_expressions()"), sorted(["4+20", "33+7", "192+8", "384+8"]))


def delete_each_form(t):
    profile = t.run().profile
    t.equal(profile.at("delete_each()"), [])
    t.equal(profile.faults_at("delete_each()"), [])
    # 12 pairs here; libstdc++ has a block of its own, which it frees at exit on request. 12 others stay.
    t.equal(profile.totals["frees"], 13)
    t.equal(profile.totals["inUseBlocks"], 12)


def new_that_fails(t):
    profile = t.run().profile
    t.equal(profile.at("too_much()"), [])
    t.equal(profile.faults, [])


def overruns_hit_blocks_only(t):
    # Writes beside small blocks do not reach the tool's records of them.
    profile = t.run().profile
    t.equal((profile.totals["allocs"], profile.totals["frees"], profile.totals["inUseBlocks"]), (1250, 500, 750))
    t.equal(sorted(profile.at("main")), ["250 x 40+0", "500 x 24+0"])


def freed_memory_serves_other_sizes(t):
    # 20 MB and the list of 4 MB are live. If memory were reserved for one size, there would be 40 MB more.
    memory = t.run().profile.run["memory"]
    t.check(24000000 <= memory["heapAllocated"] < 25000000, "%d bytes are live" % memory["heapAllocated"])
    t.check(memory["heapOverhead"] < 15000000, "%d bytes beside them" % memory["heapOverhead"])
