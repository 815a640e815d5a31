# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by the tests in browsers: the browsers, the files, and the pages made of them."""

import json
import os

import fixtures
from browser import Browser, Page, need_page
from dmdvtest import DmdvTest
from harness import Skip


class Browsers:
    """Starts each browser once, and runs each program that writes a file once."""

    def __init__(self, place):
        self.place, self.running, self.made = place, {}, {}

    def browser(self, name):
        if name not in self.running:
            self.running[name] = Browser(self.place, name)
        return self.running[name]

    def once(self, name, make):
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def close(self):
        for browser in self.running.values():
            browser.close()


class PageTest(DmdvTest):
    """A test in one browser."""

    def __init__(self, place, name, browsers, browser):
        need_page(place)
        super().__init__(place, name)
        self.browsers, self.browser_name = browsers, browser

    @property
    def browser(self):
        return self.browsers.browser(self.browser_name)

    def catalog(self):
        """The profile of the example program, its graph beside it."""
        return fixtures.catalog(self).paths[0]

    def peer(self, name):
        """One of the peer's profiles."""
        folder = os.environ.get("DMD_SHARED") or os.path.join(self.srcdir, "..", "shared")
        path = os.path.join(folder, "peers", "dmd", name)
        if not os.path.exists(path):
            raise Skip("no %s here" % name)
        return path

    def view(self, *arguments):
        """The page that dmdv view makes of files."""
        def make():
            path = os.path.join(self.new_folder(), "page.html")
            self.dmdv("view", "-o", path, *arguments)
            return path
        return self.browsers.once(("view", *arguments), make)

    def open(self, *arguments, link="", **more):
        """That page, open in the browser, which has read its data."""
        return Page(self.browser, self.view(*arguments), link, **more).wait()

    def empty_page(self):
        """A page without data, which waits for files."""
        self.dmdv("view", "--page-only", "-o", "empty.html")
        return Page(self.browser, self.path("empty.html")).wait("SAVED")

    def json(self, *arguments):
        """The JSON of a dmdv command. With absolute paths it runs once for both browsers."""
        def ask():
            return self.dmdv(*arguments)[0]
        files = [argument for argument in arguments[1:] if not argument.startswith("-")]
        whole = files and all(map(os.path.isabs, files))
        return json.loads(self.browsers.once(arguments, ask) if whole else ask())

    def picture(self, page, name):
        folder = os.path.join(self.builddir, "viewer", "pictures")
        os.makedirs(folder, exist_ok=True)
        page.browser.do("screenshot", path=os.path.join(folder, "%s-%s.png" % (name, self.browser_name)))
