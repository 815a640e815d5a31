# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the heap map with that of a simple program (heapmap.py), since dmdv has no such command."""

import os

from agree_pictures import Beginnings
from heapmap import PAGE, HeapMap
from shown import bytes_of, choices, facts, number, percent

CELLS = 8192  # as many as the page requests

# The mouse pointer moves from square to square, also to those out of sight.
_SENTENCES = """(async (n) => {
  const element = document.querySelector('.canvas-scroller'), box = element.getBoundingClientRect(), told = [];
  const columns = Math.max(1, Math.floor(element.clientWidth / 9));
  for (let i = 0; i < n; i++) {
    const [clientX, clientY] = [box.left + (i % columns) * 9 + 4, box.top - element.scrollTop + Math.floor(i / columns) * 9 + 4];
    element.dispatchEvent(new MouseEvent('mousemove', { clientX, clientY, bubbles: true }));
    for (let turn = 0; turn < 4; turn++) await null; // the page draws itself anew before the next task
    told.push(document.querySelector('.chosen .frame').textContent);
  }
  return told;
})"""

_STATES = ["unreported", "once-reported", "twice-reported"]


def state_of(_t, _fixture, graph):
    return lambda block: _STATES[min(2, graph.report_sets[block.report_set - 1].count) if block.report_set else 0]


def tag_of(_t, _fixture, graph):
    return lambda block: graph.tags[block.tag - 1] if block.tag else "(no tag)"


def thread_of(_t, _fixture, _graph):
    return lambda block: "thread %d" % block.thread


def type_of(t, fixture, graph):
    """As the command line exports them: blocks in the graph's order, after all other nodes."""
    export = t.json("export", "--format=heapsnapshot", "--max-nodes=16000000", fixture.graph)
    fields = export["snapshot"]["meta"]["node_fields"]
    names, sizes = ([export["strings"][place] if field == "name" else place for place in
                     export["nodes"][fields.index(field)::len(fields)][-len(graph.blocks):]] for field in ("name", "self_size"))
    t.equal(sizes, [block.requested + block.slop for block in graph.blocks], "blocks of the export")
    types = {id(block): name for block, name in zip(graph.blocks, names)}
    return lambda block: types[id(block)]


def function_of(t, fixture, graph):
    """The allocation functions, by dmdv's own list."""
    def names(stack):
        for code in stack:
            for name in [name for name, _, _ in code.functions] or [""]:
                yield name or "??? (in %s)" % os.path.basename(graph.objects[code.object - 1].path)
    stacks = [list(names(stack)) for stack in graph.stacks]
    beginnings = Beginnings()
    beginnings.learn([(stacks[block.stack - 1], block.requested + block.slop) for block in graph.blocks if block.stack],
                     {row["key"]["function"]: row["bytes"] for row in t.json("census", "--json", "--by=function", fixture.graph)["rows"]})
    of_stack = [stack[beginnings.place(stack)] for stack in stacks]
    return lambda block: of_stack[block.stack - 1] if block.stack else "(no stack recorded)"


BY = {"": state_of, "tag": tag_of, "type": type_of, "function": function_of, "thread": thread_of}


def _agree_cells(t, page, expected, begin, end, where):
    cells, size = expected.cells(begin, end, CELLS)
    t.contains(page.text(".toolbar"), "a square is %s of addresses" % bytes_of(size))
    for sentence, cell in zip(page.evaluate("%s(%d)" % (_SENTENCES, len(cells))), cells):
        what = "0x%x: " % cell.address
        if cell.used == 0:
            t.equal(sentence, what + "empty", where)
            continue
        what += "%s of %s are blocks', " % (number(cell.used), bytes_of(size))
        t.check(sentence.startswith(what), "%s: %s, not %s" % (where, what, sentence))
        value = sentence[len(what):]
        t.check(value in cell.values, "%s: %s has nothing of %s" % (where, what, value))
        most = next((name for name, part in cell.values.items() if 2 * part > cell.used), value)
        t.equal(value, most, "%s: %s" % (where, what))


def heap_map(t, page, fixture):
    graph = fixture.decoded(t)
    page.go("view=map")
    t.equal(choices(page), list(BY), "what squares are coloured by")
    for by, value_of in BY.items():
        expected = HeapMap(graph, value_of(t, fixture, graph))
        where = "map by " + (by or "state")
        page.go("view=map", **({"by": by} if by else {}))
        _agree_cells(t, page, expected, 0, expected.size, where)
        f, said = expected.figures(), facts(page)
        t.equal(said["Blocks"], "%s, %s" % (number(f["blocks"]), bytes_of(f["bytes"])), where)
        t.equal(said["Pages in use"], "%s, %s" % (number(f["pages"]), bytes_of(f["pages"] * PAGE)), where)
        t.equal(said["Free in these"], "%s (%s)" % (bytes_of(f["free"]), percent(f["free"], f["pages"] * PAGE)), where)
        t.equal(said["Holes"], "%s, %s; the largest has %s, at 0x%x" % (number(f["holes"]), bytes_of(f["hole bytes"]),
                                                                       bytes_of(f["largest"][0]), f["largest"][1]), where)
    begin = expected.size // 3 // 16 * 16
    end = begin + expected.size // 50
    page.go("view=map&from=%d&to=%d" % (begin, end))
    _agree_cells(t, page, HeapMap(graph, state_of(t, fixture, graph)), begin, end, "a part of the map")
