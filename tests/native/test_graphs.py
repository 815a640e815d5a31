# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs of running programs, whose threads are stopped meanwhile: what these threads hold.
(tests/native/tool has the graphs that programs request themselves, and their leaks.)"""

import json
import os
import re

from harness import commands
from harness.expect import Skip
from harness.graphfile import OTHER, REGISTERS, STACK, THREAD
from harness.running import running


def holders(graph, number):
    """The kinds of roots that point to the block of this number."""
    wanted = [i + 1 for i, block in enumerate(graph.blocks) if block.requested == 1000 + number]
    return sorted({root.kind for root in graph.roots for edge in root.edges if edge.target in wanted and edge.into == 0})


def test_what_threads_hold(t):
    """Each way in which a thread can hold a block; repeated, since the threads run in between."""
    with running(t, [t.program("stopped.c")]) as program:
        for _ in range(3):
            graph = program.graph(program.dump_graph())
            found = {number: holders(graph, number) for number in range(1, 9)}
            # A register that the kernel keeps may hold it as well, such as an argument of the function before.
            t.equal([set(found[number]) - {REGISTERS} for number in (2, 3, 4, 7)], [{STACK}, {STACK}, {THREAD}, {STACK}])
            t.check(REGISTERS in found[1], "the block in a register: %s" % found)
            t.check(OTHER in found[5], "the block on the program's own stack: %s" % found)
            t.equal(found[8], [])
            t.equal(sorted(root.thread for root in graph.roots if root.kind == REGISTERS), [1, 2, 3, 4, 5, 6])
            frames = {name for root in graph.roots if root.frame for name, _, _ in root.frame.functions}
            t.check({"main", "on_stack", "with_signals_blocked", "in_register"} <= frames, "frames of %s" % sorted(frames))
            memory = sorted((root.address, root.address + root.size) for root in graph.roots if root.kind != REGISTERS)
            t.check(all(a[1] <= b[0] for a, b in zip(memory, memory[1:])), "roots overlap")
            t.equal([b for b in graph.blocks for start, end in memory if start <= b.address < end], [])
        t.lacks(program.log(), "could not be stopped")
        program.end()


def test_a_thread_that_cannot_be_stopped(t):
    """The message reports it, and its whole stack counts."""
    with running(t, [t.program("stopped.c"), "deaf"]) as program:
        graph = program.graph(program.dump_graph())
        t.check(OTHER in holders(graph, 6), "its stack is other memory")
        t.equal(sorted(root.thread for root in graph.roots if root.kind == REGISTERS), [1, 2, 3, 4, 5, 6])
        t.contains(program.log(), "dmd: of the program's threads, 1 could not be stopped")
        program.end()


def test_without_the_signal(t):
    """No thread is stopped, and no signal is sent that would end the program."""
    for option, log in (["--control=no"], "2 could not be stopped"), ([], ""):
        run = t.run(t.program("../../tool/programs/graph.c"), options=option)
        graph = run.graphs["dmd.out.%d.1.graph.gz" % run.pid]
        t.equal(sorted(root.thread for root in graph.roots if root.kind == REGISTERS), [1] if log else [1, 2, 3])
        t.contains(run.log, log)


def test_while_threads_allocate(t):
    """Each graph has each kept block once, and none of these is lost, not even a block that is just being
    moved."""
    threads, blocks = 16, 40
    expected = [10000 // 8 + i for i in range(threads * blocks)]
    with running(t, [t.program("dumps.c"), str(threads), str(blocks), "0"], options=["--mode=live"]) as program:
        for _ in range(5):
            path = program.dump_graph()
            graph = program.graph(path)
            t.equal(sorted(b.requested // 8 for b in graph.blocks if b.requested >= 10000), expected)
            t.equal(len([root for root in graph.roots if root.kind == REGISTERS]), threads + 1)
            done = commands.run([t.builddir + "/dmdv", "leaks", "--types=no", "--json", "--max-records=all", path], status=None)
            t.equal([row for row in json.loads(done.out)["rows"]
                     if row["state"] != "reachable" and "keep" in json.dumps(row)], [])
        t.lacks(program.log(), "could not be stopped")
        program.end()


def test_both_files_are_of_one_moment(t):
    with running(t, [t.program("dumps.c"), "4", "40", "0"], options=["--mode=live"]) as program:
        for _ in range(3):
            path = program.dump_graph()
            blocks = json.loads(commands.run(["gzip", "-dc", path]).out)["blockList"]
            t.equal(sorted(b.requested for b in program.graph(path).blocks),
                    sorted(b["req"] for b in blocks for _ in range(b.get("num", 1))))
        program.end()


def without_sizes(value):
    """dmdv's output without what depends on the allocator's sizes, and on where debug information is."""
    if isinstance(value, dict):
        return {key: without_sizes(part) for key, part in value.items() if not re.search("bytes|slop|share|retained", key)}
    return [without_sizes(part) for part in value] if isinstance(value, list) else value


def test_the_catalog_is_as_under_valgrind(t):
    """The program's own blocks by state and type, and the proposals for its dark blocks."""
    program = t.builddir + "/docs/examples/catalog"
    if not os.path.exists(program) or not t.has_command("valgrind"):
        raise Skip("the example was not built, or there is no Valgrind")
    found = []
    for engine in [t.place.launcher(), "--tool=dmd", "-q"], [t.builddir + "/dmdv", "run", "--engine=native", "-q"]:
        folder = t.new_folder()
        options = ["--graph=yes", "--dmd-out-file=c.json.gz"]
        dashes = ["--"] if "run" in engine else []
        commands.run([*engine, *options, *dashes, program, "--items=1000"], folder, commands.plain_environment(folder))
        results = []
        for command in ["census", "--by=state,type"], ["owners"], ["leaks"]:
            done = commands.run([t.builddir + "/dmdv", *command, "-f", "40", "--json", "--max-records=all",
                                 "--filter=stack=words_load", "c.1.json.gz"], folder, status=None)
            # Each engine names the file of its own functions.
            results.append(without_sizes(json.loads(done.out.replace("(libdmd.so:0)", "(vg_replace_malloc.c:0)"))))
        found.append(results)
    t.equal(found[1], found[0])
    t.check(found[0][0]["rows"], "no types")


def test_what_frames_left_that_have_returned(t):
    """At exit, the engine's own frames lie where those of the program were: addresses left there hold nothing."""
    run = t.run([t.program("stale.c", ["-g", "-O0"])], options=["--graph=yes"])
    path, = (os.path.join(run.folder, name) for name in run.graphs)
    done = commands.run([t.builddir + "/dmdv", "leaks", "--json", "--max-records=all", path], status=None)
    t.equal([row["state"] for row in json.loads(done.out)["rows"] if "lost_block" in json.dumps(row)], ["definitely"])
