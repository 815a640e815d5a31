# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs: the contents of the file equal the program's own knowledge of its pointers."""

import bisect
import json
import os
import re
import zlib

from harness import Skip, commands, graphfile
from harness.graphfile import DATA, HEURISTICS, OTHER, REGISTERS, STACK, THREAD

WORD = 8


def _lines(run):
    """{first word: [the others of a line, ...]} of the program's output, addresses as numbers."""
    found = {}
    for line in run.out.decode().splitlines():
        words = [int(word, 0) if re.fullmatch(r"0x[0-9a-f]+|\d+", word) else word for word in line.split()]
        found.setdefault(words[0], []).append(words[1:])
    return found


def _edges(node):
    """[(address of the word, target, into)]; words are counted from the first aligned address."""
    first = -(-node.address // WORD) * WORD
    return [(first + edge.word * WORD, edge.target, edge.into) for edge in node.edges]


def _addresses(graph, node):
    """{address of a word: the address in it}."""
    return {at: graph.blocks[target - 1].address + into for at, target, into in _edges(node)}


def known_pointers(t):
    run = t.run()
    graph, said = run.graph_numbered(1), _lines(run)
    blocks = graph.at("make_blocks")
    t.equal([[b.address, b.requested] for b in blocks], sorted(said["block"]))
    starts = [b.address for b in graph.blocks]
    expected = {}
    for at, target in said["edge"]:
        expected.setdefault(starts[bisect.bisect(starts, at) - 1], {})[at] = target
    for block in blocks:
        t.equal(_addresses(graph, block), expected.get(block.address, {}))
    # They lead to the innermost block around the address: of all around it the one that starts last.
    for node in graph.blocks:
        for address in _addresses(graph, node).values():
            around = [i + 1 for i, b in enumerate(graph.blocks) if b.address <= address < b.address + max(b.requested, 1)]
            t.check((around[-1], address - starts[around[-1] - 1]) in [(e.target, e.into) for e in node.edges],
                    "the edge to 0x%x does not lead to block %d" % (address, around[-1]))
    t.equal([edge for block in graph.at("add_others") for edge in block.edges], [])


def pieces_of_a_block(t):
    run = t.run()
    graph, said = run.graph_numbered(1), _lines(run)
    pool = said["pool"][0][0]
    pieces = graph.at("announce")
    t.equal([(b.address - pool, b.requested, b.flags, b.outer) for b in pieces],
            [(0, 4096, 0, 0), (64, 64, 1, 1), (1024, 100, 1, 2), (1056, 16, 1, 1)])
    t.equal([{at - pool: to - pool for at, to in _addresses(graph, piece).items()} for piece in pieces],
            [{0: 64, 2048: 1024}, {64: 1024, 120: 8}, {1032: 1060, 1072: 1120}, {1056: 70}])
    first = graph.blocks.index(pieces[0]) + 1
    # An address is in the innermost of the blocks around it.
    t.equal([[target - first for _, target, _ in _edges(piece)] for piece in pieces], [[1, 2], [2, 0], [3, 2], [1]])


def _root_of(graph, address):
    roots = [r for r in graph.roots if r.kind != REGISTERS and r.address <= address < r.address + r.size]
    if len(roots) != 1:
        raise AssertionError("%d roots around 0x%x" % (len(roots), address))
    return roots[0]


def roots(t):
    run = t.run()
    graph, said = run.graph_numbered(1), _lines(run)
    found = {}
    for kind, at, target in said["root"]:
        root = _root_of(graph, at)
        t.equal(_addresses(graph, root).get(at), target)
        found[kind] = root
    path = t.program()
    t.equal({kind: root.kind for kind, root in found.items()},
            {"data": DATA, "bss": DATA, "stack-inner": STACK, "stack-outer": STACK, "stack-of-thread": STACK,
             "thread-local": THREAD, "mapped": OTHER})
    t.equal([graph.objects[found[kind].object - 1].path for kind in ("data", "bss")], [path, path])
    t.equal([found[kind].thread for kind in ("stack-inner", "stack-outer", "stack-of-thread", "thread-local")], [1, 1, 2, 2])
    t.equal([found[kind].frame.functions[0][0] for kind in ("stack-inner", "stack-outer", "stack-of-thread")],
            ["graph_below", "make_roots", "run_thread"])
    # Memory that cannot be read holds nothing.
    lost = next(i + 1 for i, b in enumerate(graph.blocks) if b.requested == 80 and "make_roots" in graph.functions_of(b.stack))
    t.equal([n for n in graph.roots + graph.blocks for e in n.edges if e.target == lost], [])
    # No byte is in two roots, and no root overlaps the heap.
    memory = sorted((r.address, r.address + r.size) for r in graph.roots if r.kind != REGISTERS)
    t.check(all(a[1] <= b[0] for a, b in zip(memory, memory[1:])), "roots overlap: %s" % memory)
    for start, end in memory:
        t.check(not any(start <= b.address < end for b in graph.blocks), "a block is in a root")


def stack_from_the_heap(t):
    run = t.run()
    graph, said = run.graph_numbered(1), _lines(run)
    block = graph.block_at(said["stack"][0][0])
    at, target = said["edge-of-stack"][0]
    t.equal(_addresses(graph, block).get(at), target)
    t.equal([r.kind for r in graph.roots if r.thread == 3], [REGISTERS])


def header(t):
    run = t.run()
    requested, last = run.graph_numbered(1), run.graph_numbered(None, missing_ok=True)
    t.equal(last, None)
    h = requested.header
    t.equal((h["dump_number"], h["trigger"], h["label"], h["pid"], h["word_size"], h["mode"], h["allocator"]),
            (1, "request", "a\n\033\"\udcff", run.pid, WORD, "dark-matter", "glibc"))
    t.equal(h["arguments"], [t.program()])
    t.equal(_lines(run)["graph"], [[1]])
    t.contains(run.log, "dmd: wrote %s/dmd.out.%d.1.graph.gz\n" % (run.folder, run.pid))
    # Nothing was cleared, and the dump at exit was made.
    t.equal(len(run.profiles), 1)


def with_each_dump(t):
    run = t.run(options=["--graph=yes", "-q", "--dmd-out-file=x.json"])
    t.equal(sorted(run.graphs), ["x.1.graph.gz", "x.graph.gz"])
    last = run.graphs["x.graph.gz"].header
    t.equal((last["dump_number"], last["trigger"], last["label"]), (2, "exit", None))
    t.equal(run.log, "")
    profile = run.profiles["x.json"]
    t.equal((len(run.graphs["x.graph.gz"].blocks), sum(b.requested for b in run.graphs["x.graph.gz"].blocks)),
            (profile.totals["inUseBlocks"], profile.totals["inUseBytes"]))


def codes_are_exact(t):
    # Two calls on one line are two codes; each is in the program, at what the disassembler calls the call's end - 1.
    graph = t.run().graph_numbered(1)
    objdump = commands.run([t.need("objdump"), "-d", "--no-show-raw-insn", t.program()]).out
    lines = [int(m.group(1), 16) for m in re.finditer(r"^ +([0-9a-f]+):", objdump, re.MULTILINE)]
    calls = {int(m.group(1), 16) for m in re.finditer(r"^ +([0-9a-f]+):\s+(?:call|blr?\s)", objdump, re.MULTILINE)}
    number = next(i + 1 for i, o in enumerate(graph.objects) if o.path == t.program())
    found = {code.address for stack in graph.stacks for code in stack[1:] if code.object == number}
    t.check(len(found) > 10, "%d codes" % len(found))
    for address in found:
        at = bisect.bisect(lines, address)
        t.check(lines[at] == address + 1 and lines[at - 1] in calls, "0x%x is not before the return from a call" % address)


def build_ids_and_sonames(t):
    graph = t.run().graph_numbered(1)
    for object in graph.objects:
        notes = commands.run([t.need("readelf"), "-n", object.path], status=None).out
        ids = re.findall(r"Build ID: ([0-9a-f]+)", notes)
        t.equal(object.build_id, ids[0] if ids else "")
        dynamic = commands.run([t.need("readelf"), "-d", object.path], status=None).out
        sonames = re.findall(r"Library soname: \[(.*)\]", dynamic)
        t.equal(object.soname, sonames[0] if sonames else "")


def usual_pointers(t):
    run = t.run()
    graph = run.graph_numbered(1)
    held = {}
    for node in graph.roots:
        for edge in node.edges:
            if edge.into:
                functions = graph.functions_of(graph.blocks[edge.target - 1].stack)
                for name in ("string", "sized", "array", "second", "nothing"):
                    if any("make_" + name in function for function in functions) and node.kind == DATA:
                        held[name] = (edge.into, HEURISTICS[edge.heuristic])
    t.equal(held, {"string": (24, "string"), "sized": (8, "length"), "array": (8, "newarray"),
                   "second": (16, "inheritance"), "nothing": (8, "none")})
    # The first word of an object with virtual functions is behind the start of its class's table.
    block = next(b for b in graph.blocks if any("make_second" in f for f in graph.functions_of(b.stack)))
    symbols = commands.run([t.need("nm"), "-C", t.program()]).out
    table = int(re.search(r"^([0-9a-f]+) \w vtable for .*Both$", symbols, re.MULTILINE).group(1), 16)
    t.equal((graph.objects[block.first_word[0] - 1].path, block.first_word[1]), (t.program(), table + 2 * WORD))


def memory_that_holds_nothing(t):
    folder = t.new_folder()
    run = t.run_command([t.program(), folder + "/file"])
    before, after, of_file, of_file_after = map(int, run.out.split()[:4])
    # A file's first page is read, where an object has its header, and the native engine reads the pages next to one that is in
    # memory. Most file systems have read these ahead, but not tmpfs.
    t.check(of_file_after - of_file <= 12, "%d KiB of the file came into memory" % (of_file_after - of_file))
    t.check(after - before < 8 * 1024, "%d KiB became resident" % (after - before))
    graph = run.graph_numbered(1)
    target = next(i + 1 for i, b in enumerate(graph.blocks) if b.requested == 77)
    holders = [at for node in graph.roots + graph.blocks for at, to, into in _edges(node) if (to, into) == (target, 0)]
    for address in run.out.split()[4:]:
        t.check(int(address, 0) in holders, "the pointer at %s was not found" % address.decode())


def pointers_anywhere(t):
    # Incompressible data is in the file unchanged, between compressed data.
    def offset(number):
        mixed = number * 2654435761 & 0xffffffff
        mixed = (mixed ^ mixed >> 15) * 2246822519 & 0xffffffff
        return (mixed ^ mixed >> 13) % (2 << 20)
    run = t.run()
    pool, *addresses = [int(line, 16) for line in run.out.decode().split()]
    graph, pointers = run.graph_numbered(1), 5
    found = {block.address: [graph.blocks[e.target - 1].address + e.into for e in block.edges] for block in graph.blocks}
    for i, address in enumerate(addresses):
        t.equal(found[address], [pool + offset(i * pointers + k) for k in range(pointers)])
    with open(os.path.join(run.folder, "dmd.out.%d.1.graph.gz" % run.pid), "rb") as file:
        packed = file.read()
    inflate = zlib.decompressobj(zlib.MAX_WBITS + 16)
    data = inflate.decompress(packed)
    t.equal((inflate.eof, inflate.unused_data), (True, b""))
    pieces = range(0, len(data), 4096)
    stored = sum(data[at:at + 64] in packed for at in pieces)
    t.check(len(pieces) // 4 < stored < len(pieces) * 3 // 4, "%d of %d pieces are stored" % (stored, len(pieces)))
    t.check(len(packed) < len(data) * 3 // 4, "%d of %d bytes are left" % (len(packed), len(data)))


def forked(t):
    run = t.run("dump", options=["--graph=yes", "--dump-at-exit=yes"])
    child = int(re.findall(rb"\d+", run.out)[0])
    parent = next(pid for pid in run.logs if pid != child)
    t.equal(sorted(run.graphs), sorted("dmd.out.%d%s.graph.gz" % (pid, n) for pid in (parent, child) for n in ("", ".1")))
    for pid in parent, child:
        for number in 1, None:
            graph = run.graph_numbered(number, pid)
            profile = run.profiles["dmd.out.%d%s.json.gz" % (pid, "" if number is None else ".1")]
            t.equal((graph.header["pid"], graph.header["dump_number"]), (pid, profile.run["dump"]))
            t.equal(graph.header["peak"], profile.run["peak"]["bytes"])
            t.equal(sorted(b.requested for b in graph.blocks),
                    sorted(b["req"] for b in profile.doc["blockList"] for _ in range(b.get("num", 1))))
            t.equal([r.thread for r in graph.roots if r.kind == REGISTERS], [1])


def every_way_to_end(t):
    _ends(t, "segv", "abort", "term", "_exit", "thread", "main-thread-first")


def end_by_sigkill(t):
    _ends(t, "kill")


def _ends(t, *ways):
    # Valgrind has already removed the thread that ends the process from its list. Its stack is in use
    # nevertheless.
    for how in ways:
        run = t.run(how, options=["--graph=yes"], status=None)
        graph = run.graph_numbered(None)
        t.equal(len(graph.at("block")), 1)
        threads = [r.thread for r in graph.roots if r.kind == REGISTERS]
        t.check(threads and len(set(threads)) == len(threads), "registers of the threads %s" % threads)
        for thread in threads:
            t.check(any(r.kind == STACK and r.thread == thread and r.frame for r in graph.roots),
                    "thread %d has no stack after %s" % (thread, how))
        # keep
        t.equal([(r.kind, graph.objects[r.object - 1].path) for r in graph.roots for e in r.edges
                 if e.target == graph.blocks.index(graph.at("block")[0]) + 1 and r.kind == DATA],
                [(DATA, t.program())])


def in_threads(t):
    run = t.run(options=["--graph=yes"])
    graph, profile = run.graph_numbered(None), run.profile
    t.equal(len(graph.blocks), profile.totals["inUseBlocks"])
    t.equal(sorted({b.thread for b in graph.blocks}), sorted({b["thread"] for b in profile.doc["blockList"]}))


def lost(t):
    # No more than 16 blocks of 512 or 1024 bytes a file: the graph is larger, the profile is not.
    limit = ["sh", "-c", 'ulimit -f 16; exec "$@"', "sh"]
    run = t.run_command([t.program()], options=["--graph=yes", "-q", "--dmd-out-file=x.json.gz"], before=limit)
    t.equal((sorted(run.profiles), run.graphs), (["x.json.gz"], {}))
    t.contains(run.log, "dmd: cannot write %s/x.graph.gz: the file size limit is reached" % run.folder)
    t.contains(run.log, "dmd: this dump's heap graph is lost; name another place with --dmd-out-file=<file>\n")


def modes(t):
    # Blocks are the same in each mode, and include those that were not sampled.
    expected = None
    for options in [], ["--mode=live"], ["--mode=cumulative"], ["--sample-below=4096"], ["--stacks=partial"]:
        graph = t.run(options=["--graph=yes", *options]).graph_numbered(None)
        blocks = [(b.requested, b.slop) for b in graph.blocks]
        expected = expected or blocks
        t.equal(blocks, expected)
        t.equal(graph.header["mode"], options[0][7:] if options and "mode" in options[0] else "dark-matter")


# ---- dmdv on a graph ----


def _rows(dmdv, path, key):
    """{name: (blocks, usable bytes, slop)} of the census by this key."""
    done = commands.run([dmdv, "census", "--json", "--by=" + key, path], status=None)
    census = json.loads(done.out)
    return {row["key"][key]: (row["blocks"], row["bytes"], row["slop"]) for row in census["rows"]}


def _sums(profile, name_of):
    """The profile's blocks in this form."""
    found = {}
    for block in profile.doc["blockList"]:
        n, slop = block.get("num", 1), block.get("slop", 0)
        sums = found.setdefault(name_of(block), [0, 0, 0])
        for i, more in enumerate((n, n * (block["req"] + slop), n * slop)):
            sums[i] += more
    return {name: tuple(sums) for name, sums in found.items()}


def _compare_with_census(t, run):
    """Each dump's graph, counted by dmdv, adds up to its profile. Returns the number of states."""
    states = set()
    for name, profile in run.profiles.items():
        path = os.path.join(run.folder, re.sub(r"\.json(\.gz)?$", ".graph.gz", name))
        by_state = _sums(profile, lambda block: "twice" if len(block.get("reps", [])) > 1 and "sharers" not in block
                         else "once" if block.get("reps") else "unreported")
        t.equal(_rows(t.place.dmdv(), path, "state"), by_state)
        t.equal(_rows(t.place.dmdv(), path, "tag"), _sums(profile, lambda block: block.get("tag", "(no tag)")))
        t.equal(_rows(t.place.dmdv(), path, "thread"), _sums(profile, lambda block: "thread %d" % block.get("thread", 1)))
        states |= set(by_state)
    return states


def census_of_pieces(t):
    run = t.run(options=["--graph=yes"])
    t.equal(_compare_with_census(t, run), {"unreported", "once", "twice"})


def census_of_shared_blocks(t):
    run = t.run(options=["--graph=yes"])
    t.check("once" in _compare_with_census(t, run), "nothing was reported once")


def census_of_tags(t):
    run = t.run(options=["--graph=yes"])
    t.check(len(_compare_with_census(t, run)) > 0, "no blocks")


def census_of_chunks(t):
    run = t.run(options=["--graph=yes"])
    t.check(len(_compare_with_census(t, run)) > 0, "no blocks")


def members_that_repeat(t):
    """A path that goes round through two members names both."""
    run = t.run(options=["--graph=yes"])
    name = sorted(run.graphs)[0]
    done = commands.run([t.place.dmdv(), "paths", "--json", "--to=table_new", os.path.join(run.folder, name)], status=None)
    if "built without" in done.err:
        raise Skip("this dmdv was built without libdw")
    steps = {tuple((step["type"], *step.get("through", [])) for step in path["steps"][1:]) for path in json.loads(done.out)["paths"]}
    # A table that a function still has a pointer to has a shorter path.
    t.equal({step for step in steps if len(step[0]) > 1}, {(("table", "slots[].table"),), (("table", "slots[].table"), ("slot[]",))})
    t.contains(commands.run([t.place.dmdv(), "paths", "--to=table_new", os.path.join(run.folder, name)]).out,
               ": table, then more through slots[].table\n      slots: slot[]\n")


def stale_words(t):
    """What is left behind the last element of a vector, or in characters, decides neither holders nor
    retained sizes; unless nothing else leads to a block."""
    run = t.run()
    graph = os.path.join(run.folder, "dmd.out.%d.1.graph.gz" % run.pid)
    held = json.loads(commands.run([t.place.dmdv(), "census", "--json", "--by=function,holder", graph]).out)
    holders = {row["key"]["function"]: {inner["key"]["holder"] for inner in row["rows"]} for row in held["rows"]}
    t.equal((holders["make_page()"], holders["make_note()"]), ({"library.page"}, {"line[]"}))
    retained = json.loads(commands.run([t.place.dmdv(), "retained", "--json", "--max-depth=1", "--min-percent=0", graph]).out)
    sizes = {row["name"]: row["retained"] for row in retained["rows"]}
    t.check(sizes["library"] >= 1 << 20, str(sizes))
    t.check(sizes["nodes"] < 1 << 17, str(sizes))
