# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv census: its keys, filters, differences, JSON. (tests/unit/analyse/graph/test_census.c tests the
figures.)"""

import json
import os

from dmdvtest import Profile
from graphwriter import BLOCKS, EDGES, END, Graph, blocks, data, edges, packed, part
from harness import Skip, files

# Blocks 1 and 2 are knead's, 3 and 4 wash's; see graphwriter.Graph.
ROWS = {
    "type": {"from knead": (2, 132, 8), "from wash": (2, 60, 0)},
    "function": {"knead": (2, 132, 8), "wash": (2, 60, 0)},
    "file": {"new.c": (2, 132, 8), "a.c": (2, 60, 0)},
    "library": {"a": (2, 132, 8), "(library not recorded)": (2, 60, 0)},
    "reporter": {"explicit/a": (1, 32, 8), "(unreported)": (3, 160, 0)},
    "state": {"once": (1, 32, 8), "unreported": (3, 160, 0)},
    "tag": {"driver": (1, 50, 0), "(no tag)": (3, 142, 8)},
    "thread": {"thread 1": (3, 182, 8), "thread 2": (1, 10, 0)},
    "size": {"17 to 32 bytes": (1, 32, 8), "65 to 128 bytes": (1, 100, 0), "33 to 64 bytes": (1, 50, 0),
             "9 to 16 bytes": (1, 10, 0)},
    "root": {"jar": (3, 182, 8), "(lost)": (1, 10, 0)},
    "holder": {"jar+0x0": (1, 32, 8), "jar+0x8": (1, 100, 0), "from knead +0x18": (1, 50, 0),
               "(lost)": (1, 10, 0)},
    "stack": {"knead (new.c:7)|main (a.c:9)": (2, 132, 8), "wash (a.c:3)": (2, 60, 0)},
}


def census(test, *args):
    """The census as JSON, which obeys its schema."""
    result = json.loads(test.dmdv("census", "--types=no", "--json", *args)[0])
    try:
        import jsonschema
    except ImportError:
        return result
    schema = json.loads(files.read(os.path.join(test.srcdir, "docs", "dmdv-graph.schema.json")))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator({"$ref": "#/$defs/census", "$defs": schema["$defs"]}).validate(result)
    return result


def rows(result, key):
    """{name: (blocks, bytes, slop)} of the first level."""
    found = {}
    for row in result["rows"]:
        name = row["key"][key]
        found["|".join(name) if isinstance(name, list) else name] = (row["blocks"], row["bytes"], row["slop"])
    return found


def test_keys(test):
    path = test.write("a.graph.gz", Graph().gzipped())
    for key, expected in ROWS.items():
        result = census(test, "--by=" + key, path)
        test.equal(rows(result, key), expected)
        test.equal(result["total"], {"blocks": 4, "bytes": 192, "slop": 8})


def test_default_is_type(test):
    result = census(test, test.write("a.graph", Graph().bytes()))
    test.equal(rows(result, "type"), ROWS["type"])
    test.equal([row["evidence"] for row in result["rows"]], ["function", "function"])
    test.equal(["rows" in row for row in result["rows"]], [False, False])


def test_nesting(test):
    result = census(test, "--by=state,function,size", test.write("a.graph", Graph().bytes()))
    test.equal(result["rows"][0]["key"], {"state": "unreported"})
    test.equal(rows(result["rows"][0], "function"), {"knead": (1, 100, 0), "wash": (2, 60, 0)})
    test.equal(rows(result["rows"][0]["rows"][1], "size"), {"33 to 64 bytes": (1, 50, 0), "9 to 16 bytes": (1, 10, 0)})


def test_filters(test):
    path = test.write("a.graph", Graph().bytes())
    for given, expected in (
            (["main"], (2, 132)), (["!main"], (2, 60)), (["state=once"], (1, 32)), (["!state=once"], (3, 160)),
            (["root=jar", "function=wash"], (1, 50)), (["tag=driver"], (1, 50)), (["type=knead", "size=65"], (1, 100)),
            (["reporter=explicit/"], (1, 32)), (["file=new.c"], (2, 132)), (["thread=2"], (1, 10)),
            (["stack=wash"], (2, 60)), (["library=not recorded"], (2, 60))):
        total = census(test, *["--filter=" + text for text in given], path)["total"]
        test.equal((total["blocks"], total["bytes"]), expected)


def test_filter_that_finds_nothing(test):
    path = test.write("a.graph", Graph().bytes())
    out, err = test.dmdv("census", "--types=no", "--filter=tag=drivel", path)
    test.contains(out, "              0    0.00%              0              0  in all\n")
    test.equal(err, "dmdv: --filter=tag=drivel: no block's tag contains this text\n")


def pool(inner_state):
    """A pool of 100+20 bytes with a piece of 60 and one of 30; the latter is reported or not."""
    columns = {"requested": [100, 60, 30], "slop": [20, 0, 0], "outer": [0, 1, 2], "flags": [0, 1, 1],
               "report_set": [1, 0, inner_state]}
    return Graph().set(root_edges=None, end=None, blocks=part(
        data(BLOCKS, blocks([0x8000, 0x8010, 0x8050], **columns)), data(EDGES, edges([[], [], []]))))


def test_blocks_in_blocks(test):
    """Each byte belongs to the innermost block, and a report of a pool covers its pieces."""
    for inner_state, expected in ((0, {"once": (3, 120, 20)}), (1, {"once": (2, 90, 20), "twice": (1, 30, 0)})):
        graph = pool(inner_state)
        graph.parts["end"] = part(data(11, b"\x08\x02\x10\x03"))
        result = census(test, "--by=state", test.write("pool.graph", graph.bytes()))
        test.equal(rows(result, "state"), expected)


def test_difference(test):
    old = test.write("old.graph", Graph().bytes())
    graph = Graph()
    graph.set(blocks=graph.parts["blocks"].replace(packed(3, [24, 100, 50, 10]), packed(3, [24, 40, 50, 11])))
    new = test.write("new.graph", graph.bytes())
    result = census(test, "--by=size", old, new)
    test.equal(result["total"], {"blocks": 0, "bytes": -59, "slop": 0})
    test.equal(rows(result, "size"), {"65 to 128 bytes": (-1, -100, 0), "33 to 64 bytes": (1, 40, 0),
                                      "9 to 16 bytes": (0, 1, 0)})
    test.equal(census(test, "--by=type,stack", old, old)["rows"], [])
    test.equal(test.dmdv("census", "--types=no", old, new)[0].splitlines()[1],
               "            -59  -44.36%              0              0  in all")


def test_output_and_limits(test):
    path = test.write("a.graph", Graph().bytes())
    out, _ = test.dmdv("census", "--types=no", "--by=size", "--max-records=1", "-o", "out.txt", path)
    test.equal(out, "")
    test.equal(test.read("out.txt").splitlines()[2:],
               ["            100   52.08%              1              0  65 to 128 bytes",
                "# and 3 more (--max-records=all shows them)"])
    rows = census(test, "--by=size", path)["rows"]
    limited = census(test, "--by=size", "--max-records=1", path)
    test.equal((len(rows), limited["rows"], limited["leftOut"]), (4, rows[:1], 3))
    out, _ = test.dmdv("census", "--types=no", "--by=stack", "--max-frames=1", path)
    test.check("main" not in out, out)


def test_wrong_command_lines(test):
    path = test.write("a.graph", Graph().bytes())
    test.equal(test.error("census"), "dmdv: census: give one or two files, not 0; see dmdv census --help")
    test.equal(test.error("census", "--types=no", path, path, path), "dmdv: census: give one or two files, not 3; see dmdv census --help")
    test.equal(test.error("census", "--types=no", "--by=typ", path),
               'dmdv: --by=typ: "typ" is not one of type, stack, function, file, library, reporter, state, tag, thread, '
               "size, root, holder")
    test.contains(test.error("census", "--types=no", "nowhere.graph.gz"), "cannot open")


def test_build_without_libdw(test):
    """dmdv reports it, and names blocks by functions. Without types in the keys there is no message."""
    path = test.write("a.graph", Graph().bytes())
    out, err = test.dmdv("census", path)
    if "without libdw" not in err:
        raise Skip("this dmdv has libdw")
    test.equal(err, "dmdv: this dmdv was built without libdw, which finds types: blocks are named by the functions that allocated them\n")
    test.contains(out, "  from knead\n")
    test.equal(test.dmdv("census", "--types=no", path), (out, ""))


def test_diff(test):
    """Two graphs, by type and holder. A new block of knead hangs on the old one's third word."""
    old, graph = test.write("old.graph.gz", Graph().gzipped()), Graph()
    columns = {"requested": [24, 100, 50, 10, 200], "slop": [8, 0, 0, 0, 0], "stack": [1, 1, 2, 2, 1]}
    graph.set(end=part(data(END, b"\x08\x02\x10\x05\x18\x04")), blocks=part(
        data(BLOCKS, blocks([0x8000, 0x8100, 0x8200, 0x8300, 0x9000], **columns)),
        data(EDGES, edges([[], [(2, 5), (3, 3, 8)], [], [], []]))))
    new = test.write("new.graph", graph.bytes())
    expected = {"total": {"blocks": 1, "bytes": 200, "slop": 0}, "rows": [
        {"key": {"type": "from knead"}, "evidence": "function", "blocks": 1, "bytes": 200, "slop": 0, "rows": [
            {"key": {"holder": "from knead +0x10"}, "blocks": 1, "bytes": 200, "slop": 0}]}]}
    test.equal(json.loads(test.dmdv("diff", "--json", old, new)[0]), expected)
    test.equal(census(test, "--by=type,holder", old, new), expected)
    test.equal(json.loads(test.dmdv("diff", "--json", "-", new, stdin=Graph().bytes())[0]), expected)
    test.contains(test.dmdv("diff", "--filter=wash", old, new)[0], "              0    0.00%")
    test.contains(test.error("diff", "--causal", old, new), "do not work with heap graphs")
    _, err = test.dmdv("diff", old, test.write("p.json", Profile().block(8)), status=2)
    test.contains(err, "p.json: has no heap graph")
