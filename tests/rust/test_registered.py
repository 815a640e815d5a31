# SPDX-License-Identifier: GPL-2.0-or-later
"""Reporters that a Rust program registers with the library dmd-reporters."""

import json
import subprocess

from harness import commands
from rusttest import ENGINES

DEEP = ("--num-callers=40", "--timeline=no")


def _leaves(trees):
    for tree in trees:
        if tree.get("children"):
            yield from _leaves(tree["children"])
        else:
            yield tree["path"], tree["amount"]


def test_dump(t):
    """A dump runs them first, each in a scope of its own, and checks what they claim."""
    for engine in ENGINES:
        profile = t.run_under(engine, [t.bench.registered()], DEEP).profile
        t.equal([(r["reporter"], r["runs"]) for r in profile.run["reporterRuns"]], [("explicit/books", 1), ("explicit/films", 1)])
        t.equal([(f.kind, f.reporter, f.claimed - f.measured) for f in profile.faults],
                [("claim", "explicit/films", 1000)])
        # A vector and its strings.
        t.equal({name: sum(b.num for b in profile.blocks if name in b.reporters) for name in ("explicit/books", "explicit/films")},
                {"explicit/books": 101, "explicit/films": 31})


def test_asked(t):
    """The running program answers dmdv memory. What it prints at the end is the size that it reported."""
    with subprocess.Popen([t.bench.registered()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        t.equal(program.stdout.readline(), "ready\n")
        answer = json.loads(commands.run([t.place.dmdv(), "memory", "--json", str(program.pid)]).out)
        rest, _ = program.communicate("")
    values = dict(_leaves(answer["processes"][0]["trees"]))
    t.equal((values["explicit/books"], values["books"]), (int(rest), 100))
    t.equal([path for path in values if "gone" in path], [])
    t.check(values["explicit/films"] > 1000, "films: %d" % values["explicit/films"])
