# SPDX-License-Identifier: GPL-2.0-or-later
"""A decoder of heap graphs (docs/dmd-graph.proto), which knows nothing of how dmd writes or reads them.

It checks the rules of the document on the way.
"""

import collections
import gzip

from harness import onefile
from harness.protobuf import demand, fields, number, packed, stream, text

OTHER, DATA, STACK, REGISTERS, THREAD = range(5)
HEURISTICS = ("none", "string", "length", "newarray", "inheritance")

Object = collections.namedtuple("Object", "path soname build_id bias start size")
Root = collections.namedtuple("Root", "kind address size object thread frame name origin edges")
Code = collections.namedtuple("Code", "object address functions")
ReportSet = collections.namedtuple("ReportSet", "shared count stacks reporters")
Block = collections.namedtuple("Block", "address requested slop stack report_set tag thread outer flags first_word contents edges")
Edge = collections.namedtuple("Edge", "word target into heuristic")
Claim = collections.namedtuple("Claim", "function argument value stack count outdated set blocks requested usable")


def _place(field):
    """The end, whose number is 11, comes last; resident pages, with number 14, behind blocks and their edges."""
    return {11: 99, 14: 5.5}.get(field, field)


def _column(message, field, n=None):
    """A packed column of n elements; a column that is left out consists of zeroes."""
    numbers = packed(message, field)
    if n is None:
        return numbers
    demand(len(numbers) in (0, n), "column %d has %d of %d elements" % (field, len(numbers), n))
    return numbers or [0] * n


def _sums(differences):
    total, sums = 0, []
    for difference in differences:
        total = total + difference & 2 ** 64 - 1
        sums.append(total)
    return sums


def _signed(n):
    return n >> 1 if n & 1 == 0 else -(n + 1 >> 1)


class Graph:
    """header: {name: value}; objects, roots, blocks, codes, stacks (lists of codes), report_sets: lists, with
    number n at index n - 1; names, tags, claim_functions, and claims, each with its function's name; residents:
    (address, bytes) of runs of pages in memory."""

    def __init__(self, file):
        with open(file, "rb") as opened:
            data = opened.read()
        data = onefile.parts(data)[1] or data
        demand(data[:2] == b"\x1f\x8b", "it is not gzipped")
        data = gzip.decompress(data)
        self.header, self.end = None, None
        self.objects, self.roots, self.blocks, self.codes, self.stacks = [], [], [], [], []
        self.names, self.tags, self.report_sets = [], [], []
        self.claim_functions, self.claims, self.residents = [], [], []
        self._root_edges, self._last = [], 0
        for part in stream(data):
            self._part(fields(part))
        demand(self.end is not None, "it has no end")
        self._check()

    # ---- Parts ----

    def _part(self, part):
        demand(self.end is None, "a part after the end")
        for field in sorted(part, key=_place):
            demand(_place(field) >= _place(self._last) or field in (4, 5) and self._last in (4, 5),
                   "field %d after %d" % (field, self._last))
            self._last = field
        take = {1: self._take_header, 2: self._take_object, 3: self._take_root, 6: self._take_code, 7: self._take_stack,
                8: lambda name: self.names.append(name.decode()), 9: lambda tag: self.tags.append(tag.decode()),
                10: self._take_report_set, 11: self._take_end, 12: lambda name: self.claim_functions.append(name.decode()),
                13: self._take_claim, 14: self._take_resident}
        for field in sorted(part):
            if field not in (4, 5):
                for message in part[field]:
                    take[field](message)
        if 5 in part:
            self._take_edges(part)

    def _take_claim(self, message):
        f = fields(message)
        demand(1 <= number(f, 1) <= len(self.claim_functions), "a claim of function %d" % number(f, 1))
        demand(number(f, 4) <= len(self.stacks), "a claim with stack %d" % number(f, 4))
        demand(number(f, 7) <= len(self.claim_functions), "a claim of set %d" % number(f, 7))
        self.claims.append(Claim(self.claim_functions[number(f, 1) - 1], *(number(f, i) for i in range(2, 7)),
                                 ([None] + self.claim_functions)[number(f, 7)], *(number(f, i) for i in range(8, 11))))

    def _take_resident(self, message):
        f = fields(message)
        last = self.residents[-1] if self.residents else (0, 0)
        demand(number(f, 2) > 0 and (number(f, 1) > 0 or not self.residents), "resident pages")
        self.residents.append((last[0] + last[1] + 4096 * number(f, 1), 4096 * number(f, 2)))

    def _take_header(self, message):
        names = ("format version word_size dmd_version valgrind_version mode arguments folder host time pid dump_number"
                 " label trigger allocator has_contents fill peak").split()
        f = fields(message)
        self.header = {}
        for i, name in enumerate(names):
            values = [v.decode("utf-8", "surrogateescape") if isinstance(v, bytes) else v for v in f.get(i + 1, [])]
            self.header[name] = values if name == "arguments" else values[-1] if values else None
        demand((self.header["format"], self.header["version"]) == ("dmd-graph", 1), "format or version")

    def _take_object(self, message):
        f = fields(message)
        self.objects.append(Object(text(f, 1).decode(), text(f, 2).decode(), text(f, 3).hex(), number(f, 4),
                                   number(f, 5), number(f, 6)))

    def _code(self, message):
        f = fields(message)
        demand(number(f, 1) <= len(self.objects), "a code of object %d" % number(f, 1))
        functions = [(text(g, 1).decode(), text(g, 2).decode(), number(g, 3)) for g in map(fields, f.get(3, []))]
        return Code(number(f, 1), number(f, 2), functions)

    def _take_root(self, message):
        f = fields(message)
        frame = self._code(f[6][-1]) if 6 in f else None
        self.roots.append(Root(number(f, 1), number(f, 2), number(f, 3), number(f, 4), number(f, 5), frame,
                               text(f, 7).decode(), number(f, 8), []))

    def _take_code(self, message):
        self.codes.append(self._code(message))

    def _take_stack(self, message):
        codes = _column(fields(message), 1)
        demand(all(0 < code <= len(self.codes) for code in codes), "a stack of a code that is not there")
        self.stacks.append([self.codes[code - 1] for code in codes])

    def _take_report_set(self, message):
        f = fields(message)
        stacks = _column(f, 3)
        self.report_sets.append(ReportSet(bool(number(f, 1)), number(f, 2), stacks, _column(f, 4, len(stacks))))

    def _take_end(self, message):
        f = fields(message)
        self.end = (number(f, 1), number(f, 2), number(f, 3))

    # ---- Nodes ----

    def _take_edges(self, part):
        lists = self._edges(fields(part[5][-1]))
        if 4 not in part:
            demand(not self.blocks, "edges of roots after blocks")
            self._root_edges += lists
            return
        f = fields(part[4][-1])
        n = number(f, 1)
        demand(n == len(lists), "%d blocks with edges of %d" % (n, len(lists)))
        columns = [_sums(_column(f, 2, n))] + [_column(f, field, n) for field in range(3, 11)]
        first_words = _column(f, 11)
        objects, addresses = _column(f, 12, len(first_words)), _column(f, 13, len(first_words))
        first = dict(zip(_sums(first_words), zip(objects, addresses)))
        places = _column(f, 14)
        known = zip(*[_column(f, field, len(places)) for field in (15, 16, 17)])
        contents = dict(zip(_sums(places), map(tuple, known)))
        for i in range(n):
            self.blocks.append(Block(*[column[i] for column in columns], first.get(i), contents.get(i, (0, 0, 0)), lists[i]))

    def _edges(self, f):
        counts = _column(f, 1)
        n = sum(counts)
        words, targets = _column(f, 2, n), _sums(_signed(t) & 2 ** 64 - 1 for t in _column(f, 3, n))
        places = _sums(_column(f, 4))
        into, heuristics = _column(f, 5, len(places)), _column(f, 6, len(places))
        interior = dict(zip(places, zip(into, heuristics)))
        demand(all(place < n for place in places), "an interior pointer of an edge that is not there")
        lists, at = [], 0
        for count in counts:
            lists.append([Edge(word, targets[at + i], *interior.get(at + i, (0, 0)))
                          for i, word in enumerate(_sums(words[at:at + count]))])
            at += count
        return lists

    def _check(self):
        demand(len(self._root_edges) == len(self.roots), "edges of %d of %d roots" % (len(self._root_edges), len(self.roots)))
        self.roots = [root._replace(edges=edges) for root, edges in zip(self.roots, self._root_edges)]
        nodes = self.roots + self.blocks
        demand(self.end == (len(self.roots), len(self.blocks), sum(len(node.edges) for node in nodes)), "its end says otherwise")
        for node in nodes:
            for edge in node.edges:
                demand(0 < edge.target <= len(self.blocks), "an edge to block %d" % edge.target)
                demand(edge.into == 0 or edge.into < self.blocks[edge.target - 1].requested, "an edge past a block")
                demand(edge.heuristic < len(HEURISTICS), "heuristic %d" % edge.heuristic)
        for i, block in enumerate(self.blocks):
            demand(i == 0 or self.blocks[i - 1].address <= block.address, "blocks out of order")
            demand(block.outer <= i, "a block around one that does not come before it")
            demand(block.stack <= len(self.stacks) and block.report_set <= len(self.report_sets) and
                    block.tag <= len(self.tags), "a block with a number of something that is not there")

    # ---- Questions ----

    def functions_of(self, stack):
        """The names of a stack's functions, the innermost first."""
        return [f[0] for code in (self.stacks[stack - 1] if stack else []) for f in code.functions]

    def at(self, function):
        """The blocks that have this function in their stack."""
        return [block for block in self.blocks if function in self.functions_of(block.stack)]

    def block_at(self, address):
        """The block that starts at the address, the innermost of several."""
        return next(block for block in reversed(self.blocks) if block.address == address)
