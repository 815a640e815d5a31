# SPDX-License-Identifier: GPL-2.0-or-later
"""The records of alarms: those of the alarm's own branch, environment, moment and process, against a slow and
simple computation."""

import itertools
import random

from dmdvtest import Profile
from test_history import HOUR, START, History

N_BUILDS, N_NEAR, N_TOLD = 15, 8, 5
CURVES = list(itertools.product(("main", "topic"), ("cc=12", "cc=14"), ("loaded", "later"), ("server", "worker")))


def sizes_of(draw, build, step):
    """The bytes of stacks: six that trade bytes so that their sum is constant, one that scatters, one that
    grows at the change point."""
    sizes = {"cache%d" % k: 2000 for k in range(6)}
    for _ in range(9):
        a, b = draw.sample(sorted(sizes), 2)
        moved = draw.randrange(sizes[a])
        sizes[a], sizes[b] = sizes[a] - moved, sizes[b] + moved
    return {**sizes, "scatters": 90000 + draw.randrange(-30, 31), "grows": 1000 + (9000 if build >= step else 0)}


def add_all(history, test):
    """16 series with change points at builds near each other; returns the bytes of the stacks of each build,
    by series."""
    draw, held = random.Random(17), {}
    for build, branch, env in itertools.product(range(N_BUILDS), ("main", "topic"), ("cc=12", "cc=14")):
        files = []
        for moment, process in itertools.product(("loaded", "later"), ("server", "worker")):
            curve = branch, env, moment, process
            sizes = sizes_of(draw, build, 6 + CURVES.index(curve) % 4)
            held.setdefault(curve, []).append(sizes)
            profile = Profile(mode="live", dmd={"version": "1", "pid": build, "label": moment, "faults": [],
                                                "argv": ["/opt/" + process], "command": "/opt/" + process})
            for stack, size in sizes.items():
                if size > 0:
                    profile.block(size, ["malloc (m.c:1)", stack + " (s.c:1)", "%s_%s_%s_%s (x.c:1)" % (
                        branch, env.replace("=", ""), moment, process)])
            files.append(test.write("p%d.json" % len(files), profile))
        test.dmdv("history", "add", "--db=" + history.db, "--build=b%d" % build, "--branch=" + branch, "--env=" + env,
                  "--time=%d" % (START + build * HOUR), *files)
    return held


def records_of(curves, held, first, n_near):
    """The stacks that grew most between the means of so many builds on each side, and by how much."""
    grown = []
    for curve in curves:
        for stack in held[curve][0]:
            sums = [sum(sizes[stack] for sizes in held[curve][a:b]) for a, b in ((first - n_near, first), (first, first + n_near))]
            grown.append(((sums[1] - sums[0]) // n_near, (stack, "%s_%s_%s_%s" % (curve[0], curve[1].replace("=", ""), *curve[2:]))))
    return sorted((record for record in grown if record[0] > 0), reverse=True)[:N_TOLD]


def test_sets_that_never_end(test):
    """Two record sets that are each stored as a difference from the other: an error, and no endless loop."""
    history = History(test)
    for i in range(20):
        history.add(i, Profile(mode="live", dmd={"version": "1", "pid": i, "faults": []}).block(
            1000 + (9000 if i >= 10 else 0), ["malloc (m.c:1)", "grows (s.c:1)"]).block(100 + i % 2, ["malloc (m.c:1)", "other (s.c:1)"]))
    test.check(history.alarms(1)[0]["records"] != [], "records")
    a, b = (history.sql("SELECT recordset FROM run ORDER BY id LIMIT 1 OFFSET %d" % n)[0][0] for n in (9, 10))
    history.sql("UPDATE recordset SET base = CASE WHEN id = %s THEN %s ELSE %s END WHERE id IN (%s, %s)" % (a, b, a, a, b))
    for command in (["check"], ["page", "-o", "page.html"]):
        err = test.error("history", command[0], "--db=" + history.db, *command[1:])
        test.check("the history is damaged" in err, err)


def test_records_are_those_of_their_own_curve(test):
    history = History(test)
    held = add_all(history, test)
    alarms = [a for a in history.alarms(1, "--least-change=2000") if a["series"].startswith("heap of ")]
    test.equal(len(alarms), len(CURVES), "alarms of processes")
    most = 0
    for a in alarms:
        env = [line for line in a["environment"].split() if line.startswith("cc=")] if isinstance(a["environment"], str) \
            else ["cc=" + a["environment"]["cc"]]
        curve = a["branch"], env[0], a["moment"], a["series"][len("heap of "):]
        first = int(a["first_build"][1:])
        test.equal(first, 6 + CURVES.index(curve) % 4, "first build of %s" % (curve,))
        told = sorted(((r["delta"], tuple(frame.split(" (")[0] for frame in r["frames"][1:])) for r in a["records"]), reverse=True)
        near = [n for n in range(1, N_NEAR + 1) if first >= n and first + n <= N_BUILDS and told == records_of([curve], held, first, n)]
        test.check(near != [], "%s: %s, and not e.g. %s" % (curve, told, records_of([curve], held, first, 1)))
        most = max(most, *near)
    test.check(most >= 4, "at most %d builds on each side were compared" % most)
