# SPDX-License-Identifier: GPL-2.0-or-later
"""Steady growth in real programs. Theirs is the clock, which replaces that of the C library: so nothing depends on how
fast a machine is."""

import json
import os

from harness import commands


def growth(t, what, seed):
    """What dmdv timeline says of the growth in a minute of the program; None: nothing."""
    run = t.run([t.program("leak.c"), what], env={"SEED": str(seed)})
    end = run.profile.timeline["points"][-1]
    t.equal(end[0] // 1000, 60)
    t.check(40000000 <= end[1] <= 90000000, "50 MB of churn and what it hides: %s" % end)
    done = commands.run([t.place.dmdv(), "timeline", "--json", os.path.join(run.folder, *run.profiles)], run.folder)
    return json.loads(done.out).get("growth")


def test_leak_in_churn_is_named(t):
    """100,000 bytes a second among 100 MB a second that come and go."""
    for seed in 1, 2:
        found = growth(t, "leak", seed)
        t.check(found is not None, "seed %d" % seed)
        t.check(95000 <= found["bytesPerSecond"] <= 105000, "%s" % found)
        t.check(95000 <= found["ofStack"] <= 105000, "%s" % found)
        t.contains(found["name"], "lose")
        t.check(found["since"] <= 20000, "%s" % found)


def test_what_levels_off_is_not(t):
    for what in "cache", "none":
        for seed in 1, 2:
            t.equal(growth(t, what, seed), None)
