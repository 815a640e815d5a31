# SPDX-License-Identifier: GPL-2.0-or-later
"""No name in a profile, a heap graph or a history becomes a workflow command when dmdv's output is in a CI
log: of GitHub's runner, as modelled by workflowcommands.py."""

import copy

import graphtrial
import mutation
import trial
from heapbuilder import Heap
from test_history import History, build_of
from workflowcommands import commands

# Each is a command by itself; the halves become one with the text around them.
NAMES = ["::error::evil", "##[error]evil", "\u3000::error::evil", ":error::evil", "x##[error]", "#", "##", "[error]", "\n::error::evil", " "]
# Output for programs has names unchanged, and goes to files.
DATA = ("--format=openmetrics", *trial.BINARY, *trial.JSON)


def is_text(line):
    return not any(word in line for word in DATA)


def quiet(test, *line, statuses=(0, 1, 2)):
    done = test.run([test.place.dmdv(), *line], status=None)
    test.check(done.status in statuses, "%s: %s" % (line, done.err))
    ours = "::error title=dmd", "::warning title=dmd"
    for text in done.out.split("\n") + done.err.split("\n"):
        if "--format=github" not in line or not text.startswith(ours):
            test.equal(commands(text), [], " ".join(line))
    return done


def named(name):
    """A profile with every kind of name, each set to this name."""
    document = copy.deepcopy(mutation.PROFILE)
    for container, key in mutation.places(document):
        value = container[key]
        if key in mutation.WORDS + ["buildId", "time", "timeUnit", "dmdEnvVar"] or not isinstance(value, str) or value.isdigit():
            continue
        container[key] = "#00: " + name if value.startswith("#00: ") else name
    document["dmd"]["processes"][1]["process"] += "2"  # each has its own
    return document


def test_runner_knows_commands(test):
    """The check itself finds commands."""
    for name in NAMES[:4]:
        test.equal(commands("a\n %s\nb" % name), [] if name[:2] == ":e" else [("error", {}, "evil")], name)
    test.equal(commands("f ##[error]x"), [("error", {}, "x")], "within a line")
    test.equal(commands("::error file=a%3A,line=3::b%0Ac"), [("error", {"file": "a:", "line": "3"}, "b\nc")], "properties")
    test.equal(commands("f ::error::x\n::other::y"), [], "none")


def test_runner_finds_none_in_profiles(test):
    other = test.write("other.json", mutation.PROFILE)
    for name in NAMES:
        path = test.write("named.json", named(name))
        test.dmdv("print", path)
        for line in trial.commands(path, other):
            if is_text(line):
                quiet(test, *line)


def test_runner_finds_none_in_heap_graphs(test):
    for name in NAMES:
        heap = Heap()
        block = heap.block(100, [(name, name, 3), (name, name, 4)], reports=[([(name, "a.c", 4)], name)], tag=name)
        heap.root(name).points_to(block)
        block.points_to(heap.block(24, [(name, name, 7)], slop=8), 8)
        heap.block(64, [(name, name, 9)])
        path = test.write("named.graph.gz", heap.gzipped())
        other = test.write("other.graph.gz", graphtrial.other_graph())
        done = quiet(test, "census", "--by=reporter", path)
        test.equal(done.status, 0, done.err)
        for line in graphtrial.ONE_FILE:
            if is_text(line):
                quiet(test, *line, path)
        for line in graphtrial.TWO_FILES:
            if is_text(line):
                quiet(test, *line, path, other)


def test_runner_finds_none_in_histories(test):
    for number, name in enumerate(NAMES[:3]):
        history = History(test)
        history.db = history.db if history.server else "h%d.db" % number
        for i in range(12):
            for run in range(3):
                profile = build_of(i, label=name, pid=1000 * run).block(9000 if i >= 8 else 100, ["malloc (m.c:1)", name], tag=name)
                history.add(i, profile, name=name + str(i))
        for line in (["list"], ["show", "heap"], ["check"], ["check", "--format=markdown"]):
            quiet(test, "history", line[0], "--db=" + history.db, *line[1:], statuses=(0, 1))
        history.run("check", status=1)
