# SPDX-License-Identifier: GPL-2.0-or-later
"""The page as a whole: it opens, is quiet, and can be used."""


def test_opens(t):
    page = t.open(t.catalog(), link="view=files")
    t.contains(page.evaluate("document.title"), "dmd")
    page.expect_quiet(t)
    t.picture(page, "files")
