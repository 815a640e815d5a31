# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs for tests of dmdv (docs/dmd-graph.proto), written field by field, so that any field can be
wrong."""

import gzip

HEADER, OBJECT, ROOT, BLOCKS, EDGES, CODE, STACK, NAME, TAG, REPORT_SET, END, CLAIM_FUNCTION, CLAIM, RESIDENT = range(1, 15)
DATA, STACK_ROOT, REGISTERS = 1, 2, 3


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytearray([value]))


def zigzag(value):
    return value * 2 if value >= 0 else -value * 2 - 1


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def packed(field, values):
    return data(field, b"".join(map(varint, values)))


def part(*fields):
    content = b"".join(fields)
    return varint(len(content)) + content


def differences(values):
    return [value - before for before, value in zip([0] + list(values), values)]


def code(function, file=None, line=0, obj=0, address=0):
    """A Code message of one function."""
    parts = data(1, function) + (data(2, file) + number(3, line) if file else b"")
    return number(1, obj) + number(2, address) + data(3, parts)


def blocks(addresses, **columns):
    """A Blocks message: requested, slop, stack, report_set, tag, thread, outer, flags are lists."""
    fields = {"requested": 3, "slop": 4, "stack": 5, "report_set": 6, "tag": 7, "thread": 8, "outer": 9, "flags": 10,
              "first_word_block": 11, "first_word_object": 12, "first_word_address": 13,
              "contents_block": 14, "same": 15, "tail": 16, "tail_byte": 17}
    count = columns.pop("count", len(addresses))
    return number(1, count) + packed(2, differences(addresses)) + b"".join(
        packed(fields[name], values) for name, values in columns.items())


def edges(lists, **columns):
    """An Edges message; lists has for each node its edges: (word, target) or (word, target, into). Columns
    replace those that are computed from the lists."""
    made = {"count": [len(one) for one in lists], "word": [], "target": [], "interior": [], "into": []}
    targets, places = [], []
    for one in lists:
        made["word"] += differences([edge[0] for edge in one])
        for edge in one:
            if len(edge) > 2:
                places.append(len(targets))
                made["into"].append(edge[2])
            targets.append(edge[1])
    made["target"] = [zigzag(difference) for difference in differences(targets)]
    made["interior"] = differences(places)
    made.update(columns)
    fields = {"count": 1, "word": 2, "target": 3, "interior": 4, "into": 5, "heuristic": 6,
              "number_edge": 7, "number_word": 8, "number": 9}
    return b"".join(packed(fields[name], values) for name, values in made.items() if values)


def claim(*values):
    """A Claim message: function, argument, value, stack, count, outdated, set, blocks, requested, usable."""
    return b"".join(number(field + 1, value) for field, value in enumerate(values))


class Graph:
    """The parts of a file by name, in order; a test replaces, moves or drops some, and gets the bytes.

    A variable `jar` of 16 bytes holds blocks 1 and 2 of knead (24+8 and 100 bytes, the first reported by explicit/a),
    block 2 holds block 3 of wash (50 bytes, in the middle), and nothing holds block 4 (10 bytes, by wash).
    """

    def __init__(self):
        self.parts = {
            "header": part(data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter"))),
            "objects": part(data(OBJECT, data(1, "/bin/a") + number(4, 0x1000))),
            "roots": part(data(ROOT, number(1, DATA) + number(2, 0x2000) + number(3, 16) + number(4, 1) + data(7, "jar")),
                          data(ROOT, number(1, REGISTERS) + number(3, 8) + number(5, 1))),
            "root edges": part(data(EDGES, edges([[(0, 1), (1, 2)], []]))),
            "blocks": part(data(BLOCKS, blocks([0x8000, 0x8100, 0x8200, 0x8300], requested=[24, 100, 50, 10],
                                               slop=[8, 0, 0, 0], stack=[1, 1, 2, 2], report_set=[1, 0, 0, 0],
                                               tag=[0, 0, 1, 0], thread=[1, 1, 1, 2])),
                           data(EDGES, edges([[], [(3, 3, 8)], [], []]))),
            "residents": b"",
            "codes": part(data(CODE, code("knead", "new.c", 7, 1, 0x40)), data(CODE, code("main", "a.c", 9, 1, 0x80)),
                          data(CODE, code("wash", "a.c", 3))),
            "stacks": part(data(STACK, packed(1, [1, 2])), data(STACK, packed(1, [3]))),
            "names": part(data(NAME, "explicit/a")),
            "tags": part(data(TAG, "driver")),
            "report sets": part(data(REPORT_SET, number(2, 1) + packed(3, [2]) + packed(4, [1]))),
            "claim functions": b"",
            "claims": b"",
            "end": part(data(END, number(1, 2) + number(2, 4) + number(3, 3))),
        }

    def set(self, **parts):
        """Replaces parts, by their names with _ for blanks; None drops one."""
        for name, content in parts.items():
            self.parts[name.replace("_", " ")] = content or b""
        return self

    def bytes(self):
        return b"".join(self.parts.values())

    def gzipped(self):
        return gzip.compress(self.bytes())

    def at(self, name):
        """The offset at which a part begins."""
        place = 0
        for one, content in self.parts.items():
            if one == name:
                return place
            place += len(content)
        raise KeyError(name)


def wasteful_graph(compared=True, pid=0):
    """A graph of which a block of 10,000 zeroes by wash is lost, and one of 5,000 bytes by knead ends in 4,500 zeroes."""
    return Graph().set(
        header=part(data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter") +
                         number(11, pid) + number(16, compared))),
        blocks=part(data(BLOCKS, blocks([0x8000, 0x18000, 0x28000, 0x38000], requested=[24, 5000, 50, 10000], stack=[1, 1, 2, 2],
                                        contents_block=[1, 2], same=[0, 0], tail=[4500, 10000])),
                    data(EDGES, edges([[], [(3, 3)], [], []]))))
