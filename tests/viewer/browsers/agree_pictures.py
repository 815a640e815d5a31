# SPDX-License-Identifier: GPL-2.0-or-later
"""Flame graph and treemap: keys lead to every drawn element, and the line below the picture is compared for each."""

import collections
import json
import re

from harness import files
from shown import blocks_of, brief, bytes_of, choices, percent

STATES = ("unreported", "once-reported", "twice-reported")

# The text of the line after each of these keys.
_WALK = """(async (keys) => {
  const element = document.querySelector('.canvas-scroller'), told = [];
  for (const key of keys) {
    if (key !== '') element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    for (let turn = 0; turn < 6; turn++) await null; // the page draws itself anew before the next task
    told.push([...document.querySelector('.chosen').children].map((e) => e.textContent));
  }
  return told;
})"""


def walk(page, keys):
    return page.evaluate("%s(%s)" % (_WALK, json.dumps(keys)))


class Node:
    """Bytes by state, and blocks; its child nodes by name."""

    def __init__(self, name):
        self.name, self.blocks, self.bytes, self.kids = name, 0, collections.Counter(), {}

    def add(self, names, state, size, blocks):
        """Adds to this node and to the nodes on a path of names within it."""
        node = self
        for name in [None, *names]:
            node = node if name is None else node.kids.setdefault(name, Node(name))
            node.bytes[state] += size
            node.blocks += blocks

    @property
    def total(self):
        return sum(self.bytes.values())

    @property
    def extent(self):
        """The largest absolute number of bytes in it and below: in a difference parts may cancel out."""
        return max([abs(self.total), *(kid.extent for kid in self.kids.values())])

    def cut(self, least):
        """Removes smaller nodes; returns how many it removed."""
        left_out = 0
        for name, kid in list(self.kids.items()):
            if kid.extent < least:
                del self.kids[name]
                left_out += kid.count()
            else:
                left_out += kid.cut(least)
        return left_out

    def count(self):
        return 1 + sum(kid.count() for kid in self.kids.values())

    def line(self, whole, name, states, prints_zero, of_what=""):
        return [name, "%s (%s%s) in %s" % (bytes_of(self.total), percent(self.total, whole), of_what, blocks_of(self.blocks)),
                *["%s %s" % (state, bytes_of(self.bytes[state])) for state in states if prints_zero or state in self.bytes]]


# ---- Flame graph ----


def blocks_in(path):
    """From the profile's own text: the mode, and the number of blocks of each (stack, reports' stacks, other attributes),
    with the innermost call first."""
    doc = files.read_json(path)
    frames = {key: re.sub(r"^#\d+: ", "", text) for key, text in doc["frameTable"].items()}
    stacks = {key: tuple(frames[frame] for frame in trace) for key, trace in doc["traceTable"].items()}
    there = collections.Counter()
    for block in doc["blockList"]:
        stack = stacks[block["alloc"]] if "alloc" in block else ()
        others = {key: value for key, value in block.items() if key not in ("alloc", "reps", "num", "addr", "contents")}
        there[stack, tuple(stacks[trace] for trace in block.get("reps", [])), json.dumps(others, sort_keys=True)] += block.get("num", 1)
    return doc["invocation"]["mode"], there


def function_of(frame):
    """The name that sums by function use."""
    without_name = re.match(r"\?\?\?\[.*?([^/]+) \+0x[0-9a-f]+\]", frame)
    return "??? (in %s)" % without_name[1] if without_name else re.split(r" \(|\[/", frame)[0]


class Beginnings:
    """Finds the allocation functions from dmdv's sums by function. A function that only allocates for its callers has a sum
    if a stack has no other frames; then the stacks that begin with it add up to more than dmdv's sum. A function without a name
    that one like sqlite3Malloc calls is a part of that."""

    def __init__(self):
        self.functions, self.substitutes = set(), set()

    @staticmethod
    def is_part(stack, i):
        return stack[i].startswith("???") and i + 1 < len(stack) and re.search("alloc", stack[i + 1], re.IGNORECASE) is not None

    def learn(self, stacks, sums):
        """stacks: [(the functions, the innermost first, bytes)]; sums: {function: bytes}."""
        found = collections.Counter()
        for stack, size in stacks:
            found[next((function for i, function in enumerate(stack) if function in sums and not self.is_part(stack, i)), None)] += size
        self.functions |= set(sums)
        self.substitutes |= {function for function, size in found.items() if function is not None and size > sums[function]}

    def place(self, stack):
        """The place of the allocating function in a stack."""
        places = [i for i, function in enumerate(stack) if function in self.functions and not self.is_part(stack, i)]
        return next((i for i in places if stack[i] not in self.substitutes), places[0] if places else 0)


def calls_of(t, fixture, upwards, old):
    """All calls of the heap or of the difference, and the states: from the outermost call inwards, or from the allocating
    one outwards."""
    path = fixture.paths[fixture.of]
    mode, there = blocks_in(path)
    if old is not None:
        there.subtract(blocks_in(fixture.paths[old])[1])
    beginnings = Beginnings()
    for file in fixture.paths:
        stacks = [([function_of(frame) for frame in stack], num * (json.loads(others)["req"] + json.loads(others).get("slop", 0)))
                  for (stack, _, others), num in blocks_in(file)[1].items()]
        beginnings.learn(stacks, {row["name"]: row["bytes"] for row in t.json("print", "--json", "--by=function", file)["rows"]})
    top = Node("(all)")
    for (stack, reports, others), num in there.items():
        if num == 0:
            continue
        block = json.loads(others)
        state = STATES[min(2, len(reports))] if mode == "dark-matter" else mode
        calls = [brief(frame) for frame in stack[beginnings.place([function_of(frame) for frame in stack]):]]
        top.add((calls if upwards else calls[::-1]) or ["(no stack recorded)"], state, num * (block["req"] + block.get("slop", 0)), num)
    return top, STATES if mode == "dark-matter" else [mode]


def flame(t, page, fixture):
    """Both directions, and a difference."""
    for old in {None, fixture.old}:
        for direction in ("", "callers"):
            keys = {"of": fixture.of or None, "old": old, "direction": direction or None}
            page.go("view=flame", **{key: value for key, value in keys.items() if value is not None})
            agree_flame(t, page, *calls_of(t, fixture, direction == "callers", old), "flame graph %s" % keys)


def agree_flame(t, page, top, states, where):
    """Row by row: one key leads to the neighbour in a row, another one into a call."""
    said = re.search(r"([\d,]+) calls? of less than ([\d,]+) byte", page.text(".toolbar"))
    n, least = [int(number.replace(",", "")) for number in said.groups()] if said else (0, 0)
    t.equal(top.cut(least), n, "calls that are left out: " + where)
    row, whole = [top], top.total
    walk(page, ["Home"])
    while row:
        lines = {id(node): node.line(whole, node.name, states, True) for node in row}
        shown = walk(page, ["ArrowLeft"] * len(row) + ["ArrowRight"] * (len(row) - 1))[len(row) - 1:]
        t.equal(sorted(shown), sorted(lines.values()), "a row of the " + where)
        # Into the next row, through a call whose line differs from those of all calls without inner calls; then to its start.
        leaves = [lines[id(node)] for node in row if not node.kids]
        into = next((i for i, line in enumerate(shown) if line not in leaves), None)
        row = [kid for node in row for kid in node.kids.values()]
        t.check(into is not None or not row, "a way leads to the next row")
        if row:
            walk(page, ["ArrowLeft"] * len(shown) + ["ArrowRight"] * into + ["ArrowDown"])


def flame_whole(t, page, fixture):
    """For a sampled profile, whose parts no other output adds up: all calls together are the heap."""
    heap = t.json("print", "--json", *fixture.moment, fixture.paths[fixture.of])["heap"]
    page.go("view=flame")
    t.equal(walk(page, ["Home"])[0][:2], ["(all)", "%s (100.00%%) in %s" % (bytes_of(heap["bytes"]), blocks_of(heap["blocks"]))],
            "the flame graph's root")


# ---- Treemap ----

OF_THE_MAP = " of the map"


def parts_of(name, by):
    """A path's first slash stays with what follows."""
    if by not in ("reporter", "file") or name.startswith("("):
        return [name]
    return [("/" if name.startswith("/") else "") + name.lstrip("/").split("/")[0], *name.lstrip("/").split("/")[1:]]


def areas_of(t, fixture, by):
    rows = t.json("print", "--json", "--by=" + by, *fixture.moment, fixture.paths[fixture.of])["rows"]
    states = [state for state in STATES if rows and state in rows[0]]
    top = Node("(all)")
    for row in rows:
        parts = parts_of(row["name"], by)
        for state in states or [""]:
            top.add(parts, state, row[state] if state else row["bytes"], 0)
        node = top
        for part in [None, *parts]:
            node = node if part is None else node.kids[part]
            node.blocks += row["blocks"]
    return top, states


def treemap(t, page, fixture):
    of = {"of": fixture.of} if fixture.of else {}
    page.go("view=treemap", **of)
    for by in choices(page):
        if by == "type":
            continue  # test_views.test_types
        page.go("view=treemap", **of, **({"by": by} if by else {}))
        top, states = areas_of(t, fixture, by or "reporter")
        whole = top.total
        least = whole / 1000
        t.equal("%d small" % top.cut(least) in page.text(".toolbar") or "small" not in page.text(".toolbar"), True, "what is left out")
        told = walk(page, [""])[0]
        t.equal(told, top.line(whole, "(all)", states, True, OF_THE_MAP), "treemap by " + by)
        agree_areas(t, page, top, [], whole, states, "treemap by " + by)


def agree_areas(t, page, node, names, whole, states, where):
    """From a chosen area: into it, through its children, and out again."""
    kids = {"/".join([*names, kid.name]): kid for kid in node.kids.values()}
    if not kids:
        return
    shown = walk(page, ["ArrowDown"] + ["ArrowRight"] * (len(kids) - 1))
    t.equal(sorted(shown), sorted(kid.line(whole, name, states, True, OF_THE_MAP) for name, kid in kids.items()), where)
    walk(page, ["ArrowLeft"] * len(kids))
    for line in shown:
        agree_areas(t, page, kids[line[0]], [*names, kids[line[0]].name], whole, states, where)
        walk(page, ["ArrowRight"])
    walk(page, ["ArrowUp"])
