# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs for tests, built block by block, and their files."""

import gzip

from graphwriter import (BLOCKS, CODE, DATA, EDGES, END, HEADER, NAME, OBJECT, REPORT_SET, ROOT, STACK, TAG, REGISTERS, STACK_ROOT,
                         blocks, code, data, edges, number, packed, part)

__all__ = ["Heap", "DATA", "REGISTERS", "STACK_ROOT"]


class Node:
    def __init__(self, **fields):
        self.__dict__.update(fields, edges=[])

    def points_to(self, block, offset=0, into=0):
        """Adds an edge, at an offset in words of 8 bytes."""
        self.edges.append((offset // 8, block, into))
        return self


class Heap:
    def __init__(self, time="2026-11-22T13:05:09Z"):
        self.time, self.objects, self.roots, self.blocks = time, [], [], []
        self.codes, self.stacks, self.names, self.tags, self.report_sets = {}, {}, {}, {}, {}

    def object(self, path, build_id):
        """Adds an object; returns its number."""
        self.objects.append((path, build_id))
        return len(self.objects)

    def root(self, name="", kind=0, size=64, thread=0):
        self.roots.append(Node(name=name, kind=kind, size=size, thread=thread))
        return self.roots[-1]

    def block(self, requested, stack=None, slop=0, reports=(), tag=None, thread=1, address=None):
        """Adds a block behind all others; a stack is a list of functions (name, file, line) or (name, file,
        line, object), or of pairs of an object and an address in it, the innermost first; reports are pairs of a stack and a reporter."""
        if address is None:
            last = self.blocks[-1] if self.blocks else None
            address = (last.address + last.requested + last.slop + 31) // 16 * 16 if last else 0x10000
        self.blocks.append(Node(requested=requested, slop=slop, stack=self._stack(stack), tag=self._id(self.tags, tag),
                                report_set=self._reports(reports), thread=thread, address=address,
                                number=len(self.blocks) + 1))
        return self.blocks[-1]

    @staticmethod
    def _id(numbers, thing):
        """The number of something, from 1; 0 for None."""
        return 0 if thing is None else numbers.setdefault(thing, len(numbers) + 1)

    def _stack(self, stack):
        return self._id(self.stacks, tuple(self._id(self.codes, one) for one in stack)) if stack else 0

    def _reports(self, reports):
        kept = tuple((self._stack(stack), self._id(self.names, name)) for stack, name in reports)
        return self._id(self.report_sets, kept) if kept else 0

    # ---- The file ----

    @staticmethod
    def _edges(nodes):
        lists = [sorted((word, block.number, into) for word, block, into in node.edges) for node in nodes]
        return data(EDGES, edges([[edge if edge[2] else edge[:2] for edge in one] for one in lists]))

    def _blocks(self):
        columns = {name: [getattr(block, name) for block in self.blocks]
                   for name in ("requested", "slop", "stack", "report_set", "tag", "thread")}
        return data(BLOCKS, blocks([block.address for block in self.blocks], **columns))

    def _parts(self):
        yield data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter") + data(7, "./app") +
                   data(10, self.time) + number(11, 77))
        for path, build_id in self.objects:
            yield data(OBJECT, data(1, path) + data(3, build_id))
        for root in self.roots:
            yield data(ROOT, number(1, root.kind) + number(3, root.size) + number(5, root.thread) + data(7, root.name))
        yield self._edges(self.roots)
        if self.blocks:
            yield self._blocks() + self._edges(self.blocks)
        for i, known in enumerate(self.codes):
            if len(known) > 2:
                yield data(CODE, code(*known, address=0x1000 + 16 * i))
            else:
                yield data(CODE, number(1, known[0]) + number(2, known[1]))
        for stack in self.stacks:
            yield data(STACK, packed(1, stack))
        for name in self.names:
            yield data(NAME, name)
        for tag in self.tags:
            yield data(TAG, tag)
        for kept in self.report_sets:
            yield data(REPORT_SET, number(2, len(kept)) + packed(3, [stack for stack, _ in kept]) +
                       packed(4, [name for _, name in kept]))
        count = sum(len(node.edges) for node in self.roots + self.blocks)
        yield data(END, number(1, len(self.roots)) + number(2, len(self.blocks)) + number(3, count))

    def gzipped(self):
        return gzip.compress(b"".join(map(part, self._parts())))
