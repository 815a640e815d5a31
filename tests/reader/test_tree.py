# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv tree: about:memory's files as trees, and their differences.

The expected trees were worked out by hand; most use round amounts, 1 MB being 1,048,576 bytes.
"""

import json

from treetest import (MB, HEAP, OTHER, COUNT, CUMULATIVE, PERCENTAGE, allocated, body, check_json, document, explicit,
                      other, report, tree)


# ---- Shape. ----

def test_the_whole_page(test):
    lines = tree(test, document(
        report("explicit/b/x", 30 * MB, HEAP), report("explicit/b/y", 20 * MB, HEAP), report("explicit/a", 40 * MB),
        allocated(60 * MB), report("pages/b", 3, OTHER, COUNT), report("pages/a", 1, OTHER, COUNT)))
    # The heap is 60, of which 50 are reported; 40 are not heap: 100 in all.
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
                              "├──0.15 KB (01.49%) ++ (2 tiny)",
                              "└──0.10 KB (01.00%) ── b"], "two tiny ones")


def test_a_lone_tiny_one_is_shown(test):
    lines = tree(test, document(report("r/a", 9901), report("r/b", 99)))
    test.equal(other(lines), ["0.01 MB (100.0%) -- r",
                              "├──0.01 MB (99.01%) ── a",
                              "└──0.10 KB (00.99%) ── b"], "one tiny one")


def test_tiny_is_measured_by_the_root(test):
    # x holds 5%, and no child of it 1% of the root: it is collapsed, although x/a is a tenth of x.
    small = [report("r/x/%s" % c, 50) for c in "abcdefghij"]
    lines = tree(test, document(report("r/y", 9500), *small))
    test.equal(other(lines)[2:], ["└──0.49 KB (05.00%) ++ x"], "collapsed")


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
    test.check("(100.0%) ── x\n└──────1 B (00.01%) ── y" in text, "99.995 and 0.005, rounded away from zero: " + text)
    # 199,989 in 200,000 is 99.9945%.
    test.check("(99.99%) ── x\n└──0.01 KB (00.01%) ── y" in text, "below 99.995: " + text)
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
    test.check("0.01 KB ── one [3]" in lines, "a single line")


def test_a_slash_within_a_name(test):
    lines = tree(test, document(report("r/http:\\\\host\\path", 5 * MB)))
    test.equal(other(lines)[1], "└──5.00 MB (100.0%) ── http://host/path", "as about:memory shows it")


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


# ---- Files with inconsistencies that can be shown. ----

def test_more_reported_than_there_is(test):
    # 50 + 30 reported of a heap of 70: explicit is 70, and the rest is -10.
    lines = tree(test, document(report("explicit/a", 50 * MB, HEAP), report("explicit/b", 30 * MB, HEAP),
                                allocated(70 * MB)))
    test.equal(explicit(lines), ["70.00 MB (100.0%) -- explicit",
                                 "├──50.00 MB (71.43%) ── a",
                                 "├──30.00 MB (42.86%) ── b",
                                 "└──-10.00 MB (-14.29%) ── heap-unclassified [?!]"], "tree")
    test.check(lines[1].startswith("warning: ") and "  explicit/heap-unclassified" in lines, "a warning: %r" % lines)
    test.check("  explicit/a" not in lines, "only for what is wrong")


def test_larger_than_the_root_and_hidden(test):
    # 200,000 - 100,000 in all. The two in x are tiny, one of them is negative: nothing of it is hidden.
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
    # A child with that name exists already; and a single line, which is not part of a tree.
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
    lines = explicit(tree(test, "--diff", old, new))
    test.equal(lines, ["-4.00 MB (100.0%) -- explicit",
                       "├──-8.00 MB (200.0%) ── o [-]",
                       "├───3.00 MB (-75.00%) ── n [+]",
                       "├───2.00 MB (-50.00%) ── heap-unclassified",
                       "└──-1.00 MB (25.00%) ── a"], "difference")


def test_only_heap_unclassified_changed(test):
    new = document(report("explicit/a", 5 * MB, HEAP), allocated(20 * MB))
    old = document(report("explicit/a", 5 * MB, HEAP), allocated(18 * MB))
    test.equal(explicit(tree(test, "--diff", old, new)),
               ["2.00 MB (100.0%) -- explicit", "└──2.00 MB (100.0%) ── heap-unclassified"], "shown")
    # Also if the heap is as large as before, but less of it is reported.
    old = document(report("explicit/a", 9 * MB, HEAP), allocated(20 * MB))
    lines = tree(test, "--diff", old, new)
    test.equal(explicit(lines), ["0.00 MB (100.0%) -- explicit",
                                 "├──-4.00 MB (100.0%) ── a",
                                 "└──4.00 MB (100.0%) ── heap-unclassified"], "shown")
    test.check("Other Measurements" not in lines and "warning" not in "".join(lines), "nothing else, nothing wrong")


def test_no_difference(test):
    same = document(report("explicit/a", 5 * MB, HEAP), allocated(20 * MB))
    test.equal(tree(test, "--diff", same, same), ["no difference", ""], "said")


def test_differences_are_sorted_by_what_is_in_them(test):
    # x: +50 - 49 = 1, within it 50 changed; y: +20.
    new = document(report("r/x/p", 50 * MB), report("r/y", 20 * MB))
    old = document(report("r/x/q", 49 * MB))
    test.equal(other(tree(test, "--diff", old, new)), ["21.00 MB (100.0%) -- r",
                                             "├───1.00 MB (04.76%) -- x",
                                             "│   ├──50.00 MB (238.1%) ── p [+]",
                                             "│   └──-49.00 MB (-233.3%) ── q [-]",
                                             "└──20.00 MB (95.24%) ── y [+]"], "order")


def test_what_differs_from_run_to_run(test):
    new = document(report("r/a(pid 12)/b(tid=3)/zone(0xff12)/s", 5 * MB, process="Web (pid 12)"))
    old = document(report("r/a(pid 7)/b(tid=99)/zone(0x1)/s", 3 * MB, process="Web (pid 7)"))
    lines = tree(test, "--diff", old, new)
    test.equal(lines[0], "Web (pid NNN)", "one process")
    test.equal(other(lines)[1], "└──2.00 MB (100.0%) ── a(pid NNN)/b(tid=NNN)/zone(0xNNN)/s", "one path")


def test_times_in_a_difference(test):
    new = document(report("r/a", 5 * MB))
    old = document(report("r/a", 1 * MB), report("r/a", 1 * MB))
    test.equal(other(tree(test, "--diff", old, new))[1], "└──3.00 MB (100.0%) ── a [2]", "the larger count")


def test_leaf_in_one_and_parent_in_the_other(test):
    new, old = document(report("r/a/b", 5 * MB)), document(report("r/a", 2 * MB))
    test.equal(other(tree(test, "--diff", old, new)), ["3.00 MB (100.0%) -- r",
                                             "└──3.00 MB (100.0%) -- a",
                                             "   ├──5.00 MB (166.7%) ── b [+]",
                                             "   └──-2.00 MB (-66.67%) ── (own) [-]"], "(own)")


# ---- JSON; all tests of text compare it as well. ----

def test_json_of_a_deep_tree(test):
    """Deeper than JSON may nest: below, leaves stand with the rest of their paths."""
    deep = "a"
    reports = []
    for i in range(40):
        reports.append(report(deep + "/x", 3 * MB, OTHER))
        deep += "/%d" % i
    path = test.write("deep", document(*reports, report(deep + "/y/z", 2 * MB, OTHER)))
    [node] = json.loads(test.dmdv("tree", "--json", "--verbose", path)[0])["processes"][0]["trees"]
    test.equal(node["amount"], 122 * MB, "all")
    level = 1
    while any("children" in kid for kid in node["children"]):
        test.equal(sum(kid["amount"] for kid in node["children"]), node["amount"], "a sum")
        [node] = [kid for kid in node["children"] if "children" in kid]
        level += 1
    test.equal(level, 24, "levels")
    test.equal(sum(kid["amount"] for kid in node["children"]), node["amount"], "the last sum")
    names = [kid["name"] for kid in node["children"]]
    # The 24th node is a/0/.../22; there are x and what is below it.
    test.check("x" in names and "23/x" in names and "/".join(map(str, range(23, 40))) + "/y/z" in names, "names %s" % names)
    test.equal(len(names), 18, "leaves")


def test_json_says_what_text_cannot(test):
    path = test.write("p", document(report("explicit/a", 5, HEAP), report("explicit/a", 6, HEAP), allocated(20)))
    result = check_json(test, tree(test, path), path)
    a = [kid for kid in result["processes"][0]["trees"][0]["children"] if kid["name"] == "a"][0]
    test.equal(a, {"name": "a", "path": "explicit/a", "amount": 11, "units": "bytes", "value": "0.01 KB", "share": "55.00%",
                   "kind": "heap", "description": "Some.", "n": 2}, "a leaf")
