# SPDX-License-Identifier: GPL-2.0-or-later
"""Whoever reads JSON can limit its size: each command with --json has --max-records, and what it prints then is what it
prints without, shortened here by the same rule. The commands and their options are those that `dmdv complete` offers, so that
a new command is tested, too."""

import json
import os
import re

import jsonoutput
import test_timeline
from dmdvtest import Profile
from graphwriter import CLAIM, CLAIM_FUNCTION, Graph, claim, data, part
from harness import files
from test_history import History, build_of, fill

# The answers of these have a fixed number of lists and elements, as their schema says: its file, and the name there.
FIXED = {"status": ("control", "status"), "dump": ("control", "dump"), "run": ("output", "screen")}

# By command: the lists that the limit shortens, with the key of the number of what is left out.
ROWS = {"rows": "leftOut"}
TREE = {"children": "leftOut", "trees": "treesLeftOut", "processes": "processesLeftOut"}
LISTS = {
    "print": {"records": "leftOut", "faults": "faultsLeftOut"},
    "diff": {"records": "leftOut", "faults": "faultsLeftOut"},
    "tree": TREE,
    "memory": TREE,
    "timeline": {"points": "leftOut", **{key: key + "LeftOut" for key in ("marks", "stacks", "tags", "breakdowns")}},
    "census": ROWS,
    "leaks": ROWS,
    "owners": ROWS,
    "retained": ROWS,
    "paths": {"paths": "leftOut"},
    "referrers": {"steps": "leftOut", "referrers": "referrersLeftOut", "pointers": "pointersLeftOut"},
    "waste": {"findings": "leftOut", "rows": "rowsLeftOut"},
    "claims": {"functions": "leftOut", **{key: key + "LeftOut" for key in ("findings", "defects", "parts", "outliers")}},
    "history check": {"alarms": "leftOut"},
    "history list": {"builds": "buildsLeftOut", "series": "seriesLeftOut"},
    "history show": {"curves": "curvesLeftOut", "points": "leftOut"},
}
NEWEST = {("history list", "builds"), ("history show", "points")}  # of these the last ones stay


def offered(test, *line):
    return [row.split("\t")[0] for row in test.dmdv("complete", "dmdv", *line)[0].splitlines()[1:]]


def commands_with_json(test):
    """By name, the options of each command that has --json."""
    found = {}
    for name in offered(test, ""):
        words = offered(test, name, "") if name == "history" else []
        lines = [(name, word) for word in words if word[:1] != "-"] or [(name,)]
        for line in lines:
            options = offered(test, *line, "-") if line[0][:1] != "-" else []
            if "--json" in options:
                found[" ".join(line)] = options
    return found


def test_each_command_has_a_limit(test):
    commands = commands_with_json(test)
    if "without SQLite" in test.dmdv("history", "--help")[0]:
        commands.update((name, ["--max-records="]) for name in LISTS if name.startswith("history "))
    test.equal(set(commands), set(LISTS) | set(FIXED), "commands with --json")
    for name in sorted(set(commands) - set(FIXED)):
        test.check("--max-records=" in commands[name], "dmdv %s has --json and no --max-records" % name)
    for name, (schema, answer) in FIXED.items():
        answers = files.read_json(os.path.join(test.srcdir, "docs", "dmdv-%s.schema.json" % schema))["$defs"]
        lists = re.findall(r'\{[^{}]*"type": "array"[^{}]*', json.dumps(answers[answer]))
        test.check(all("maxItems" in text for text in lists), "the lists of dmdv %s have no limit" % name)


# ---- What is printed. ----


def shorten(value, command, most):
    """The document with at most so many elements of each list that the command shortens."""
    if isinstance(value, list):
        return [shorten(element, command, most) for element in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, element in value.items():
        result[key] = shorten(element, command, most)
        if key in LISTS[command] and isinstance(element, list) and len(element) > most:
            result[key] = result[key][-most:] if (command, key) in NEWEST else result[key][:most]
            result[LISTS[command][key]] = len(element) - most
    return result


def length_of(value, lists):
    """Of the longest of the named lists in a document."""
    kids = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    here = [len(value[key]) for key in lists if key in value and isinstance(value[key], list)] if isinstance(value, dict) else []
    return max(here + [length_of(kid, lists) for kid in kids], default=0)


def large_graph(test, name):
    claims = [(1, 0x8000, 24, 1, 5), (1, 0x8110, 150), (1, 0x8200, 40), (1, 0x8300, 18), (2, 0x8200, 7), (2, 0x8000, 3)]
    made = Graph().set(claim_functions=part(data(CLAIM_FUNCTION, "size_of"), data(CLAIM_FUNCTION, "size_too")),
                       claims=part(*[data(CLAIM, claim(*one)) for one in claims]))
    return test.write(name, made.gzipped())


def large_profile(test, name, times):
    profile = Profile(dmd={"version": "1", "faults": [{"kind": "wrong-size", "reporter": "explicit/%s" % c, "got": 5} for c in "ab"]}
                      if times else {"version": "1", "faults": []})
    for i in range(5):
        profile.block(1000 * times + 100 * i + 16, ["f%d (a.c:%d)" % (i, i)], [["r (r.c:1)"]], reporters=["explicit/a/p%d" % i])
        profile.block(500 + 10 * i * times, ["g%d (a.c:%d)" % (i, i)])
    return test.write(name, profile)


def lines_of(test):
    """By command, a command line whose JSON has long lists."""
    graph, old, new = large_graph(test, "a.graph.gz"), large_profile(test, "old.json", 0), large_profile(test, "new.json", 2)
    timeline = test.write("timeline.json", test_timeline.profile())
    lines = {name: [name, "--types=no", graph] for name in ("census", "leaks", "owners", "retained", "claims")}
    lines.update({"print": ["print", new], "diff": ["diff", old, new], "tree": ["tree", new], "timeline": ["timeline", timeline],
                  "memory": ["memory", "%d" % os.getpid()], "waste": ["waste", "--types=no", "--min-bytes=1", "--by=kind", graph],
                  "paths": ["paths", "--types=no", "--to=unreported", graph],
                  "referrers": ["referrers", "--types=no", "--chain", "--of=0x8200", graph]})
    return lines


def shortened(test, command, line, status=0):
    """Tries some limits; returns the length of the longest list without one."""
    words, lists = line[:command.count(" ") + 1], LISTS[command]
    whole = json.loads(test.dmdv(*words, "--json", *line[len(words):], status=status)[0])
    for most in ("1", "2", "all"):
        limited = json.loads(test.dmdv(*words, "--json", "--limit=" + most, *line[len(words):], status=status)[0])
        n = 1 << 30 if most == "all" else int(most)
        if command == "memory":  # two answers of a program that runs are not equal
            test.check(length_of(limited, lists) <= n, "%s has a list of %d" % (command, length_of(limited, lists)))
        else:
            test.equal(limited, shorten(whole, command, n), "%s --limit=%s" % (command, most))
    return length_of(whole, lists)


def test_lists_are_shortened(test):
    lines = lines_of(test)
    test.equal(set(lines), {name for name in LISTS if not name.startswith("history ")}, "commands")
    for command, line in lines.items():
        test.check(shortened(test, command, line) > 1, "nothing to shorten for dmdv " + command)


def test_lists_of_histories_are_shortened(test):
    history = History(test)
    fill(history, 16, at=8, more=9000)
    for i in range(4):
        history.add(20 + i, build_of(i), "--branch=topic")
    for name, words, status in (("list", [], 0), ("show", ["heap"], 0), ("check", [], 1)):
        n = shortened(test, "history " + name, ["history", name, "--db=" + history.db, *words], status)
        test.check(n > 1, "nothing to shorten for dmdv history " + name)
    builds = history.run("list", "--max-records=2").partition("\n\n")[0]
    test.equal([builds.count("\n  "), builds.count("# and 18 more builds")], [2, 1], builds)
    test.contains(history.run("list"), "tag index, loaded, main: 16 builds\n")
    shown = history.run("show", "--max-records=3", "heap")
    test.equal(re.findall(r"(b\d+)\n", shown), ["b13", "b14", "b15", "b21", "b22", "b23"], shown)


def test_new_alarms_come_before_others(test):
    """Of two steps up, the first of which is acknowledged, a limit of one leaves the other one."""
    history = History(test)
    fill(history, 24, at=8, more=9000)
    history.run("acknowledge", "--build=b8", "--reason=known")
    fill(history, 40, at=24, more=90000, first=24)
    found = history.alarms(1, "--max-records=1")
    test.equal([(alarm["first_build"], alarm["state"]) for alarm in found], [("b24", "new")])


def test_schemas_know_what_is_left_out(test):
    """Each list that a command shortens has, in the object with it, the key of the number of the others."""
    text = "".join(files.read(os.path.join(test.srcdir, "docs", "dmdv-%s.schema.json" % name)) for name in ("output", "graph", "tree"))
    for command, lists in LISTS.items():
        for key in lists.values():
            test.check('"%s"' % key in text, "no schema has %s of dmdv %s" % (key, command))
    test.check(jsonoutput.jsonschema is None or jsonoutput.fault_in(test.srcdir, ["history", "list", "--json"], "{}") is not None,
               "schemas are not checked")
