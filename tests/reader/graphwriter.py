# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs for tests, built block by block, and their files (docs/dmd-graph.proto)."""

import gzip

OTHER, DATA, STACK, REGISTERS, THREAD = range(5)


def varint(n):
    n &= 2 ** 64 - 1
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    """A number, text, bytes (a message or packed numbers), or a list of numbers, packed; nothing for what is empty."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value) if value else b""
    if isinstance(value, list):
        value = b"".join(map(varint, value)) if any(value) else b""
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value if value else b""


def column(number, numbers):
    """Packed numbers, which are there even if they are all 0."""
    packed = b"".join(map(varint, numbers))
    return varint(number << 3 | 2) + varint(len(packed)) + packed


def differences(numbers):
    return [b - a for a, b in zip([0] + numbers, numbers)]


def zigzag(n):
    return n << 1 if n >= 0 else (-n << 1) - 1


class Node:
    def __init__(self, **fields):
        self.__dict__.update(fields, edges=[])

    def points_to(self, block, offset=0, into=0):
        """Adds an edge; offsets of a node's edges ascend, in words of 8 bytes."""
        self.edges.append((offset // 8, block, into))
        return self


class Graph:
    def __init__(self, **header):
        self.header = dict({"command": ["./app", "--fast"], "pid": 77, "time": "2026-11-22T13:05:09Z"}, **header)
        self.roots, self.blocks = [], []
        self.codes, self.stacks, self.names, self.tags, self.report_sets = [], [], [], [], []

    def root(self, name="", kind=OTHER, size=64, thread=0):
        self.roots.append(Node(name=name, kind=kind, size=size, thread=thread))
        return self.roots[-1]

    def block(self, requested, stack=None, slop=0, reports=(), tag=None, thread=1, address=None):
        """A block behind all others; a stack is a list of functions (name, file, line), the innermost first; reports
        are pairs of a stack and a reporter."""
        if address is None:
            last = self.blocks[-1] if self.blocks else None
            address = (last.address + last.requested + last.slop + 31) // 16 * 16 if last else 0x10000
        self.blocks.append(Node(requested=requested, slop=slop, stack=self._stack(stack), tag=self._id(self.tags, tag),
                                report_set=self._reports(reports), thread=thread, address=address,
                                number=len(self.blocks) + 1))
        return self.blocks[-1]

    @staticmethod
    def _id(list_, thing):
        """The number of something in a list, to which it is added if it is new; 0 for None."""
        if thing is None:
            return 0
        if thing not in list_:
            list_.append(thing)
        return list_.index(thing) + 1

    def _stack(self, stack):
        return self._id(self.stacks, tuple(self._id(self.codes, code) for code in stack)) if stack else 0

    def _reports(self, reports):
        kept = tuple((self._stack(stack), self._id(self.names, name)) for stack, name in reports)
        return self._id(self.report_sets, kept) if kept else 0

    # ---- The file ----

    @staticmethod
    def _edges(nodes):
        counts, words, targets, interior, into = [], [], [], [], []
        for node in nodes:
            edges = sorted(node.edges, key=lambda edge: edge[0])
            counts.append(len(edges))
            words += differences([word for word, _, _ in edges])
            for _, block, inside in edges:
                targets.append(block.number)
                if inside:
                    interior.append(len(targets) - 1)
                    into.append(inside)
        places = column(4, differences(interior)) + column(5, into) if interior else b""
        return column(1, counts) + field(2, words) + field(3, [zigzag(n) for n in differences(targets)]) + places

    def _block_columns(self):
        columns = [differences([b.address for b in self.blocks])]
        columns += [[getattr(b, name) for b in self.blocks]
                    for name in ("requested", "slop", "stack", "report_set", "tag", "thread")]
        return field(1, len(self.blocks)) + b"".join(field(2 + i, column) for i, column in enumerate(columns))

    def parts(self):
        """The bytes of each part."""
        h = self.header
        yield field(1, field(1, "dmd-graph") + field(2, 1) + field(3, 8) + field(4, "0.1.0") + field(6, "dark-matter") +
                    b"".join(field(7, a) for a in h["command"]) + field(10, h["time"]) + field(11, h["pid"]))
        yield b"".join(field(3, field(1, r.kind) + field(3, r.size) + field(5, r.thread) + field(7, r.name) or b"\x08\0")
                       for r in self.roots)
        yield field(5, self._edges(self.roots))
        if self.blocks:
            yield field(4, self._block_columns()) + field(5, self._edges(self.blocks))
        for i, (name, file, line) in enumerate(self.codes):
            yield field(6, field(2, 0x1000 + 16 * i) + field(3, field(1, name) + field(2, file) + field(3, line)))
        for stack in self.stacks:
            yield field(7, field(1, list(stack)))
        for name in self.names:
            yield field(8, name)
        for tag in self.tags:
            yield field(9, tag)
        for kept in self.report_sets:
            yield field(10, field(2, len(kept)) + field(3, [s for s, _ in kept]) + field(4, [n for _, n in kept]))
        edges = sum(len(node.edges) for node in self.roots + self.blocks)
        end = field(1, len(self.roots)) + field(2, len(self.blocks)) + field(3, edges)
        yield varint(11 << 3 | 2) + varint(len(end)) + end

    def bytes(self):
        return gzip.compress(b"".join(varint(len(part)) + part for part in self.parts() if part))
