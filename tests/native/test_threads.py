# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads, signal handlers, forks and libraries that come and go, at any moment."""


def test_handlers_that_allocate(t):
    """No block is lost or invented, whenever a handler comes: the program counts the blocks that it keeps."""
    run = t.run(t.program("handlers.c", extra=[t.program("bump.c")]))
    _, kept = run.err.split()
    t.equal(run.profile.count_at("handle"), (int(kept), 48 * int(kept)))
    t.equal([b.describe() for b in run.profile.blocks_at("work") if "handle" not in b.stack], [])
    t.equal(run.profile.faults, [])


def test_storm(t):
    """Each of eight threads starts forty others, loads a library ten times and forks five times, and keeps a block."""
    library = t.program("bump.c")
    run = t.run([t.program("storm.c"), "8", "40", library], options=["--child-silent-after-fork=yes"])
    t.equal(run.profile.count_at("keep"), (8, 8000))
    t.equal(run.profile.at("blocks"), [])
    t.equal(run.profile.faults, [])


def test_children_of_many_threads_are_whole(t):
    """Each child writes a profile of its own, while the others go on."""
    run = t.run([t.program("storm.c"), "4", "16", t.program("bump.c")])
    t.equal(len(run.profiles), 1 + 4 * 2)
    for profile in run.profiles.values():
        t.equal([text for text in profile.at("keep") if not text.startswith(("1000+", "2 x", "3 x", "4 x"))], [])


def test_peak_of_a_thousand_threads(t):
    """All have their block at one moment, and before that none has more than 1,400 bytes."""
    profile = t.run(t.program("crowd.c")).profile
    peak = profile.peak
    kept = sum(block.num * block.req for block in profile.peak_blocks if "seat" in block.stack)
    blocks = sum(block.num for block in profile.peak_blocks if "seat" in block.stack)
    t.check(kept + peak["error"] >= 1000 * 1000, "each has its block: %d, %s" % (kept, peak))
    t.check(blocks <= 1000 and kept <= 1000 * 1400, "a realloc is one step: %d bytes in %d blocks" % (kept, blocks))
    # A thread that is interrupted before it asks for a new peak lets the heap grow meanwhile.
    t.check(peak["error"] <= peak["bytes"] / 4, "%s" % peak)
    t.equal(profile.totals["allocs"] >= 1000 * 201, True)
    t.equal(profile.count_at("seat"), (0, 0))
    t.check(max(point[1] for point in profile.timeline["points"]) <= peak["bytes"], "no point is above the peak")


def test_dumps_while_threads_allocate(t):
    """Each dump has each kept block once, also a block that is just being moved."""
    threads, blocks, dumps = 16, 40, 6
    run = t.run([t.program("dumps.c"), str(threads), str(blocks), str(dumps)], options=["--mode=live"])
    t.equal(len(run.profiles), dumps)
    for profile in run.profiles.values():
        kept = sorted(block.req // 8 for block in profile.blocks for _ in range(block.num) if block.req >= 10000)
        t.equal(kept, [10000 // 8 + i for i in range(threads * blocks)])


def expect_kept(t, profile, threads):
    """Each thread kept 50 blocks of 1000 bytes, and nothing else."""
    t.equal(profile.count_at("keep"), (50 * threads, 50000 * threads))
    t.equal([b.describe() for b in profile.blocks_at("work") if "keep" not in b.stack], [])
    t.equal(profile.faults, [])


def test_threads_whose_begin_is_not_seen(t):
    """While a process has one thread, locks are taken in a cheaper way: the creator of the second thread ends
    that."""
    expect_kept(t, t.run([t.program("unseen.c"), "threads"]).profile, 6)


def test_threads_that_a_library_makes_as_it_is_loaded(t):
    library = t.program("unseen.c", extra=["-shared", "-fPIC", "-DLIBRARY"])
    expect_kept(t, t.run([t.program("unseen.c"), "loading", library]).profile, 6)


def test_a_child_of_many_threads_has_one_and_makes_more(t):
    run = t.run([t.program("unseen.c"), "fork"])
    parent, child = sorted(run.profiles.values(), key=lambda profile: profile.count_at("keep"))
    expect_kept(t, parent, 5)
    expect_kept(t, child, 5 + 1 + 5)
