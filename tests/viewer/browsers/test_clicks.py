# SPDX-License-Identifier: GPL-2.0-or-later
"""The page with the mouse alone, as a person uses it who has not read the manual; also back and forward."""

import json

from dmdvtest import Profile
from harness import Failure

# The middle of a visible element with this text, once it stays where it is for a frame; the topmost element there must be that
# element or in it.
PLACE = """(async () => {
  const placeOf = () => {
    const found = [...document.querySelectorAll(%s)].find((e) => e.innerText.includes(%s));
    if (found === undefined) return 'no such element';
    found.scrollIntoView({ block: 'center' });
    const box = found.getClientRects()[0];
    const at = [box.left + Math.min(box.width / 2, 40), box.top + box.height / 2];
    const there = document.elementFromPoint(...at);
    return found.contains(there) || there?.contains(found) ? at : 'something lies on it';
  };
  for (let last = '', place = placeOf(); ; last = String(place), place = placeOf()) {
    if (last === String(place)) return place;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
})()"""


def click(page, selector, text=""):
    place = page.evaluate(PLACE % (json.dumps(selector), json.dumps(text)))
    if isinstance(place, str):
        raise Failure("%s %s: %s" % (selector, text, place))
    page.browser.do("mouse", x=place[0], y=place[1])
    page.settle()


def test_the_forgotten_array(t):
    """One click on the overview's largest record shows its owner, its allocation stack, and the missing line."""
    page = t.open(t.catalog())
    click(page, ".worst .link", "term_add_posting")
    for said in ("explicit/catalog/index/words", "words_size_of(term->postings)", "words_measure"):
        t.contains(page.text(".whose"), said)
    t.contains(page.text(".details .stack"), "term_add_posting")
    page.expect_quiet(t)


# On a busy machine answers come late, and so do the effects of drawing, which send further queries.
_BUSY = """{
  const post = Worker.prototype.postMessage, frame = window.requestAnimationFrame;
  Worker.prototype.postMessage = function (...message) { setTimeout(() => post.apply(this, message), 200); };
  window.requestAnimationFrame = (draw) => frame(() => setTimeout(draw, 100));
}"""


def test_a_busy_machine(t):
    """A test goes on when all parts of the page are drawn, also those that are asked for one after the other."""
    page = t.open(t.catalog(), link="view=files")
    page.evaluate(_BUSY)
    page.go("view=overview")
    t.contains(page.text(".twice"), "Reported by explicit/catalog/products, and again by explicit/catalog/index/words")
    click(page, ".worst .link", "term_add_posting")
    t.contains(page.text(".details .stack"), "term_add_posting")
    page.expect_quiet(t)


def test_the_double_report(t):
    """The overview names both reporters; a click shows where each reported. The state's name, and then its record, does too, and
    so does the view of faults, which lists no fault."""
    page = t.open(t.catalog())
    t.contains(page.text(".twice"), "Reported by explicit/catalog/products, and again by explicit/catalog/index/words")
    click(page, ".twice .link", "copy_text")
    reports = page.texts(".details .stack h3")
    t.equal([text.split(" at")[0] for text in reports[1:]], ["Reported by explicit/catalog/products", "Reported again by explicit/catalog/index/words"])
    shown = page.text(".details")
    for first in (".figures .link", ".tabs a"):
        page.go("view=overview")
        click(page, first, "twice-reported" if first == ".figures .link" else "Faults")
        if first == ".tabs a":
            click(page, ".panel-empty .link")
        click(page, ".table-row", "copy_text")
        t.equal(page.text(".details"), shown)
    page.expect_quiet(t)


_CURRENT = ("[Number(document.querySelector('[data-current=true]')?.id.match(/[0-9]+$/)[0] ?? -1), "
            "document.querySelector('.table-scroller')?.scrollTop]")


def current(page):
    return page.evaluate(_CURRENT)


def comes_to(page, row, top):
    """The list is scrolled once its rows are there."""
    page.until("JSON.stringify(%s) === '[%d,%d]'" % (_CURRENT, row, top))


def keeps(page, row):
    """The page saves the place in the browser's history entry, now and then."""
    page.until("Object.values(history.state?.places ?? {}).some((place) => place.row === %d)" % row)


def travel(page, way, link):
    page.evaluate("history.%s()" % way)
    page.until("document.querySelector('main').dataset.link.startsWith(%s)" % json.dumps("#view=" + link))
    page.settle()


def test_back_leads_to_where_one_was(t):
    profile = Profile()
    for i in range(2000):
        profile.block(100000 - i, ["malloc (m.c:1)", "function_%d (f.c:%d)" % (i, i), "main (m.c:9)"])
    page = t.open(t.write("many.json", profile), height=400)
    page.evaluate("document.querySelector('.page').scrollTop = 150")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")  # the page notices
    click(page, ".tabs a", "Records")
    page.evaluate("document.querySelector('[role=grid]').focus()")
    page.press("End", "ArrowUp", "ArrowUp")
    page.settle()
    row, top = current(page)
    t.equal(row, 1997)
    click(page, ".table-row", "function_1996 ")
    t.equal(current(page), [1996, top])
    t.contains(page.text(".details h2"), "function_1996 ")
    click(page, ".tabs a", "Flame graph")
    travel(page, "back", "records&id=")
    comes_to(page, 1996, top)
    t.contains(page.text(".details h2"), "function_1996 ")
    travel(page, "back", "records")
    t.equal(page.texts(".details"), [])
    comes_to(page, 1996, top)
    keeps(page, 1996)
    travel(page, "back", "overview")
    page.until("document.querySelector('.page').scrollTop === 150")
    travel(page, "forward", "records")
    comes_to(page, 1996, top)
    click(page, ".tabs a", "Files")
    click(page, ".tabs a", "Records")
    t.equal(current(page), [0, 0], "another visit begins at its begin")
    page.expect_quiet(t)
