# SPDX-License-Identifier: GPL-2.0-or-later
"""Decoders of the heap snapshots of Chrome and of Firefox, independent of dmdv's encoders; and the retained
sizes that the tools compute from them, by definition."""

import gzip
import json

from harness import protobuf
from harness.protobuf import demand, fields, number


class Snapshot:
    """nodes: [{id, name, size, edges: [(name, index of the node)], stack: [(function, file, line)], innermost first}],
    the root first."""

    def __init__(self, nodes):
        self.nodes = nodes
        demand(len({node["id"] for node in nodes}) == len(nodes), "two nodes with one id")

    def reached(self, without=None):
        """The indices that are reachable from the root without one node."""
        seen, todo = set(), [0]
        while todo:
            i = todo.pop()
            if i == without or i in seen:
                continue
            seen.add(i)
            todo += [target for _, target in self.nodes[i]["edges"]]
        return seen

    def retained(self):
        """For each node, the nodes that are unreachable without it."""
        everything = self.reached()
        demand(len(everything) == len(self.nodes), "nodes that the root does not reach")
        return [sum(self.nodes[j]["size"] for j in everything - self.reached(i)) for i in range(len(self.nodes))]

    def named(self, name):
        return [node for node in self.nodes if node["name"] == name]

    def edges_of(self, node):
        """[(the edge's name, its target's)]"""
        return [(name, self.nodes[target]["name"]) for name, target in node["edges"]]


# ---- Chrome ----


def rows(numbers, names):
    demand(len(numbers) % len(names) == 0, "a row that ends in the middle")
    return [dict(zip(names, numbers[i:i + len(names)])) for i in range(0, len(numbers), len(names))]


def trace_stacks(document):
    """{call id: stack}, innermost first."""
    meta, strings = document["snapshot"]["meta"], document["strings"]
    infos = rows(document["trace_function_infos"], meta["trace_function_info_fields"])
    demand(len(infos) == document["snapshot"]["trace_function_count"], "a wrong trace_function_count")
    names = meta["trace_node_fields"]
    stacks, todo = {}, [(document["trace_tree"], ())]
    while todo:
        calls, outer = todo.pop()
        for call in rows(calls, names):
            info = infos[call["function_info_index"]]
            frame = (strings[info["name"]], strings[info["script_name"]], info["line"])
            demand(call["id"] not in stacks, "two calls with one id")
            stacks[call["id"]] = stack = (frame,) + outer
            todo.append((call["children"], stack))
    return stacks


def chrome(text):
    """A Snapshot without the second root; checks the rules of DevTools and memlab."""
    for key in ("nodes", "edges", "locations"):
        demand(text.count('"%s":' % key) == 1, "memlab looks for the key " + key)
    document = json.loads(text)
    meta, strings = document["snapshot"]["meta"], document["strings"]
    demand(len(set(strings)) == len(strings), "a string comes twice")
    nodes = rows(document["nodes"], meta["node_fields"])
    edges = rows(document["edges"], meta["edge_fields"])
    demand(len(nodes) == document["snapshot"]["node_count"], "a wrong node_count")
    demand(len(edges) == document["snapshot"]["edge_count"], "a wrong edge_count")
    stacks, at, found = trace_stacks(document), 0, []
    for node in nodes:
        demand(node["self_size"] < 2 ** 32 and node["id"] < 2 ** 32, "a number of more than 32 bits")
        kind = meta["node_types"][0][node["type"]]
        demand(kind in ("native", "synthetic"), "a node of type " + kind)
        own = []
        for edge in edges[at:at + node["edge_count"]]:
            kind = meta["edge_types"][0][edge["type"]]
            demand(kind in ("element", "property"), "an edge of type " + kind)
            name = strings[edge["name_or_index"]] if kind == "property" else "[%d]" % edge["name_or_index"]
            demand(edge["to_node"] % len(meta["node_fields"]) == 0, "an edge to the middle of a node")
            own.append((name, edge["to_node"] // len(meta["node_fields"]) - 1))
        at += node["edge_count"]
        stack = stacks[node["trace_node_id"]] if node["trace_node_id"] else ()
        demand(not stack or stack[-1] == ("(root)", "", 0), "a stack without a root")
        found.append({"id": node["id"], "name": strings[node["name"]], "size": node["self_size"], "edges": own,
                      "stack": list(stack[:-1])})
    demand(at == len(edges), "edges of no node")
    demand((found[0]["edges"], found[1]["name"]) == ([("[1]", 0)], "(GC roots)"), "the root leads to (GC roots) alone")
    return Snapshot(found[1:])


# ---- Firefox ----


class Firefox:
    """Decodes one message after the other, as strings and frames may refer to earlier ones."""

    def __init__(self, data):
        demand(data[:2] == b"\x1f\x8b", "it is not gzipped")
        self.strings, self.frames = [], {}
        messages = list(protobuf.stream(gzip.decompress(data)))
        demand(messages and messages[0], "no metadata")
        self.time_stamp = number(fields(messages[0]), 1)
        nodes = [self.node(fields(message)) for message in messages[1:]]
        index = {node["id"]: i for i, node in enumerate(nodes)}
        for node in nodes:
            demand(0 < node["id"] < 2 ** 53, "an id that is not exact as a double")
            node["edges"] = [(name, index[referent]) for name, referent in node["edges"]]
        self.snapshot = Snapshot(nodes)

    def by_call_stack(self):
        """{stack: (nodes, bytes)}, as Firefox counts. It sums nodes by the id of their innermost frame
        (ubi::CountByAllocationStack), then makes a map whose keys are saved frames. Saved frames of equal contents and
        parents are one object (SavedStacks::getOrCreateSavedFrame), so the last sum of equal stacks replaces the
        others."""
        sums = {}
        for node in self.snapshot.nodes:
            count, size = sums.get(node["frame"], (0, 0))
            sums[node["frame"]] = (count + 1, size + node["size"])
        return {self.frames.get(frame, ()): found for frame, found in sums.items()}

    def string(self, message, field):
        """A string in this field, or a reference in the next; None if it has neither."""
        demand(not (field in message and field + 1 in message), "a string and its reference")
        if field in message:
            text = message[field][0].decode("utf-16-le")
            demand(text not in self.strings, "a string comes twice")
            self.strings.append(text)
            return text
        if field + 1 in message:
            demand(message[field + 1][0] < len(self.strings), "a string before it came")
            return self.strings[message[field + 1][0]]
        return None

    def edge(self, message):
        name = self.string(message, 2)
        return name, number(message, 1)

    def stack(self, message):
        """The id of a frame; self.frames has it with its callers, innermost first."""
        if 2 in message:
            demand(message[2][0] in self.frames, "a frame before it came")
            return message[2][0]
        data = fields(message[1][0])
        demand(all(f in data for f in (1, 3, 4, 9, 10)), "a frame without what Firefox demands")
        source, function = self.string(data, 5), self.string(data, 7)
        outer = self.frames[self.stack(fields(data[2][0]))] if 2 in data else ()
        frame = number(data, 1)
        demand(frame not in self.frames and len(outer) < 90, "a frame comes twice, or a stack is too deep")
        self.frames[frame] = ((function, source, number(data, 3)),) + outer
        return frame

    def node(self, message):
        demand(number(message, 9) == 0, "a coarse type")
        name = self.string(message, 2)
        edges = [self.edge(fields(edge)) for edge in message.get(5, [])]
        frame = self.stack(fields(message[6][0])) if 6 in message else None
        return {"id": number(message, 1), "name": name, "size": number(message, 4), "edges": edges, "frame": frame,
                "stack": list(self.frames.get(frame, ()))}
