# SPDX-License-Identifier: GPL-2.0-or-later
"""The page with the keyboard alone."""


def tab_to(page, condition):
    """Presses Tab until the expression holds for the focused element."""
    for _ in range(60):
        page.press("Tab")
        if page.evaluate("((e) => %s)(document.activeElement)" % condition):
            return True
    return False


def test_everything_is_reached(t):
    """From the overview to the forgotten arrays and back, and to the two reporters of the double report."""
    page = t.open(t.catalog())
    first = "e.matches('.worst .link')"
    t.check(tab_to(page, first), "Tab leads to the largest unreported record")
    page.press("Enter")
    page.until("document.querySelector('.details h2')?.innerText.startsWith('term_add_posting')")
    t.contains(page.text(".details"), "explicit/catalog/index/words")
    page.evaluate("history.back()")
    page.until("document.querySelector('main').dataset.link.includes('overview')")
    page.settle()
    t.check(tab_to(page, "e.matches('.link') && e.innerText.includes('twice-reported')"), "Tab leads to the state")
    page.press("Enter")
    page.until("document.querySelector('[role=grid]') !== null")
    page.settle()
    page.evaluate("document.querySelector('[role=grid]').focus()")
    page.press("Home", "Enter")
    page.until("document.querySelector('.details') !== null && document.querySelectorAll('.details .stack').length >= 3")
    for reporter in ("explicit/catalog/products", "explicit/catalog/index/words"):
        t.contains(page.text(".details"), reporter)
    page.expect_quiet(t)


def test_views_filter_and_help(t):
    page = t.open(t.catalog())
    page.press("3")
    page.until("document.querySelector('main').dataset.link.includes('records')")
    page.settle()
    page.press("/")
    page.browser.do("type", text="term_add_posting")
    page.until("document.querySelector('main').dataset.link.includes('q=term_add_posting')")
    page.settle()
    rows = page.rows()
    t.equal({row["State"] for row in rows}, {"unreported"})
    t.equal(len(rows), 2)
    page.press("?")
    page.until("document.querySelector('.help')?.open === true")
    t.contains(page.text(".help"), "to the filter")
    page.press("Escape")
    page.until("document.querySelector('.help') === null || document.querySelector('.help').open === false")
    page.expect_quiet(t)
