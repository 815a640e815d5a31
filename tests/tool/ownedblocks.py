# SPDX-License-Identifier: GPL-2.0-or-later
"""What derived code reports, compared with what the heap graph says that an object owns."""


def _reach(graph, edges, without=()):
    """The numbers of the blocks that these edges lead to, and those that are in the way of none."""
    found, waiting = set(), [edge.target for edge in edges]
    while waiting:
        number = waiting.pop()
        if number not in found and number not in without:
            found.add(number)
            waiting += [edge.target for edge in graph.blocks[number - 1].edges]
    return found


def _owned(graph, number):
    """A block and those that only it leads to."""
    others = _reach(graph, [edge for root in graph.roots for edge in root.edges], {number})
    return {number} | (_reach(graph, graph.blocks[number - 1].edges) - others)


def reporters(graph, block):
    """The paths of the reports of a block."""
    if not block.report_set:
        return []
    reports = graph.report_sets[block.report_set - 1]
    return [graph.names[name - 1] for name in reports.reporters]


def compare(t, run, least_objects, least_owned):
    """The program's lines are NAME ADDRESS SIZE, of an object and its reporter. Of each object all blocks that only it leads to
    are reported, once, by its reporter; and nothing is that it does not lead to. (Words that are left on the stack lead to some
    blocks, too.)"""
    t.equal(run.profile.faults, [])
    graph = run.graph_numbered(1)
    number_at = {block.address: i + 1 for i, block in enumerate(graph.blocks)}
    by_name = {}
    for i, block in enumerate(graph.blocks):
        for name in reporters(graph, block):
            by_name.setdefault(name, []).append(i + 1)
    objects = [line.rsplit(" ", 2) for line in run.out.decode().splitlines()]
    t.check(len(objects) >= least_objects, "there are objects")
    n_owned = 0
    for name, address, size in objects:
        number = number_at[int(address, 0)]
        owned, reported = _owned(graph, number), by_name.pop(name)
        t.equal(sorted(owned - set(reported)), [], name + ": owned, and not reported")
        t.equal(sorted(set(reported) - _reach(graph, graph.blocks[number - 1].edges) - {number}), [], name + ": not its own")
        t.equal(len(set(reported)), len(reported), name + ": each once")
        t.equal(sum(graph.blocks[i - 1].requested + graph.blocks[i - 1].slop for i in reported), int(size), name + ": its size")
        n_owned += len(owned)
    t.equal(by_name, {}, "nobody else reports")
    t.check(n_owned > least_owned, "most of the heap is owned: %d of %d blocks" % (n_owned, len(graph.blocks)))
