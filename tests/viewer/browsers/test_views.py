# SPDX-License-Identifier: GPL-2.0-or-later
"""Views open and show their data; test_agree.py compares their figures."""

import json
import os

import fixtures
from harness import Skip, commands, compiler, files
from shown import lazy_rows, number, with_sign


# Elements for which the core computes the content: the analyses of a graph, and the details of a record.
SHOWS = ["view=graph&show=" + show for show in ("retained", "paths", "owners", "leaks", "block")]


def open_all(page, t, each):
    """Opens every view that the page offers; each(link) for every one of them."""
    links = [link[1:] for link in page.evaluate("[...document.querySelectorAll('.tabs a')].map((a) => a.getAttribute('href'))")]
    for link in links + (SHOWS if "view=graph" in links else []) + (["view=records&id=1"] if "view=records" in links else []):
        page.go(link)
        t.check(len(page.text("main")) > 10, link + " shows something")
        each(link)
    page.expect_quiet(t)
    return links


def test_all_open_quietly(t):
    """Every view of a profile with its graph: no error, no console output, no network request, and axe finds nothing
    serious."""
    page = t.open(t.catalog())

    def look(link):
        t.picture(page, "".join(c if c.isalnum() else "-" for c in link))
        serious = page.serious()
        t.equal(serious, [], "%s: %s" % (link, json.dumps(serious, indent=1)))
    t.check(len(open_all(page, t, look)) >= 9, "there are all views")


# The elements that make the page wider than the screen.
_WIDE = """document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')].filter((e) =>
  e.getBoundingClientRect().right > innerWidth).map((e) => e.tagName + '.' + e.className)"""


def test_sizes_of_screens(t):
    """From a telephone to a large screen, in dark mode too: only tables and pictures, which scroll by themselves, are wider
    than the screen, and axe finds nothing serious."""
    for width, height, dark in ((360, 640, True), (3840, 2160, False)):
        # Firefox cannot be switched to dark mode here.
        page = t.open(t.catalog(), width=width, height=height, dark=dark and t.browser_name == "chromium")

        def look(link):
            t.picture(page, "%d-%s" % (width, "".join(c if c.isalnum() else "-" for c in link)))
            wide = page.evaluate(_WIDE)
            t.equal(wide, [], "%s at %d" % (link, width))
            serious = page.serious()
            t.equal(serious, [], "%s at %d: %s" % (link, width, json.dumps(serious, indent=1)))
        open_all(page, t, look)


# The marks at the ends of the strip of tabs, and whether the tab of the view is visible as a whole.
_STRIP = """(() => {
  const strip = document.querySelector('.tabs'), box = strip.getBoundingClientRect();
  const current = strip.querySelector('[aria-current]').getBoundingClientRect();
  const shown = (which) => getComputedStyle(strip, which).content.replace(/[^‹›]/g, '');
  return { marks: shown('::before') + shown('::after'), isWhole: current.left >= box.left - 1 && current.right <= box.right + 1 };
})()"""


def test_tabs_that_do_not_fit(t):
    """A mark at an end of the strip says that there are more tabs; the tab of the view is visible. Where all fit there is no mark."""
    page = t.open(t.catalog(), width=390, height=800)
    for link, marks in (("view=overview", "›"), ("view=files", "‹"), ("view=records", "‹›")):
        page.go(link)
        t.equal(page.evaluate(_STRIP), {"marks": marks, "isWhole": True}, link)
        t.picture(page, "tabs-" + link)
    page.go("view=overview")
    page.evaluate("document.querySelector('.tabs').scrollTo(60, 0)")
    page.settle()
    t.equal(page.evaluate(_STRIP)["marks"], "‹›", "scrolled")


def everything(t):
    """A profile with all that a page can show: two dumps, a heap graph, lifetimes and claims."""
    def make():
        folder = t.new_folder()
        source = os.path.join(t.srcdir, "tests", "tool", "programs", "claimfns.c")
        program = compiler.compile_program(source, os.path.join(folder, "claimfns"), t.builddir, ["-g", "-fno-inline"])
        for i in (1, 2):
            commands.run([t.place.launcher(), "-q", "--tool=dmd", "--dmd-out-file=%d.json.gz" % i, "--lifetimes=yes", "--claim-fn=size_*",
                          program], folder, commands.plain_environment(folder))
        return folder
    folder = t.browsers.once("everything", make)
    return [os.path.join(folder, "%d.json.gz" % i) for i in (1, 2)]


def test_all_tabs_fit(t):
    """From 1024 pixels on all tabs are visible, in one line, even if there are all of a profile."""
    for width in (1024, 1280):
        page = t.open(*everything(t), link="view=records", width=width)
        t.equal(len(page.texts(".tabs a")), 14, "tabs")
        t.equal(page.evaluate(_STRIP), {"marks": "", "isWhole": True}, str(width))
        t.equal(page.evaluate("(() => { const boxes = [...document.querySelectorAll('.bar > *:not(input)')].map((e) => e.getBoundingClientRect()); "
                              "return Math.max(...boxes.map((b) => b.top)) < Math.min(...boxes.map((b) => b.bottom)); })()"), True, "one line")
        t.picture(page, "all-tabs-%d" % width)


def test_copying(t):
    """Copied text can be pasted: dmdv's own text below the file's name; for a bug report within a fence."""
    catalog = t.catalog()
    text = t.dmdv("print", "--owners=yes", catalog)[0].split("\n", 2)[2]
    page = t.open(catalog, link="view=records")
    for button, before, after in (("Copy", "", ""), ("Markdown", "```text\n", "```\n")):
        page.evaluate("[...document.querySelectorAll('.copy button')].find((e) => e.innerText === %s).click()" % json.dumps(button))
        page.until("document.querySelector('.copy [role=status]').innerText === 'Copied'")
        pasted = page.browser.do("paste")
        t.equal(pasted[:len(before) + 4], before + "#---", button)
        t.equal(pasted.removeprefix(before).split("\n", 2)[2], text + after, button)
        page.go("view=files")
        page.go("view=records")
    page.expect_quiet(t)


def test_all_open_of_every_fixture(t):
    """Opens all views of other files; a file's kind decides which views it has."""
    offered = {}
    for name, make in fixtures.ALL.items():
        try:
            fixture = make(t)
        except Skip as skip:
            t.note("without %s: %s" % (name, skip))
            continue
        links = open_all(t.open(*fixture.paths), t, lambda link: None)
        offered[name] = {link.split("=")[1].split("&")[0] for link in links}
    of_a_profile = {"overview", "records", "flame", "faults", "tree", "treemap", "files"}
    of_a_graph = {"graph", "waste", "claims", "map", "files"}
    of_dmd = of_a_profile | {"timeline"}
    wanted = {"catalog": of_dmd | of_a_graph, "redis": of_dmd | of_a_graph, "firefox": of_a_profile,
              "diff": of_a_profile | {"diff"}, "series": of_dmd | {"diff"}, "peak": of_dmd | of_a_graph,
              "recent": of_dmd | {"diff"}, "lifetimes": of_dmd | {"lifetimes"},
              "sampled": of_dmd, "graph": of_a_graph, "claims": of_dmd | of_a_graph}
    t.equal(offered, {name: wanted[name] for name in offered})


def _small(t, name, source, *options):
    """A profile of a small program, recorded by the native engine or Valgrind."""
    def make():
        folder = t.new_folder()
        program = compiler.compile_program(files.write(os.path.join(folder, "own.c"), source), os.path.join(folder, "own"), t.builddir, ["-g"])
        commands.run([t.place.launcher(), "-q", "--tool=dmd", "--dmd-out-file=own.json.gz", *options, program], folder,
                     commands.plain_environment(folder))
        return os.path.join(folder, "own.json.gz")
    return t.browsers.once("small " + name, make)


_LEFT = "#include <stdlib.h>\nchar *left;\nint main(void) { left = malloc(5000); free(malloc(700)); return left == NULL; }\n"
_FREED = "#include <stdlib.h>\nint main(void) { free(malloc(5000)); return 0; }\n"

VIEW_IDS = ("history", "curve", "overview", "timeline", "records", "lifetimes", "flame", "faults", "tree", "treemap", "graph", "waste",
            "claims", "map", "diff", "files")
OF_GRAPH = ["graph&show=" + show for show in ("retained", "paths", "owners", "leaks", "block")]


def test_empty_views_say_what_to_do(t):
    """Every view, of files with little in them: a sentence says what the view shows. One that has nothing to show also says with
    which command it would."""
    left, freed = _small(t, "left", _LEFT), _small(t, "freed", _FREED, "--graph=yes")
    without = _small(t, "without", _LEFT, "--timeline=no")
    cases = {"no graph": [left], "an empty heap": [freed], "only a graph": [freed.replace(".json.gz", ".graph.gz")],
             "no timeline": [without], "a diff": [left, without]}
    for name, paths in cases.items():
        page = t.open(*paths)
        empty = []
        for view in (*VIEW_IDS, *(OF_GRAPH if "Graph" in page.texts(".tabs a") else ())):
            page.go("view=" + view)
            panel = page.text(".panel-empty")
            said = page.text(".question") or " ".join(page.texts(".panel-empty p")[:2])
            t.check(said.count(" ") > 3 and said.strip()[-1] in "?.", "%s: %s says what it shows: %r" % (name, view, said))
            if panel:
                empty.append(view)
                t.check(len(page.texts(".panel-empty code")) == 1 or "claims" in view, "%s: %s: %r" % (name, view, panel))
                t.check(page.texts(".panel-empty code")[-1].startswith("dmdv "), "%s: %s names a command: %r" % (name, view, panel))
        t.check({"history", "curve"} <= set(empty), "%s: %s" % (name, empty))
        t.note("%s: %s" % (name, empty))
        page.expect_quiet(t)
    page = t.open(*cases["no graph"])
    t.check("dmdv run --graph=yes ./app" in page.texts(".others code"), str(page.texts(".others code")))
    t.picture(page, "no-graph")


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


def test_claims(t):
    """The functions, and of each its wrong calls, are those of dmdv claims in all heap graphs of the run; the overview
    leads there. A run without claims says how to get them."""
    fixture = fixtures.claims(t)
    folder = os.path.dirname(fixture.paths[0])
    found = t.json("claims", "--json", *sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".graph.gz")))["functions"]
    wrong = [one for one in found if one["findings"]]
    t.check(len(wrong) > 1 and len(found) > len(wrong), "there are right and wrong functions")
    page = t.open(*fixture.paths, link="view=overview")
    page.until("document.querySelectorAll('ol.cards .says').length > 0")
    cards = page.texts("ol.cards .says")
    for one in wrong[:4]:
        t.check(one["findings"][0]["sentence"] in cards, "%s in %s" % (one["findings"][0]["sentence"], cards))
    page.go("view=claims")
    t.picture(page, "claims")
    t.equal([row[:3] for row in page.evaluate("[...document.querySelectorAll('.claims-functions tbody tr')].map((row) => "
                                              "[...row.children].map((cell) => cell.innerText))")],
            [[one["function"], number(one["calls"]), number(one["calls"] - one["right"])] for one in sorted(found, key=lambda one: not one["findings"])])
    for one in found:
        page.go("view=claims", function=one["function"])
        t.equal(page.texts(".claim > h3"), ["%s call%s: %s" % (number(f["calls"]), "" if f["calls"] == 1 else "s", f["difference"]) for f in one["findings"]])
        t.equal(page.evaluate("[...document.querySelectorAll('.claim .outliers tbody tr')].map((row) => "
                              "[...row.children].map((cell) => cell.innerText).slice(0, 5))"),
                [["%s %s" % (o["address"], o["object"]), number(o["calls"]), number(o["claimed"]), number(o["true"]), with_sign(o["claimed"] - o["true"])]
                 for f in one["findings"] for o in f["outliers"]], one["function"])
    t.equal(page.serious(), [])
    page.expect_quiet(t)
    page = t.open(*fixture.paths, link="view=claims&function=size_with_more", width=390, height=1400, dark=t.browser_name == "chromium")
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    t.picture(page, "claims-390")
    t.equal(page.evaluate(_WIDE), [])
    t.equal(page.serious(), [])
    page = t.open(t.catalog(), link="view=claims")
    t.contains(page.text("main"), "--claim-fn=PATTERN")
    t.picture(page, "claims-none")


def test_pictures(t):
    """Flame graph and treemap first choose the heap, or its sum by reporter."""
    catalog = t.catalog()
    page = t.open(catalog, link="view=flame")
    heap = t.json("print", "--json", catalog)["heap"]
    t.contains(page.text(".chosen"), "%s bytes (100.00%%) in %s blocks" % (number(heap["bytes"]), number(heap["blocks"])))
    page.evaluate("document.querySelector('.canvas-scroller').focus()")
    page.press("ArrowDown")
    page.until("document.querySelector('.chosen .frame').innerText.startsWith('main (')")
    page.go("view=treemap")
    rows = t.json("print", "--json", "--by=reporter", catalog)["rows"]
    t.contains(page.text(".chosen"), number(sum(row["bytes"] for row in rows)) + " bytes")


def test_types(t):
    """Sums by type, if a heap graph lies beside the profile, are those of dmdv census; otherwise the page says what to do."""
    catalog = t.catalog()
    graph = catalog.replace(".json.gz", ".graph.gz")
    page = t.open(catalog, link="view=records&by=type&section=unreported")
    wanted = t.json("census", "--json", "--by=type", "--filter=state=unreported", graph)["rows"]
    t.check(len(wanted) > 3, "there are types")
    shown = {row["Name"]: (row["Bytes"], row["Blocks"]) for row in page.rows()}
    t.equal(shown, {row["key"]["type"]: (number(row["bytes"]), number(row["blocks"])) for row in wanted})
    page.go("view=treemap&by=type")
    t.contains(page.text(".chosen"), number(t.json("census", "--json", "--by=type", graph)["total"]["bytes"]) + " bytes")
    t.picture(page, "treemap-by-type")
    page = t.open("--graphs=no", catalog, link="view=records&by=type")
    t.contains(page.text(".panel-error"), "--graph=yes")


def test_sums_open(t):
    """A row of a sum opens its records, which add up to it; the link names the row, and the browser goes back and forward."""
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
        page.until("document.querySelector('[aria-label=\"Sums by %s\"]') !== null" % by)
        shown = page.rows()
        t.equal(len(shown), len(rows), by)
        page.evaluate("document.querySelector('.table-row').click()")
        row = next(row for row in rows if row["name"] == shown[0]["Name"])
        sum_of = "%s bytes in %s block" % (number(row["bytes"]), number(row["blocks"]))
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


def changed_row(cells):
    return [cells[0], cells[2], cells[-1]]


def expected_row(row, key):
    return [with_sign(row["bytes"]), with_sign(row["blocks"]), row["key"][key]]


def test_changed_types(t):
    """Two dumps with heap graphs, and the graphs alone: the changes by type and by holder are those of dmdv diff."""
    folder = t.new_folder()
    program = os.path.join(t.builddir, "docs", "examples", "catalog")
    for items in (500, 900):
        commands.run([t.place.launcher(), "-q", "--tool=dmd", "--graph=yes", "--dmd-out-file=%d.json.gz" % items, program,
                      "--items=%d" % items], folder, commands.plain_environment(folder))
    old, new = (os.path.join(folder, "%d.1.json.gz" % items) for items in (500, 900))
    graphs = [path.replace(".json.gz", ".graph.gz") for path in (old, new)]
    wanted = t.json("diff", "--json", *graphs)["rows"]
    page = t.open(old, new)
    page.until("document.querySelector('.types li') !== null")
    chosen = "[...document.querySelectorAll('.files select')].map((e) => e.selectedOptions[0].innerText)"
    t.equal(page.evaluate(chosen), ["2. 900.1.json.gz (loaded)", "1. 500.1.json.gz (loaded)"])
    [sentence] = page.texts("h2.headline + p")
    t.check(sentence.startswith("The heap went from "), "the first sentence: " + sentence)
    t.contains(page.evaluate("document.querySelector('.tabs a[href*=records]').hash"), "of=1&old=0")
    t.equal([text.split(": ")[0] for text in page.texts(".types li")], [row["key"]["type"] for row in wanted[:5]])
    t.picture(page, "overview-changed-types")
    for arguments in ((old, new), ("--graphs=no", *graphs)):
        page = t.open(*arguments, link="view=diff&of=1&old=0&show=types")
        shown = [(changed_row(cells), [changed_row(inner) for inner, _ in within]) for cells, within in lazy_rows(page)]
        t.equal(shown, [(expected_row(row, "type"), [expected_row(inner, "holder") for inner in row["rows"]]) for row in wanted])
        t.picture(page, "changed-types")
        page.expect_quiet(t)
