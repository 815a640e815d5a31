# SPDX-License-Identifier: GPL-2.0-or-later
"""What each view shows is what dmdv says."""

import json
import os

SECTIONS = {"unreported": "unreported", "once": "once-reported", "twice": "twice-reported"}


def with_commas(number):
    return "{:,}".format(number)


def test_files(t):
    catalog = t.catalog()
    page = t.open(catalog, link="view=files")
    heap = t.json("print", "--json", catalog)["heap"]
    row = page.rows()[0]
    t.equal(os.path.basename(row["File"]), os.path.basename(catalog))
    t.equal([row["Bytes"], row["Blocks"]], [with_commas(heap["bytes"]), with_commas(heap["blocks"])])


def records_agree(t, *arguments):
    """Every record of every section has the figures that dmdv print has, in the same order."""
    page = t.open(*arguments, link="view=records&section=unreported")
    for section in t.json("print", "--json", *arguments)["sections"]:
        short = next((key for key, name in SECTIONS.items() if name == section["name"]), "")
        page.go("view=records&section=%s" % short if short else "view=records")
        if not section["records"]:
            continue
        shown = [(row["Bytes"], row["Blocks"]) for row in page.rows()]
        t.equal(shown, [(with_commas(r["bytes"]), with_commas(r["blocks"])) for r in section["records"]], section["name"])
    page.expect_quiet(t)


def test_records(t):
    records_agree(t, t.catalog())


def test_records_of_a_peer(t):
    records_agree(t, t.peer("script-max-frames.json"))


def test_tree(t):
    catalog = t.catalog()
    page = t.open(catalog, link="view=tree")
    shown = page.evaluate(
        "[...document.querySelectorAll('[role=treeitem]')].map((row) => ['aria-level', ''].map((a) => a ? "
        "Number(row.getAttribute(a)) : [row.querySelector('.tree-value').innerText, row.querySelector('.tree-name').innerText]))")
    expected = []

    def add(node, level):
        expected.append([level, [node["value"], node["name"]]])
        for child in node.get("children", []) if not node.get("hidden") else []:
            add(child, level + 1)

    for node in t.json("tree", "--json", catalog)["processes"][0]["trees"]:
        add(node, 1)
    t.equal(shown, expected)


def test_census(t):
    catalog = t.catalog()
    graph = catalog.replace(".json.gz", ".graph.gz")
    page = t.open(catalog, link="view=graph&by=type%2Cstate")
    shown = page.evaluate("[...document.querySelectorAll('.lazy-row:not(.lazy-head)')].map((row) => "
                          "[...row.querySelectorAll('.lazy-figure, .lazy-name .frame')].map((e) => e.innerText))")
    rows = t.json("census", "--json", "--by=type", graph)["rows"]
    t.equal([[row[0], row[2], row[3], row[4]] for row in shown],
            [[with_commas(r["bytes"]), with_commas(r["blocks"]), with_commas(r["slop"]), r["key"]["type"]] for r in rows])


def scrolls_by_its_grid(found):
    """A table's scrolling part takes no focus: the grid around it does, whose keys scroll it (page.rows() does so)."""
    return found[1] == "scrollable-region-focusable" and all(place.startswith(".table-scroller ") for place in found[3])


def test_all_open_quietly(t):
    """Every view of a profile with its graph: no error, nothing on the console, nothing asked of the network, and axe finds
    nothing serious."""
    page = t.open(t.catalog())
    links = page.evaluate("[...document.querySelectorAll('.tabs a')].map((a) => a.getAttribute('href'))")
    t.check(len(links) >= 9, "there are all views: %s" % links)
    shows = ["view=graph&show=%s" % show for show in ("retained", "paths", "owners", "leaks")]
    for link in [link[1:] for link in links] + shows + ["view=records&id=1"]:
        page.go(link)
        t.equal(page.texts(".panel-error"), [], link)
        t.picture(page, "".join(c if c.isalnum() else "-" for c in link))
        serious = [found for found in page.browser.do("axe") if found[0] in ("serious", "critical") and not scrolls_by_its_grid(found)]
        t.equal(serious, [], "%s: %s" % (link, json.dumps(serious, indent=1)))
    page.expect_quiet(t)
