# SPDX-License-Identifier: GPL-2.0-or-later
"""The printed page has more rows than the screen, up to a limit, and states the limit."""

import re

from dmdvtest import Profile
from harness import Skip, files
from shown import number

PRINTED = 1000
# The value of an expression while the page is printed.
PRINTING = ("(async () => { window.dispatchEvent(new Event('beforeprint')); await null; await null; const value = %s; "
            "window.dispatchEvent(new Event('afterprint')); return value; })()")
ROWS = "[...document.querySelectorAll('.table-row')].map((row) => [...row.querySelectorAll('.cell, .tree-value, .tree-name')].map((e) => e.textContent))"


def printed_rows(page, rows):
    """The printed rows, once they have arrived. Each look draws them all; between two looks the page goes on."""
    page.until("new Promise((done) => setTimeout(done, 400)).then(() => %s)" % PRINTING % "document.querySelectorAll('.table-row').length" + ".then((n) => n === %d)" % rows)
    return page.evaluate(PRINTING % ROWS)


def many(t, blocks):
    profile = Profile()
    for i in range(blocks):
        profile.block(100000 - i, ["malloc (m.c:1)", "function_%d (file_%d.c:%d)" % (i, i % 7, i), "main (m.c:9)"])
    return t.write("many.json", profile)


def test_rows(t):
    path = many(t, 3000)
    page = t.open(path, link="view=records&section=unreported", dark=t.browser_name == "chromium")
    records = next(s for s in t.json("print", "--json", path)["sections"] if s["name"] == "unreported")["records"]
    rows = printed_rows(page, PRINTED)
    t.equal([row[0] for row in rows], [number(record["bytes"]) for record in records[:PRINTED]])
    t.equal(page.evaluate(PRINTING % "document.querySelector('.printed-rows').textContent"),
            "The first 1,000 of 3,000 rows; the others are in the page that was printed.")
    t.equal(page.evaluate(PRINTING % "getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()"), "#ffffff")
    page.settle()
    t.equal(page.texts(".printed-rows"), [])
    t.check(len(page.texts(".table-row")) < 100, "on the screen are those that are seen")
    page.expect_quiet(t)


def test_paper(t):
    """Real printing: a thousand rows take many sheets, a filter that leaves a few takes one."""
    if t.browser_name == "firefox":
        raise Skip("Firefox tells pages nothing when it is driven to print")
    page = t.open(many(t, 3000), link="view=records")
    printed_rows(page, PRINTED)
    sheets = []
    for link in ("view=records", "view=records&q=function_77"):
        page.go(link)
        printed_rows(page, PRINTED if "q=" not in link else 11)
        page.browser.do("pdf", path=t.path("paper.pdf"))
        sheets.append(len(re.findall(rb"/Type\s*/Page\b", files.read_bytes(t.path("paper.pdf")))))
    t.check(sheets[0] > 10, "sheets of 1,000 rows: %s" % sheets)
    t.equal(sheets[1], 1)


def test_trees_and_pictures(t):
    profile = Profile()
    for i in range(2000):
        profile.block(1000 + i, ["malloc (m.c:1)"], reps=[["size_of (r.c:1)"]], reporters=["explicit/part/leaf%d" % i])
    profile.block(100000000, ["malloc (m.c:1)"] + ["deep_%d (d.c:%d)" % (i, i) for i in range(90)])
    page = t.open(t.write("tree.json", profile), link="view=tree&verbose=1")
    rows = printed_rows(page, PRINTED)
    t.equal(rows[0][1], "explicit")
    t.contains(page.evaluate(PRINTING % "document.querySelector('.printed-rows').textContent"), "The first 1,000 of 2,0")
    page.go("view=flame")
    seen = page.evaluate("document.querySelector('canvas').height")
    t.check(page.evaluate(PRINTING % "document.querySelector('canvas').height") > 90 * 20 > seen, "the whole picture is printed")
    page.settle()
    t.equal(page.evaluate("document.querySelector('canvas').height"), seen)
    page.expect_quiet(t)
