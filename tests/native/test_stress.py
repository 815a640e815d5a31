# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that count their own operations and read back what they wrote: the engine's counts must be
equal."""

import os

from harness import commands
from harness.expect import Skip
from harness.running import running
from test_allocators import library

ROUNDS = 24000


def counts(run):
    totals = run.profile.totals
    return [totals[key] for key in ("allocs", "frees", "allocBytes", "inUseBlocks", "inUseBytes")]


def passes(t, threads, options=(), **more):
    """The threads' own counts equal the difference from a run in which they do nothing."""
    program = t.program("passing.c")
    idle = t.run([program, str(threads), "0"], options, **more)
    run = t.run([program, str(threads), str(ROUNDS // threads)], options, **more)
    counted = [int(word) for word in run.out.split()]
    t.equal([a - b for a, b in zip(counts(run), counts(idle))], counted)
    t.equal(run.profile.count_at("work"), tuple(counted[3:]))
    t.equal(run.profile.faults, [])
    t.check(counted[3] > 0 and counted[1] > ROUNDS / 4, "blocks come, go and stay: %s" % counted)


def test_blocks_pass_between_threads(t):
    """With 1 to 64 threads."""
    for threads in (1, 2, 3, 8, 24, 64):
        passes(t, threads)


def test_blocks_pass_with_each_allocator(t):
    tried = 0
    for name in ("jemalloc", "tcmalloc", "mimalloc"):
        try:
            preload = [library(name)]
        except Skip:
            continue
        passes(t, 16, preload=preload)
        tried += 1
    if tried == 0:
        raise Skip("there is no other allocator than the C library's")


def test_blocks_pass_with_every_stack_walked(t):
    passes(t, 8, ["--check-stacks=yes"])


def test_children_of_every_kind(t):
    """A program's heap does not matter to the programs that it starts; and children that execute no program
    leave no file."""
    run = t.run(t.program("spawns.c"))
    t.equal(sorted(b.req for b in run.profile.blocks_at("keep") for _ in range(b.num)), list(range(1000, 1028)))
    t.equal(run.profile.at("allocate"), [])
    t.equal(run.profile.faults, [])
    t.equal(len(run.profiles), 1)


def test_children_that_are_watched(t):
    """In each of four rounds a shell is started by posix_spawn, system, popen and vfork."""
    run = t.run(t.program("spawns.c"), ["--trace-children=yes"])
    parents = [profile for profile in run.profiles.values() if profile.at("keep")]
    t.equal([sum(b.num for b in profile.blocks_at("keep")) for profile in parents], [28])
    t.equal(len(run.profiles), 1 + 4 * 4)


def plugin(t, name):
    return t.program("plugin.c", extra=["-shared", "-fPIC", "-DFROM=from_" + name])


def test_libraries_at_one_address(t):
    """A block of an unloaded library keeps its names, whatever is mapped there later."""
    plugins = [plugin(t, name) for name in ("first", "second")]
    run = t.run([t.program("comes_and_goes.c"), *(plugins * 5)])
    addresses = run.out.split()
    if len(set(addresses)) != 1:
        raise Skip("the loader puts them elsewhere: %s" % b" ".join(addresses).decode())
    for name, first in (("from_first", 100), ("from_second", 200)):
        t.equal(sorted(b.req for b in run.profile.blocks_at(name)), list(range(first, 1001, 200)))
        t.check(all(b.stack[1:3] == [name, "plugin_block"] for b in run.profile.blocks_at(name)), name)
    printed = commands.run([t.place.dmdv(), "print", "--moment=end", "--max-records=all", run.profile.path.replace(".named.json", "")]).out
    for name in ("from_first", "from_second"):
        t.equal([text.split(" in heap")[0].strip() for text in printed.split("\nUnreported {")
                 if name + " (plugin.c:" in text], ["5 blocks"])


def expect_no_growth(t, command):
    """The engine's own memory is the same after the last two of ten rounds of the program: its parts get all
    their memory in the first few. Its list of freed blocks is limited, and so is the timeline; more rounds
    would reach the limits."""
    with running(t, command, options=["--freed-blocks=0", "--timeline=no"]) as program:
        own = []
        for _ in range(10):
            program.process.stdin.write(b"\n")
            program.process.stdin.flush()
            t.equal(program.process.stdout.readline(), b"ready\n")
            own.append(program.ask_json("status")["ownBytes"])
        t.check(own[-1] - own[-2] <= 4096, "the engine grows: %s" % own)
        program.end()


def test_memory_for_threads_that_ended(t):
    """A thousand threads come and go in a round."""
    expect_no_growth(t, [t.program("short_threads.c"), "1000"])


def test_memory_for_libraries_that_were_unloaded(t):
    """A library is loaded and unloaded five hundred times in a round."""
    expect_no_growth(t, [t.program("reloads.c"), "500", plugin(t, "first"), plugin(t, "second")])


def test_frees_of_c23(t):
    run = t.run(t.program("sized.c"))
    t.equal(run.out, b"2\n")
    t.equal([b.req for b in run.profile.blocks_at("main") if b.req in range(1000, 1300)], [1000])
    t.equal(run.profile.faults, [])


KEPT = {101: "operator new(unsigned long)", 103: "operator new[](unsigned long)",
        105: "operator new(unsigned long, std::nothrow_t const&)",
        107: "operator new[](unsigned long, std::nothrow_t const&)",
        1024: "operator new(unsigned long, std::align_val_t)", 2048: "operator new[](unsigned long, std::align_val_t)",
        3072: "operator new(unsigned long, std::align_val_t, std::nothrow_t const&)",
        4096: "operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)"}


def test_operators(t):
    """Each form of new and delete, over the C library's malloc and in an allocator that has operators of its
    own."""
    libraries = [[]]
    for name in ("jemalloc", "tcmalloc", "mimalloc"):
        try:
            libraries.append([library(name)])
        except Skip:
            pass
    for preload in libraries:
        bare = dict(commands.plain_environment(t.new_folder()), LD_PRELOAD=":".join(preload))
        if commands.run([t.program("operators.cc")], env=bare, status=None).status != 0:
            continue  # mimalloc 2.0 aligns less than requested
        run = t.run(t.program("operators.cc"), preload=preload)
        whole = "(anonymous namespace)::kept()"
        t.equal(sorted(b.req for b in run.profile.blocks_at(whole)), sorted(KEPT))
        t.equal(run.profile.at("(anonymous namespace)::gone()"), [])
        t.equal(run.profile.at("(anonymous namespace)::refused()"), [])
        t.equal(run.profile.faults_at("(anonymous namespace)::gone()"), [])
        if preload:
            t.equal({b.req: b.stack[0] for b in run.profile.blocks_at(whole)}, KEPT)


def test_mappings_that_move(t):
    """What mremap moved keeps its stack, also if another thread maps memory where it was."""
    rounds = 2000
    profile = t.run([t.program("moves.c"), str(rounds)]).profile
    found = {}
    for entry in profile.run["mapped"]:
        name = next(name for name in profile.functions(entry["alloc"]) if name in ("move", "other"))
        found[name] = found.get(name, 0) + entry["bytes"] // os.sysconf("SC_PAGESIZE")
    t.equal(found, {"move": 17 * rounds})
