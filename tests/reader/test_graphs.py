# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged and hostile heap graphs: each is rejected with the position of the error, in little memory."""

import gzip
import json
import os
import re
import resource

from dmdvtest import Profile
from graphwriter import (BLOCKS, CLAIM, CLAIM_FUNCTION, CODE, DATA, EDGES, END, HEADER, NAME, OBJECT, REPORT_SET, RESIDENT,
                         ROOT, STACK, Graph, blocks, claim, data, edges, number, packed, part, varint)
from harness import Skip
from trial import FREE_BYTES, Ran

HUGE = 1 << 60
ADDRESSES = [0x8000, 0x8100, 0x8200, 0x8300]
NO_EDGES = data(EDGES, edges([[], [], [], []]))


def refused(test, graph, where, reason):
    """The file is rejected for this reason: at the beginning of this part, at this byte, or as a whole
    (None)."""
    path = test.write("bad.graph", graph if isinstance(graph, bytes) else graph.bytes())
    place = (Graph() if isinstance(graph, bytes) else graph).at(where) if isinstance(where, str) else where
    ran = Ran(test.place.dmdv(), test.folder, ["census", "--types=no", path])
    test.equal(ran.faults(), [])
    test.equal(ran.err.decode(), "dmdv: %s: %s%s\n" % (path, reason, "" if place is None else " (byte %d)" % place))
    test.check(ran.memory < FREE_BYTES, "%d MB" % (ran.memory >> 20))


def blocks_alone(addresses=tuple(ADDRESSES), **columns):
    """A graph whose blocks have these columns, and which has no edges."""
    return Graph().set(root_edges=None, blocks=part(data(BLOCKS, blocks(addresses, **columns)), NO_EDGES),
                       end=part(data(END, number(1, 2) + number(2, len(addresses)))))


def with_edges(**columns):
    return Graph().set(root_edges=part(data(EDGES, edges([[(0, 1), (1, 2)], []], **columns))))


# ---- what kind of file it is ----


def test_good(test):
    out, _ = test.dmdv("census", "--types=no", test.write("good.graph.gz", Graph().gzipped()))
    test.contains(out, "in all")


def test_profile(test):
    profile = json.dumps(Profile().block(8).json()).encode()
    refused(test, profile, None, "has no heap graph; to record one: dmdv run --graph=yes PROGRAM")
    test.equal(test.error("census", "--types=no", "-", stdin=profile), "dmdv: (standard input): is not a heap graph but a profile, "
               "or a file of memory reports: use dmdv print or dmdv tree")


def test_other_file(test):
    refused(test, b"GIF89a", None, "is not a heap graph")
    refused(test, b"", None, "is not a heap graph")


def test_graph_for_print(test):
    kind = "is a heap graph: give the profile that was written with it, or use dmdv census or another command for heap graphs (dmdv help all)"
    path = test.write("good.graph", Graph().gzipped())
    for command in (["print"], ["tree"], ["check", "--max-unreported=10%"], ["merge"]):
        test.equal(test.error(*command, path), "dmdv: %s: %s" % (path, kind))


# What a command needs besides files; those that take no such files.
NEEDS = {"check": ["--max-unreported=100%"], "export": ["--format=speedscope"], "paths": ["--to=unreported"], "referrers": ["--of=0x8000"]}
OF_NO_FILES = {"run", "history", "memory", "status", "dump", "push"}


def test_the_wrong_kind_of_file(test):
    """Each command of dmdv takes a profile and a graph, or names the command that shows the file or records what it lacks."""
    commands = re.findall(r"^  ([a-z]+) +[a-z]", test.dmdv("help", "all")[0], re.M)
    test.check(len(commands) > 20, str(commands))
    lone = test.write("lone.json", Profile().block(8).json())
    graph = test.write("graph.graph.gz", Graph().gzipped())
    other = test.write("other.json", Profile().block(8).json())
    for command in commands:
        if command in OF_NO_FILES:
            continue
        for path in (lone, graph):
            arguments = [command, *NEEDS.get(command, []), "-o", test.path("written"), path] + ([other] if command == "diff" else [])
            done = test.run([test.place.dmdv(), *arguments], status=None)
            said = done.err
            if done.status != 0:
                test.check(re.search(r"\bdmdv (run|census|view|print|diff) ?", said), "%s %s: %s" % (command, path, said))


def test_a_history_is_no_profile(test):
    """Whoever gives one to another command learns which one reads it."""
    path = test.write("h.db", b"SQLite format 3\0" + bytes(84))
    for command in ["print"], ["census"], ["check", "--max-unreported=10%"], ["merge"], ["leaks"], ["view", "-o", test.path("v.html")]:
        test.equal(test.error(*command, path), "dmdv: %s: is a history, or another database: see dmdv help history" % path)
    test.equal(test.error(path), "dmdv: %s is neither a profile nor a program; dmdv history reads histories" % path)


def test_standard_input(test):
    path = test.write("good.graph", Graph().bytes())
    expected, _ = test.dmdv("census", "--types=no", path)
    test.equal(test.dmdv("census", "--types=no", "-", stdin=Graph().gzipped())[0], expected)
    test.equal(test.error("census", "--types=no", "-", stdin=b"x" * 100), "dmdv: (standard input): is not a heap graph")
    test.equal(test.error("census", "--types=no", "-", "-"), "dmdv: census: only one of the files can be standard input")


# ---- the stream of parts ----


def test_cut_off(test):
    graph = Graph()
    whole = graph.bytes()
    refused(test, whole[:graph.at("end")], graph.at("end"), "the file is cut off: its last part is missing")
    length = len(graph.parts["blocks"]) - 1
    refused(test, whole[:graph.at("blocks") + 11], "blocks",
            "the file is cut off in a part: 10 of its %d bytes are there" % length)
    refused(test, whole[:graph.at("end")] + b"\x80", graph.at("end"), "the file is cut off in the length of a part")


def test_length_that_is_too_large(test):
    graph = Graph()
    start = graph.bytes()[:graph.at("end")]
    refused(test, start + varint(HUGE) + b"x" * 50, graph.at("end"), "a part is longer than 2^31 - 1 bytes")
    refused(test, start + varint((1 << 31) - 2) + b"x" * 50, graph.at("end"),
            "the file is cut off in a part: 50 of its 2147483646 bytes are there")
    refused(test, start + b"\xff" * 11, graph.at("end"), "the length of a part has more than 64 bits")


def test_damaged_part(test):
    for damage in (b"\x22\x05ab", b"\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x23", b"\x20\x05", b"\x00"):
        refused(test, Graph().set(blocks=part(damage)), "blocks", "a part is damaged")
    inner = Graph().set(objects=part(data(OBJECT, b"\x0a\x7fabc")))
    refused(test, inner, "objects", "a part is damaged")


def test_wrong_order(test):
    graph = Graph()
    late, end = graph.parts.pop("stacks"), graph.parts.pop("end")
    graph.parts.update({"late": late, "end": end})
    refused(test, graph, "late", "a part with stack comes too late")
    twice = Graph()
    twice.parts = {"header": twice.parts["header"], "again": twice.parts["header"], **twice.parts}
    refused(test, twice, "again", "a part with header comes too late")
    refused(test, Graph().set(header=None), None, "is not a heap graph")
    edges_alone = Graph()
    end = edges_alone.parts.pop("end")
    edges_alone.parts.update({"more edges": edges_alone.parts["root edges"], "end": end})
    refused(test, edges_alone, "more edges", "a part with edges comes too late")


def test_empty_part(test):
    """A small gzipped file could have millions of these."""
    graph = Graph()
    end = graph.parts.pop("end")
    graph.parts.update({"empty": b"\x00", "end": end})
    refused(test, graph, "empty", "a part is empty")


BEHIND = "the file goes on behind its last part"


def test_what_follows_the_last_part(test):
    """Plain and gzipped, in one member or another one: zeros, another part, the graph once more, and noise."""
    graph = Graph()
    whole, end = graph.bytes(), len(graph.bytes())
    for more in (b"\x00", b"\x00" * 100000, graph.parts["end"], graph.parts["stacks"], whole, b"\xff" * 20, b"x", b"\x80"):
        refused(test, whole + more, end, BEHIND)
        refused(test, gzip.compress(whole + more), end, BEHIND)
        refused(test, gzip.compress(whole) + gzip.compress(more), end, BEHIND)
    for more in (b"\x00", b"more", b"\x00" * 100000):
        refused(test, gzip.compress(whole) + more, end, "the gzip data is followed by something that is not gzip")
    path = test.write("good.graph.gz", gzip.compress(whole) + gzip.compress(b""))
    test.equal(test.dmdv("census", "--types=no", path)[0],
               test.dmdv("census", "--types=no", test.write("plain.graph", whole))[0], "with an empty member behind it")


def test_a_small_file_with_many_zeros(test):
    """Fifty million, in 50 KB: the work takes a few seconds of processor time at most, also when the profile
    beside it is printed."""
    zeros = gzip.compress(b"\x00" * (50 << 20))
    test.write("p.json.gz", gzip.compress(json.dumps(Profile().block(100, ["malloc (m.c:1)"]).json()).encode()))
    for name in "p.graph.gz", "noise.graph.gz":
        test.write(name, gzip.compress(Graph().bytes()) + zeros)
    for command, status in (["census", "--types=no", "noise.graph.gz"], 2), (["print", "p.json.gz"], 0):
        done = test.run([test.place.dmdv(), *command], status=status, preexec_fn=few_seconds)
        test.check(done.err.count("\n") <= 1, done.err)


def few_seconds():
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))


def test_missing_parts(test):
    """A reference into a missing part is rejected, or else the end record, which counts the parts."""
    objects, stacks = "object 1 does not exist: there are 0", "stack 1 does not exist: there are 0"
    for name, where, reason in (
            ("header", None, "is not a heap graph"), ("objects", "roots", objects),
            ("roots", None, "it should end with 2 roots, and has 0"),
            ("root edges", None, "it should end with 3 edges, and has 1"),
            ("blocks", None, "it should end with 4 blocks, and has 0"),
            ("codes", "stacks", "code 1 does not exist: there are 0"), ("stacks", "blocks", stacks), ("names", "report sets", "name 1 does not exist: there are 0"),
            ("tags", "blocks", "tag 1 does not exist: there are 0"),
            ("report sets", "blocks", "report set 1 does not exist: there are 0"),
            ("end", None, "the file is cut off: its last part is missing")):
        graph = Graph()
        graph.parts.pop(name)
        place = graph.at(where) if where else None if name == "header" else len(graph.bytes())
        refused(test, graph, place, reason)


def test_every_command_refuses(test):
    """All commands report a damaged file in the same words, and none of them begins its result."""
    graph = blocks_alone(stack=[1, 2, 3, 0])
    path = test.write("bad.graph", graph.bytes())
    good = test.write("good.graph", Graph().bytes())
    expected = "%s: stack 3 does not exist: there are 2 (byte %d)" % (path, graph.at("blocks"))
    for command in (["census", path], ["census", "--json", path], ["census", "--types=no", good, path], ["retained", path],
                    ["paths", "--to=unreported", path], ["referrers", "--of=8100", path], ["leaks", path], ["owners", path],
                    ["diff", path, good],
                    ["export", "--format=heapsnapshot", path], ["export", "--format=fxsnapshot", path]):
        test.equal(test.error(*command).removeprefix("dmdv: "), expected)


def test_header(test):
    def with_header(*fields):
        return Graph().set(header=part(data(HEADER, data(1, "dmd-graph") + b"".join(fields))))
    mode = data(6, "live")
    refused(test, with_header(number(2, 2), number(3, 8), mode), 0,
            "the format's version is 2, and not 1, the one that dmdv reads")
    refused(test, with_header(number(2, 1), number(3, 5), mode), 0, "words have 5 bytes, and not 4 or 8")
    refused(test, with_header(number(2, 1), number(3, 8), data(6, "x")), 0,
            "the mode is not one of dark-matter, live, cumulative, scan")
    refused(test, with_header(number(2, 1), number(3, 8), mode, number(17, 256)), 0,
            "new blocks were filled with 256, which is not a byte")


def test_end_that_counts_otherwise(test):
    def with_end(roots, count, n_edges):
        return Graph().set(end=part(data(END, number(1, roots) + number(2, count) + number(3, n_edges))))
    for graph, reason in ((with_end(3, 4, 3), "it should end with 3 roots, and has 2"),
                          (with_end(2, HUGE, 3), "it should end with %d blocks, and has 4" % HUGE),
                          (with_end(2, 4, 2), "it should end with 2 edges, and has 3")):
        refused(test, graph, len(graph.bytes()), reason)


# ---- blocks ----


def test_count_that_is_too_large(test):
    refused(test, blocks_alone(count=(1 << 32) - 1), "blocks", "4294967295 blocks have 4 addresses")


def test_columns_of_other_lengths(test):
    refused(test, blocks_alone(requested=[1, 2, 3]), "blocks", "a column of sizes has 3 elements, and not 4")


def test_addresses_that_go_down(test):
    refused(test, blocks_alone(addresses=[0x8000, 0x8100, 0x8050, 0x9000]), "blocks",
            "block 3 has a lower address than the one before it")


def test_ids_out_of_range(test):
    refused(test, blocks_alone(stack=[1, 2, 3, 0]), "blocks", "stack 3 does not exist: there are 2")
    refused(test, blocks_alone(tag=[0, 2, 0, 0]), "blocks", "tag 2 does not exist: there are 1")
    refused(test, blocks_alone(report_set=[9, 0, 0, 0]), "blocks", "report set 9 does not exist: there are 1")
    refused(test, blocks_alone(thread=[0, 0, 0, 65536]), "blocks", "thread 65536 does not exist: there are 32767")
    refused(test, blocks_alone(first_word_block=[1], first_word_object=[2], first_word_address=[0]), "blocks",
            "object 2 does not exist: there are 1")


def test_outer_blocks(test):
    refused(test, blocks_alone(outer=[1, 0, 0, 0]), "blocks", "block 1 lies in one 1 blocks before it")
    refused(test, blocks_alone(outer=[0, 0, 4000000000, 0]), "blocks", "block 3 lies in one 4000000000 blocks before it")
    refused(test, blocks_alone(requested=[24, 100, 50, 10], outer=[0, 1, 0, 0]), "blocks",
            "block 2 does not start in the block around it")


def test_sizes_that_are_too_large(test):
    total = "blocks add up to more than 2^61 bytes"
    refused(test, blocks_alone(requested=[HUGE, HUGE, 8, 0]), "blocks", total)
    refused(test, blocks_alone(requested=[(1 << 64) - 1] * 4, slop=[1, 1, 1, 1]), "blocks", total)
    refused(test, blocks_alone(slop=[1 << 32, 0, 0, 0]), "blocks", "a block has 2^32 bytes of slop, or more")
    refused(test, blocks_alone(addresses=[1, 2, 3, (1 << 64) - 8], requested=[8, 8, 8, 9]), "blocks",
            "a block ends beyond all addresses")


def test_first_words_of_other_blocks(test):
    refused(test, blocks_alone(first_word_block=[4], first_word_object=[1], first_word_address=[7]), "blocks",
            "the first word of a block that is not in its part")


# ---- edges ----


def test_targets_out_of_range(test):
    refused(test, with_edges(target=[2, 8]), "root edges", "an edge leads to block 5, of 4")
    refused(test, with_edges(target=[2, 1]), "root edges", "an edge leads to block 0, of 4")
    refused(test, with_edges(target=[2, (1 << 64) - 1]), "root edges",
            "an edge leads to block %d, of 4" % (1 + (1 << 64) - (1 << 63)))


def test_edges_beyond_their_node(test):
    refused(test, with_edges(word=[0, 2]), "root edges", "an edge starts at word 2, beyond its node")
    refused(test, with_edges(word=[(1 << 32) - 1, 1]), "root edges",
            "an edge starts at word 4294967295, beyond its node")


def test_counts_of_edges(test):
    refused(test, with_edges(count=[2, 1]), "root edges", "nodes have 3 edges, and there are 2")
    refused(test, with_edges(count=[(1 << 32) - 1] * 4), "root edges", "edges of more roots than there are")
    refused(test, with_edges(count=[2, (1 << 32) - 1]), "root edges", "nodes have 4294967297 edges, and there are 2")
    refused(test, with_edges(word=[1]), "root edges", "a column of words has 1 elements, and not 2")


def test_interior_edges(test):
    beyond = "an edge into the middle of a block is not in its part"
    refused(test, with_edges(interior=[2], into=[1]), "root edges", beyond)
    refused(test, with_edges(interior=[1, 0], into=[1, 1]), "root edges", beyond)
    refused(test, with_edges(interior=[1], into=[HUGE]), None, "an edge leads beyond block 2")


def test_numbers(test):
    one = {"number_edge": [1], "number_word": [2], "number": [7]}
    for columns, message in (({"number_edge": [2]}, "a number is beside an edge that is not in its part"),
                             ({"number_word": [8]}, "a number is 4 words from its pointer"),
                             ({"number_word": [7]}, "a number is -4 words from its pointer"),
                             ({"number_word": [1], "number_edge": [1, 0], "number": [7, 7]}, "a column of words of numbers has 1 elements, and not 2"),
                             ({"number": [7, 7]}, "a column of numbers has 2 elements, and not 1"),
                             ({"number_edge": [1, 0], "number_word": [1, 1], "number": [7, 7]}, "a number is not behind the one before")):
        refused(test, with_edges(**{**one, **columns}), "root edges", message)


# ---- what stands beside the nodes ----


def test_resident_pages(test):
    def with_pages(*pairs):
        return Graph().set(residents=part(*[data(RESIDENT, number(1, gap) + number(2, pages)) for gap, pages in pairs]))
    refused(test, with_pages((1, 0)), "residents", "resident pages that are none")
    refused(test, with_pages((1, 1), (0, 1)), "residents", "resident pages without a gap between them")
    for pairs in ((1 << 52, 1),), ((1, 1 << 52),), ((1, 1), (1, (1 << 52) - 3)), ((HUGE, 1),):
        refused(test, with_pages(*pairs), "residents", "resident pages end beyond all addresses")


def test_roots(test):
    end = number(2, (1 << 64) - 8) + number(3, 16)
    refused(test, Graph().set(roots=part(data(ROOT, end), data(ROOT, b""))), "roots", "a root ends beyond all addresses")
    refused(test, Graph().set(roots=part(data(ROOT, number(4, 2)), data(ROOT, b""))), "roots",
            "object 2 does not exist: there are 1")


def test_codes_and_stacks(test):
    refused(test, Graph().set(codes=part(data(CODE, number(1, 7)))), "codes", "object 7 does not exist: there are 1")
    stacks = "stacks"
    refused(test, Graph().set(stacks=part(data(STACK, packed(1, [1, 4])), data(STACK, b""))), stacks,
            "code 4 does not exist: there are 3")
    refused(test, Graph().set(stacks=part(data(STACK, packed(1, [0])), data(STACK, b""))), stacks, "a stack has a code 0")


def test_report_sets(test):
    def with_set(*fields):
        return Graph().set(report_sets=part(data(REPORT_SET, b"".join(fields))))
    sets = "report sets"
    refused(test, with_set(number(2, 1), packed(3, [3])), sets, "stack 3 does not exist: there are 2")
    refused(test, with_set(number(2, 1), packed(3, [1]), packed(4, [2])), sets, "name 2 does not exist: there are 1")
    refused(test, with_set(number(2, 3), packed(3, [1])), sets, "a set of 3 reports has the stacks of 1")
    refused(test, with_set(), sets, "a set of 0 reports has the stacks of 0")
    refused(test, with_set(number(1, 1), number(2, (1 << 32) - 1), packed(3, [1, 2])), sets,
            "a set of 4294967295 reports has the stacks of 2")


def test_claims(test):
    def with_claim(*values):
        return Graph().set(claim_functions=part(data(CLAIM_FUNCTION, "size_of")), claims=part(data(CLAIM, claim(*values))))
    refused(test, with_claim(0, 0x8000, 24), "claims", "a claim has no function")
    refused(test, with_claim(2, 0x8000, 24), "claims", "function of claims 2 does not exist: there are 1")
    refused(test, with_claim(1, 0x8000, 24, 3), "claims", "stack 3 does not exist: there are 2")
    refused(test, with_claim(1, 0, 24, 1, 1, 0, 2), "claims", "set of claims 2 does not exist: there are 1")
    functions = part(data(CLAIM_FUNCTION, "size_of"))
    late = Graph().set(claims=functions + part(data(NAME, "late")))
    refused(test, late, late.at("claims") + len(functions), "a part with name comes too late")


def test_unknown_kinds(test):
    """Kinds of roots and pointers of a later format are taken for the weakest kind."""
    graph = Graph().set(roots=part(data(ROOT, number(1, 77) + number(3, 16)), data(ROOT, number(1, 3) + number(3, 8))),
                        root_edges=part(data(EDGES, edges([[(0, 1), (1, 2, 5)], []], heuristic=[99]))))
    out, _ = test.dmdv("census", "--types=no", "--by=root", test.write("later.graph", graph.bytes()))
    test.contains(out, "other memory")


def test_objects_that_are_no_files(test):
    """A graph is counted whatever its objects are called; dmdv does not wait for a pipe that nobody writes
    to."""
    os.mkfifo(test.path("pipe"))
    test.write("text", "not a program")
    expected, _ = test.dmdv("census", "--types=no", test.write("good.graph", Graph().bytes()))
    for path in (test.path("pipe"), test.path("text"), test.folder, "/dev/zero", "/dev/tty", "", "a" * 5000, "x\n\x1b[31m"):
        graph = Graph().set(objects=part(data(OBJECT, data(1, path) + number(4, 0x1000))))
        ran = Ran(test.place.dmdv(), test.folder, ["census", test.write("odd.graph", graph.bytes())])
        test.equal((ran.faults(), ran.out.decode()), ([], expected), path)


def test_memory(test):
    """A graph that does not fit in memory is rejected before it is read: a block takes 44 bytes."""
    n = 20000000
    content = Graph().set(
        root_edges=None, end=part(data(END, number(1, 2) + number(2, n))),
        blocks=part(data(BLOCKS, number(1, n) + data(2, b"\x10" * n)))).gzipped()
    path = test.write("large.graph.gz", content)
    if "Sanitizer" in test.run([test.place.dmdv(), "--version"], status=None,
                               env={"ASAN_OPTIONS": "help=1"}).err:
        raise Skip("sanitizers take all of the address space")
    done = test.run(["sh", "-c", "ulimit -v 400000; exec %s census --types=no %s" % (test.place.dmdv(), path)], status=2)
    test.check(done.err.startswith("dmdv: %s: 20000000 blocks with 0 pointers need at least 839 MB of memory, and "
                                   % path), done.err)
