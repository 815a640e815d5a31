# SPDX-License-Identifier: GPL-2.0-or-later
"""What each view shows is what dmdv says."""

import json
import os

from harness import commands, compiler

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


def test_types(t):
    """Sums by type, where a heap graph lies beside the profile, are those of dmdv census; without one the page says what to do."""
    catalog = t.catalog()
    graph = catalog.replace(".json.gz", ".graph.gz")
    page = t.open(catalog, link="view=records&by=type&section=unreported")
    wanted = t.json("census", "--json", "--by=type", "--filter=state=unreported", graph)["rows"]
    t.check(len(wanted) > 3, "there are types")
    shown = {row["Name"]: (row["Bytes"], row["Blocks"]) for row in page.rows()}
    t.equal(shown, {row["key"]["type"]: (with_commas(row["bytes"]), with_commas(row["blocks"])) for row in wanted})
    page.go("view=treemap&by=type")
    t.contains(page.text(".chosen"), with_commas(t.json("census", "--json", "--by=type", graph)["total"]["bytes"]) + " bytes")
    t.picture(page, "treemap-by-type")
    page = t.open("--graphs=no", catalog, link="view=records&by=type")
    t.contains(page.text(".panel-error"), "--graph=yes")


def test_sums_open(t):
    """A row of a sum opens its records, which add up to it; the link says which, and the browser goes back and forward."""
    catalog = t.catalog()
    graph = catalog.replace(".json.gz", ".graph.gz")
    page = t.open(catalog, link="view=records")
    opened = "document.querySelector('.details-sum')?.innerText ?? ''"
    for by in ("reporter", "tag", "thread", "library", "file", "function", "type"):
        if by == "type":
            rows = [dict(row, name=row["key"]["type"]) for row in t.json("census", "--json", "--by=type", graph)["rows"]]
        else:
            rows = t.json("print", "--json", "--by=%s" % by, catalog)["rows"]
        page.go("view=records&by=%s" % by)
        shown = page.rows()
        t.equal(len(shown), len(rows), by)
        page.evaluate("document.querySelector('.table-row').click()")
        row = next(row for row in rows if row["name"] == shown[0]["Name"])
        sum_of = "%s bytes in %s block" % (with_commas(row["bytes"]), with_commas(row["blocks"]))
        page.until("(%s).includes(%s)" % (opened, json.dumps(sum_of)))
        t.contains(page.evaluate("location.hash"), "&%s=" % by)
        t.equal(page.evaluate("document.querySelector('.table-row[aria-selected=true]').innerText").split("\n")[-1], row["name"])
        t.picture(page, "sums-%s" % by)
        page.evaluate("history.back()")
        page.until("(%s) === '' && document.querySelector('.table-row') !== null" % opened)
        page.evaluate("history.forward()")
        page.until("(%s).includes(%s)" % (opened, json.dumps(sum_of)))
        page.evaluate("document.querySelector('.details-head button').click()")
        page.until("document.querySelector('.pick') !== null && document.querySelector('.toolbar [role=status]').innerText.includes(%s)"
                   % json.dumps(sum_of))
        t.contains(page.text(".pick"), row["name"])
        t.picture(page, "sums-%s-alone" % by)
    page.expect_quiet(t)


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


def test_overview(t):
    catalog = t.catalog()
    page = t.open(catalog, link="view=overview")
    wanted = {s["name"]: [with_commas(s["bytes"]), with_commas(s["blocks"]), with_commas(len(s["records"]))]
              for s in t.json("print", "--json", catalog)["sections"]}
    shown = page.evaluate("[...document.querySelector('.figures').querySelectorAll('tbody tr')].map((row) => "
                          "[...row.children].map((e) => e.innerText.trim()))")
    t.equal({row[0]: [row[1], row[3], row[4]] for row in shown}, wanted)
    worst = next(s for s in t.json("print", "--json", catalog)["sections"] if s["name"] == "unreported")["records"][:5]
    t.equal([text.split(" (")[0] for text in page.texts(".worst-size")], [with_commas(r["bytes"]) + " bytes" for r in worst])


def test_faults(t):
    """A program of the zoo with a claim that does not add up: the sentence and the stack are dmdv's."""
    folder = t.new_folder()
    program = compiler.compile_program(os.path.join(t.srcdir, "tests", "zoo", "claim_nothing.c"), os.path.join(folder, "zoo"),
                                       t.builddir, ["-g"])
    commands.run([t.place.launcher(), "-q", "--tool=dmd", "--dmd-out-file=zoo.json.gz", program], folder,
                 commands.plain_environment(folder))
    profile = next(os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json.gz"))
    page = t.open(profile, link="view=faults")
    faults = t.json("print", "--json", profile)["faults"]
    t.check(len(faults) > 0, "there is a fault")
    t.equal(page.texts(".fault h2"), [fault["sentence"] for fault in faults])
    t.equal(page.texts(".fault .stack .frame"), [frame for fault in faults for frame in fault["at"]])


def test_changes(t):
    """Two dumps: the records of their difference are those of dmdv diff, and the time line has the figures of both."""
    paths = [t.peer("script-diff-live%d.json" % i) for i in (1, 2)]
    page = t.open(*paths, link="view=diff&of=1&old=0")
    heaps = [t.json("print", "--json", path)["heap"] for path in paths]
    shown = page.evaluate("[...document.querySelectorAll('.series tbody tr')].map((row) => [...row.children].slice(1, 3).map((e) => e.innerText))")
    t.equal(sorted(shown), sorted([with_commas(heap["bytes"]), with_commas(heap["blocks"])] for heap in heaps))
    page.go("view=records&of=1&old=0")
    wanted = [(r["bytes"], r["blocks"]) for s in t.json("diff", "--json", *paths)["sections"] for r in s["records"]]
    t.equal([(row["Bytes"], row["Blocks"]) for row in page.rows()], [(with_commas(b), with_commas(n)) for b, n in wanted])
    page.expect_quiet(t)


def test_pictures(t):
    """Flame graph and treemap: what is chosen at first is the heap, or its sum by reporter."""
    catalog = t.catalog()
    page = t.open(catalog, link="view=flame")
    heap = t.json("print", "--json", catalog)["heap"]
    t.contains(page.text(".chosen"), "%s bytes (100.00%%) in %s blocks" % (with_commas(heap["bytes"]), with_commas(heap["blocks"])))
    page.evaluate("document.querySelector('.canvas-scroller').focus()")
    page.press("ArrowDown")
    page.until("document.querySelector('.chosen .frame').innerText.startsWith('main (')")
    page.go("view=treemap")
    rows = t.json("print", "--json", "--by=reporter", catalog)["rows"]
    t.contains(page.text(".chosen"), with_commas(sum(row["bytes"] for row in rows)) + " bytes")


def test_owners(t):
    """The line that is missing, and where."""
    catalog = t.catalog()
    page = t.open(catalog, link="view=graph&show=owners")
    owner = t.json("owners", "--json", catalog.replace(".json.gz", ".graph.gz"))["rows"][0]
    t.contains(page.text(".owner"), with_commas(owner["bytes"]) + " bytes")
    t.contains(page.text(".owner"), owner["owner"]["reporter"])
    t.contains(page.text(".owner code"), owner["proposal"]["line"])
