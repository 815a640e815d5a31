# SPDX-License-Identifier: GPL-2.0-or-later
"""All commands of dmdv on a heap graph. Each run must obey the rules in trial.py, and each result these:

  - JSON obeys docs/dmdv-graph.schema.json, and the rows of a census add up to their parents.
  - Snapshots for browsers are readable by snapshotdecode.py.
  - A valid profile beside the graph is printed in spite of the graph's mistakes.
"""

import json
import os

import snapshotdecode
import trial
from dmdvtest import Profile
from graphwriter import (BLOCKS, CODE, EDGES, END, HEADER, NAME, REPORT_SET, ROOT, STACK, blocks, code, data, edges,
                         number, packed, part)
from harness import Failure, files
from heapbuilder import Heap

KEYS = ("type", "stack", "function", "file", "library", "reporter", "state", "tag", "thread", "size", "root", "holder")
ONE_FILE = [["census", "--by=" + key] for key in KEYS] + [
    ["census", "--by=state,type,holder", "--json"], ["census", "--by=stack,size", "--json", "--filter=type=!knead"],
    ["retained"], ["retained", "--json"], ["retained", "--of=unreported", "--max-depth=2"], ["retained", "--of=0x8100", "--json"],
    ["referrers", "--of=8100"], ["referrers", "--of=0x8200", "--chain", "--json"], ["referrers", "--of=8100", "--info"],
    ["paths", "--to=unreported"], ["paths", "--to=unreported:2", "--json"], ["paths", "--to=wash", "--filter=root=jar"],
    ["claims"], ["claims", "--json"], ["leaks"], ["leaks", "--show=all"], ["leaks", "--json"], ["waste"], ["waste", "--json", "--min-bytes=1"],
    ["waste", "--json", "--by=library", "--kind=slop"], ["owners"], ["owners", "--json", "--filter=tag=driver"],
    ["export", "--format=heapsnapshot"], ["export", "--format=heapsnapshot", "--max-nodes=4"],
    ["export", "--format=fxsnapshot"], ["export", "--format=fxsnapshot", "--max-nodes=4"]]
TWO_FILES = [["census"], ["census", "--by=holder,tag", "--json"], ["diff"], ["diff", "--json"]]
BESIDE = [["check", "--max-leaked=10"], ["check", "--max-leaked=10%", "--format=json"], ["print"], ["print", "--json"]]
# Commands that have the option --types. Half of the command lines omit it, as most graphs are of programs
# that are absent here.
TYPED = ("census", "retained", "paths", "referrers", "leaks", "waste", "owners", "claims", "export")


def rows_that_do_not_add_up(row):
    wrong = []
    if row.get("rows"):
        wrong = [key for key in ("blocks", "bytes", "slop") if sum(one[key] for one in row["rows"]) != row[key]]
    return wrong + [key for one in row.get("rows", []) for key in rows_that_do_not_add_up(one)]


class GraphTrial(trial.Trial):
    """Heap graphs on which all commands are tried; the mutant lies beside a profile."""

    suffix = ".graph.gz"

    def __init__(self, dmdv, folder, other, profile, srcdir):
        super().__init__(dmdv, folder, other)
        self.profile = files.write(os.path.join(folder, "mutant.json"), json.dumps(profile))
        self.schema = json.loads(files.read(os.path.join(srcdir, "docs", "dmdv-graph.schema.json")))

    def commands(self):
        lines = [[*line, self.path] for line in ONE_FILE] + [[*line, self.profile] for line in BESIDE]
        lines += [[*line, *both] for line in TWO_FILES for both in ((self.path, self.other), (self.other, self.path))]
        return [[line[0], "--types=no", *line[1:]] if line[0] in TYPED and i % 2 else line for i, line in enumerate(lines)]

    def of_result(self, ran):
        try:
            return [ran.describe(each) for each in self._faults(ran)]
        except (Failure, KeyError, IndexError, EOFError, UnicodeDecodeError) as error:
            return [ran.describe("the result cannot be read: %s: %s" % (type(error).__name__, error))]

    def _faults(self, ran):
        if "--format=fxsnapshot" in ran.line:
            snapshotdecode.Firefox(ran.out)
        elif "--format=heapsnapshot" in ran.line:
            snapshotdecode.chrome(ran.out.decode())
        elif ran.line[-1] == self.profile and ran.line[0] == "print":
            if b"wash" not in ran.out:
                yield "the profile is not printed"
        elif "--json" in ran.line and ran.line[0] != "diff":
            result = json.loads(ran.out)
            yield from self._faults_by_schema(ran.line[0], result)
            if ran.line[0] == "waste" and sum(one["counted"] for one in result["findings"]) != result["total"]["bytes"]:
                yield "the findings do not add up to the total"
            if ran.line[0] == "census":
                yield from rows_that_do_not_add_up(dict(result["total"], rows=result["rows"]))

    def _faults_by_schema(self, command, result):
        try:
            import jsonschema
        except ImportError:
            return
        schema = {"$ref": "#/$defs/" + command, "$defs": self.schema["$defs"]}
        for error in jsonschema.Draft202012Validator(schema).iter_errors(result):
            yield error.message


def other_graph():
    """A graph to compare mutants with: it names no program files, so that there are no messages about debug
    information."""
    heap = Heap()
    block = heap.block(100, [("wash", "a.c", 3)], reports=[([("measure", "a.c", 4)], "explicit/a")], tag="driver")
    heap.root("jar").points_to(block)
    block.points_to(heap.block(24, [("knead", "new.c", 7), ("main", "a.c", 9)], slop=8), 8)
    return heap.gzipped()


def profile_beside():
    """The profile beside the mutants: blocks at one of the stacks of graphmutation.whole."""
    return Profile(dmd={"version": "0.1", "faults": []}).block(256, ["wash (a.c:3)"]).json()


def _file(lists, requested=None, roots=None, stacks=([1],), codes=("wash",), names=(), **columns):
    """A graph of blocks of 64 bytes, or of the requested sizes, with these edges; one root points to the
    first block, unless roots gives the roots' edges."""
    n, roots = len(lists), roots or [[(0, 1)]]
    addresses = columns.pop("addresses", [0x10000 + 0x1000 * i for i in range(n)])
    return b"".join([
        part(data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter"))),
        part(*[data(ROOT, number(3, 4096) + data(7, "r%d" % i)) for i in range(len(roots))]), part(data(EDGES, edges(roots))),
        part(data(BLOCKS, blocks(addresses, requested=requested or [64] * n, **columns)), data(EDGES, edges(lists))),
        part(*[data(CODE, code(one, "a.c", i)) for i, one in enumerate(codes)]),
        part(*[data(STACK, packed(1, one)) for one in stacks]), part(*[data(NAME, name) for name in names]),
        part(*[data(REPORT_SET, number(2, 1) + packed(3, [1]) + packed(4, [i + 1])) for i in range(len(names))]),
        part(data(END, number(1, len(roots)) + number(2, n) + number(3, sum(map(len, lists + roots)))))])


def crowded(many=20000):
    """(name, file) of graphs in which many nodes depend on something large, so that repeated work shows, and
    so does recursion."""
    none, some = [[]] * many, range(1, many + 1)
    chain = [[(0, i + 1)] for i in range(1, many)] + [[]]
    yield "chain", _file(chain)
    yield "chain-backwards", _file([[]] + [[(0, i)] for i in range(1, many)], roots=[[(0, many)]])
    yield "circle", _file(chain[:-1] + [[(0, 1)]], stack=[1] * many)
    yield "lost-circle", _file(chain[:-1] + [[(0, 1)]], roots=[[]])
    yield "list-in-both-directions", _file([[(0, max(1, i - 1)), (1, min(many, i + 1))] for i in some])
    yield "many-roots-of-one-block", _file([[]], roots=[[(i % 512, 1)] for i in some])
    yield "one-block-of-all", _file([[(i - 1, i) for i in some]] + none[1:], requested=[8 * many] + [64] * (many - 1))
    yield "all-to-all", _file([[(k, k + 1) for k in range(200)] for _ in range(200)], requested=[1600] * 200)
    yield "ladders", _file([[(0, min(many, i + 1)), (1, min(many, i + 2))] for i in some])
    yield "blocks-in-blocks", _file(none, addresses=[0x10000] * many, outer=[0] + [1] * (many - 1), flags=[0] + [1] * (many - 1))
    yield "reported-blocks-in-blocks", _file(
        none, addresses=[0x10000] * many, outer=[0] + [1] * (many - 1), report_set=[i % 3 + 1 for i in some], names=["a", "b", "c"])
    yield "deep-stacks", _file([[(0, i % 500 + 1)] for i in range(500)], stacks=[[i + 1] + [1, 2] * 200 for i in range(500)],
                               stack=range(1, 501), codes=["f%d" % i for i in range(500)])
    yield "long-names", _file([[(0, i % 500 + 1)] for i in range(500)], stacks=[[i + 1] for i in range(500)],
                              stack=range(1, 501), codes=["f%d<%s>" % (i, "x" * 2000) for i in range(500)])
    yield "long-reporters", _file([[(0, i % 500 + 1)] for i in range(500)], report_set=range(1, 501),
                                  names=["explicit/%s%d" % ("a/" * 500, i) for i in range(500)])
