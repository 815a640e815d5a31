# SPDX-License-Identifier: GPL-2.0-or-later
"""The cache of stacks: a cached stack must equal the one that walking finds. The programs are those of the
tool's tests; tests/unit/record/unwind/test_unwind.c compares walks with the C library's."""

import os
import re

TOOL = os.path.join("..", "..", "tool", "programs")


def _looked_up(log):
    found = re.search(r"dmd: (\d+) stacks looked up, (\d+) of them cached", log)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def test_known_stacks_are_right(t):
    """16 paths to a malloc repeat in each of 400 rounds. The cache is cleared when a library is loaded, such
    as libgcc for the end of a thread, and when it is full: in at most half of the rounds."""
    for callers in (12, 3, 40):
        run = t.run(t.program(os.path.join(TOOL, "unwind.c")),
                    options=["--check-stacks=yes", "--stats=yes", "--num-callers=%d" % callers])
        n, known = _looked_up(run.log)
        t.check(known >= 16 * 400 / 2, "%d of %d stacks were known" % (known, n))


def test_what_repeats_is_known(t):
    """The tool looks up two of the three calls of a block, and one of a report."""
    for callers in (12, 3, 40):
        run = t.run(t.program(os.path.join(TOOL, "repeats.c")), options=["--stats=yes", "--num-callers=%d" % callers])
        in_a_round, rounds = map(int, run.out.split())
        n, known = _looked_up(run.log)
        t.check(n >= in_a_round // 3 * rounds, "%d stacks were looked up" % n)
        # All but those of the first round, and of the three rounds in which the cache doubled.
        t.check(known >= n - 4 * in_a_round, "%d of %d stacks were known" % (known, n))


def test_known_stacks_do_not_change_the_profile(t):
    program = t.program(os.path.join(TOOL, "unwind.c"))
    known = t.run(program, options=["--stats=yes"])
    walked = t.run(program, options=["--stats=yes", "--num-callers=65", "--max-frames=12"])
    t.check(_looked_up(known.log)[1] > 0, "some stacks were known")
    t.equal(_looked_up(walked.log), (0, 0))
    for function in ("block", "with_alloca", "small_frame", "large_frame", "left", "compare", "jump", "handler"):
        t.equal(known.profile.count_at(function), walked.profile.count_at(function))
    t.equal(known.profile.count_at("block")[0], 64)


def test_number_of_frames(t):
    for callers in (1, 2, 7):
        run = t.run(t.program("deep.c"), options=["--num-callers=%d" % callers])
        stacks = [stack for stack in run.profile.doc["traceTable"].values() if len(stack) > 0]
        t.equal(max(map(len, stacks)), callers)


def test_frame_pointers(t):
    """With frame pointers the result is the same as without, in a program that has them."""
    program = t.program("deep.c", extra=["-fno-omit-frame-pointer"])
    t.equal(t.run(program).profile.at("bottom"), ["100+4"])
    for function in ("bottom", "middle", "top", "main"):
        t.equal(t.run(program, options=["--stacks=fp"]).profile.at(function), ["100+4"])


def test_forks_while_others_load(t):
    """A child does not wait for the loader's lock, which another thread of its parent may have held."""
    names = [t.program("plugin.c", extra=["-shared", "-fPIC"])]
    program = t.program("loading_forks.c")
    for _ in range(5):
        run = t.run([program, *names], options=["--check-stacks=yes"])
        t.equal(run.out, b"done\n")


def test_own_frames_are_not_shown(t):
    """Our function with which a thread begins."""
    run = t.run(t.program("deep.c"))
    frames = run.profile.doc["frameTable"]
    for stack in run.profile.doc["traceTable"].values():
        t.check(not any("libdmd.so" in frames[frame] for frame in stack[1:]), "none of the library's")
