# SPDX-License-Identifier: GPL-2.0-or-later
"""Histories with many runs of a build, as of a fleet's processes: the sample that check reads, and dmdv history prune
--every and --runs, compared with the same choice made here."""

import random

from dmdvtest import Profile
from test_history import HOUR, START, History, build_of, fill

DAY = 24 * HOUR
SAMPLE = 50


def hexadecimal(history, column):
    return "encode(%s, 'hex')" % column if history.server else "lower(hex(%s))" % column


def copy_runs(history, n):
    """Makes n runs of each run, with digests of their own and equal values."""
    digest = "decode(md5(random() || ' ' || run.id || ' ' || number), 'hex')" if history.server else "randomblob(16)"
    history.sql("INSERT INTO run(build, moment, environment, digest, recordset, process, launch) SELECT build, moment, environment, "
                "%s, recordset, process, launch || '.' || number FROM run CROSS JOIN (WITH RECURSIVE numbers(number) AS (SELECT 2 "
                "UNION ALL SELECT number + 1 FROM numbers WHERE number < %d) SELECT number FROM numbers) AS n" % (digest, n))
    history.sql("INSERT INTO value(series, run, value) SELECT series, copy.id, value FROM run AS copy JOIN run AS source ON "
                "source.build = copy.build AND source.launch = '1' JOIN value ON value.run = source.id WHERE copy.launch <> '1'")


def test_many_runs_of_a_build_are_sampled(test):
    """check reads the launches of the lowest digests: no value of the others matters to it, and each of those does."""
    history = History(test)
    fill(history, 16, noise=lambda: 0)
    copy_runs(history, 2 * SAMPLE)
    rows = history.sql("SELECT id, build, %s FROM run" % hexadecimal(history, "digest"))
    ranked = {}
    for run, build, digest in rows:
        ranked.setdefault(int(build), []).append((digest, run))
    late = sorted(ranked)[8:]
    inside = [run for build in late for _, run in sorted(ranked[build])[:SAMPLE]]
    outside = [run for build in late for _, run in sorted(ranked[build])[SAMPLE:]]
    test.equal((len(inside), len(outside)), (8 * SAMPLE, 8 * SAMPLE), "runs")
    change = "UPDATE value SET value = value %+d WHERE run IN (%s) AND series IN (SELECT id FROM series WHERE kind = 'heap')"
    history.sql(change % (50000, ", ".join(outside)))
    test.equal(history.alarms(), [], "of the others")
    means = history.points("heap")
    test.equal({mean - means[0] for mean in means[8:]}, {25000}, "show, which reads all")
    history.sql(change % (-50000, ", ".join(outside)))
    history.sql(change % (50000, ", ".join(inside)))
    test.equal([(a["series"], a["first_build"], a["delta"]) for a in history.alarms(1)], [("heap", "b8", 50000)], "of the sample")


# ---- prune ----


class Run:
    """A row of the runs, with its build."""

    def __init__(self, row):
        self.digest, self.moment, self.environment, self.launch, self.build, self.branch = row[:6]
        self.first, self.time = int(row[6]), int(row[7])


def runs_of(history):
    return [Run(row) for row in history.sql(
        "SELECT %s, moment, environment, launch, build, branch, run.id, time FROM run JOIN build ON build.id = run.build ORDER BY run.id"
        % hexadecimal(history, "digest"))]


def sampled(runs, n):
    """Of the runs of one build, those of n launches for each moment and environment."""
    kept, groups = [], {}
    for run in runs:
        groups.setdefault((run.moment, run.environment), {}).setdefault(run.launch, []).append(run)
    for launches in groups.values():
        for launch in sorted(launches.values(), key=lambda of_launch: of_launch[0].digest)[:n]:
            kept += launch
    return kept


def expected(runs, acknowledged, keep=0, before=None, branch=None, every=0, n_runs=0):
    """The digests that prune leaves."""
    kept = []
    for name in {run.branch for run in runs}:
        builds = {}
        for run in runs:
            if run.branch == name:
                builds.setdefault((run.time, int(run.build)), []).append(run)
        periods = set()
        for place, build in enumerate(sorted(builds, reverse=True)):
            matches = branch in (None, name) and place >= keep and (before is None or build[0] < before) and \
                str(build[1]) not in acknowledged
            # 1970-01-05 was a Monday.
            period = (build[0] - 4 * DAY) // every if every else None
            stays = not matches or (period not in periods if every else n_runs > 0)
            if matches and every:
                periods.add(period)
            if stays:
                kept += sampled(builds[build], n_runs) if matches and n_runs else builds[build]
    return sorted(run.digest for run in kept)


def values_of(history):
    return {tuple(row) for row in history.sql("SELECT %s, kind, name, value FROM value JOIN run ON run.id = value.run JOIN series "
                                              "ON series.id = value.series" % hexadecimal(history, "run.digest"))}


def random_history(test, draw):
    history = History(test)
    for i in range(20):
        branch, when = draw.choice(["main", "main", "topic"]), START + draw.randrange(0, 40 * DAY)
        profiles = []
        for k in range(draw.randrange(1, 5)):
            profile = build_of(i, noise=draw.randrange(500), pid=1000 * k, label=draw.choice(["loaded", "idle"]))
            profiles.append(test.write("p%d.json" % k, profile))
        worker = Profile(mode="live", dmd={"version": "1", "pid": i, "label": "loaded", "faults": [], "command": "/bin/worker"})
        profiles.append(test.write("worker.json", worker.block(draw.randrange(1000, 9000), ["malloc (m.c:1)", "work (w.c:1)"])))
        test.dmdv("history", "add", "--db=" + history.db, "--build=b%d" % i, "--branch=" + branch, "--time=%d" % when,
                  "--env=cc=%d" % draw.randrange(2), *profiles)
    return history


def test_prune_thins_as_a_model_does(test):
    """Random builds, pruned again and again: what stays is what the model says, with its values and records."""
    draw = random.Random(35)
    history = random_history(test, draw)
    history.sql("INSERT INTO alarm(series, process, moment, environment, build, state, reason) SELECT (SELECT min(id) FROM series), '', "
                "'loaded', (SELECT min(id) FROM environment), id, 'acknowledged', 'x' FROM build WHERE name = 'b3'")
    acknowledged = [row[0] for row in history.sql("SELECT build FROM alarm")]
    middle, late = START + 20 * DAY, START + 35 * DAY
    for args, choice in ((["--older-than=%d" % middle, "--runs=2"], {"before": middle, "n_runs": 2}),
                         (["--keep=3", "--every=day"], {"keep": 3, "every": DAY}),
                         (["--branch=main", "--older-than=%d" % late, "--every=week", "--runs=1"],
                          {"branch": "main", "before": late, "every": 7 * DAY, "n_runs": 1}),
                         (["--every=hour"], {"every": HOUR}), (["--branch=topic", "--every=week"], {"branch": "topic", "every": 7 * DAY}),
                         (["--runs=1"], {"n_runs": 1}), (["--keep=2", "--every=no"], {"keep": 2})):
        before, values = runs_of(history), values_of(history)
        left = expected(before, acknowledged, **choice)
        _, err = test.dmdv("history", "prune", "--db=" + history.db, *args)
        test.equal(sorted(run.digest for run in runs_of(history)), left, " ".join(args))
        test.equal(values_of(history), {value for value in values if value[0] in left}, "values after " + " ".join(args))
        if choice == {"n_runs": 1}:
            test.check(", %d runs of others dropped, 1 kept" % (len(before) - len(left)) in err, err)
        history.run("export", "--format=json")  # reads all records
    test.equal(history.sql("SELECT count(*) FROM recordset WHERE id NOT IN (SELECT recordset FROM run)"), [["0"]], "sets")


def test_runs_after_prune_are_launches_of_their_own(test):
    history = History(test)
    fill(history, 6, runs=3)
    history.run("prune", "--runs=1")
    test.check(["2"] in history.sql("SELECT launch FROM run"), "a second launch is left of some build")
    for i in range(6):
        history.add(i, build_of(i, pid=7777))
    for build, n_runs, n_launches in history.sql("SELECT build, count(*), count(DISTINCT launch) FROM run GROUP BY build"):
        test.equal((n_runs, n_launches), ("2", "2"), "build " + build)


def test_prune_options(test):
    history = History(test)
    fill(history, 2)
    for args, word in ((["--every=year"], "every"), (["--runs=0"], "runs"), ([], "--every or --runs")):
        err = test.error("history", "prune", "--db=" + history.db, *args)
        test.check(word in err, err)
    test.equal(len(history.json("list")["builds"]), 2, "builds")
