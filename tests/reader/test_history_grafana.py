# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/grafana-dashboard.json: each query of its panels runs where Grafana would run it, on a PostgreSQL server with a
history, and on Prometheus with the metrics of a program and of a profile."""

import json
import os
import re
import shutil

import test_history_postgresql
import test_memory
from harness import Skip, files, prometheus
from test_history import HOUR, START, History, build_of
from test_openmetrics import Exporter, profile

TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def dashboard(test):
    return files.read_json(os.path.join(test.place.srcdir, "docs", "grafana-dashboard.json"))


def targets(board, plugin):
    """The queries for one kind of data source, as pairs of a title and a target."""
    found = [(panel["title"], target) for panel in board["panels"] for target in panel.get("targets", ())]
    found += [(note["name"], note["target"]) for note in board["annotations"]["list"]]
    return [(title, target) for title, target in found if target.get("datasource", {"type": "grafana-postgresql-datasource"})["type"] == plugin]


def test_grafana_panels_fit(test):
    """Each panel has a number of its own and space of its own, and uses only variables that exist."""
    board = dashboard(test)
    numbers = [panel["id"] for panel in board["panels"]]
    test.equal(len(set(numbers)), len(numbers), "numbers")
    taken = set()
    for panel in board["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        test.check(at["x"] + at["w"] <= 24 and not cells & taken, "the place of " + panel["title"])
        taken |= cells
    known = {variable["name"] for variable in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z]+)", str(board)))
    test.equal(used - known, set(), "variables that do not exist")
    test.equal(known - used, set(), "variables without a use")


# As Grafana's own code reads it. Fields of a query are the data source's; those of an annotation's query have no type
# of their own there.
CHECK = """import type { Dashboard } from "%s/@grafana/schema/dist/esm/veneer/dashboard.types";
export const dashboard: Dashboard = %s;
"""


def npm_folder(test, *names):
    """The folder under viewer/ of the build that has this package."""
    for builddir in test.builddir, os.path.dirname(test.builddir):
        for folder in "viewer/node_modules", "viewer/browsers/node_modules":
            if os.path.isdir(os.path.join(builddir, folder, *names)):
                return os.path.join(builddir, folder)
    raise Skip("npm did not install " + "/".join(names))


def type_errors(test, board):
    """What TypeScript finds wrong with it."""
    node, compiler = shutil.which("node"), npm_folder(test, "typescript")
    if node is None:
        raise Skip("there is no node")
    path = test.write("check.ts", CHECK % (npm_folder(test, "@grafana", "schema"), json.dumps(board, indent=1)))
    return test.run([node, compiler + "/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", path], status=None).out


def test_grafana_dashboard_has_its_schema(test):
    """The dashboard has the types that Grafana gives its dashboards, which a wrong one has not."""
    board = dashboard(test)
    for note in board["annotations"]["list"]:
        note["target"] = {"refId": note["target"]["refId"]}
    test.equal(type_errors(test, board), "")
    for wrong in dict(board, schemaVersion="39"), dict(board, panels=[dict(board["panels"][1], gridPos={"x": 0})]), dict(board, colour=1):
        test.contains(type_errors(test, wrong), "check.ts")


class Board:
    """Fills in variables and macros as Grafana does: several values are quoted and joined by commas."""

    def __init__(self, history, board, series):
        self.history = history
        self.values = {variable["name"]: [row[0].replace("\\n", "\n") for row in history.sql(variable["query"])]
                       for variable in board["templating"]["list"] if variable["type"] == "query" and variable["name"] != "environment"}
        self.environments = variable_query(board, "environment")
        self.values["series"] = [series]

    def run(self, target, since, until):
        text = re.sub(r"\$__unixEpochFilter\(([^)]*)\)", r"\1 >= %d AND \1 <= %d" % (since, until), target["rawSql"])
        text = text.replace("$environment", self.environments)
        text = re.sub(r"\$([a-z]+)", lambda m: ", ".join("'%s'" % value.replace("'", "''") for value in self.values[m[1]]), text)
        return self.history.sql(text)


def variable_query(board, name):
    return next(variable["query"] for variable in board["templating"]["list"] if variable["name"] == name).rsplit(" ORDER BY", 1)[0]


def test_grafana_queries_of_a_history(test):
    """The curves are those of dmdv history show, for each service; time limits count; tables have what is there."""
    test_history_postgresql.start(test)
    history, board = History(test), dashboard(test)
    for i in range(6):
        for service, more in (("web", 0), ("it's", 40000)):
            for k in range(3):
                history.add(i, build_of(i, 3000 + more + 100 * k, pid=10 * k), "--env=service=" + service)
    history.sql("INSERT INTO alarm(series, process, moment, environment, build, state, reason) SELECT (SELECT id FROM series WHERE kind = "
                "'heap'), '', 'loaded', (SELECT min(id) FROM environment), id, 'acknowledged', 'larger' FROM build WHERE name = 'b3'")
    queries = dict(targets(board, "grafana-postgresql-datasource"))
    test.equal(len(queries), 6, "queries of the history")
    grafana = Board(history, board, "heap")
    every = {title: grafana.run(target, START, START + 9 * HOUR) for title, target in queries.items()}
    for title, rows in every.items():
        test.check(rows != [], title + ": no rows")
    curves = {re.search("service=(.*)", curve["environment"])[1]: curve["points"] for curve in history.json("show", "heap")["curves"]}
    means = {(service, START + i * HOUR): point["value"] for service, points in curves.items() for i, point in enumerate(points)}
    shown = {(row[1], int(row[0])): int(float(row[2])) for row in every["$series, mean of all processes"]}
    test.equal(shown, means, "means")
    largest = [(int(time), int(most), int(least)) for time, most, least in every["$series, the largest process and the smallest"]]
    test.equal(largest, [(START + i * HOUR, 143200, 103000) for i in range(6)], "largest and smallest")
    test.equal(every["Processes of each build"], [[str(START + i * HOUR), "6"] for i in range(6)], "processes")
    test.equal(every["Acknowledged steps"], [["b3", "heap", "larger"]], "steps")
    test.equal(every["Steps"], [[str(START + 3 * HOUR), "b3: larger"]], "marks")
    names = {tuple(row[:2]) for row in every["Libraries, tags and reporters of the newest build"]}
    test.check({("tag", "index"), ("reporter", "explicit/app/list")} <= names, str(names))
    late = grafana.run(queries["Processes of each build"], START + 2 * HOUR, START + 3 * HOUR)
    test.equal([int(time) for time, _ in late], [START + 2 * HOUR, START + 3 * HOUR], "a part of the time")


def test_grafana_queries_of_prometheus(test):
    """Every query has a result from what dmdv memory and dmdv export write."""
    prometheus.need()
    if not os.path.exists(os.path.join(test.builddir, "libdmd-reporters.a")):
        raise Skip("the library of reporters was not built")
    document = profile(label="exit")
    document.document["dmd"]["peak"] = {"bytes": 1000, "blocks": 9, "milliseconds": 1, "allocated": 2000}
    exported, _ = test.dmdv("export", "--format=openmetrics", test.write("p.json", document))
    with test_memory.running(test, "polls") as program:
        memory, _ = program.ask("--format=openmetrics")
    queries = targets(dashboard(test), "prometheus")
    test.equal(len(queries), 7, "queries of Prometheus")
    with Exporter(exported, TYPE) as one, Exporter(memory, TYPE) as other, \
            prometheus.Prometheus(test.folder, test.path("data"), [one.address, other.address]) as server:
        found = {target["expr"]: server.wait_for(target["expr"]) for _, target in queries}
    values = {expr: int(result[0][1][1]) for expr, result in found.items() if len(result) == 1}
    test.equal(values["sum by (program) (dmd_heap_bytes)"], 137, "the heap")
    test.equal(values["max by (program) (dmd_peak_bytes)"], 1000, "the peak")
    for _, target in queries:
        for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
            test.check(all(label in labels for labels, _ in found[target["expr"]]), "no label %s: %s" % (label, target["expr"]))
