# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv tree: profiles and about:memory's files as trees, and their differences.

The expected trees were worked out by hand; most use round amounts, 1 MB being 1,048,576 bytes.
"""

import gzip
import json

from dmdvtest import Profile
from harness import Skip

MB = 1 << 20
NONHEAP, HEAP, OTHER = 0, 1, 2
BYTES, COUNT, CUMULATIVE, PERCENTAGE = 0, 1, 2, 3
A = ["malloc (m.c:1)", "a (a.c:1)"]
R = ["size_of (r.c:1)"]


def report(path, amount, kind=NONHEAP, units=BYTES, process="P"):
    return {"process": process, "path": path, "kind": kind, "units": units, "amount": amount, "description": "Some."}


def allocated(amount, process="P"):
    return report("heap-allocated", amount, OTHER, process=process)


def document(*reports):
    return {"version": 1, "hasMozMallocUsableSize": True, "reports": list(reports)}


def tree(test, *args, **keys):
    """The lines that dmdv tree prints; arguments that are no strings become files."""
    args = [a if isinstance(a, str) else test.write("file%d" % i, a) for i, a in enumerate(args)]
    return test.dmdv("tree", *args, **keys)[0].split("\n")


def body(lines):
    """What stands between the name of the only process and its end, without notes."""
    return lines[lines.index("") + 1:-2]


def explicit(lines):
    start = lines.index("Explicit Allocations") + 2
    return lines[start:lines.index("", start)]


def other(lines):
    start = lines.index("Other Measurements") + 2
    return lines[start:lines.index("", start)]


# ---- Shape. ----

def test_the_whole_page(test):
    lines = tree(test, document(
        report("explicit/b/x", 30 * MB, HEAP), report("explicit/b/y", 20 * MB, HEAP), report("explicit/a", 40 * MB),
        allocated(60 * MB), report("pages/b", 3, OTHER, COUNT), report("pages/a", 1, OTHER, COUNT)))
    # The heap is 60, of which 50 are reported; 40 are no heap: 100 in all.
    test.equal(lines, [
        "P",
        "",
        "Explicit Allocations",
        "",
        "100.00 MB (100.0%) -- explicit",
        "├───50.00 MB (50.00%) -- b",
        "│   ├──30.00 MB (30.00%) ── x",
        "│   └──20.00 MB (20.00%) ── y",
        "├───40.00 MB (40.00%) ── a",
        "└───10.00 MB (10.00%) ── heap-unclassified",
        "",
        "Other Measurements",
        "",
        "4 (100.0%) -- pages",
        "├──3 (75.00%) ── b",
        "└──1 (25.00%) ── a",
        "",
        "60.00 MB ── heap-allocated",
        "",
        "End of P",
        ""], "page")


def test_children_by_amount_then_name(test):
    names = ["b", "a", "A", "2", "10", "(c)", "_d"]
    lines = tree(test, document(*[report("r/" + name, 10) for name in names], report("r/z", 30)))
    # Punctuation, digits one by one, letters whatever their case, small ones first.
    test.equal([line.split(" ── ")[1] for line in other(lines)[1:]], ["z", "_d", "(c)", "10", "2", "a", "A", "b"],
               "order")


def test_chains_merge_but_not_at_the_root(test):
    test.equal(other(tree(test, document(report("r/a/b/c", 5 * MB)))),
               ["5.00 MB (100.0%) -- r", "└──5.00 MB (100.0%) ── a/b/c"], "a chain alone")
    test.equal(other(tree(test, document(report("r/a/b/c/x", 3 * MB), report("r/a/b/c/y", 2 * MB)))),
               ["5.00 MB (100.0%) -- r",
                "└──5.00 MB (100.0%) -- a/b/c",
                "   ├──3.00 MB (60.00%) ── x",
                "   └──2.00 MB (40.00%) ── y"], "a chain that ends in a fork")


def test_tiny(test):
    # Of 10,000: 100 is exactly 1% and stays; 99 and 50 collapse, and with 149 they come before the 100.
    lines = tree(test, document(report("r/a", 9751), report("r/b", 100), report("r/c", 99), report("r/d", 50)))
    test.equal(other(lines), ["0.01 MB (100.0%) -- r",
                              "├──0.01 MB (97.51%) ── a",
                              "├──0.00 MB (01.49%) ++ (2 tiny)",
                              "└──0.00 MB (01.00%) ── b"], "two tiny ones")


def test_a_lone_tiny_one_is_shown(test):
    lines = tree(test, document(report("r/a", 9901), report("r/b", 99)))
    test.equal(other(lines), ["0.01 MB (100.0%) -- r",
                              "├──0.01 MB (99.01%) ── a",
                              "└──0.00 MB (00.99%) ── b"], "one tiny one")


def test_tiny_is_measured_by_the_root(test):
    # x holds 5%, and no child of it 1% of the root: it is collapsed, although x/a is a tenth of x.
    small = [report("r/x/%s" % c, 50) for c in "abcdefghij"]
    lines = tree(test, document(report("r/y", 9500), *small))
    test.equal(other(lines)[2:], ["└──0.00 MB (05.00%) ++ x"], "collapsed")


def test_verbose_expands_and_counts_bytes(test):
    lines = tree(test, "-v", document(report("r/a", 12345678), report("r/b", 3), report("r/c", 2)))
    # 3 in 12,345,683 is 0.0000243%, which is 00.00.
    test.equal(other(lines), ["12,345,683 B (100.0%) -- r",
                              "├──12,345,678 B (100.0%) ── a",
                              "├───────────3 B (00.00%) ── b",
                              "└───────────2 B (00.00%) ── c"], "all in bytes")


def test_lines_come_down_past_deeper_ones(test):
    lines = tree(test, document(report("r/a/b/x", 30 * MB), report("r/a/b/y", 30 * MB), report("r/a/c", 20 * MB),
                                report("r/d/e", 15 * MB), report("r/d/f", 5 * MB)))
    test.equal(other(lines), ["100.00 MB (100.0%) -- r",
                              "├───80.00 MB (80.00%) -- a",
                              "│   ├──60.00 MB (60.00%) -- b",
                              "│   │  ├──30.00 MB (30.00%) ── x",
                              "│   │  └──30.00 MB (30.00%) ── y",
                              "│   └──20.00 MB (20.00%) ── c",
                              "└───20.00 MB (20.00%) -- d",
                              "    ├──15.00 MB (15.00%) ── e",
                              "    └───5.00 MB (05.00%) ── f"], "lines")


# ---- Values. ----

def test_percentages(test):
    # 54 in 1,000; 3 in 80,000 is 0.00375%; 1 in 20,000 leaves 99.995%.
    lines = tree(test, document(report("a/x", 946), report("a/y", 54), report("b/x", 19999), report("b/y", 1),
                                report("c/x", 199989), report("c/y", 11), report("d/x", 0), report("d/y", 0)))
    shares = [line[line.index("(") + 1:line.index(")")] for line in other(lines)[:3]]
    test.equal(shares, ["100.0%", "94.60%", "05.40%"], "padded to two digits")
    text = "\n".join(lines)
    test.check("(100.0%) ── x\n└──0.00 MB (00.01%) ── y" in text, "99.995 and 0.005, rounded away from zero: " + text)
    # 199,989 in 200,000 is 99.9945%.
    test.check("(99.99%) ── x\n└──0.00 MB (00.01%) ── y" in text, "below 99.995: " + text)
    test.check("0.00 MB (100.0%) -- d\n├──0.00 MB (100.0%) ── x" in text, "parts of nothing: " + text)


def test_megabytes(test):
    # An eighth of a MB is 0.125; 1,294,542,995 bytes are 1,234.5724... MB.
    lines = tree(test, document(report("a", MB // 8), report("b", MB // 8 - 1), report("c", 1294542995)))
    test.equal(other(lines), ["    0.13 MB ── a", "    0.12 MB ── b", "1,234.57 MB ── c"], "rounded, and aligned")


def test_other_units(test):
    lines = tree(test, document(report("faults", 1234567, OTHER, CUMULATIVE), report("load", 1234, OTHER, PERCENTAGE),
                                report("ghosts/a", 2000, OTHER, COUNT), report("ghosts/b", 500, OTHER, COUNT),
                                report("shares/a", 7500, OTHER, PERCENTAGE)))
    test.equal(body(lines)[2:], [
        "2,500 (100.0%) -- ghosts",
        "├──2,000 (80.00%) ── a",
        "└────500 (20.00%) ── b",
        "",
        "75.00% (100.0%) -- shares",
        "└──75.00% (100.0%) ── a",
        "",
        "1,234,567 ── faults",
        "   12.34% ── load",
        ""], "units")


def test_equal_paths_are_summed(test):
    lines = tree(test, document(report("r/a", 1 * MB), report("r/b", 5 * MB), report("r/a", 3 * MB),
                                report("one", 2), report("one", 3), report("one", 4)))
    test.equal(other(lines)[1:], ["├──5.00 MB (55.56%) ── b", "└──4.00 MB (44.44%) ── a [2]"], "5 and 4 of 9")
    test.check("0.00 MB ── one [3]" in lines, "a single line")


def test_a_slash_within_a_name(test):
    lines = tree(test, document(report("r/http:\\\\host\\path", 5 * MB)))
    test.equal(other(lines)[1], "└──5.00 MB (100.0%) ── http:\\\\host\\path", "stays a backslash")


def test_sums_beyond_2_to_53(test):
    # 2^53 - 1 and 2^53 and 2: beyond what a double counts.
    lines = tree(test, "-v", document(report("r/a", 2**53 - 1), report("r/a", 2**53), report("r/b", 2)))
    test.equal(other(lines)[0], "18,014,398,509,481,985 B (100.0%) -- r", "2^54 + 1")


# ---- Processes. ----

def test_processes(test):
    lines = tree(test, document(
        report("resident", 10, OTHER, process="Small"), report("a", 10, OTHER, process="Unknown"),
        report("resident", 99, OTHER, process="Large"), report("resident", 5, OTHER, process="Main Process (pid 3)")))
    test.equal([line[7:] for line in lines if line.startswith("End of ")],
               ["Main Process (pid 3)", "Large", "Small", "Unknown"], "order")
    lines = tree(test, document(report("a", 1, process="Z"), report("a", 1, process="")))
    test.equal(lines[0], "Main Process", "the name of the empty one")


def test_heap_unclassified_is_by_process(test):
    lines = tree(test, document(allocated(10 * MB, "P"), report("explicit/a", 4 * MB, HEAP, process="P"),
                                allocated(7 * MB, "Q"), report("explicit/a", 2 * MB, HEAP, process="Q")))
    test.equal([line for line in lines if line.endswith("heap-unclassified")],
               ["├───6.00 MB (60.00%) ── heap-unclassified", "├──5.00 MB (71.43%) ── heap-unclassified"], "P, Q")


def test_heap_unclassified_that_is_there_is_kept(test):
    lines = tree(test, document(allocated(10 * MB), report("explicit/a", 4 * MB, HEAP),
                                report("explicit/heap-unclassified", 1 * MB, HEAP)))
    test.equal(explicit(lines)[-1], "└──1.00 MB (20.00%) ── heap-unclassified", "not computed again")


def test_without_heap_allocated(test):
    lines = tree(test, document(report("explicit/a", 4 * MB, HEAP)))
    test.equal(explicit(lines), ["4.00 MB (100.0%) -- explicit", "└──4.00 MB (100.0%) ── a"], "no heap-unclassified")


# ---- What is wrong with a file but can be shown. ----

def test_more_reported_than_there_is(test):
    # 50 + 30 reported of a heap of 70: explicit is 70, and -10 of it are left.
    lines = tree(test, document(report("explicit/a", 50 * MB, HEAP), report("explicit/b", 30 * MB, HEAP),
                                allocated(70 * MB)))
    test.equal(explicit(lines), ["70.00 MB (100.0%) -- explicit",
                                 "├──50.00 MB (71.43%) ── a",
                                 "├──30.00 MB (42.86%) ── b",
                                 "└──-10.00 MB (-14.29%) ── heap-unclassified [?!]"], "tree")
    test.check(lines[1].startswith("warning: ") and "  explicit/heap-unclassified" in lines, "a warning: %r" % lines)
    test.check("  explicit/a" not in lines, "only for what is wrong")


def test_larger_than_the_root_and_hidden(test):
    # 200,000 - 100,000 in all. The two in x are tiny, one of them is below zero: nothing of it is hidden.
    lines = tree(test, document(report("r/a", 200000), report("r/b", -100000), report("r/x/p", -1),
                                report("r/x/q", 1)))
    text = "\n".join(other(lines))
    test.check("(200.0%) ── a [?!]" in text and "(-100.0%) ── b [?!]" in text, "too large, and negative: " + text)
    test.check("-- x\n" in text and "── q\n" in text and "(-00.00%) ── p [?!]" in text, "expanded: " + text)


def test_leaf_and_parent_at_once(test):
    lines = tree(test, document(report("r/a", 5 * MB), report("r/a/b", 3 * MB), report("r/a-b", 2 * MB)))
    test.equal(other(lines), ["10.00 MB (100.0%) -- r",
                              "├───8.00 MB (80.00%) -- a",
                              "│   ├──5.00 MB (50.00%) ── (own)",
                              "│   └──3.00 MB (30.00%) ── b",
                              "└───2.00 MB (20.00%) ── a-b"], "(own)")
    # A child that is called so already; and a single line, which is no part of a tree.
    lines = tree(test, document(report("r/a", 5 * MB), report("r/a/(own)", 3 * MB), report("r", 1 * MB)))
    test.equal(other(lines), ["8.00 MB (100.0%) -- r", "└──8.00 MB (100.0%) ── a/(own) [2]"], "(own) twice")
    test.check("1.00 MB ── r" in lines, "the line")


# ---- Differences. ----

def test_difference(test):
    new = document(report("explicit/a", 5 * MB, HEAP), report("explicit/n", 3 * MB, HEAP),
                   report("explicit/same", 9 * MB, HEAP), allocated(20 * MB))
    old = document(report("explicit/a", 6 * MB, HEAP), report("explicit/o", 8 * MB, HEAP),
                   report("explicit/same", 9 * MB, HEAP), allocated(24 * MB))
    # a -1, n +3, o -8; unclassified 20 - 17 = 3 against 24 - 23 = 1: +2. In all -4, as heap-allocated.
    lines = explicit(tree(test, new, old))
    test.equal(lines, ["-4.00 MB (100.0%) -- explicit",
                       "├──-8.00 MB (200.0%) ── o [-]",
                       "├───3.00 MB (-75.00%) ── n [+]",
                       "├───2.00 MB (-50.00%) ── heap-unclassified",
                       "└──-1.00 MB (25.00%) ── a"], "difference")


def test_only_heap_unclassified_changed(test):
    new = document(report("explicit/a", 5 * MB, HEAP), allocated(20 * MB))
    old = document(report("explicit/a", 5 * MB, HEAP), allocated(18 * MB))
    test.equal(explicit(tree(test, new, old)),
               ["2.00 MB (100.0%) -- explicit", "└──2.00 MB (100.0%) ── heap-unclassified"], "shown")
    # And where the heap is as large as before, but less of it is reported.
    old = document(report("explicit/a", 9 * MB, HEAP), allocated(20 * MB))
    lines = tree(test, new, old)
    test.equal(explicit(lines), ["0.00 MB (100.0%) -- explicit",
                                 "├──-4.00 MB (100.0%) ── a",
                                 "└──4.00 MB (100.0%) ── heap-unclassified"], "shown")
    test.check("Other Measurements" not in lines and "warning" not in "".join(lines), "nothing else, nothing wrong")


def test_no_difference(test):
    same = document(report("explicit/a", 5 * MB, HEAP), allocated(20 * MB))
    test.equal(tree(test, same, same), ["no difference", ""], "said")


def test_differences_are_sorted_by_what_is_in_them(test):
    # x: +50 - 49 = 1, within it 50 changed; y: +20.
    new = document(report("r/x/p", 50 * MB), report("r/y", 20 * MB))
    old = document(report("r/x/q", 49 * MB))
    test.equal(other(tree(test, new, old)), ["21.00 MB (100.0%) -- r",
                                             "├───1.00 MB (04.76%) -- x",
                                             "│   ├──50.00 MB (238.1%) ── p [+]",
                                             "│   └──-49.00 MB (-233.3%) ── q [-]",
                                             "└──20.00 MB (95.24%) ── y [+]"], "order")


def test_what_differs_from_run_to_run(test):
    new = document(report("r/a(pid 12)/b(tid=3)/zone(0xff12)/s", 5 * MB, process="Web (pid 12)"))
    old = document(report("r/a(pid 7)/b(tid=99)/zone(0x1)/s", 3 * MB, process="Web (pid 7)"))
    lines = tree(test, new, old)
    test.equal(lines[0], "Web (pid NNN)", "one process")
    test.equal(other(lines)[1], "└──2.00 MB (100.0%) ── a(pid NNN)/b(tid=NNN)/zone(0xNNN)/s", "one path")


def test_times_in_a_difference(test):
    new = document(report("r/a", 5 * MB))
    old = document(report("r/a", 1 * MB), report("r/a", 1 * MB))
    test.equal(other(tree(test, new, old))[1], "└──3.00 MB (100.0%) ── a [2]", "the larger count")


def test_leaf_in_one_and_parent_in_the_other(test):
    new, old = document(report("r/a/b", 5 * MB)), document(report("r/a", 2 * MB))
    test.equal(other(tree(test, new, old)), ["3.00 MB (100.0%) -- r",
                                             "└──3.00 MB (100.0%) -- a",
                                             "   ├──5.00 MB (166.7%) ── b [+]",
                                             "   └──-2.00 MB (-66.67%) ── (own) [-]"], "(own)")


# ---- Profiles. ----

RUN = {"command": "/opt/my/app --flag", "pid": 42, "formatVersion": 1}


def profile(dmd=None, mode="dark-matter"):
    """Of 100 MB: 40 reported by a, 10 by a and b, 5 by nobody known; 20 tagged; 25 dark."""
    return (Profile(mode=mode, dmd=dmd or RUN)
            .block(10 * MB, A, num=4, reps=[R], reporters=["explicit/a"])
            .block(6 * MB, A, slop=4 * MB, reps=[R, R], reporters=["explicit/a", "explicit/b"])
            .block(5 * MB, A, reps=[R])
            .block(20 * MB, A, tag="lib")
            .block(25 * MB, A))


def test_profile(test):
    lines = tree(test, profile())
    test.equal(lines[0], "app (pid 42)", "process")
    # Reported in all: 50 by a, 10 by b, 5 unnamed, and 20 for the tag: of 100, 15 are left, the 25 less the 10
    # that count twice.
    test.equal(explicit(lines), ["100.00 MB (100.0%) -- explicit",
                                 "├───50.00 MB (50.00%) ── a",
                                 "├───20.00 MB (20.00%) ── tags/lib",
                                 "├───15.00 MB (15.00%) ── heap-unclassified",
                                 "├───10.00 MB (10.00%) ── b",
                                 "└────5.00 MB (05.00%) ── (unnamed reporter)"], "tree")
    test.equal(other(lines), ["100.00 MB ── heap-allocated"], "the heap")
    test.check(lines[1].startswith("note: 10.00 MB in 1 block were reported twice and count twice below"), "a note: " + lines[1])


def test_profile_twice_by_the_same(test):
    lines = tree(test, Profile(dmd=RUN).block(3 * MB, A, reps=[R, R], reporters=["explicit/a", "explicit/a"], reports=5)
                 .block(9 * MB, A))
    test.equal(explicit(lines), ["12.00 MB (100.0%) -- explicit",
                                 "├───6.00 MB (50.00%) ── a",
                                 "└───6.00 MB (50.00%) ── heap-unclassified"], "counts twice, not five times")


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
    test.check("cannot be compared" in test.error("tree", live, dark), "two modes")


def test_profiles_compared(test):
    # Another command, another process: the program is the same all the same. 7 MB more are reported by b.
    new = profile(dict(RUN, command="./build/app", pid=43)).block(7 * MB, A, reps=[R], reporters=["explicit/b"])
    old = profile(dict(RUN, command="older", pid=7))
    lines = tree(test, new, old)
    test.equal(lines[0], "app (pid NNN)", "process")
    test.equal(explicit(lines), ["7.00 MB (100.0%) -- explicit", "└──7.00 MB (100.0%) ── b"], "tree")


def test_profile_against_memory_reports(test):
    new = profile()
    old = document(report("explicit/a", 49 * MB, HEAP, process="app (pid 1)"), allocated(100 * MB, "app (pid 1)"))
    # heap-unclassified: 15 against 51.
    lines = explicit(tree(test, new, old))
    test.check(any(line.endswith("── a") and "1.00 MB" in line for line in lines), "a: %r" % lines)
    test.check(any(line.endswith("── heap-unclassified") and "-36.00 MB" in line for line in lines), "%r" % lines)


# ---- What the tool measured, and what the program published. ----


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
    """All lines of the other measurements, with the blank ones between trees left out."""
    start = lines.index("Other Measurements", lines.index("app (pid 42)"))
    return [line for line in lines[start + 1:lines.index("End of app (pid 42)")] if line]


def explicit_amounts(lines):
    """Each line of the explicit tree: what it is called and its MB."""
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
    changed = tree(test, publishing(memory={"resident": 9 * MB}), publishing(memory={"resident": 7 * MB}))
    test.equal(other(changed), ["2.00 MB ── resident"], "a difference")


def test_published(test):
    lines = tree(test, publishing(
        entry("explicit/maps", 30 * MB, "nonheap"), entry("cache/hits", 3, "other", "count", times=2),
        entry("full", 1234, "other", "percentage"), entry("events", -5, "other", "count-cumulative")))
    test.equal(explicit_amounts(lines), dict(PLAIN, explicit=130, maps=30), "explicit")
    test.equal(all_other(lines), ["3 (100.0%) -- cache", "└──3 (100.0%) ── hits [2]",
                                  "       -5 ── events [?!]", "   12.34% ── full", "100.00 MB ── heap-allocated"], "other")


def test_published_where_reporters_measured(test):
    """What was measured stands; so it does for the sum of what lies below a path, which is the tree's to add up."""
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
    """Heap that was reported outside of any reporter, or that a tag names, is not counted a second time."""
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


# ---- Shared blocks. ----


def shared_by(test_profile, szB, owners, num=1):
    """Adds blocks that these reporters share; an owner is a name (or None), or a name and a number of reports."""
    sharers = []
    for i, owner in enumerate(owners):
        name, times = owner if isinstance(owner, tuple) else (owner, 1)
        sharer = {"at": test_profile.trace(["size_of (r.c:%d)" % (i + 1)])}
        if name is not None:
            sharer["reporter"] = name
        if times > 1:
            sharer["num"] = times
        sharers.append(sharer)
    first = [["size_of (r.c:1)"]]
    names = [sharers[0].get("reporter")]
    return test_profile.block(szB, A, reps=first, reporters=names, num=num, sharers=sharers)


def test_shared(test):
    profile = shared_by(Profile(dmd=RUN).block(4 * MB, A, reps=[R], reporters=["explicit/a"]), 12 * MB,
                        ["explicit/a", "explicit/b/x", ("explicit/b", 2)])
    lines = tree(test, profile)
    # Of 12: 3 for a, which has 4 of its own, 3 for b/x and twice 3 for b.
    test.equal(explicit(lines), ["16.00 MB (100.0%) -- explicit",
                                 "├───9.00 MB (56.25%) -- b",
                                 "│   ├──6.00 MB (37.50%) ── (own) [whole: 12.00 MB]",
                                 "│   └──3.00 MB (18.75%) ── x [whole: 12.00 MB]",
                                 "├───7.00 MB (43.75%) ── a [whole: 16.00 MB]",
                                 "└───0.00 MB (00.00%) ── heap-unclassified"], "tree")
    test.check("note" not in lines[1], "shared is not twice: " + lines[1])


def test_shares_add_up(test):
    owners = ["explicit/%d" % i for i in range(7)] + [None]
    lines = tree(test, "-v", shared_by(Profile(dmd=RUN), 1003, owners, num=3))
    # 1003 / 8 is 125, and 3 are left, for the first; there are three such blocks.
    amounts = sorted((line.split("── ")[-1], line.split(" B ")[0].split("─")[-1]) for line in explicit(lines)[1:])
    test.equal(amounts, [("(unnamed reporter) [whole: 3,009 B]", "375"), ("0 [whole: 3,009 B]", "384")] +
               [("%d [whole: 3,009 B]" % i, "375") for i in range(1, 7)] + [("heap-unclassified", "0")], "shares")


def test_shared_compared(test):
    def of(owners):
        return shared_by(Profile(dmd=RUN), 12 * MB, owners)
    lines = explicit(tree(test, of(["explicit/a", "explicit/b", "explicit/c"]), of(["explicit/a", "explicit/b"])))
    # a and b have 4 in place of 6, and c has 4. What would be whole is 12 for each all the time, and new for c.
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


# ---- Ways in and out. ----

def test_gzip_and_standard_input(test):
    content = json.dumps(document(report("r/a", 5 * MB))).encode()
    expected = tree(test, test.write("plain", content))
    test.equal(tree(test, test.write("packed", gzip.compress(content))), expected, "gzipped, by content")
    test.equal(tree(test, "-", stdin=content), expected, "a pipe")
    test.equal(tree(test, "-", stdin=gzip.compress(content)), expected, "a gzipped pipe")
    test.equal(tree(test, "-", stdin=json.dumps(profile().json()).encode()), tree(test, profile()), "a profile")
    test.check("only one" in test.error("tree", "-", "-"), "twice")


def test_any_order_of_keys(test):
    entry = report("r/a", 5 * MB)
    shuffled = {"more": [1, {"x": 2}], "reports": [dict(reversed(entry.items()), extra=1)],
                "hasMozMallocUsableSize": False, "version": 1}
    test.equal(tree(test, shuffled), tree(test, document(entry)), "and unknown ones")


def test_output_file(test):
    path = test.write("in", document(report("r/a", 5 * MB)))
    out, _ = test.dmdv("tree", "-o", test.path("out"), path)
    test.equal(out, "", "standard output")
    test.equal(test.read("out").split("\n"), tree(test, path), "the file")
    test.error("tree", "-o", test.path("no/such/folder"), path)


def test_command_line(test):
    path = test.write("in", document())
    test.equal(test.dmdv("tree", path)[0], "", "nothing in it")
    for args in ([], [path, path, path]):
        test.check("one file, or two" in test.error("tree", *args), "number of files")
    test.check("did you mean --verbose" in test.error("tree", "--vorbose", path), "nearest")
    test.check("needs a value" in test.error("tree", "-o"), "no value")
    test.check("usage: dmdv tree" in test.dmdv("tree", "--help")[0], "help")


# ---- Hostile input. ----

def test_bad_documents(test):
    good = document(report("r/a", 5))
    for key in good:
        bad = dict(good)
        del bad[key]
        if key != "reports":
            test.check("is missing" in test.error("tree", test.write("bad", bad)), key)
    for key, values in {"version": (2, "1", None), "hasMozMallocUsableSize": (1, "true"), "reports": ({}, 5)}.items():
        for value in values:
            test.error("tree", test.write("bad", dict(good, **{key: value})))
    for text in ("", "[]", "{}", "{", '{"version": 1}', '{"reports": [', json.dumps(good) + "x", "\x1f\x8bxx"):
        test.error("tree", test.write("bad", text))
    test.error("tree", test.folder)
    test.error("tree", test.path("absent"))


def test_the_key_that_tells_may_come_after_the_version(test):
    """The version is judged by the format that a later key tells, and is found wrong where it stands."""
    for version, key, words in ((2, '"reports": []', "of the memory reports is not 1"),
                                (1, '"blockList": []', "is not 5"), (5, '"reports": []', "is not 1"),
                                ('"5"', '"frameTable": {}', "is not 5")):
        for before, line in (("", 2), ('"unknown": [\n1],\n', 4)):
            text = '{\n%s"version": %s,\n"more": {},\n%s}' % (before, version, key)
            said = test.error("tree", test.write("bad", text))
            test.check(":%d: " % line in said and words in said, said)
    said = test.error("tree", test.write("bad", '{"version": 1, "version": 1, "reports": []}'))
    test.check('"version" comes twice' in said, said)
    for text in ('{"version": 5}', '{"more": 1}'):
        said = test.error("tree", test.write("bad", text))
        test.check("is neither a profile" in said, said)


def test_bad_reports(test):
    for key, values in {"process": (1, None), "path": (1, ""), "kind": (3, -1, "1", 0.5), "units": (4, "0"),
                        "amount": ("5", 0.5, 2**53 + 2, -2**53 - 2, 1e300, None), "description": (5,)}.items():
        for value in values:
            bad = document(report("r/a", 5), dict(report("r/b", 5), **{key: value}))
            line = test.error("tree", test.write("bad", bad))
            test.check(":1: a report" in line and "byte" in line, "%s %r: %s" % (key, value, line))
    for key in ("process", "path", "kind", "units", "amount"):
        bad = report("r/a", 5)
        del bad[key]
        test.check('"%s"' % key in test.error("tree", test.write("bad", document(bad))), key)
    test.error("tree", test.write("bad", document(5)))
    without = report("r/a", 5 * MB)
    del without["description"]
    test.equal(len(other(tree(test, document(without)))), 2, "a missing description is harmless")


def test_mixed_units(test):
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/b", 5, OTHER, COUNT))))
    test.check('"r/b" is in other units' in line, line)
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/a", 5, OTHER, COUNT))))
    test.check("other units" in line, line)
    line = test.error("tree", test.write("a", document(report("r/a", 5))),
                      test.write("b", document(report("r/a", 5, OTHER, COUNT))))
    test.check("other units in the two files" in line, line)
    for bad in (report("explicit/a", 5, OTHER), report("explicit/a", 5, HEAP, COUNT)):
        test.check("under explicit" in test.error("tree", test.write("bad", document(bad))), "explicit is memory")
    # Two processes, or a line and a tree, may differ.
    tree(test, document(report("r/a", 5), report("r/a", 5, OTHER, COUNT, process="Q"), report("r", 5, OTHER, COUNT)))


def test_sums_too_large(test):
    # 128 times 2^53 is 2^60, one more is too much.
    full = [report("r/a", 2**53 - 1)] * 128
    test.equal(len(other(tree(test, document(*full)))), 2, "just below")
    test.check("2^60" in test.error("tree", test.write("bad", document(*full, report("r/b", -200)))), "above")


def test_control_characters(test):
    lines = tree(test, document(report("r/\x1b[31mred\n", 5 * MB, process="P\x07\u009b")))
    # The line end is one of the path, not of the output; U+009B is a control in two bytes.
    test.equal(lines[0], "P\\x07\\xc2\\x9b", "process")
    test.check("└──5.00 MB (100.0%) ── \\x1b[31mred\\x0a" in lines, "path: %r" % lines)
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/\x1b[31m", 5, OTHER, COUNT))))
    test.check("\x1b" not in line, "nor in messages")


def test_deep_paths(test):
    deep = "r" + "/a" * 10000
    lines = tree(test, "-v", document(report(deep + "/x", 2), report(deep + "/y", 1)))
    test.equal(other(lines), ["3 B (100.0%) -- r",
                              "└──3 B (100.0%) -- " + deep[2:],
                              "   ├──2 B (66.67%) ── x",
                              "   └──1 B (33.33%) ── y"], "two at the end")
    # A fork at each of 1,000 depths.
    forks = [report("r" + "/a" * depth + "/b", 1) for depth in range(1000)] + [report("r" + "/a" * 1000, 1)]
    lines = other(tree(test, "-v", document(*forks)))
    test.equal(len(lines), 2001, "lines: the root, 1,000 b, 1,000 a")
    test.equal(lines[0], "1,001 B (100.0%) -- r", "sum")


def test_paths_of_slashes(test):
    lines = tree(test, document(report("/", 5 * MB), report("a/", 3 * MB), report("a//b", 1 * MB)))
    test.equal(other(lines)[:2], ["5.00 MB (100.0%) -- ", "└──5.00 MB (100.0%) ── "], "empty parts")
    # "a/" is the parent of "a//b".
    test.check("├──3.00 MB (75.00%) ── (own)" in "\n".join(lines), "%r" % lines)


def test_own_upon_own(test):
    paths = ["r/a" + "/(own)" * n for n in range(50)]
    # Amounts all the way down: the first of them moves into the second, and so on.
    lines = tree(test, "-v", document(*[report(p, 1) for p in paths[:2]]))
    test.equal(other(lines), ["2 B (100.0%) -- r", "└──2 B (100.0%) ── a/(own) [2]"], "two")
    line = test.error("tree", test.write("bad", document(*[report(p + "/x", 1) for p in paths], report("r/a", 1))))
    test.check("(own)" in line, line)


def test_long_names(test):
    name = "n" * MB
    lines = tree(test, document(report("r/" + name, 5 * MB)))
    test.equal(other(lines)[1], "└──5.00 MB (100.0%) ── " + name, "a name of a megabyte")
    line = test.error("tree", test.write("bad", document(report("r/a", 5), report("r/" + name, 5, OTHER, COUNT))))
    test.check(len(line) < 400, "messages stay short")


def test_many_single_lines(test):
    lines = tree(test, document(*[report("line%05d" % i, i) for i in range(20000)]))
    test.equal(len(other(lines)), 20000, "lines")


# ---- Export: memory reports for about:memory. ----

def export(test, content):
    """The reports that dmdv export writes."""
    path = test.write("profile", content)
    out, _ = test.dmdv("export", "--help")
    if "about-memory" not in out:
        raise Skip("this dmdv export knows no about-memory")
    out, _ = test.dmdv("export", "--format=about-memory", path)
    written = json.loads(out)
    test.equal((written["version"], written["hasMozMallocUsableSize"], sorted(written)),
               (1, True, ["hasMozMallocUsableSize", "reports", "version"]), "the document")
    for entry in written["reports"]:
        test.equal(sorted(entry), ["amount", "description", "kind", "path", "process", "units"], "keys")
        test.check(entry["description"], "descriptions")
    return written["reports"]


def test_export(test):
    reports = export(test, profile())
    test.equal({r["process"] for r in reports}, {"app (pid 42)"}, "process")
    test.equal({r["path"]: (r["kind"], r["units"], r["amount"] // MB) for r in reports}, {
        "explicit/a": (HEAP, BYTES, 50), "explicit/b": (HEAP, BYTES, 10), "explicit/tags/lib": (HEAP, BYTES, 20),
        "explicit/(unnamed reporter)": (HEAP, BYTES, 5), "heap-allocated": (OTHER, BYTES, 100),
        "resident": (OTHER, BYTES, 100), "resident-unique": (OTHER, BYTES, 100)}, "reports")
    test.equal(len(reports), 7, "each once, and no heap-unclassified")


def test_export_reads_back_as_the_same_tree(test):
    written = document(*export(test, profile()))
    test.equal(explicit(tree(test, written)), explicit(tree(test, profile())), "tree")


def test_export_of_leaf_and_parent(test):
    reports = export(test, Profile(dmd=RUN).block(5 * MB, A, reps=[R], reporters=["explicit/a"])
                     .block(3 * MB, A, reps=[R], reporters=["explicit/a/b"])
                     .block(2 * MB, A, reps=[R], reporters=["cookies\\jar"]))
    paths = {r["path"]: r["amount"] // MB for r in reports if not r["path"].startswith(("resident", "heap-"))}
    test.equal(paths, {"explicit/a/(own)": 5, "explicit/a/b": 3, "cookies\\jar": 2}, "paths")
