# SPDX-License-Identifier: GPL-2.0-or-later
"""The page shows the peak where dmdv print does, and leads to the end and back; test_agree.py compares the figures."""

import json
import os

import fixtures
from harness import commands, compiler
from shown import number
from test_files import drop
from test_keys import tab_to
from test_views import SHOWS, open_all

PEAK = "At the peak: 500,200 bytes in 3 blocks, after "


def sizes(page):
    return [row["Requested"] for row in page.rows()]


def choose(page, moment):
    page.evaluate("[...document.querySelectorAll('.subject .segments button')].find((e) => e.innerText === '%s').click()" % moment)
    page.settle()


def chosen(page):
    return page.texts(".subject .segments [aria-pressed=true]")


def test_opens_with_it(t):
    page = t.open(*fixtures.peak(t).paths)
    t.check(page.text(".headline").startswith(PEAK) and page.text(".headline").endswith("; 210 bytes at exit"), page.text(".headline"))
    t.equal(chosen(page), ["Peak"])
    t.picture(page, "peak")
    choose(page, "End")
    t.contains(page.text(".headline"), "in 3 blocks, with the allocator's rounding")
    t.contains(page.text("main"), "Peak: 500,200 bytes in 3 blocks, after ")
    t.picture(page, "peak-end")
    page.expect_quiet(t)


def test_tabs_follow(t):
    """A choice stays from tab to tab; records, sums, flame graph and treemap are those of the moment."""
    page = t.open(*fixtures.peak(t).paths)
    for moment, requested, heap in (("Peak", ["500,000", "100", "100"], 504000), ("End", ["100", "100", "10"], 232)):
        page.go("view=overview")
        choose(page, moment)
        for tab in ("Records", "Flame graph", "Treemap"):
            page.evaluate("[...document.querySelectorAll('nav.tabs a')].find((e) => e.innerText === '%s').click()" % tab)
            page.settle()
            t.equal(chosen(page), [moment], tab)
            if tab == "Records":
                t.equal(sizes(page), requested)
                t.equal({row["State"] for row in page.rows()}, {"peak" if moment == "Peak" else "unreported"})
        total = t.json("print", "--json", "--moment=" + moment.lower(), fixtures.peak(t).paths[0])["heap"]["bytes"]
        t.equal(total, heap)
        t.contains(page.text(".chosen"), number(total) + " bytes")
    page.go("view=records", peak=1, id=1)
    t.contains(page.text(".details"), " in 1 block")
    choose(page, "End")
    t.equal(page.texts(".details"), [], "records have other numbers")
    page.expect_quiet(t)


def test_is_chosen_by_keyboard(t):
    page = t.open(*fixtures.peak(t).paths, link="view=records")
    t.check(tab_to(page, "e.matches('.subject .segments button') && e.innerText === 'End'"), "Tab leads to the choice")
    # A Firefox without a focused window lets keys follow links, but press no buttons.
    if t.browser_name == "firefox":
        page.evaluate("document.activeElement.click()")
    else:
        page.press("Enter")
    page.until("document.querySelector('main').dataset.link.includes('peak=0')")
    page.settle()
    t.equal(sizes(page), ["100", "100", "10"])
    page.evaluate("history.back()")
    page.until("!document.querySelector('main').dataset.link.includes('peak')")
    page.settle()
    t.equal(sizes(page), ["500,000", "100", "100"])
    page.expect_quiet(t)


def test_what_needs_the_end_says_so(t):
    page = t.open(*fixtures.peak(t).paths)
    for link in ["view=graph", "view=map", *SHOWS]:
        page.go(link)
        t.contains(page.text(".only-the-end"), "This is the heap at the end")
        t.equal(chosen(page), [], link)
        page.go(link, peak=0)
        t.equal(page.texts(".only-the-end"), [], link)
    page.evaluate("location.hash = '#view=records&by=type&peak=1'")
    page.until("document.querySelector('.panel-error') !== null")
    t.contains(page.text(".panel-error"), "types are known of the heap at the end, not at its peak")
    choose(page, "End")
    t.equal(page.texts(".panel-error"), [])


def test_an_empty_heap_at_the_end(t):
    """Its views name the run that records the graph of another moment; none sends people to a switch that it lacks."""
    folder = t.new_folder()
    with open(os.path.join(folder, "freed.c"), "w", encoding="utf-8") as file:
        file.write("#include <stdlib.h>\nint main(void) { void *volatile p = malloc(5000000); free(p); return 0; }\n")
    program = compiler.compile_program(file.name, os.path.join(folder, "freed"), t.builddir, ["-g"])
    commands.run([t.place.launcher(), "-q", "--tool=dmd", "--graph=yes", "--dmd-out-file=freed.json.gz", program], folder,
                 commands.plain_environment(folder))
    page = t.open(os.path.join(folder, "freed.json.gz"))
    for link in "view=graph", "view=map", "view=waste":
        page.go(link)
        t.contains(page.text("main"), "dmdv run --graph=yes --dump-at-peak=yes --dump-at-exit=no ./app")
        t.check("choose Peak" not in page.text("main"), link)


def test_all_views_and_screens(t):
    for width, height in ((360, 640), (1280, 900)):
        page = t.open(*fixtures.peak(t).paths, width=width, height=height)

        def look(link):
            t.picture(page, "peak-%d-%s" % (width, "".join(c if c.isalnum() else "-" for c in link)))
            t.equal(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True, "%s at %d" % (link, width))
            serious = page.serious()
            t.equal(serious, [], "%s at %d: %s" % (link, width, json.dumps(serious, indent=1)))
        open_all(page, t, look)


def test_since_the_previous_dump(t):
    """The peak of the time between two dumps is a third moment, of files that have another one in the whole run."""
    first, second = fixtures.recent(t).paths
    page = t.open(second, link="view=records&peak=2")
    t.equal(chosen(page), ["Recent peak"])
    t.equal(sizes(page), ["3,000", "1,000"])
    for tab in ("Overview", "Flame graph"):
        page.evaluate("[...document.querySelectorAll('nav.tabs a')].find((e) => e.innerText === '%s').click()" % tab)
        page.settle()
        t.equal(chosen(page), ["Recent peak"], tab)
        if tab == "Overview":
            t.check(page.text(".headline").startswith("At the peak since the previous dump: 4,000 bytes in 11 blocks, after "), page.text(".headline"))
            t.picture(page, "recent-peak")
    heap = t.json("print", "--json", "--moment=recent-peak", second)["heap"]
    t.contains(page.text(".chosen"), "%s bytes (100.00%%) in 11 blocks" % number(heap["bytes"]))
    page.go("view=timeline")
    t.contains(page.text("main"), "500,000 bytes")
    page.go("view=records", peak=2)
    choose(page, "Peak")
    t.equal(sizes(page), ["500,000"])
    choose(page, "Recent peak")
    t.equal(sizes(page), ["3,000", "1,000"])
    page.expect_quiet(t)
    page = t.open(first, second, link="view=records&of=0&peak=2")
    t.equal(page.texts(".subject .segments button"), ["Peak", "End"])
    t.equal((chosen(page), sizes(page)), (["Peak"], ["500,000"]), "the first dump has none")
    page.go("view=diff", of=1, old=0, peak=2)
    t.equal(chosen(page), ["Recent peak"])
    page.expect_quiet(t)


def test_pictures_of_the_recent_peak(t):
    for width, dark in ((390, False), (390, True), (1280, True)):
        page = t.open(fixtures.recent(t).paths[1], link="view=overview&peak=2", width=width, height=844, dark=dark and t.browser_name == "chromium")
        t.picture(page, "recent-peak-%d%s" % (width, "-dark" if dark else ""))
        t.equal(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True, "at %d" % width)
        t.equal(page.serious(), [])


def test_moment_option(t):
    path = fixtures.peak(t).paths[0]
    page = t.open("--moment=end", path, link="view=records")
    t.equal(chosen(page), ["End"])
    t.equal(sizes(page), ["100", "100", "10"])
    choose(page, "Peak")
    t.equal(sizes(page), ["500,000", "100", "100"])
    t.equal(chosen(t.open("--moment=peak", t.catalog())), ["Peak"])
    t.equal(chosen(t.open(t.catalog())), ["End"])


def test_dropped(t):
    """A page that computes from the file itself shows the same."""
    page = t.empty_page()
    with open(fixtures.peak(t).paths[0], "rb") as file:
        drop(page, [("peak.json.gz", file.read())])
    page.settle()
    t.check(page.text(".headline").startswith(PEAK), page.text(".headline"))
    page.go("view=records", peak=0)
    t.equal(sizes(page), ["100", "100", "10"])
    page.expect_quiet(t)


def test_differences(t):
    """Both files show one moment: the end, unless both open with the peak."""
    path = fixtures.peak(t).paths[0]
    page = t.open(path, t.catalog())
    page.go("view=overview")
    t.equal(chosen(page), ["Peak"])
    page.go("view=overview", old=0, of=1)
    t.equal(chosen(page), ["End"])
    page.go("view=diff", old=0, of=1, peak=1)
    t.equal(chosen(page), ["Peak"])
    rows = page.evaluate("[...document.querySelectorAll('.series tbody tr')].map((row) => row.children[1].innerText)")
    wanted = [number(t.json("print", "--json", "--moment=peak", file)["heap"]["bytes"]) for file in (path, t.catalog())]
    t.equal(sorted(rows), sorted(wanted), "time lines")
    page.expect_quiet(t)
