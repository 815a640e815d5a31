# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv tree of profiles: measured and published amounts, shared blocks.

The expected trees were worked out by hand; most use round amounts, 1 MB being 1,048,576 bytes.
"""

from dmdvtest import Profile
from treetest import (MB, NONHEAP, HEAP, OTHER, BYTES, CUMULATIVE, A, R, RUN, allocated, document, explicit, export,
                      other, profile, report, tree)


# ---- Profiles. ----

def test_profile(test):
    lines = tree(test, profile())
    test.equal(lines[0], "app (pid 42)", "process")
    # Reported in all: 50 by a, 10 by b, 5 unnamed, and 20 for the tag: of 100, 15 remain, the 25 less the 10
    # that
    # count twice.
    test.equal(explicit(lines), ["100.00 MB (100.0%) -- explicit",
                                 "├───50.00 MB (50.00%) ── a",
                                 "├───20.00 MB (20.00%) ── tags/lib",
                                 "├───15.00 MB (15.00%) ── heap-unclassified",
                                 "├───10.00 MB (10.00%) ── b",
                                 "└────5.00 MB (05.00%) ── (unnamed reporter)"], "tree")
    test.equal(other(lines), ["100.00 MB ── heap-allocated"], "the heap")
    test.check(lines[1].startswith("note: 10.00 MB too much is counted below: 1 block was reported more than once."), "a note: " + lines[1])


def test_profile_twice_by_the_same(test):
    lines = tree(test, Profile(dmd=RUN).block(3 * MB, A, reps=[R, R], reporters=["explicit/a", "explicit/a"], reports=5)
                 .block(9 * MB, A))
    # a counts 5 times 3, of a heap of 12: -3 are left.
    test.equal(explicit(lines), ["12.00 MB (100.0%) -- explicit",
                                 "├──15.00 MB (125.0%) ── a [?!]",
                                 "└──-3.00 MB (-25.00%) ── heap-unclassified [?!]"], "counts five times")
    test.check(lines[1].startswith("note: 12.00 MB too much is counted below: 1 block was"), "a note: " + lines[1])


def test_profile_of_more_reports_than_heap(test):
    lines = tree(test, Profile(dmd=RUN).block(3 * MB, A, reps=[R, R], reporters=["explicit/a", "explicit/b"]))
    # a 3, b 3, of a heap of 3: -3 are left.
    test.equal(explicit(lines)[-1], "└──-3.00 MB (-100.0%) ── heap-unclassified [?!]", "below zero")
    test.check("  explicit/heap-unclassified" in lines, "a warning")


def test_profile_of_tagged_and_reported(test):
    lines = tree(test, Profile(dmd=RUN).block(3 * MB, A, reps=[R], reporters=["explicit/a"], tag="lib"))
    test.equal([line for line in lines if "lib" in line], [], "the reporter took the tag's blocks")


def test_profile_names(test):
    lines = tree(test, Profile(dmd=RUN)
                 .block(2 * MB, A, reps=[R], reporters=["heap-allocated"])
                 .block(3 * MB, A, reps=[R], reporters=["cookies"])
                 .block(4 * MB, A, reps=[R], reporters=["explicit/heap-unclassified"]))
    test.equal(explicit(lines), ["9.00 MB (100.0%) -- explicit",
                                 "├──5.00 MB (55.56%) ── heap-unclassified",
                                 "└──4.00 MB (44.44%) ── heap-unclassified (reporter)"], "a derived name is not taken")
    test.equal(other(lines), ["3.00 MB ── cookies", "9.00 MB ── heap-allocated", "2.00 MB ── heap-allocated (reporter)"],
               "the rest")


def test_process_of_arguments(test):
    """Blanks in the program's path do not end it."""
    spaced = dict(RUN, command="/opt/my programs/an app --flag", argv=["/opt/my programs/an app", "--flag"])
    test.equal(tree(test, profile(spaced))[0], "an app (pid 42)", "process")


def test_profile_without_reporters(test):
    lines = tree(test, Profile().block(2 * MB, A))
    test.equal(lines[0], "(unknown process)", "another program's")
    test.equal(explicit(lines), ["2.00 MB (100.0%) -- explicit", "└──2.00 MB (100.0%) ── heap-unclassified"], "all dark")
    test.equal(explicit(tree(test, Profile())),
               ["0.00 MB (100.0%) -- explicit", "└──0.00 MB (100.0%) ── heap-unclassified"], "no blocks")


def test_profile_modes(test):
    lines = tree(test, Profile(mode="live").block(2 * MB, A))
    test.equal(lines[1], "note: mode live: no reports were kept.", "live")
    lines = tree(test, Profile(mode="cumulative").block(2 * MB, A))
    test.check(lines[1].startswith("note: mode cumulative: "), "cumulative")
    lines = tree(test, profile(dict(RUN, sampleBelow=4096)))
    test.equal(lines[1], "note: blocks below 4096 bytes were sampled: amounts are estimates.", "sampled")
    live, dark = test.write("live", Profile(mode="live")), test.write("dark", profile())
    test.check("cannot be compared" in test.error("tree", "--diff", live, dark), "two modes")


def test_profiles_compared(test):
    # Another command, another process: the program is the same nevertheless. 7 MB more are reported by b.
    new = profile(dict(RUN, command="./build/app", pid=43)).block(7 * MB, A, reps=[R], reporters=["explicit/b"])
    old = profile(dict(RUN, command="older", pid=7))
    lines = tree(test, "--diff", old, new)
    test.equal(lines[0], "app (pid NNN)", "process")
    test.equal(explicit(lines), ["7.00 MB (100.0%) -- explicit", "└──7.00 MB (100.0%) ── b"], "tree")


def test_profile_against_memory_reports(test):
    new = profile()
    old = document(report("explicit/a", 49 * MB, HEAP, process="app (pid 1)"), allocated(100 * MB, "app (pid 1)"))
    # heap-unclassified: 15 against 51.
    lines = explicit(tree(test, "--diff", old, new))
    test.check(any(line.endswith("── a") and "1.00 MB" in line for line in lines), "a: %r" % lines)
    test.check(any(line.endswith("── heap-unclassified") and "-36.00 MB" in line for line in lines), "%r" % lines)


# ---- Measured and published amounts. ----


def entry(path, amount, kind="heap", units="bytes", **more):
    """A memory report as it stands in a profile."""
    return dict({"path": path, "amount": amount, "kind": kind, "units": units}, **more)


def publishing(*entries, memory=None):
    """10 MB reported by explicit/a, 4 by explicit/a/b, 6 by explicit/a/c, 5 outside of any; 20 tagged; 55 dark."""
    profile = Profile(dmd=dict(RUN, memoryReports=list(entries), memory=memory or {}))
    for szB, reporter in ((10, "explicit/a"), (4, "explicit/a/b"), (6, "explicit/a/c")):
        profile.block(szB * MB, A, reps=[R], reporters=[reporter])
    return profile.block(5 * MB, A, reps=[R]).block(20 * MB, A, tag="lib").block(55 * MB, A)


def all_other(lines):
    """All lines of the other measurements, without the blank ones between trees."""
    start = lines.index("Other Measurements", lines.index("app (pid 42)"))
    return [line for line in lines[start + 1:lines.index("End of app (pid 42)")] if line]


def explicit_amounts(lines):
    """Each line of the explicit tree: its name and its MB."""
    found = {}
    for line in explicit(lines):
        amount, _, name = line.lstrip("\u251c\u2514\u2502\u2500 ").partition(" MB ")
        found[name.split(") ")[1][3:]] = float(amount)
    return found


PLAIN = {"explicit": 100, "a": 20, "b": 4, "c": 6, "(own)": 10, "tags/lib": 20, "(unnamed reporter)": 5,
         "heap-unclassified": 55}


def test_measured_by_the_tool(test):
    memory = {"heapAllocated": 1, "heapOverhead": 3 * MB, "resident": 70 * MB, "residentUnique": 50 * MB}
    test.equal(other(tree(test, publishing(memory=memory))),
               ["100.00 MB ── heap-allocated", "  3.00 MB ── heap-overhead", " 70.00 MB ── resident",
                " 50.00 MB ── resident-unique"], "figures")
    test.equal(other(tree(test, publishing(memory={"resident": 7 * MB}))),
               ["100.00 MB ── heap-allocated", "  7.00 MB ── resident"], "what is known")
    changed = tree(test, "--diff", *(publishing(memory={"resident": n * MB}) for n in (7, 9)))
    test.equal(other(changed), ["2.00 MB ── resident"], "a difference")


def test_published(test):
    lines = tree(test, publishing(
        entry("explicit/maps", 30 * MB, "nonheap"), entry("cache/hits", 3, "other", "count", times=2),
        entry("full", 1234, "other", "percentage"), entry("events", -5, "other", "count-cumulative")))
    test.equal(explicit_amounts(lines), dict(PLAIN, explicit=130, maps=30), "explicit")
    test.equal(all_other(lines), ["3 (100.0%) -- cache", "└──3 (100.0%) ── hits [2]",
                                  "       -5 ── events [?!]", "   12.34% ── full", "100.00 MB ── heap-allocated"], "other")


def test_published_where_reporters_measured(test):
    """Measured values win over published ones; so does the sum of everything below a path, which the tree
    adds up itself."""
    for path, amount in (("explicit/a", 10), ("explicit/a", 20), ("explicit/a", 7), ("explicit/a/b", 4),
                         ("explicit/a/b", 400), ("explicit/a/c", 0)):
        for kind in ("heap", "nonheap", "other"):
            lines = tree(test, publishing(entry(path, amount * MB, kind)))
            test.equal(explicit_amounts(lines), PLAIN, "%s %d %s" % (path, amount, kind))
    both = Profile(dmd=dict(RUN, memoryReports=[entry("explicit/x", 9 * MB)]))
    both.block(5 * MB, A, reps=[R], reporters=["explicit/x/y"]).block(4 * MB, A, reps=[R], reporters=["explicit/x/z"])
    test.equal(explicit_amounts(tree(test, both)),
               {"explicit": 9, "x": 9, "y": 5, "z": 4, "heap-unclassified": 0}, "the sum of two")
    both.document["dmd"]["memoryReports"][0]["amount"] = 8 * MB
    test.equal(explicit_amounts(tree(test, both))["(own)"], 8, "another amount is the path's own")


def test_published_beside_reports(test):
    """Heap bytes that were reported outside of reporters, or that a tag names, are not counted a second
    time."""
    lines = tree(test, publishing(entry("explicit/jars", 3 * MB)))
    test.equal(explicit_amounts(lines), dict(PLAIN, **{"(unnamed reporter)": 2, "jars": 3}), "3 of 5")
    lines = tree(test, publishing(entry("explicit/jars", 7 * MB)))
    expected = dict(PLAIN, **{"jars": 7, "heap-unclassified": 53})
    del expected["(unnamed reporter)"]
    test.equal(explicit_amounts(lines), expected, "7 of 5")
    lines = tree(test, publishing(entry("explicit/driver", 20 * MB)))
    expected = dict(PLAIN, driver=20)
    del expected["tags/lib"]
    test.equal(explicit_amounts(lines), expected, "a tag's amount")
    lines = tree(test, publishing(entry("explicit/tags/lib", 21 * MB)))
    test.equal(explicit_amounts(lines), dict(PLAIN, **{"tags/lib": 21, "heap-unclassified": 54}), "a tag's path")


def test_published_in_several_units(test):
    lines = tree(test, publishing(
        entry("explicit/n", 2, "heap", "count"), entry("explicit/m", MB, "other"), entry("explicit/a", 3, "heap", "count"),
        entry("cache/b", MB, "other"), entry("cache/n", 4, "other", "count"), entry("lone", MB, "other"),
        entry("lone", 7, "other", "count"), entry("lone", 8, "other", "count-cumulative")))
    test.equal(explicit_amounts(lines), PLAIN, "explicit")
    test.equal(all_other(lines),
               ["1.00 MB (100.0%) -- cache", "└──1.00 MB (100.0%) ── b", "4 (100.0%) -- cache (count)",
                "└──4 (100.0%) ── n", "5 (100.0%) -- explicit (count)", "├──3 (60.00%) ── a", "└──2 (40.00%) ── n",
                "1.00 MB (100.0%) -- explicit (other)", "└──1.00 MB (100.0%) ── m", "100.00 MB ── heap-allocated",
                "  1.00 MB ── lone", "        7 ── lone (count)", "        8 ── lone (cumulative)"], "trees")


def test_published_under_derived_names(test):
    lines = tree(test, publishing(
        entry("resident", MB, "other"), entry("heap-allocated", 2 * MB, "other"), entry("resident", 3 * MB, "other",
                                                                                        process="child")))
    test.equal(all_other(lines), ["100.00 MB ── heap-allocated", "  2.00 MB ── heap-allocated (published)",
                                  "  1.00 MB ── resident (published)"], "its own")
    test.check("3.00 MB ── resident" in lines, "another process's: %r" % lines)


def test_published_for_other_processes(test):
    lines = tree(test, publishing(entry("explicit/a", 8 * MB, process="child (pid 7)"),
                                  entry("heap-allocated", 9 * MB, "other", process="child (pid 7)")))
    first, second = lines.index("app (pid 42)"), lines.index("child (pid 7)")
    test.equal(explicit_amounts(lines[first:second]), PLAIN, "this process")
    test.equal(explicit_amounts(lines[second:]), {"explicit": 9, "a": 8, "heap-unclassified": 1}, "the other")


def test_export_of_published(test):
    reports = export(test, publishing(
        entry("explicit/maps", 30 * MB, "nonheap", description="Maps."), entry("events", -5, "other", "count-cumulative"),
        entry("x", 1, process="child"), memory={"heapOverhead": 3, "resident": 4, "residentUnique": 2}))
    found = {(r["process"], r["path"]): (r["kind"], r["units"], r["amount"], r["description"]) for r in reports}
    test.equal(len(found), len(reports), "each once")
    test.equal(found["app (pid 42)", "explicit/maps"], (NONHEAP, BYTES, 30 * MB, "Maps."), "maps")
    test.equal(found["app (pid 42)", "events"], (OTHER, CUMULATIVE, -5, "Published by the program."), "events")
    test.equal(found["child", "x"][:3], (HEAP, BYTES, 1), "of the child")
    test.equal([found["app (pid 42)", path][2] for path in ("heap-overhead", "resident", "resident-unique")], [3, 4, 2],
               "figures")


def test_export_of_other_processes(test):
    """Without heap-allocated Firefox would warn about each process with an explicit tree."""
    reports = export(test, publishing(
        entry("explicit/a", 8 * MB, process="gpu"), entry("explicit/b", 2 * MB, "nonheap", process="gpu"),
        entry("explicit/a", 3 * MB, process="web"), entry("heap-allocated", 9 * MB, "other", process="web"),
        entry("x", 1, process="child")))
    heap = {r["process"]: r["amount"] // MB for r in reports if r["path"] == "heap-allocated"}
    test.equal(heap, {"app (pid 42)": 100, "gpu": 8, "web": 9}, "each once, where there is a tree")


# ---- Shared blocks. ----


def shared_by(test_profile, szB, owners, num=1):
    """Adds blocks that these owners share: names of reporters, or None."""
    sharers = []
    for i, name in enumerate(owners):
        sharer = {"at": test_profile.trace(["size_of (r.c:%d)" % (i + 1)])}
        if name is not None:
            sharer["reporter"] = name
        sharers.append(sharer)
    first = [["size_of (r.c:1)"]]
    names = [sharers[0].get("reporter")]
    return test_profile.block(szB, A, reps=first, reporters=names, num=num, sharers=sharers)


def test_shared(test):
    profile = shared_by(Profile(dmd=RUN).block(4 * MB, A, reps=[R], reporters=["explicit/a"]), 12 * MB,
                        ["explicit/a", "explicit/b/x", "explicit/b"])
    lines = tree(test, profile)
    # Of 12: 4 for a, which has 4 of its own, 4 for b/x and 4 for b.
    test.equal(explicit(lines), ["16.00 MB (100.0%) -- explicit",
                                 "├───8.00 MB (50.00%) ── a [whole: 16.00 MB]",
                                 "├───8.00 MB (50.00%) -- b",
                                 "│   ├──4.00 MB (25.00%) ── (own) [whole: 12.00 MB]",
                                 "│   └──4.00 MB (25.00%) ── x [whole: 12.00 MB]",
                                 "└───0.00 MB (00.00%) ── heap-unclassified"], "tree")
    test.check("note" not in lines[1], "shared is not twice: " + lines[1])


def test_shares_add_up(test):
    owners = ["explicit/%d" % i for i in range(7)] + [None]
    lines = tree(test, "-v", shared_by(Profile(dmd=RUN), 1003, owners, num=3))
    # 1003 / 8 is 125, and the remaining 3 go to the first; there are three such blocks.
    amounts = sorted((line.split("── ")[-1], line.split(" B ")[0].split("─")[-1]) for line in explicit(lines)[1:])
    test.equal(amounts, [("(unnamed reporter) [whole: 3,009 B]", "375"), ("0 [whole: 3,009 B]", "384")] +
               [("%d [whole: 3,009 B]" % i, "375") for i in range(1, 7)] + [("heap-unclassified", "0")], "shares")


def test_shared_by_many(test):
    """Owners beyond any limit: each has its part, and all parts add up to the block."""
    owners = ["explicit/o%04d" % i for i in range(2000)]
    lines = tree(test, "-v", shared_by(Profile(dmd=RUN), 3001, owners))
    # 3001 / 2000 is 1, and the remaining 1001 go to the first.
    amounts = {line.split("── ")[-1].split(" [")[0]: line.split(" B ")[0].split("─")[-1] for line in explicit(lines)[1:]}
    expected = {"o%04d" % i: "1,002" if i == 0 else "1" for i in range(2000)}
    test.equal(amounts, dict(expected, **{"heap-unclassified": "0"}), "parts")


def test_shared_compared(test):
    def of(owners):
        return shared_by(Profile(dmd=RUN), 12 * MB, owners)
    old, new = of(["explicit/a", "explicit/b"]), of(["explicit/a", "explicit/b", "explicit/c"])
    lines = explicit(tree(test, "--diff", old, new))
    # a and b have 4 instead of 6, and c has 4. Whole blocks would be 12 for each all the time, and new for c.
    test.equal(lines, ["0.00 MB (100.0%) -- explicit",
                       "├──4.00 MB (100.0%) ── c [whole: 12.00 MB] [+]",
                       "├──-2.00 MB (100.0%) ── a [whole: 0.00 MB]",
                       "└──-2.00 MB (100.0%) ── b [whole: 0.00 MB]"], "difference")


def test_export_of_shared(test):
    reports = export(test, shared_by(Profile(dmd=RUN), 11, ["explicit/a", "explicit/b"]))
    test.equal({r["path"]: r["amount"] for r in reports if r["path"].startswith("explicit")},
               {"explicit/a": 6, "explicit/b": 5}, "shares")


def test_shared_elsewhere(test):
    """By reporter, in budgets, merged and compared: with more owners than one report set holds."""
    owners = ["explicit/%s" % c for c in "abcde"]
    path = test.write("shared", shared_by(Profile(dmd=dict(RUN, faults=[])), 1002, owners, num=2))
    rows = test.dmdv("print", "--by=reporter", path)[0].split("\n")[1:6]
    test.equal([(r.split()[0], r.split()[2], r.split()[-1]) for r in rows],
               [("404", "2", "explicit/a")] + [("400", "2", o) for o in owners[1:]], "by reporter")
    for budget, status in (("explicit/a=404", 0), ("explicit/a=403", 1), ("explicit/e=400", 0), ("explicit/e=399", 1),
                           ("explicit=2004", 0), ("explicit=2003", 1)):
        test.dmdv("check", "--budget", budget, path, status=status)
    test.dmdv("check", "--max-twice-reported=0", path)
    test.dmdv("merge", "-o", test.path("merged"), path, path)
    lines = tree(test, "-v", test.path("merged"))
    test.equal([line.split("── ")[-1] for line in explicit(lines)[1:6]],
               [o[-1] + " [whole: 4,008 B]" for o in owners], "merged")
    test.check("no unreported" in test.dmdv("diff", path, path)[0], "a difference to itself")


# ---- Several processes. ----


def headings(lines):
    return [line for line, after in zip(lines, lines[1:] + [""]) if "End of " + line in lines]


def test_several_files(test):
    """Each process has its own tree, with its own note; equal names are followed by the file's name."""
    one = profile(dict(RUN, memory={"resident": 9 * MB}))
    two = Profile(dmd=dict(RUN, pid=43)).block(5 * MB, A, reps=[R], reporters=["explicit/a"])
    reports = document(report("explicit/z", 7 * MB, HEAP, process="web (pid 7)"), allocated(8 * MB, "web (pid 7)"))
    one, two, three = test.write("one", one), test.write("two", two), test.write("three", reports)
    lines = tree(test, one, two, three)
    test.equal(headings(lines), ["app (pid 42)", "app (pid 43)", "web (pid 7)"], "processes")
    part = lines[lines.index("app (pid 43)"):lines.index("End of app (pid 43)")]
    test.equal(explicit(part), ["5.00 MB (100.0%) -- explicit", "├──5.00 MB (100.0%) ── a",
                                "└──0.00 MB (00.00%) ── heap-unclassified"], "the second")
    test.check(lines[1].startswith("note: 10.00 MB too much is counted below: 1 block was") and
               "".join(lines).count("reported more than once") == 1, "the note is below the process that it is about")
    part = lines[lines.index("web (pid 7)"):]
    test.equal(explicit(part), ["8.00 MB (100.0%) -- explicit", "├──7.00 MB (87.50%) ── z",
                                "└──1.00 MB (12.50%) ── heap-unclassified"], "of about:memory")
    lines = tree(test, two, two, test.write("main", document(report("r", 1, process=""))), "main")
    test.equal(sorted(headings(lines)), sorted(["Main Process", "Main Process, " + test.path("main")[len(test.folder) + 1:],
                                                "app (pid 43)", "app (pid 43), " + two]), "names")
