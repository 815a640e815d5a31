# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs with mistakes in them: files with everything in docs/dmd-graph.proto, changed at random.

`graph` is a file without mistakes, as a list of parts; a part is a message as in harness/protobuf.py, but
with messages and packed columns decoded as well. `mutant` makes one file from one graph. Everything depends
on the given random.Random.
"""

import copy
import glob
import gzip
import os

import graphwriter
from graphwriter import Graph, blocks, claim, code, data, edges, number, packed, part
from harness import files, protobuf
from mutation import TEXTS, byte_change

PACKED = "packed"
CODE = {3: {}}
# By field: the fields of its message, or a mark that it is a packed column. All other fields are numbers or
# bytes.
PART = {
    1: {}, 2: {}, 3: {6: CODE}, 4: {field: PACKED for field in range(2, 18)}, 5: {field: PACKED for field in range(1, 10)},
    6: CODE, 7: {1: PACKED}, 10: {3: PACKED, 4: PACKED}, 11: {}, 13: {}, 14: {}}

NUMBERS = [0, 1, 2, 3, 7, 8, 255, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**60, 2**61, 2**63,
           2**64 - 8, 2**64 - 1]


def whole():
    """A graph that has every field: roots of all kinds, a block in a block, a vtable's address, pointers into
    blocks of every kind, more reports counted than kept, a shared block, a cycle, lost blocks."""
    graph = Graph()
    header = [data(4, "0.1"), data(5, "3.19.0"), data(6, "dark-matter"), data(7, "./app"), data(7, "a b"), data(8, "/home"),
              data(9, "oven"), data(10, "2026-11-22T13:05:09Z"), number(11, 42), number(12, 1), data(13, "noon"),
              data(14, "request"), data(15, "glibc")]
    objects = [data(1, "/bin/app") + data(2, "app") + data(3, b"\1\2\3\4") + number(4, 0x1000) + number(5, 0x1000) +
               number(6, 0x3000), data(1, "/lib/libjar.so.1") + number(5, 0x5000) + number(6, 0x1000)]
    roots = [number(1, graphwriter.DATA) + number(2, 0x2000) + number(3, 32) + number(4, 1) + data(7, "jar"),
             number(1, graphwriter.STACK_ROOT) + number(2, 0x7000) + number(3, 64) + number(5, 1) + data(6, code("main", "a.c", 9)),
             number(1, graphwriter.REGISTERS) + number(3, 128) + number(5, 1),
             number(1, 4) + number(2, 0x6000) + number(3, 16) + number(5, 1),
             number(2, 0x9000000) + number(3, 4096) + data(7, "/dev/shm/x")]
    lists = [[(0, 1), (1, 2)], [(1, 5, 8)], [(0, 1)], [(1, 9)], [(511, 6)]]
    of_blocks = [[(0, 3)], [(3, 3, 8), (5, 1)], [], [(0, 5)], [(2, 4)], [(0, 7, 16), (1, 7)], [(0, 6)], [(0, 8)], [], []]
    graph.set(
        header=part(data(graphwriter.HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) + b"".join(header))),
        objects=part(*[data(graphwriter.OBJECT, one) for one in objects]),
        roots=part(*[data(graphwriter.ROOT, one) for one in roots]),
        root_edges=part(data(graphwriter.EDGES, edges(lists, heuristic=[4], number_edge=[0, 0], number_word=[4, 6], number=[40, 3]))),
        blocks=part(data(graphwriter.BLOCKS, blocks(
            [0x8000 + 0x100 * i for i in range(9)] + [0x8810], requested=[64, 100, 50, 24, 32, 40, 40, 16, 256, 32],
            slop=[0, 0, 0, 8, 0, 0, 0, 0, 0, 0], stack=[1, 1, 2, 2, 3, 1, 1, 0, 2, 2], report_set=[1, 0, 2, 0, 0, 3, 0, 0, 0, 1],
            tag=[0, 1, 0, 0, 2, 0, 0, 0, 0, 0], thread=[1, 1, 1, 2, 1, 1, 1, 1, 3, 3], outer=[0] * 9 + [1],
            flags=[0] * 9 + [3], first_word_block=[0, 4], first_word_object=[1, 2], first_word_address=[0x2010, 0x40],
            contents_block=[1, 5, 2], same=[0, 1, 0], tail=[70, 0, 256], tail_byte=[0, 0, 0x55])),
            data(graphwriter.EDGES, edges(of_blocks, heuristic=[1, 3], number_edge=[0, 4], number_word=[2, 5], number=[7, 2 ** 33 + 5]))),
        residents=part(*[data(graphwriter.RESIDENT, number(1, gap) + number(2, pages)) for gap, pages in ((8, 1), (0x8ff8, 3))]),
        stacks=part(*[data(graphwriter.STACK, packed(1, codes)) for codes in ([1, 2], [3], [3, 1, 2])]),
        names=part(data(graphwriter.NAME, "explicit/a"), data(graphwriter.NAME, "explicit/a/b")),
        tags=part(data(graphwriter.TAG, "driver"), data(graphwriter.TAG, "x/y")),
        report_sets=part(*[data(graphwriter.REPORT_SET, one) for one in (
            number(2, 1) + packed(3, [2]) + packed(4, [1]), number(2, 5) + packed(3, [2, 3]) + packed(4, [1, 2]),
            number(1, 1) + number(2, 3) + packed(3, [2, 3, 1]) + packed(4, [1, 2, 0]))]),
        claim_functions=part(data(graphwriter.CLAIM_FUNCTION, "size_of_a"), data(graphwriter.CLAIM_FUNCTION, "size_of_b"),
                             data(graphwriter.CLAIM_FUNCTION, "used"), data(graphwriter.CLAIM_FUNCTION, "alloc-fn:knead"),
                             data(graphwriter.CLAIM_FUNCTION, "tag:driver")),
        claims=part(*[data(graphwriter.CLAIM, claim(*one)) for one in (
            (1, 0x8000, 114, 1, 3), (1, 0x8100, 100, 2, 1), (1, 0x8300, 8, 3, 1), (2, 0x8500, 0, 1, 1), (2, 0x8818, 32, 2, 1),
            (2, 0x8600, 2 ** 64 - 1, 1, 1), (2, 0x8700, 16, 0, 2, 1), (1, 0x10, 5, 0, 1),
            (3, 0, 100, 1, 2, 0, 4, 1, 100, 104), (3, 0, 50, 1, 1, 0, 5, 2 ** 64 - 1, 2 ** 64 - 1, 0), (3, 0, 1, 0, 1, 1, 4))]),
        end=part(data(graphwriter.END, number(1, 5) + number(2, 10) + number(3, 15))))
    return graph.bytes()


def parse(content, schema):
    """A message in bytes, decoded as far as the schema knows it."""
    message = protobuf.fields(content)
    for field, values in message.items():
        kind = schema.get(field)
        if kind == PACKED:
            message[field] = [protobuf.packed({0: [value]}, 0) for value in values]
        elif kind is not None:
            message[field] = [parse(value, kind) for value in values]
    return message


def unparse(message):
    """The bytes of a message."""
    out = []
    for field, values in message.items():
        for value in values:
            if isinstance(value, int):
                out.append(number(field, value))
            elif isinstance(value, list):
                out.append(packed(field, value))
            else:
                out.append(data(field, unparse(value) if isinstance(value, dict) else value))
    return b"".join(out)


def parts(content):
    return [parse(one, PART) for one in protobuf.stream(content)]


def whole_file(graph):
    return b"".join(part(unparse(one)) for one in graph)


def originals(srcdir):
    """All graphs that mutants are made of; the first one has every field."""
    found = [parts(whole())]
    for path in sorted(glob.glob(os.path.join(srcdir, "tests", "fuzz", "corpus", "fuzz_graph", "*"))):
        content = files.read_bytes(path)
        try:
            found.append(parts(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content))
        except Exception:  # this mistake comes alone
            pass
    return found


def places(value):
    """(container, key) of every number, text, column and message below a message or a list."""
    found, todo = [], [value]
    while todo:
        container = todo.pop()
        for key in list(container) if isinstance(container, dict) else range(len(container)):
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                todo.append(container[key])
    return found


def is_alike(value, other):
    """Whether a file can have one in the place of the other."""
    if not isinstance(value, list) or not isinstance(other, list):
        return isinstance(other, type(value))
    return {type(one) for one in value} == {type(one) for one in other}


def odd_bytes(random, value):
    at = random.randrange(len(value) + 1)
    odd = random.choice(TEXTS).encode("utf-8", "surrogatepass")
    return random.choice([odd, value[:at] + odd + value[at:], value[:at], value * 100, b"\xff\xfe"])


def mild_change(random, graph):
    """Changes one number or text into another of its kind, so that many files remain valid graphs."""
    container, key = random.choice([(c, k) for c, k in places(graph) if isinstance(c[k], (int, bytes))])
    value = container[key]
    if isinstance(value, bytes):
        container[key] = odd_bytes(random, value)
    else:
        container[key] = random.choice([value + 1, max(0, value - 1), value ^ 1, random.randrange(12), random.choice(NUMBERS)])


def one_change(random, graph):
    """Makes one change: a new value or one copied from elsewhere; or fields, elements or whole parts removed,
    repeated or moved."""
    everywhere = places(graph)
    container, key = random.choice(everywhere if random.random() < 0.7 else [(graph, i) for i in range(len(graph))])
    value = container[key]
    choice = random.randrange(6)
    if choice == 0:
        del container[key]
    elif choice == 1 and isinstance(container, list):
        container.insert(random.randrange(len(container) + 1), copy.deepcopy(value))
    elif choice == 2 and isinstance(container, list):
        container.insert(random.randrange(len(container)), container.pop(key))
    elif choice == 3 and isinstance(value, list) and value:
        container[key] = (value * 300)[:random.choice([2, 9, 300]) * len(value)]
    elif choice == 4 and isinstance(container, dict):
        container[random.choice([0, 1, 2, 3, 4, 5, 6, 15, 100, 2**28])] = container.pop(key)
    elif isinstance(value, int):
        container[key] = random.choice(NUMBERS)
    elif isinstance(value, bytes):
        container[key] = odd_bytes(random, value)
    else:
        other, there = random.choice(everywhere)
        if is_alike(value, other[there]):
            container[key] = copy.deepcopy(other[there])


def mutant(random, graphs):
    """The bytes of one file: a graph with a few changes, also in its bytes, or gzipped and then changed."""
    graph = copy.deepcopy(graphs[0] if random.random() < 0.7 else random.choice(graphs))
    kind = random.random()
    change_it = mild_change if kind < 0.5 else one_change
    for _ in range(random.choice([1, 1, 1, 2, 4]) if kind < 0.8 else 0):
        if graph:
            change_it(random, graph)
    content = whole_file(graph)
    if kind > 0.96:
        content = gzip.compress(content, mtime=0)
    if kind > 0.75:
        content = byte_change(random, content)
    return content
