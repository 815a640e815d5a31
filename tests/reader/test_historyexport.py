# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv history export: what Prometheus, a CSV reader and a benchmark action find in it."""

import csv
import io
import json

from harness import prometheus
from test_history import HOUR, START, History, build_of
from test_openmetrics import EVIL, own_label


def history_of(test):
    """Six builds of two runs each on main, one on a topic; an evil tag in the last."""
    history = History(test)
    for i in range(6):
        for run in range(2):
            history.add(i, build_of(i, 3000 + 100 * i, noise=20 * run, pid=1000 * run), "--env=cc=gcc 12")
    history.add(9, build_of(9, 9000).block(77, ["malloc (m.c:1)", "f (a.c:1)"], tag=EVIL), "--branch=topic", "--env=cc=gcc 12")
    return history


def points(history, series):
    """{(branch, seconds): value}, from dmdv history show, which has its own tests."""
    return {(curve["branch"], START + HOUR * int(point["build"][1:])): point["value"]
            for curve in history.json("show", series)["curves"] for point in curve["points"]}


def test_prometheus_holds_the_history(test):
    """promtool makes blocks of it, and a Prometheus with these blocks returns each value at its time."""
    prometheus.need()
    history = history_of(test)
    history.run("export", "--format=openmetrics", "-o", "history.om")
    test.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", "history.om", "data"])
    with prometheus.Prometheus(test.folder, test.path("data")) as server:
        for series, metric in (("heap", "dmd_heap_bytes"), ("unreported", "dmd_unreported_bytes"),
                               ("reporter explicit/app/list", 'dmd_reporter_bytes{reporter="explicit/app/list"}'),
                               ("tag index", 'dmd_tag_bytes{tag="index"}'), ("faults", "dmd_faults")):
            result = server.wait_for(metric + "[1d]", START + 10 * HOUR)
            found = {(labels["branch"], int(time)): int(value) for labels, values in result for time, value in values}
            test.equal(found, points(history, series), series)
            test.check(all(labels["moment"] == "loaded" and "cc=gcc 12" in labels["environment"] for labels, _ in result), series)
        tags = server.ask("dmd_tag_bytes[1d]", START + 10 * HOUR)
        test.check(EVIL in {own_label(labels) for labels, _ in tags}, "a name with all that is special")
        builds = server.ask("dmd_build_info[1d]", START + 10 * HOUR)
        test.equal({(labels["build"], int(values[0][0])) for labels, values in builds},
                   {("b%d" % i, START + HOUR * i) for i in (0, 1, 2, 3, 4, 5, 9)}, "builds")


def test_csv_has_all_points(test):
    """Control characters are written as elsewhere, though CSV has quotes for some of them: terminals obey them."""
    history = history_of(test)
    rows = list(csv.DictReader(io.StringIO(history.run("export", "--format=csv"), newline="")))
    for series in ("heap", "tag index", "tag " + EVIL):
        found = {(row["branch"], START + HOUR * int(row["build"][1:])): int(row["value"]) for row in rows
                 if row["series"] == series.replace("\n", "\\x0a")}
        test.equal(found, points(history, series), series)
    test.equal({(row["branch"], row["runs"]) for row in rows}, {("main", "2"), ("topic", "1")}, "runs")
    test.equal([row["time"] for row in rows if row["build"] == "b0"][0], "2023-11-14T22:13:20Z", "date -u -d @1700000000")


def test_benchmarks_are_of_the_last_build(test):
    history = history_of(test)
    listed = json.loads(history.run("export", "--format=benchmark"))
    test.equal(len({entry["name"] for entry in listed}), len(listed), "names are distinct")
    heap = {entry["extra"]: entry for entry in listed if entry["name"].startswith("heap, loaded, ")}
    test.equal((heap["b5"]["value"], heap["b5"]["unit"], "range" in heap["b5"], "range" in heap["b9"]),
               (103510, "bytes", True, False), "the mean of 103,500 and 103,520")


def test_exports_that_are_not_asked_rightly(test):
    history = history_of(test)
    for args, word in ((["--db=" + history.db], "--format"), (["--format=csv"], "--db"),
                       (["--format=csv", "--db=none.db"], "none.db"), (["--format=csv", "--db=" + history.db, "x"], "no files")):
        err = test.error("history", "export", *args)
        test.check(word in err, err)
