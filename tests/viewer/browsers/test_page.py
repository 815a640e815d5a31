# SPDX-License-Identifier: GPL-2.0-or-later
"""The page as a whole: it opens, is quiet, and can be used."""

import os
import shutil

import fixtures
from browser import Page
from harness import commands
from shown import blocks_of, bytes_of


def test_opens(t):
    page = t.open(t.catalog(), link="view=files")
    t.contains(page.evaluate("document.title"), "dmd")
    page.expect_quiet(t)
    t.picture(page, "files")


def test_readme(t):
    """Both of the demo's mistakes come before all sums. This makes the README's picture, docs/pictures/page.png."""
    folder = t.new_folder()
    shutil.copy(os.path.join(t.builddir, "docs", "examples", "catalog"), folder)
    commands.run([t.place.launcher(), "-q", "--tool=dmd", "--graph=yes", "--dmd-out-file=catalog.json.gz", "./catalog"], folder,
                 commands.plain_environment(folder))
    commands.run([os.path.join(t.builddir, "dmdv"), "view", "-o", "page.html", "catalog.1.json.gz"], folder, commands.plain_environment(folder))
    page = Page(t.browser, os.path.join(folder, "page.html"), width=1100, height=1010).wait()
    page.until("document.querySelector('.twice')?.innerText.includes('and again by')")
    shown = page.text(".page").split("Reporters\n")[0]
    for said in ("Proposal: size += words_size_of(term->postings);", "Reported by explicit/catalog/products, and again by explicit/catalog/index/words"):
        t.contains(shown, said)
    t.picture(page, "readme")
    page.expect_quiet(t)


def test_begins_with_the_screen(t):
    """The cards are the findings of `dmdv --json`: places or records first, then what says what to do. With reporters and
    without; the first card opens its record, in the user's code."""
    for path in (t.catalog(), fixtures.peak(t).paths[0]):
        found = t.json("--json", path)["findings"]
        page = t.open(path)
        of_place = [f for f in found if f["kind"] in ("place", "unreported", "twice")][:5]
        shown = of_place + [f for f in found if f["kind"] in ("growth", "waste")][:4]
        t.check(of_place, "there are places or records")
        page.until("document.querySelector('ol.cards') !== null")
        t.equal(page.texts("ol.cards .frame"), [f["place"] for f in shown], "places")
        sizes = ["%s (" % bytes_of(f["bytes"]) for f in shown], [" in " + blocks_of(f["blocks"]) for f in shown]
        for card, begin, end in zip(page.texts("ol.cards .worst-size"), *sizes):
            t.check(card.startswith(begin) and card.endswith(end), "%r is %r...%r" % (card, begin, end))
        for f in shown:
            t.contains(" ".join(page.text("ol.cards").split()), " ".join(f["sentence"].split()))
        page.evaluate("document.querySelector('ol.cards .link').click()")
        page.until("document.querySelector('main').dataset.link.includes('records')")
        page.settle()
        t.contains(page.text("main"), shown[0]["place"].split(" (")[0])
        t.equal(page.serious(), [])
        page.expect_quiet(t)
