# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of derived code, compared with the blocks that an object owns according to the heap graph."""

import collections

# For each object: its name; numbers of blocks: those that only it leads to, those that its reporter reported,
# once for each report, those that it owns and did not report, and those that it reported and does not lead
# to; the bytes of its reports, and the result of the measuring function.
Verdict = collections.namedtuple("Verdict", "name owned reported missing foreign bytes claimed")


def _reach(graph, edges, without=()):
    """The numbers of the blocks that these edges lead to, except those on no path."""
    found, waiting = set(), [edge.target for edge in edges]
    while waiting:
        number = waiting.pop()
        if number not in found and number not in without:
            found.add(number)
            waiting += [edge.target for edge in graph.blocks[number - 1].edges]
    return found


def _owned(graph, number):
    """A block and all blocks that only it leads to."""
    others = _reach(graph, [edge for root in graph.roots for edge in root.edges], {number})
    return {number} | (_reach(graph, graph.blocks[number - 1].edges) - others)


def reporters(graph, block):
    """The paths of the reports of a block."""
    if not block.report_set:
        return []
    reports = graph.report_sets[block.report_set - 1]
    return [graph.names[name - 1] for name in reports.reporters]


def verdicts(graph, lines):
    """The verdict on each object. The program's lines are NAME ADDRESS SIZE, its reporter's name and the
    measured bytes; and {name: reported blocks} of the other reporters."""
    number_at = {block.address: i + 1 for i, block in enumerate(graph.blocks)}
    by_name, found = {}, []
    for i, block in enumerate(graph.blocks):
        for name in reporters(graph, block):
            by_name.setdefault(name, []).append(i + 1)
    for name, address, size in (line.rsplit(" ", 2) for line in lines):
        number = number_at[int(address, 0)]
        owned, reported = _owned(graph, number), by_name.pop(name, [])
        found.append(Verdict(name, owned, reported, owned - set(reported),
                             set(reported) - _reach(graph, graph.blocks[number - 1].edges) - {number},
                             sum(graph.blocks[i - 1].requested + graph.blocks[i - 1].slop for i in reported), int(size)))
    return found, by_name


def compare(t, run, least_objects, least_owned):
    """All blocks that only the object leads to are reported, once, by its reporter, and no blocks that it
    does not lead to. (Words that are left on the stack lead to some blocks, too.)"""
    t.equal(run.profile.faults, [])
    graph = run.graph_numbered(1)
    objects, others = verdicts(graph, run.out.decode().splitlines())
    t.check(len(objects) >= least_objects, "there are objects")
    for one in objects:
        t.equal(sorted(one.missing), [], one.name + ": owned, and not reported")
        t.equal(sorted(one.foreign), [], one.name + ": not its own")
        t.equal(len(set(one.reported)), len(one.reported), one.name + ": each once")
        t.equal(one.bytes, one.claimed, one.name + ": its size")
    t.equal(others, {}, "nobody else reports")
    n_owned = sum(len(one.owned) for one in objects)
    t.check(n_owned > least_owned, "most of the heap is owned: %d of %d blocks" % (n_owned, len(graph.blocks)))
