# SPDX-License-Identifier: GPL-2.0-or-later
"""Heap graphs and memory reports that are dropped on a page are read as dmdv reads them."""

import os

import fixtures
from harness import onefile
from test_files import drop
from shown import number

GRAPH_TABS = ["Graph", "Waste", "Claims", "Heap map", "Files"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tabs(page):
    return page.texts("nav.tabs a")


def graph_of(profile):
    return profile.replace(".json.gz", ".graph.gz")


def census_agrees(t, page, link):
    """The blocks by function, as dmdv counts them without debug information."""
    page.go("view=graph&by=function" + link)
    census = t.json("census", "--json", "--types=no", "--by=function", graph_of(t.catalog()))
    t.equal([row["Blocks"] for row in page.rows("[role=treegrid]")], [number(row["blocks"]) for row in census["rows"]])
    t.contains(page.text("main"), "No types are known")


def test_graph_alone(t):
    page = t.empty_page()
    drop(page, [("run.graph.gz", read(graph_of(t.catalog())))])
    t.equal(page.state(), "READ")
    t.equal(tabs(page), GRAPH_TABS)
    census_agrees(t, page, "")
    page.expect_quiet(t)


def test_graph_beside_its_profile(t):
    page = t.empty_page()
    files = [("run.json.gz", read(t.catalog())), ("run.graph.gz", read(graph_of(t.catalog())))]
    for order in (files, files[::-1]):
        drop(page, order)
        t.equal(page.state(), "READ")
        page.go("view=files")
        t.equal([row["File"] for row in page.rows()], ["run.json.gz"])
        t.equal(set(GRAPH_TABS + ["Records"]) - set(tabs(page)), set())
        census_agrees(t, page, "")
    page.expect_quiet(t)


def test_one_file(t):
    """A heap graph after its profile, in the same file, is found by the page itself."""
    page = t.empty_page()
    both = onefile.join(read(t.catalog()), read(graph_of(t.catalog())))
    drop(page, [("run.json.gz", both)])
    t.equal(page.state(), "READ")
    page.go("view=files")
    t.equal([row["File"] for row in page.rows()], ["run.json.gz"])
    t.equal(set(GRAPH_TABS + ["Records"]) - set(tabs(page)), set())
    census_agrees(t, page, "")
    at = len(read(t.catalog())) + 12
    drop(page, [("bad.json.gz", both[:at] + b"x" + both[at + 1:])])
    t.equal(page.state(), "ERROR")
    t.contains(page.text(".panel-error"), "bad.json.gz")
    page.expect_quiet(t)


def test_claims(t):
    """The core in the page finds what dmdv finds in one graph without debug information."""
    folder = os.path.dirname(fixtures.claims(t).paths[0])
    for path in sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".graph.gz")):
        found = t.json("claims", "--json", "--types=no", path)["functions"]
        wrong = [one for one in found if one["findings"]]
        if wrong:
            break
    page = t.empty_page()
    drop(page, [("run.graph.gz", read(path))])
    page.go("view=claims")
    t.equal(page.texts(".claims-functions tbody th"), [one["function"] for one in sorted(found, key=lambda one: not one["findings"])])
    t.equal(page.texts(".claim > h3")[0].split(": ")[1], wrong[0]["findings"][0]["difference"])
    page.expect_quiet(t)


def test_damaged_graph(t):
    page = t.empty_page()
    drop(page, [("cut.graph", read(graph_of(t.catalog()))[:2000])])
    t.equal(page.state(), "ERROR")
    t.contains(page.text(".panel-error"), "cut.graph")
    page.expect_quiet(t)


def test_graph_in_a_page(t):
    """A page that dmdv view makes of a graph alone has the same views."""
    page = t.open(graph_of(t.catalog()))
    t.equal(tabs(page), GRAPH_TABS)


def test_memory_reports(t):
    catalog = t.catalog()
    t.dmdv("export", "--format=about-memory", "-o", "reports.json.gz", catalog)
    page = t.empty_page()
    drop(page, [("reports.json.gz", read(t.path("reports.json.gz")))])
    t.equal(page.state(), "READ")
    t.equal(tabs(page), ["Tree", "Files"])
    page.go("view=tree")
    shown = page.texts("[role=treeitem] .tree-value, [role=treeitem] .tree-name")
    expected = []

    def add(node):
        expected.extend([node["value"], node["name"]])
        for child in node.get("children", []) if not node.get("hidden") else []:
            add(child)

    for node in t.json("tree", "--json", t.path("reports.json.gz"))["processes"][0]["trees"]:
        add(node)
    t.equal(shown, expected)
    page.expect_quiet(t)
