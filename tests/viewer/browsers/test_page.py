# SPDX-License-Identifier: GPL-2.0-or-later
"""The page as a whole: it opens, is quiet, and can be used."""

import os
import shutil

from browser import Page
from harness import commands


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
