# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks that are known need no unwinding: they must be what unwinding finds."""

import re


def _looked_up(log):
    found = re.search(r"dmd: (\d+) stacks looked up, (\d+) of them known", log)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def known_stacks_are_right(t):
    # --check-stacks unwinds all the same and ends with status 1 where the stacks differ. Of what was compared this much
    # is plain: 16 paths to a malloc and a free come again in each of 400 rounds. All that is known is forgotten when a
    # thread ends, every 20 rounds, and when its memory is full; not in more than half of the rounds.
    for callers in (12, 3, 40):
        run = t.run(options=["--check-stacks=yes", "--stats=yes", "--num-callers=%d" % callers])
        n, known = _looked_up(run.log)
        t.check(known >= 16 * 2 * 400 / 2, "%d of %d stacks were known" % (known, n))


def what_repeats_is_known(t):
    # What makes dmd fast: no stack is unwound twice. Round after round is the same, so at most the calls of the first
    # round are new, and few that are outside of all rounds: a report, and what the C library may allocate for itself.
    for callers in (12, 3, 40):
        run = t.run(options=["--stats=yes", "--num-callers=%d" % callers])
        in_a_round, rounds = map(int, run.out.split())
        n, known = _looked_up(run.log)
        t.check(in_a_round * rounds < n < in_a_round * (rounds + 1), "%d stacks were looked up" % n)
        t.check(known >= in_a_round * (rounds - 1), "%d of %d stacks were known" % (known, n))


def known_stacks_do_not_change_the_profile(t):
    # With more than 64 frames none is remembered.
    known = t.run(options=["--stats=yes"])
    unwound = t.run(options=["--stats=yes", "--num-callers=65", "--max-frames=12"])
    t.check(_looked_up(known.log)[1] > 0, "some stacks were known")
    t.equal(_looked_up(unwound.log), (0, 0))
    for function in ("block", "with_alloca", "small_frame", "large_frame", "left", "compare", "jump", "handler", "unknown_code"):
        t.equal(known.profile.count_at(function), unwound.profile.count_at(function))


def merged_frames(t):
    """A stack without its recursions is not what the thread's words say: none is remembered. The option may also be
    given for dmd alone, or by the environment."""
    option = "--merge-recursive-frames=1"
    t.check(_looked_up(t.run(options=["--stats=yes", "--merge-recursive-frames=0"]).log)[1] > 0, "some were known")
    for options, env in ([option], {}), (["--dmd:" + option[2:]], {}), ([], {"VALGRIND_OPTS": option}):
        run = t.run_command([t.program()], options=["--stats=yes", *options], env=env)
        t.equal(_looked_up(run.log), (0, 0), str(options))
