# SPDX-License-Identifier: GPL-2.0-or-later
"""dmd-derive --suggest proposes the words that a reader of the sources would write."""

import os
import re

from harness import commands
from harness.suite import Skip

_PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")

# The words that each pointer must have, according to its program's source. Reasons may have any text.
_CATALOG = {
    "product.name": "DMD_OWNS",
    "product.description": "DMD_OWNS",
    "product_list.items": "DMD_OWNS_ARRAY(count) DMD_OWNS",
    "name_entry.next": "DMD_OWNS",
    "name_entry.product": "DMD_IGNORES",
    "name_index.buckets": "DMD_OWNS_ARRAY(NAME_BUCKETS) DMD_OWNS",
    "price_index.sorted": "DMD_OWNS_ARRAY(count) DMD_IGNORES",
    "term.next": "DMD_OWNS",
    "term.word": "DMD_OWNS",
    "term.postings": "DMD_OWNS_ARRAY(count)",
    "word_index.buckets": "DMD_OWNS_ARRAY(TERM_BUCKETS) DMD_OWNS",
    "word_index.texts": "DMD_OWNS_ARRAY(count) DMD_IGNORES",
    "catalog.database": "DMD_MEASURED_BY(FUNCTION)",
    "catalog.groups": "DMD_MEASURED_BY(FUNCTION)",
}
_STRUCTS = {
    "theme.font": "DMD_OWNS",
    "line.prev": "DMD_IGNORES",
    "line.next": "DMD_OWNS",
    "line.text": "DMD_OWNS",
    "line.document": "DMD_IGNORES",
    "entry.chain": "DMD_OWNS",
    "entry.key": "DMD_IGNORES",
    "entry.line": "DMD_IGNORES",
    "entry.point": "DMD_OWNS DMD_WHEN(CONDITION)",
    "blob.leaf": "DMD_OWNS",
    "blob.packed": "DMD_MEASURED_BY(FUNCTION)",
    "blob.behind_its_length": "DMD_MEASURED_BY(FUNCTION)",
    "blob.compare": "DMD_IGNORES",
    "blob.fixed": "DMD_IGNORES",
    "blob.parts": "DMD_OWNS DMD_HOLDS(COUNT)",
    "word.spelling": "DMD_OWNS",
    "view.shown": "DMD_OWNS",
    "document.tail": "DMD_IGNORES",
    "document.head": "DMD_OWNS",
    "document.theme": "DMD_SHARES",
    "document.buckets": "DMD_OWNS_ARRAY(BUCKETS) DMD_OWNS",
    "document.path": "DMD_OWNS_ARRAY(path_count)",
    "document.weights": "DMD_OWNS",
    "document.blob": "DMD_OWNS",
    "document.opaque": "DMD_MEASURED_BY(FUNCTION)",
    "document.cursor": "DMD_IGNORES",
    "document.title": "DMD_OWNS",
    "document.never": "DMD_IGNORES",
}


def _suggest(t, header, graph, status=0):
    program = os.path.join(t.place.builddir, "dmd-derive")
    if not os.path.exists(program):
        raise Skip("dmd-derive was not built: it needs libclang (Debian's package libclang-dev)")
    include = os.path.join(t.place.builddir, "include")
    arguments = ["--suggest", "--graph=" + graph, header, "--", "-I" + include]
    return commands.run([program, *arguments], status=status)


def _graph(run):
    """The profile that has the graph, in the same file or beside it."""
    name, = run.graphs
    return os.path.join(run.folder, name.replace(".graph.gz", ".json.gz"))


def _proposals(t, header, lines):
    """{struct.member: words, without reasons}; each line's place must be that of the member."""
    with open(header, encoding="utf-8") as file:
        source = file.read().splitlines()
    found, record = {}, None
    for line in lines:
        place, name, words, _ = re.fullmatch(r"(.*?:\d+:\d+): (.*?): (.*?): (.*)", line).groups()
        _, number, _ = place.rsplit(":", 2)
        if words == "DMD_MEASURED":
            record = name.rpartition(" ")[2]
        else:
            found[record + "." + name] = re.sub(r'\("[^"]*"\)', "", words)
        t.check(name.rpartition(" ")[2] in source[int(number) - 1], line)
    return found


def _compare(t, header, run, expected):
    done = _suggest(t, header, _graph(run))
    found = _proposals(t, header, done.out.splitlines())
    t.equal(sorted(found), sorted(expected), "pointers")
    for name, words in expected.items():
        t.equal(found[name], words, name)


def structs(t):
    """Lists, chains, shared objects, unions and whatever else a struct points to."""
    _compare(t, os.path.join(_PROGRAMS, "suggest_structs.h"), t.run(options=["--graph=yes"]), _STRUCTS)


def catalog(t):
    """The example: the objects that it owns, and those that its indexes only point to."""
    program = os.path.join(t.builddir, "docs", "examples", "catalog")
    if not os.path.exists(program):
        raise Skip("the example was not built")
    run = t.run_command([program, "--items=2000"], options=["--graph=yes"])
    _compare(t, os.path.join(t.place.srcdir, "docs", "examples", "catalog.h"), run, _CATALOG)


def refusals(t):
    """It reports a graph that it cannot read, and proposes nothing."""
    header = os.path.join(_PROGRAMS, "suggest_structs.h")
    done = _suggest(t, header, "/no/such/graph", status=2)
    t.equal(done.out, "")
    t.check("/no/such/graph" in done.err, done.err)
    cut = os.path.join(t.new_folder(), "cut.graph.gz")
    with open(_graph(t.run(options=["--graph=yes"])), "rb") as file:
        whole = file.read()
    with open(cut, "wb") as file:
        file.write(whole[:len(whole) // 2])
    done = _suggest(t, header, cut, status=2)
    t.equal(done.out, "")
    t.check(cut in done.err, done.err)
    for arguments in (["--suggest"], ["--graph=x"], ["--suggest", "--graph=x", "--check"], ["--suggest", "--graph=x", "-o", "x.c"]):
        done = commands.run([os.path.join(t.place.builddir, "dmd-derive"), *arguments, header], status=2)
        t.equal(len(done.err.splitlines()), 1, done.err)
