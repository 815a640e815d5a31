# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv export of heap graphs, for the memory tools of browsers.

snapshotdecode.py computes what the tools would compute, by definition; memlab does, too, where it is
installed.
"""

import json
import os
import random

import chromium
import firefox
import snapshotdecode
from dmdvtest import Profile
from harness import Skip, files
from heapbuilder import REGISTERS, STACK_ROOT, Heap

NEW = [("malloc", "vg.c", 1), ("jar_new", "jar.c", 12), ("main", "app.c", 3)]
LABEL = [("malloc", "vg.c", 1), ("label_new", "jar.c", 30), ("jar_new", "jar.c", 13), ("main", "app.c", 3)]
ODD = [("malloc", "vg.c", 1), ("f\u20ac\U0001f600\"\x01", "dir \\/odd.c", 7)]


def jars():
    """Two jars; a stack's registers hold the first. It points to the other and to a label, and the other
    points back. A block with a pointer into its middle; a block to which only itself points."""
    g = Heap()
    stack, registers = g.root(kind=STACK_ROOT, thread=1), g.root(kind=REGISTERS, thread=1)
    first, second = g.block(24, NEW, slop=8), g.block(24, NEW, slop=8)
    label, odd, lost = g.block(7, LABEL, slop=9), g.block(100, ODD), g.block(20)
    registers.points_to(first)
    stack.points_to(first, 8)
    first.points_to(second).points_to(label, 8)
    second.points_to(first).points_to(odd, 16, into=40)
    lost.points_to(lost).points_to(odd, 8)
    return g


def read(test, form, graph, *options, err=""):
    """The snapshot that dmdv makes of a graph. Firefox's call stacks must have all its bytes."""
    test.write("g.graph.gz", graph if isinstance(graph, bytes) else graph.gzipped())
    name = "out." + form
    _, said = test.dmdv("export", "--format=" + form, "--types=no", "-o", name, *options, "g.graph.gz")
    test.check(err is None or said == err, "standard error: %r" % said)
    if form == "heapsnapshot":
        return snapshotdecode.chrome(test.read(name))
    decoded = snapshotdecode.Firefox(files.read_bytes(test.path(name)))
    test.equal(sorted([list(stack), *found] for stack, found in decoded.by_call_stack().items()),
               counted(decoded.snapshot.nodes, lambda node: node["stack"]), "by call stack")
    return decoded.snapshot


def both(test, graph, *options, err=""):
    return [read(test, form, graph, *options, err=err) for form in ("heapsnapshot", "fxsnapshot")]


def test_nodes_and_edges(test):
    """The first jar retains the other one and the label: 32 + 32 + 16. It has two holders, and so has the
    block of 100. The lost block hangs on the root."""
    for snapshot in both(test, jars()):
        test.equal([(node["name"], node["size"]) for node in snapshot.nodes[1:]], [
            ("stack of thread 1", 0), ("registers of thread 1", 0), ("from jar_new", 32), ("from jar_new", 32),
            ("from label_new", 16), ("from f\u20ac\U0001f600\"\x01", 100), ("from an unknown place", 20)], "nodes")
        test.equal(snapshot.retained(), [200, 0, 0, 80, 32, 16, 100, 20], "retained sizes")
        test.equal(snapshot.edges_of(snapshot.nodes[0]),
                   [("stack of thread 1",) * 2, ("registers of thread 1",) * 2, ("(lost)", "from an unknown place")], "roots")
        first = snapshot.nodes[3]
        test.equal(snapshot.edges_of(first), [("+0x0", "from jar_new"), ("+0x8", "from label_new")], "edges")
        test.equal(snapshot.edges_of(snapshot.nodes[4]), [("+0x0", "from jar_new"), ("+0x10", snapshot.nodes[6]["name"])],
                   "edges back and into the middle")


def test_stacks(test):
    for snapshot in both(test, jars()):
        test.equal([node["stack"] for node in snapshot.nodes[3:]], [NEW, NEW, LABEL, ODD, []], "stacks")
        test.equal(snapshot.nodes[0]["stack"], [], "the root's")


def alike():
    """Blocks of 16, 32, 48 and 64 bytes from a function of a header that two libraries include, called from one place
    and from two callers that differ in the same way; and two of 80 and 96 bytes from a function without lines, called
    at two addresses."""
    graph = Heap()
    objects = [graph.object(path, b"\1\2") for path in ("/lib/liba.so", "/lib/libb.so")]
    stacks = [[("add", "vector.h", 7, objects[inner]), ("grow", "vector.h", 9, objects[outer]), ("main", "app.c", 3)]
              for inner in (0, 1) for outer in (0, 1)]
    stacks += [[("inner", None, 0, objects[0]), ("outer", None, at, objects[0])] for at in (0, 1)]
    top = graph.root()
    for i, stack in enumerate(stacks):
        top.points_to(graph.block(16 * (i + 1), stack), 8 * i)
    return graph


def test_stacks_that_look_alike(test):
    """They are one call stack for Firefox, which keeps only one sum for each."""
    chrome, firefox = both(test, alike())
    vectors = [("add", "vector.h", 7), ("grow", "vector.h", 9), ("main", "app.c", 3)]
    objects = [("inner", "/lib/liba.so", 0), ("outer", "/lib/liba.so", 0)]
    for snapshot in (chrome, firefox):
        test.equal(counted(snapshot.nodes[2:], lambda node: node["stack"]), [[vectors, 4, 160], [objects, 2, 176]], "stacks")


def test_deep_stacks(test):
    """Firefox accepts 90 frames; Chrome's format gets all that Valgrind records."""
    deep = [("f%d" % i, "deep.c", i) for i in range(200)]
    graph = Heap()
    graph.root().points_to(graph.block(8, deep)).points_to(graph.block(8, deep[:1] + deep[2:]), 8)
    chrome, firefox = both(test, graph)
    test.equal(chrome.nodes[2]["stack"], deep, "Chrome's")
    test.equal([node["stack"] for node in firefox.nodes[2:]], [deep[:90], (deep[:1] + deep[2:])[:90]], "Firefox's")


def test_firefox_ids_are_addresses(test):
    """Of blocks at one address the inner one gets the next address. An address that no double represents
    exactly is left out."""
    graph = Heap()
    top = graph.root()
    for i, address in enumerate((0x20000, 0x20000, 0x30000, 2 ** 63)):
        top.points_to(graph.block(8, address=address), 8 * i)
    test.equal([node["id"] for node in read(test, "fxsnapshot", graph).nodes],
               [1, 2, 0x20000, 0x20001, 0x30000, 0x30001], "ids")


def test_firefox_time(test):
    """2026-11-22T13:05:09Z is 1795352709 seconds after 1970; and a leap year's day."""
    for time, seconds in (("2026-11-22T13:05:09Z", 1795352709), ("2024-02-29T00:00:00Z", 1709164800),
                          ("1970-01-01T00:00:01Z", 1), ("soon", 0)):
        test.write("g.graph.gz", Heap(time=time).gzipped())
        test.dmdv("export", "--format=fxsnapshot", "--types=no", "-o", "out.gz", "g.graph.gz")
        test.equal(snapshotdecode.Firefox(files.read_bytes(test.path("out.gz"))).time_stamp, seconds * 1000000, time)


def random_graph(dice):
    """Up to 40 blocks, which form a tree with extra edges, or are unconnected."""
    graph, nodes = Heap(), []
    for _ in range(dice.randrange(1, 4)):
        nodes.append(graph.root(size=dice.randrange(32, 100)))
    for _ in range(dice.randrange(40)):
        block = graph.block(dice.choice((32, 40, dice.randrange(32, 1000))), dice.choice((None, NEW, LABEL)))
        if dice.randrange(8):
            nodes[dice.randrange(max(0, len(nodes) - dice.choice((1, 5, 40))), len(nodes))].points_to(block, 8)
        nodes.append(block)
    for _ in range(dice.randrange(30) if graph.blocks else 0):
        dice.choice(nodes).points_to(dice.choice(graph.blocks), 8 * dice.randrange(4), into=dice.choice((0, 0, 3)))
    for node in nodes:  # one pointer per word
        node.edges = list({word: (word, block, min(into, max(block.requested - 1, 0))) for word, block, into in node.edges}.values())
    return graph


def reached_of(graph):
    """By definition: the blocks that roots reach."""
    seen, todo = set(), [block for root in graph.roots for _, block, _ in root.edges]
    while todo:
        block = todo.pop()
        if block.number not in seen:
            seen.add(block.number)
            todo += [target for _, target, _ in block.edges]
    return seen


def test_random_graphs(test):
    """Both formats have the same contents: all blocks; lost ones are reachable from the first block of each
    leak."""
    for seed in range(12):
        graph = random_graph(random.Random(seed))
        chrome, firefox = both(test, graph)
        test.equal([node["size"] for node in chrome.nodes[1:]],
                   [0] * len(graph.roots) + [b.requested + b.slop for b in graph.blocks], "sizes of graph %d" % seed)
        for key in ("name", "size", "edges", "stack"):
            test.equal([node[key] for node in chrome.nodes[1:]], [node[key] for node in firefox.nodes[1:]], key)
        test.equal(len(chrome.reached()), len(chrome.nodes), "all are reached")
        lost = {target - len(graph.roots) for name, target in chrome.nodes[0]["edges"] if name == "(lost)"}
        test.check(not lost & reached_of(graph), "a root reaches what is shown as lost: %r" % lost)


def hubs():
    """A root with ten hubs, each with a table of 100 bytes and ten blocks of i * 10 bytes that point to each
    other."""
    graph = Heap()
    top = graph.root(size=2000)
    for i in range(10):
        hub = graph.block(80, NEW)
        top.points_to(hub, 8 * i).points_to(graph.block(1000, LABEL), 800 + 8 * i)
        small = [graph.block(16 * (i + 1)) for _ in range(10)]
        for k, block in enumerate(small):
            hub.points_to(block, 8 * k)
            block.points_to(small[(k + 1) % 10])
    return graph


def test_cut(test):
    """122 nodes. Ten siblings in one hub have up to 16 bytes, and so on, from the smallest on."""
    uncut = both(test, hubs())[0]
    whole = [n for n in uncut.retained() if n >= 1000]
    for limit, up_to, left in ((121, 16, 113), (113, 16, 113), (112, 32, 104), (100, 48, 95)):
        err = ("dmdv: export: 122 nodes are too many: siblings that retain up to %d bytes each are merged, which "
               "leaves %d\n" % (up_to, left))
        for snapshot in both(test, hubs(), "--max-nodes=%d" % limit, err=err):
            test.equal(len(snapshot.nodes), left, "nodes")
            test.equal(snapshot.retained()[0], uncut.retained()[0], "all bytes")
            together = snapshot.named("(small ones, put together)")
            test.equal([node["size"] for node in together], [160 * (i + 1) for i in range(up_to // 16)], "put together")
            test.equal([n for n in snapshot.retained() if n >= 1000], whole, "what the others retain")
    for snapshot in both(test, hubs(), "--max-nodes=1", err=None):
        test.equal((len(snapshot.nodes), snapshot.retained()[0]), (2, 10 * 1080 + 160 * 55), "all in one")


def test_larger_than_32_bits(test):
    """Chrome's sizes have 32 bits, Firefox's have more."""
    graph = Heap()
    graph.root().points_to(graph.block(5 * 2 ** 30))
    said = "dmdv: export: 1 nodes larger than 4 GiB are written with 4 GiB, the format's limit\n"
    test.equal(read(test, "heapsnapshot", graph, err=said).nodes[2]["size"], 2 ** 32 - 1, "Chrome's")
    test.equal(read(test, "fxsnapshot", graph).nodes[2]["size"], 5 * 2 ** 30, "Firefox's")


def test_empty_graph(test):
    for snapshot in both(test, Heap()):
        test.equal(len(snapshot.nodes), 1, "nodes")


MEMLAB = r"""
const path = process.argv[3];
const {utils} = require(path + '/@memlab/core');
const TraceFinder = require(path + '/@memlab/core/dist/paths/TraceFinder.js').default;
(async () => {
  const snapshot = await utils.getSnapshotFromFile(process.argv[2], {buildNodeIdIndex: true, verbose: false});
  new TraceFinder().calculateAllNodesRetainedSizes(snapshot);
  const nodes = [];
  snapshot.nodes.forEach(node => { nodes.push([node.name, node.self_size, Number(node.retainedSize)]); });
  require('fs').writeFileSync('memlab.json', JSON.stringify(nodes));
})();
"""


def test_memlab(test):
    """memlab finds the types, sizes and retained sizes that are right by definition."""
    node = test.need("node")
    folders = [os.path.join(folder, "node_modules") for folder in (os.environ.get("DMD_MEMLAB", ""), test.srcdir)]
    folder = next((folder for folder in folders if os.path.isdir(os.path.join(folder, "@memlab", "core"))), None)
    if folder is None:
        raise Skip("no memlab: npm install @memlab/core, and set DMD_MEMLAB to that folder")
    test.write("memlab.js", MEMLAB)
    for graph in [jars(), hubs()] + [random_graph(random.Random(seed)) for seed in range(100, 103)]:
        snapshot = read(test, "heapsnapshot", graph, err=None)
        test.run([node, "memlab.js", "out.heapsnapshot", folder])
        found = json.loads(test.read("memlab.json"))
        test.equal([tuple(n) for n in found[2:]], [(n["name"], n["size"], retained) for n, retained in
                                                   zip(snapshot.nodes[1:], snapshot.retained()[1:])], "nodes")


FIREFOX = """
const snapshot = ChromeUtils.readHeapSnapshot(arguments[0]);
const count = {by: "count", count: true, bytes: true};
const census = snapshot.takeCensus({breakdown: {by: "internalType", then: count}});
const stacks = [];
snapshot.takeCensus({breakdown: {by: "allocationStack", then: count, noStack: count}}).forEach((found, stack) => {
  const frames = [];
  for (let frame = stack; stack !== "noStack" && frame; frame = frame.parent)
    frames.push([frame.functionDisplayName, frame.source, frame.line]);
  stacks.push([frames, found.count, found.bytes]);
});
const tree = snapshot.computeDominatorTree(), retained = {}, todo = [tree.root];
while (todo.length > 0) {
  const id = todo.pop();
  retained[id] = Number(tree.getRetainedSize(id));
  todo.push(...tree.getImmediatelyDominated(id));
}
return {census, stacks, retained};
"""


def counted(nodes, key):
    """[[key, count, bytes]] of nodes, sorted."""
    sums = {}
    for node in nodes:
        found = sums.setdefault(repr(key(node)), [key(node), 0, 0])
        found[1], found[2] = found[1] + 1, found[2] + node["size"]
    return sorted(sums.values())


def test_firefox(test):
    """Firefox counts types and stacks correctly, and finds the retained sizes that are right by
    definition."""
    with firefox.Firefox(test.folder) as browser:
        for graph in [jars(), hubs(), alike()] + [random_graph(random.Random(seed)) for seed in range(100, 120)]:
            snapshot = read(test, "fxsnapshot", graph)
            found = browser.run(FIREFOX, test.path("out.fxsnapshot"))
            test.equal({int(id): size for id, size in found["retained"].items()},
                       {n["id"]: size for n, size in zip(snapshot.nodes, snapshot.retained())}, "retained sizes")
            test.equal(sorted([name, n["count"], n["bytes"]] for name, n in found["census"].items()),
                       counted(snapshot.nodes[1:], lambda node: node["name"]), "types")
            test.equal(sorted([tuple(map(tuple, stack)), n, size] for stack, n, size in found["stacks"]),
                       counted(snapshot.nodes[1:], lambda node: tuple(node["stack"])), "stacks")


CHROMIUM = """
const library = await import("/%s");
const loader = new library.HeapSnapshotLoader.HeapSnapshotLoader({sendEvent() {}});
loader.write(arguments[0]);
loader.close();
const channel = new MessageChannel();
new library.HeapSnapshot.SecondaryInitManager(channel.port2);
const snapshot = await loader.buildSnapshot(channel.port1);
const found = [], fields = snapshot.nodeFieldCount;
for (let index = 0; index < snapshot.nodes.length; index += fields) {
  const node = snapshot.createNode(index), edges = [];
  for (const walk = node.edges(); walk.hasNext(); walk.next())
    edges.push([walk.edge.name(), walk.edge.nodeIndex() / fields]);
  const stack = snapshot.allocationStack(index) || [];
  found.push({name: node.name(), size: node.selfSize(), retained: node.retainedSize(), edges,
              stack: stack.map(frame => [frame.functionName, frame.scriptName, frame.line])});
}
return found;
""" % chromium.LIBRARY


def test_chromium(test):
    """The library of Chrome's developer tools, in the browser, finds the graph's nodes, edges and stacks, and
    the retained sizes that are right by definition."""
    with chromium.Chromium(test.folder) as browser:
        for graph in [jars(), hubs()] + [random_graph(random.Random(seed)) for seed in range(200, 212)]:
            snapshot = read(test, "heapsnapshot", graph, err=None)
            found = browser.run(CHROMIUM, test.read("out.heapsnapshot"))[1:]
            test.equal([node["retained"] for node in found], snapshot.retained(), "retained sizes")
            test.equal(found[0]["name"], "(GC roots)")
            for node, expected in list(zip(found, snapshot.nodes))[1:]:
                test.equal((node["name"], node["size"]), (expected["name"], expected["size"]), "node")
                stack = expected["stack"] and expected["stack"] + [("(root)", "", 0)]
                test.equal([tuple(frame) for frame in node["stack"]], stack, "stack")
                test.equal(sorted((name, target - 1) for name, target in node["edges"]), sorted(expected["edges"]), "edges")


def test_wrong_command_lines(test):
    test.write("g.graph.gz", jars().gzipped())
    test.write("p.json", Profile().block(8))
    for args, word in ((["--format=heapsnapshot", "g.graph.gz", "g.graph.gz"], "one heap graph"),
                       (["--format=heapsnapshot", "p.json"], "has no heap graph"),
                       (["--format=fxsnapshot", "--root=tag", "g.graph.gz"], "--root"),
                       (["--format=fxsnapshot", "-a", "g.graph.gz"], "--ignore-alloc-fns"),
                       (["--format=fxsnapshot", "--max-nodes=0", "g.graph.gz"], "--max-nodes"),
                       (["--format=dhat", "--max-nodes=9", "p.json"], "--max-nodes"),
                       (["--format=fxsnapshot", "--types=no", "-o", "/dev/full", "g.graph.gz"], "No space")):
        line = test.error("export", *args)
        test.check(word in line, "%r is not in: %s" % (word, line))
