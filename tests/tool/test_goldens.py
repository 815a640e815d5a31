# SPDX-License-Identifier: GPL-2.0-or-later
"""Each command on heap graphs, as text and as JSON, of two programs: goldens/*.txt have the output, word for
word, and its figures are computed here once more, from the program's output and the file of the graph.

The golden files have the commands, after $. Parts that are not the program's own, and differ from system to
system, are left out: shares of the whole heap, frames of libraries, the spelling of types.
"""

import difflib
import json
import os
import re
import shutil

from harness import Skip, commands, files
from harness.expect import Failure


def _dmdv(t, folder, *args):
    done = commands.run([t.place.dmdv(), *args], folder, status=None)
    if "built without" in done.err:
        raise Skip("this dmdv was built without libdw")
    if done.status != 0:
        raise Failure("dmdv %s: %s" % (" ".join(args), done.err))
    return done.out


def _json(t, folder, *args):
    return json.loads(_dmdv(t, folder, args[0], "--json", *args[1:]))


def _own_frames(text, source):
    """Without frames of files other than the program's, and without the numbers of frames."""
    lines = [line for line in text.splitlines() if not re.match(r" *#\d+: ", line) or re.search(source + r":\d+\)$", line)]
    return re.sub(r"#\d+: ", "#: ", "\n".join(lines) + "\n")


def _own_frames_of(value, source):
    """As above for JSON, where stacks are lists of texts."""
    if isinstance(value, dict):
        return {key: one if key == "through" else _own_frames_of(one, source) for key, one in value.items()}
    if isinstance(value, list):
        return [_own_frames_of(one, source) for one in value
                if not isinstance(one, str) or re.search(source + r":\d+\)$", one)]
    return value


def _normalised(text, source):
    text = re.sub(r" +-?\d+\.\d\d%", "    %", _own_frames(text, source))
    text = re.sub(r"0x[0-9a-f]{5,}", "0x...", text)
    text = re.sub(r"\blong int\b", "long", text).replace("const long", "long const")
    text = text.replace(" *>", "*>").replace("> >", ">>")
    if source.startswith("catalog"):  # examples change
        text = re.sub(r"(\(catalog\w*\.c):\d+\)", r"\1:...)", text)
        text = re.sub(r'("at": )\d+', r"\1...", text)
    return text


def _compare(t, name, folder, source):
    """The output of the commands in a golden file is the text after them."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens", name + ".txt")
    golden = files.read(path)
    printed = []
    for line in re.findall(r"^\$ dmdv (.*)$", golden, re.MULTILINE):
        out = _dmdv(t, folder, *line.split())
        if "--json" in line:
            out = json.dumps(_own_frames_of(json.loads(out), source), indent=1) + "\n"
        printed.append("$ dmdv %s\n%s" % (line, _normalised(out, source)))
    found = "\n".join(printed)
    files.write(os.path.join(folder, name + ".txt"), found)
    different = list(difflib.unified_diff(golden.splitlines(), found.splitlines(), path, "now", lineterm="", n=2))
    t.check(not different, "\n".join(different[:60]))


# ---- Figures, from the file of a graph. ----


def _usable(requested):
    """glibc's usable size, for 64 bits."""
    return max(24, (requested + 23) // 16 * 16 - 8)


def _reached(graph, nodes):
    """The numbers of the blocks that these nodes lead to by pointers to their starts, since there are no
    others here."""
    seen, todo = set(), [edge for node in nodes for edge in node.edges]
    while todo:
        target = todo.pop().target
        if target not in seen:
            seen.add(target)
            todo += graph.blocks[target - 1].edges
    return seen


def _sum(blocks):
    return {"blocks": len(blocks), "bytes": sum(b.requested for b in blocks)}


def _usable_sum(blocks):
    return len(blocks), sum(b.requested + b.slop for b in blocks)


def _leaks(graph, own):
    """The sums of `dmdv leaks` over the blocks for which `own` is true, if no pointer is doubtful."""
    reachable = _reached(graph, graph.roots)
    lost = [i for i in range(1, len(graph.blocks) + 1) if i not in reachable]
    held = {edge.target for i in lost for edge in graph.blocks[i - 1].edges if edge.target != i}
    sums = {}
    for state, numbers in (("definitely", [i for i in lost if i not in held]), ("indirectly", [i for i in lost if i in held]),
                           ("reachable", reachable)):
        sums[state] = _sum([b for b in (graph.blocks[i - 1] for i in numbers) if own(b)])
    return sums


def _check_leaks(t, found, graph, own):
    for state, expected in _leaks(graph, own).items():
        t.equal(found[state], expected, state)
    t.equal(found["possibly"], {"blocks": 0, "bytes": 0})


# ---- A program in C++. ----

OWN, SOURCE = "--filter=type=shop::", r"goldens\.cc"


def _containers(t):
    run = t.run()
    if run.graph_numbered(1).header["word_size"] != 8:
        raise Skip("sizes are those of 64 bits")
    for n in 1, 2:
        name = "%d.graph.gz" % n
        shutil.copy(os.path.join(run.folder, "dmd.out.%d.%s" % (run.pid, name)), os.path.join(run.folder, name))
    return run


def containers(t):
    _compare(t, "containers", _containers(t).folder, SOURCE)


def containers_figures(t):
    run = _containers(t)
    said = [line.rsplit(" ", 3) for line in run.out.decode().splitlines()]
    for n in 1, 2:
        expected, graph = {}, run.graph_numbered(n)
        for name, requested, *counts in said:
            count, size, slop = expected.get(name, (0, 0, 0))
            k, usable = int(counts[n - 1]), _usable(int(requested))
            expected[name] = (count + k, size + k * usable, slop + k * (usable - int(requested)))
        census = _json(t, run.folder, "census", OWN, "%d.graph.gz" % n)
        found = {_normalised(row["key"]["type"], SOURCE).strip(): (row["blocks"], row["bytes"], row["slop"])
                 for row in census["rows"]}
        t.equal(found, expected)
        own = [b for b in graph.blocks if any(f.startswith("shop::") for f in graph.functions_of(b.stack))]
        t.equal((census["total"]["blocks"], census["total"]["bytes"]), _usable_sum(own))
        _check_leaks(t, _json(t, run.folder, "leaks", OWN, "%d.graph.gz" % n), graph, lambda b: b in own)
        # All blocks that the variable leads to belong to the shelves alone.
        reached = [graph.blocks[i - 1] for i in _reached(graph, [r for r in graph.roots if r.kind == 1])]
        kept = _json(t, run.folder, "retained", "--of=shop::Shelf", "%d.graph.gz" % n)["total"]
        t.equal(kept["retained"], _usable_sum([b for b in reached if b in own])[1])
        unreported = [b for b in own if b.report_set == 0]
        owners = _json(t, run.folder, "owners", OWN, "%d.graph.gz" % n)["unreported"]
        t.equal((owners["blocks"], owners["bytes"]), _usable_sum(unreported))
        paths = _json(t, run.folder, "paths", "--to=unreported", OWN, "%d.graph.gz" % n)
        t.equal(sum(path["count"] for path in paths["paths"]), len([b for b in unreported if b in reached]))
    t.equal(_json(t, run.folder, "diff", "1.graph.gz", "2.graph.gz")["total"], {"blocks": 10, "bytes": 880, "slop": 0})


# ---- The example catalog. ----


def _catalog(t):
    program = os.path.join(t.builddir, "docs", "examples", "catalog")
    if not os.path.exists(program):
        raise Skip("the example was not built (libcjson and sqlite3 are needed)")
    run = t.run_command([program, "--items=1000"], options=["--graph=yes", "--dmd-out-file=c.json.gz"])
    more = t.run_command([program, "--items=2000"], options=["--graph=yes", "--dmd-out-file=d.json.gz"], folder=run.folder)
    return run, more


def catalog(t):
    run, _ = _catalog(t)
    _compare(t, "catalog", run.folder, r"catalog\w*\.c")


def catalog_figures(t):
    """The words of the index. Each type there comes from one function."""
    run, more = _catalog(t)
    graph, own = run.graphs["c.1.graph.gz"], "--filter=stack=words_load"
    words = [b for b in graph.blocks if "words_load" in graph.functions_of(b.stack)]
    by_function = {
        "posting[]": [b for b in words if "term_add_posting" in graph.functions_of(b.stack)],
        "char[] from copy_text": [b for b in words if "copy_text" in graph.functions_of(b.stack)]}
    census = _json(t, run.folder, "census", "-f", "40", own, "c.1.graph.gz")
    found = {row["key"]["type"]: (row["blocks"], row["bytes"]) for row in census["rows"]}
    t.equal((census["total"]["blocks"], census["total"]["bytes"]), _usable_sum(words))
    for name, blocks in by_function.items():
        t.equal(found[name], _usable_sum(blocks), name)
    # Terms have pointers to a next one, a word and postings, and two numbers of 4 bytes. Each word has one
    # term.
    n = len(by_function["posting[]"])
    t.equal(found["term"], (n, n * _usable(32)))
    t.equal(len(by_function["char[] from copy_text"]), n)
    _check_leaks(t, _json(t, run.folder, "leaks", "-f", "40", own, "c.1.graph.gz"), graph, lambda b: b in words)
    dark = [b for b in words if b.report_set == 0]
    owners = _json(t, run.folder, "owners", "-f", "40", own, "c.1.graph.gz")
    t.equal((owners["unreported"]["blocks"], owners["unreported"]["bytes"]), _usable_sum(dark))
    t.equal(sum(row["bytes"] for row in owners["rows"]), _usable_sum(dark)[1])
    paths = _json(t, run.folder, "paths", "-f", "40", "--to=unreported", own, "c.1.graph.gz")
    t.equal([(path["count"], path["bytes"]) for path in paths["paths"]], [_usable_sum(dark)])
    held = _json(t, run.folder, "retained", "--of=term", "c.1.graph.gz")["total"]
    t.equal(held["retained"], sum(_usable_sum(b)[1] for b in by_function.values()) + n * _usable(32))
    later = more.graphs["d.1.graph.gz"]
    grown = [b for b in later.blocks if "words_load" in later.functions_of(b.stack)]
    change = _json(t, run.folder, "census", "-f", "40", own, "c.1.graph.gz", "d.1.graph.gz")["total"]
    t.equal((change["blocks"], change["bytes"]), tuple(a - b for a, b in zip(_usable_sum(grown), _usable_sum(words))))
