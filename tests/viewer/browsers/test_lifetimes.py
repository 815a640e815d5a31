# SPDX-License-Identifier: GPL-2.0-or-later
"""The tab Allocations, and the flame graph of what was allocated. tests/tool/programs/lifetimes.c says what that was."""

import gzip
import json

import fixtures
from shown import number
from test_clicks import click
from test_views import open_all

# What each function allocated: bytes, allocations, temporary ones, those that are still there, and the most bytes at once.
BOWL, TASTE = ("1,000,000", "100", "0", "1", "1,000,000"), ("6,400", "100", "100", "0", "64")
COLUMNS = ("Allocated", "Allocations", "Temporary", "Still there", "Most at once")


def mean_of(t, size):
    """The mean lifetime of the stack that allocated so many bytes, as the file has it."""
    with gzip.open(fixtures.lifetimes(t).paths[0]) as file:
        return next(item["meanLifetime"] for item in json.load(file)["lifetimeList"] if item["bytes"] == size)


def test_columns(t):
    page = t.open(*fixtures.lifetimes(t).paths, link="view=lifetimes")
    t.contains(page.text("main"), "1,006,464 bytes in 202 allocations: 100 (49.50%) temporary, ")
    rows = {row["Allocated at"].split(" (")[0]: row for row in page.rows()}
    t.equal(tuple(rows["bowl"][title] for title in COLUMNS), BOWL)
    t.equal(tuple(rows["taste"][title] for title in COLUMNS), TASTE)
    t.equal(rows["bowl"]["Mean lifetime"], number(mean_of(t, 1000000)))
    t.picture(page, "lifetimes")
    page.expect_quiet(t)


def test_sorting(t):
    """A click on a title sorts by it, and the link says so."""
    page = t.open(*fixtures.lifetimes(t).paths, link="view=lifetimes")
    for title, key, first in (("Temporary", "temporary", "taste"), ("Mean lifetime", "lifetime", "bowl"), ("Most at once", "most", "bowl"), ("Still there", "left", "bowl")):
        click(page, ".table-sort", title)
        t.contains(page.evaluate("document.querySelector('main').dataset.link"), "sort=" + key)
        t.equal(page.rows()[0]["Allocated at"].split(" (")[0], first, title)
    page.go("view=lifetimes", sort="temporary")
    t.equal(page.texts("[role=columnheader][aria-sort=descending]"), ["Temporary"])
    page.expect_quiet(t)


def test_details(t):
    page = t.open(*fixtures.lifetimes(t).paths, link="view=lifetimes")
    click(page, "[role=gridcell]", "bowl")
    t.contains(page.text(".details"), "At most 1,000,000 bytes of them were live at once.")
    t.equal([frame.split(" (")[0] for frame in page.texts(".details .stack .frame")], ["bowl", "cook", "main"])
    page.expect_quiet(t)


def test_flame_graphs(t):
    """By allocated bytes and by temporary allocations; the live bytes are those of one bowl."""
    page = t.open(*fixtures.lifetimes(t).paths, link="view=flame&peak=0")
    for button, whole in (("Allocated", "1,006,464 bytes (100.00%) in 202 blocks"), ("Temporary", "100 temporary allocations (100.00%)")):
        click(page, ".segments button", button)
        t.contains(page.text(".chosen"), whole)
        t.picture(page, "lifetimes-flame-" + button.lower())
    click(page, ".segments button", "Live bytes")
    t.contains(page.text(".chosen"), "(100.00%) in 1 block")
    page.expect_quiet(t)


def test_all_views_and_screens(t):
    for width, height, dark in ((390, 844, False), (1280, 900, True)):
        page = t.open(*fixtures.lifetimes(t).paths, width=width, height=height, dark=dark and t.browser_name == "chromium")

        def look(link):
            t.picture(page, "lifetimes-%d-%s" % (width, "".join(c if c.isalnum() else "-" for c in link)))
            t.equal(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True, "%s at %d" % (link, width))
            t.equal(page.serious(), [], "%s at %d" % (link, width))
        open_all(page, t, look)
