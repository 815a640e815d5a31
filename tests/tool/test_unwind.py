# SPDX-License-Identifier: GPL-2.0-or-later
"""Cached stacks need no unwinding; they must equal those that unwinding finds."""

import re

from harness import Skip


def _looked_up(log):
    found = re.search(r"dmd: (\d+) stacks looked up, (\d+) of them cached", log)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def _need_reuse(t):
    if not t.reuses_stacks:
        raise Skip("the tool walks each stack on this processor")


def known_stacks_are_right(t):
    _need_reuse(t)
    # --check-stacks unwinds even cached stacks, and ends with status 1 if the stacks differ. The program takes 16 paths
    # to a malloc and a free, again in each of 400 rounds. The cache is emptied when a thread ends, every 20 rounds, and
    # when it is full, but not in more than half of the rounds.
    for callers in (12, 3, 40):
        run = t.run(options=["--check-stacks=yes", "--stats=yes", "--num-callers=%d" % callers])
        n, known = _looked_up(run.log)
        t.check(known >= 16 * 2 * 400 / 2, "%d of %d stacks were known" % (known, n))


def what_repeats_is_known(t):
    _need_reuse(t)
    # What makes dmd fast: no stack is unwound twice. All rounds are equal, so only the calls of the first round are
    # new, and a few outside the rounds: a report, and the C library's own allocations.
    for callers in (12, 3, 40):
        run = t.run(options=["--stats=yes", "--num-callers=%d" % callers])
        in_a_round, rounds = map(int, run.out.split())
        n, known = _looked_up(run.log)
        t.check(in_a_round * rounds < n < in_a_round * (rounds + 1), "%d stacks were looked up" % n)
        t.check(known >= in_a_round * (rounds - 1), "%d of %d stacks were known" % (known, n))


def known_stacks_do_not_change_the_profile(t):
    _need_reuse(t)
    # With more than 64 frames none is remembered.
    known = t.run(options=["--stats=yes"])
    unwound = t.run(options=["--stats=yes", "--num-callers=65", "--max-frames=12"])
    t.check(_looked_up(known.log)[1] > 0, "some stacks were known")
    t.equal(_looked_up(unwound.log), (0, 0))
    for function in ("block", "with_alloca", "small_frame", "large_frame", "left", "compare", "jump", "handler", "unknown_code"):
        t.equal(known.profile.count_at(function), unwound.profile.count_at(function))


def merged_frames(t):
    """A stack without its recursions does not match the words on the thread's stack, so it is not cached. The option
    may also be given for dmd alone, or by the environment."""
    _need_reuse(t)
    option = "--merge-recursive-frames=1"
    t.check(_looked_up(t.run(options=["--stats=yes", "--merge-recursive-frames=0"]).log)[1] > 0, "some were known")
    for options, env in ([option], {}), (["--dmd:" + option[2:]], {}), ([], {"VALGRIND_OPTS": option}):
        run = t.run_command([t.program()], options=["--stats=yes", *options], env=env)
        t.equal(_looked_up(run.log), (0, 0), str(options))
