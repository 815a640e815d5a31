# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory reports that the program publishes, and the tool's measurements of the whole process."""

from harness import Skip, commands

MB = 1 << 20

# ---- Published by the program ----


def _published(profile):
    """(process, path, kind, units, amount, description, times) of each memory report of the profile."""
    return [(r.get("process"), r["path"], r["kind"], r["units"], r["amount"], r.get("description"), r.get("times", 1))
            for r in profile.run["memoryReports"]]


def reports(t):
    found = _published(t.run().profile)
    t.equal(found[:7], [
        (None, "explicit/a", "heap", "bytes", 111, "Some.", 2),
        ("child", "explicit/a", "heap", "bytes", 7, None, 1),
        (None, "explicit/a", "nonheap", "bytes", 5, None, 1),
        (None, "cache/hits", "other", "count-cumulative", -3, "Hits.", 1),
        (None, "full", "other", "percentage", 9950, None, 1),
        (None, "doors", "other", "count", 2, None, 1),
        (None, "compound", "other", "count", 1, None, 1)])


def odd_reports(t):
    long_one = "L" * 4096
    bad = "%s\ufffd\n\"%s"
    t.equal(_published(t.run().profile)[7:], [
        (None, "cut", "other", "bytes", 1, None, 1),
        (long_one, long_one, "other", "bytes", 2, long_one, 1),
        (bad % ("a", "b"), bad % ("p", "q"), "other", "bytes", 3, bad % ("d", "e"), 1),
        (None, "large", "other", "bytes", 2**53, None, 2),
        (None, "small", "other", "bytes", -2**53, None, 2)])


def refused(t):
    run = t.run()
    t.equal(run.profile.faults_at("bad_structures"), ["memory-report-refused x 1"] * 5)
    t.equal(run.profile.faults_at("bad_values"), ["memory-report-refused x 1"] * 9)
    t.equal(len(run.profile.faults), 14)
    t.contains(run.log, "  Memory report that was refused: 14 times\n")


def too_many_reports(t):
    profile = t.run("many").profile
    found = _published(profile)
    t.equal(len(found), 65536)
    t.equal((found[0][1], found[0][4], found[-1][1]), ("many/0", 2, "many/65535"))
    t.equal(profile.faults_at("too_many"), ["memory-report-refused x %d" % (66000 - 65536)])


def too_much_text(t):
    # Each path takes 4,001 bytes with its end, and the limit is 16 MiB: the 4,194th is the last one that
    # fits.
    profile = t.run("text").profile
    t.equal(len(_published(profile)), -(-16 * MB // 4001))
    t.equal(profile.faults_at("too_much_text"), ["memory-report-refused x %d" % (6000 - -(-16 * MB // 4001))])


def of_one_dump(t):
    run = t.run("dumps", options=["--dump-at-exit=yes"])
    t.equal([[r[1] for r in _published(run.numbered(n))] for n in (1, 2, 3)], [["first"], [], ["second"]])
    last = next(p for p in run.profiles.values() if p.run["trigger"] == "exit")
    t.equal(_published(last), [])


def not_under_dmd(t):
    t.run_natively([t.program()])
    t.run_command([t.program()], tool="none")
    t.run_natively([t.program(["-DNVALGRIND"])])


# ---- Published, and measured by a reporter ----


def not_what_was_measured(t):
    run = t.run()
    faults = [f for f in run.numbered(1).run["faults"] if f["kind"] == "memory-report"]
    found = {f["reporter"]: (f["claimed"], f["measured"], f["num"]) for f in faults}
    t.equal(found, {"explicit/much": (1104, 104, 1), "explicit/nothing": (0, 104, 1), "explicit/mapped": (4096, 104, 1)})
    functions = {f["reporter"]: run.numbered(1).functions(f["at"])[:2] for f in faults}
    t.equal(functions, {"explicit/much": ["publish", "too_much"], "explicit/nothing": ["publish", "nothing"],
                        "explicit/mapped": ["publish", "as_no_heap"]})
    t.equal(len(run.numbered(1).run["faults"]), 3)
    t.equal(run.numbered(2).run["faults"], [])


def not_what_was_measured_in_samples(t):
    # The remaining blocks are an estimate, and prove nothing.
    t.equal(t.run(options=["--sample-below=5000"]).numbered(1).run["faults"], [])


def shares_in_the_tree(t):
    run = t.run()
    lines = commands.run([t.place.dmdv(), "tree", "-v", run.numbered(1).path]).out.split("\n")
    # 104 bytes by three: 34 for each, and the 2 that are left for the first.
    found = sorted(line.split("\u2500")[-1].strip() + " " + line.split(" B ")[0].split("\u2500")[-1]
                   for line in lines if "[whole" in line)
    t.equal(found, ["a [whole: 104 B] 36", "b [whole: 104 B] 34", "c [whole: 104 B] 34"])


# ---- Measured by the tool ----


def _memory(run):
    """The figures of each dump, by its label."""
    found = {p.run["label"]: p.run["memory"] for p in run.profiles.values()}
    if "resident" not in next(iter(found.values())):
        raise Skip("no /proc/self/smaps here")
    return found


def _require_unique(t, before, after, expected):
    """The C library's pages belong to one process while no other has touched them: other processes move
    some."""
    grown = after["residentUnique"] - before["residentUnique"]
    t.check(abs(grown - expected) <= MB / 4, "its own: %d more, expected %d" % (grown, expected))


def resident(t):
    # To the page: between two dumps the program does only what its label names.
    found = _memory(t.run())
    steps = [("start", "mapped", 0), ("mapped", "touched", 16), ("touched", "shared memory", 8),
             ("shared memory", "unmapped", -12)]
    for before, after, grown in steps:
        t.equal((found[after]["resident"] - found[before]["resident"]) / MB, grown, after)
        _require_unique(t, found[before], found[after], grown * MB)
    # The arena adds some pages of its own to the 5 MB.
    grown = found["allocated"]["resident"] - found["unmapped"]["resident"]
    t.check(5 * MB <= grown <= 5.25 * MB, "grown by %d" % grown)


def resident_shared_with_a_child(t):
    run = t.run("fork")
    parent = {p.run["label"]: p.run for p in run.profiles.values()}["shared with a child"]["pid"]
    found = {p.run["label"]: p.run["memory"] for p in run.profiles.values() if p.run["pid"] == parent}
    if "resident" not in found["allocated"]:
        raise Skip("no /proc/self/smaps here")
    together, alone = found["shared with a child"], found["the child is gone"]
    # 4 MB of anonymous memory, 8 MB of shared memory and 5 MB of heap are in both.
    shared = together["resident"] - together["residentUnique"]
    t.check(17 * MB <= shared <= 20 * MB, "shared: %d" % shared)
    shared = alone["resident"] - alone["residentUnique"]
    t.check(shared < 4 * MB, "alone: %d" % shared)


def resident_is_that_of_the_program(t):
    # Natively the kernel says how much is resident. Our own code and data are tens of megabytes.
    native = int(t.run_natively([t.program(), "native"]).out.split()[-1])
    found = _memory(t.run())["allocated"]["resident"]
    t.check(abs(found - native) < MB, "%d under dmd, %d natively" % (found, native))


def resident_beside_valgrind(t):
    found = _memory(t.run("beside"))
    if "beside Valgrind" not in found:
        raise Skip("no room beside a mapping of Valgrind's")
    before, after = found["before it is touched"], found["beside Valgrind"]
    t.equal(after["resident"] - before["resident"], MB // 2)
    _require_unique(t, before, after, MB // 2)


def most_resident(t):
    """As much as the kernel says of the program alone, without the engine, and what dumps need is not the program's."""
    alone = int(t.run_natively([t.program()]).out.split()[-1])
    run = t.run(options=["--dump-at-exit=no"])
    most = [run.numbered(n).run.get("residentPeak") for n in (1, 2, 3)]
    if most[0] is None:
        raise Skip("no /proc/self/status here")
    t.check(alone - 2 * MB <= most[0] <= alone + 3 * MB, "%s, the kernel says %d" % (most, alone))
    t.equal(most[1], most[0])
    t.check(19 * MB <= most[2] - most[0] <= 21 * MB, "20 MB more: %s" % most)
    for points in (run.numbered(n).timeline["points"][:-1] for n in (1, 2, 3)):
        seen = [point[4] for point in points if len(point) > 4 and point[4] is not None]
        if run.numbered(1).run.get("valgrindVersion"):
            t.equal(seen, [])
        else:
            t.check(abs(max(seen) - run.numbered(1 + (max(seen) > most[0] + 10 * MB) * 2).run["residentPeak"]) < 4 * MB,
                    "a point has about as much: %d" % max(seen))
            t.check(min(seen) < 10 * MB, "and the first has less: %d" % min(seen))


def heap(t):
    # malloc of 5 MB is by itself and mapped for it: 16 bytes of it and the rest of the last page are the model's.
    profile = next(p for p in t.run().profiles.values() if p.run["label"] == "allocated")
    found = profile.run["memory"]
    t.equal(found["heapAllocated"], sum(b.num * (b.req + b.slop) for b in profile.blocks))
    t.check(5 * MB < found["heapAllocated"] < 5.1 * MB, "allocated: %r" % found)
    t.check(0 < found["heapOverhead"] < 9 * MB, "overhead: %r" % found)


def heap_in_all_modes(t):
    live = t.run(options=["--mode=live"])
    expected = {p.run["label"]: p.run["memory"]["heapAllocated"] for p in live.profiles.values()}
    for option in ("--mode=cumulative", "--sample-below=1000000"):
        run = t.run(options=[option])
        found = {p.run["label"]: p.run["memory"]["heapAllocated"] for p in run.profiles.values()}
        t.equal(found, expected, option)


def heap_of_announced_blocks(t):
    # They are blocks, but not the arena's.
    found = t.run().profile.run["memory"]
    t.check(found["heapAllocated"] > 0 and found["heapOverhead"] >= 0, "%r" % found)


def in_the_tree(t):
    path = t.run().profile.path
    lines = commands.run([t.place.dmdv(), "tree", "-v", path]).out.split("\n")
    ends = [line.split(" \u2500\u2500 ")[-1] for line in lines]
    # 111 as heap, none of which is the program's, and 5 outside the heap; 7 of its child, which is a process
    # of its own.
    t.check(any("\u2500116 B " in line and line.endswith("\u2500\u2500 a [3]") for line in lines), "a: %r" % lines[:20])
    # What the program maps itself, 1 MiB and four pages, minus these 5.
    t.check(any("\u25001,064,955 B " in line and "mapped-unclassified" in line for line in lines), "mapped: %r" % lines[:20])
    t.check("End of child" in lines, "no process of its own")
    for name in ("hits", "full", "doors", "heap-allocated", "heap-overhead"):
        t.check(any(end.split(" [")[0] == name for end in ends), "no " + name)
