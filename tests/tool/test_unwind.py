# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks that are known need no unwinding: they must be what unwinding finds."""

import re


def _looked_up(log):
    found = re.search(r"dmd: (\d+) stacks looked up, (\d+) of them known", log)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def known_stacks_are_right(t):
    # --check-stacks unwinds all the same and ends with status 1 where the stacks differ.
    for callers in (12, 3, 40):
        run = t.run(options=["--check-stacks=yes", "--stats=yes", "--num-callers=%d" % callers])
        n, known = _looked_up(run.log)
        t.check(n > 10000 and known > n / 3, "%d of %d stacks were known" % (known, n))


def known_stacks_do_not_change_the_profile(t):
    # With more than 64 frames none is remembered.
    known = t.run(options=["--stats=yes"])
    unwound = t.run(options=["--stats=yes", "--num-callers=65", "--max-frames=12"])
    t.check(_looked_up(known.log)[1] > 0, "some stacks were known")
    t.equal(_looked_up(unwound.log), (0, 0))
    for function in ("block", "with_alloca", "small_frame", "large_frame", "left", "compare", "jump", "handler", "unknown_code"):
        t.equal(known.profile.count_at(function), unwound.profile.count_at(function))
