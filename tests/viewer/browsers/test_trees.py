# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees with 200,000 open rows: the visible rows are the right ones, and only these exist."""

from dmdvtest import Profile
from heapbuilder import Heap

PARTS, LEAVES = 4, 50000  # a graph has up to 65,535 tags
SEEN = ("[...document.querySelectorAll('[role=%s][aria-level]')].map((e) => [Number(e.id.match(/[0-9]+$/)[0]), "
        "...['level', 'posinset', 'setsize'].map((a) => Number(e.getAttribute('aria-' + a))), "
        "e.getAttribute('aria-expanded'), e.querySelector('.tree-name, .lazy-name .frame')?.innerText])")
ROWS = "document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') === String(1 + %d)"
CURRENT = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"


def check_rows(t, page, role, expected):
    """Checks that the existing rows are few, are the expected ones, and follow the scroll position."""
    page.settle()
    seen = page.evaluate(SEEN % role)
    t.check(20 < len(seen) < 100, "%d rows exist" % len(seen))
    for index, *row in seen:
        t.equal(row, expected[index], "row %d" % index)
    t.check(any(row[0] == 0 for row in seen) or page.evaluate("document.querySelector('.table-scroller').scrollTop") > 0, "it scrolled")


def current(page):
    page.settle()
    return page.evaluate("Number(%s.id.match(/[0-9]+$/)[0])" % CURRENT)


def walk(t, page, role, expected):
    """Keys and scrolling reach every part of the rows, the focus stays, and closed rows disappear."""
    page.evaluate("document.querySelector('[role=tree], [role=treegrid]').focus()")
    check_rows(t, page, role, expected)
    last = len(expected) - 1
    for key, row in (("End", last), ("ArrowUp", last - 1), ("ArrowLeft", last - LEAVES), ("ArrowRight", last - LEAVES + 1),
                     ("ArrowUp", last - LEAVES), ("ArrowUp", last - LEAVES - 1)):
        page.press(key)
        t.equal(current(page), row, key)
        check_rows(t, page, role, expected)
    for share in (0.25, 0.5, 0.75):
        page.evaluate("((e) => e.scrollTo(0, e.scrollHeight * %g))(document.querySelector('.table-scroller'))" % share)
        check_rows(t, page, role, expected)
    page.press("Home")
    t.equal(current(page), 0)
    check_rows(t, page, role, expected)


def closed(expected, at):
    """The rows without those in one of them."""
    level = expected[at][0]
    end = next((i for i in range(at + 1, len(expected)) if expected[i][0] <= level), len(expected))
    return expected[:at] + [expected[at][:3] + ["false"] + expected[at][4:]] + expected[end:]


def test_of_reports(t):
    profile = Profile()
    for part in range(PARTS):
        for leaf in range(LEAVES):
            profile.block(1000 + leaf, ["malloc (m.c:1)"], reps=[["size_of (r.c:1)"]], reporters=["explicit/part%d/leaf%d" % (part, leaf)])
    path = t.write("reports.json", profile)
    expected = []

    def add(nodes, level):
        for place, node in enumerate(nodes):
            kids = node.get("children")
            expected.append([level, place + 1, len(nodes), "true" if kids is not None else None, node["name"]])
            add(kids or [], level + 1)

    page = t.open(path, link="view=tree&verbose=1")
    add(t.json("tree", "--verbose", "--json", path)["processes"][0]["trees"], 1)
    t.check(len(expected) > PARTS * LEAVES, "all are expected")
    page.evaluate("document.querySelector('[role=tree]').focus()")
    page.press("End", "ArrowUp")
    t.equal(current(page), len(expected) - 2)
    check_rows(t, page, "treeitem", expected)
    for share in (0.1, 0.5, 0.9):
        page.evaluate("((e) => e.scrollTo(0, e.scrollHeight * %g))(document.querySelector('.table-scroller'))" % share)
        check_rows(t, page, "treeitem", expected)
    page.press("Home", "ArrowDown", "ArrowDown", "ArrowLeft")
    t.equal(current(page), 1)
    page.press("ArrowLeft")
    page.until("document.querySelector('main').dataset.link.includes('toggled=0.0')")
    check_rows(t, page, "treeitem", closed(expected, 1))
    t.equal(current(page), 1)
    page.evaluate("document.querySelectorAll('[role=treeitem]')[1].click()")
    page.until("!document.querySelector('main').dataset.link.includes('toggled')")
    check_rows(t, page, "treeitem", expected)
    page.expect_quiet(t)


def test_of_rows_that_are_asked_for(t):
    heap = Heap()
    for thread in range(PARTS):
        for leaf in range(LEAVES):
            heap.block(1000 + LEAVES - leaf, tag="tag%d" % leaf, thread=thread + 1)
    path = t.write("heap.graph.gz", heap.gzipped())
    page = t.open(t.write("heap.json", Profile(dmd={"formatVersion": 1, "pid": 77, "time": heap.time}).block(1)), link="view=graph&by=thread,tag")
    page.evaluate("document.querySelector('[role=treegrid]').focus()")
    page.press("End")
    for part in range(PARTS):
        page.press("ArrowRight", "ArrowUp")
        page.until(ROWS % (PARTS + (part + 1) * LEAVES))
    expected = []
    rows = t.json("census", "--json", "--types=no", "--by=thread,tag", path)["rows"]
    for place, row in enumerate(rows):
        expected.append([1, place + 1, PARTS, "true", row["key"]["thread"]])
        expected += [[2, i + 1, LEAVES, None, inner["key"]["tag"]] for i, inner in enumerate(row["rows"])]
    t.equal(len(expected), PARTS + PARTS * LEAVES)
    walk(t, page, "row", expected)
    again = t.open(t.path("heap.json"), link=page.evaluate("location.hash")[1:])
    again.until(ROWS % len(expected))
    check_rows(t, again, "row", expected)
    again.expect_quiet(t)
