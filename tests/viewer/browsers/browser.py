# SPDX-License-Identifier: GPL-2.0-or-later
"""A real browser, driven by driver.mjs, and a page that dmdv wrote in it."""

import json
import os
import subprocess
import urllib.parse

from harness import Failure, Skip, browsers

# Made in the build folder before tests in browsers.
MODULES = "viewer/browsers/node_modules/stamp"

# Their names in puppeteer.
BROWSERS = {"chromium": "chrome", "firefox": "firefox"}


def need_page(place):
    """Skips the test if dmdv has no page."""
    page = os.path.join(place.builddir, "viewer", "page.html")
    if not os.path.exists(page) or os.path.getsize(page) == 0:
        raise Skip("no page was built here: it takes node, npm, clang and wasm-ld")


# Drawing an answer may send further queries, and that happens after the next frame. So nothing is left to come only when no query
# began or ended within two frames. The page sets aria-busy with each that begins or ends.
_SETTLE = """(async () => {
  const isQuiet = () => document.querySelector('[aria-busy=true], .waits') === null;
  let began = true;
  const observer = new MutationObserver(() => (began = true));
  observer.observe(document, { subtree: true, attributeFilter: ['aria-busy'] });
  while (began || !isQuiet()) {
    began = false;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  }
  observer.disconnect();
})()"""


class Browser:
    """A browser that runs as long as the tests."""

    def __init__(self, place, browser):
        here = os.path.dirname(os.path.abspath(__file__))
        modules = os.path.join(place.builddir, "viewer", "browsers", "node_modules")
        if not os.path.exists(os.path.join(modules, "stamp")) or os.path.exists(os.path.join(modules, "missing")):
            raise Skip("what drives the browsers was not installed: `make %s` does, with npm" % MODULES)
        command = [os.environ.get("NODE") or "node", os.path.join(here, "driver.mjs"), BROWSERS[browser],
                   browsers.program_of(browser), modules]
        home = place.new_folder("home-" + browser)
        self.errors = open(os.path.join(home, "driver.log"), "w+b")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        env=dict(os.environ, HOME=home))

    def do(self, name, **arguments):
        """Runs one of driver.mjs' commands; returns its value."""
        try:
            self.process.stdin.write(json.dumps(dict(arguments, do=name)).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            self.errors.seek(0)
            raise Failure("the browser is gone: " + self.errors.read().decode("utf-8", "replace")[-2000:])
        answer = json.loads(line)
        if "error" in answer:
            raise Failure("%s %s: %s" % (name, arguments, answer["error"]))
        return answer["value"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.errors.close()


class Page:
    """An open page in the browser."""

    def __init__(self, browser, path, link="", width=1280, height=900, dark=False):
        self.browser, self.path = browser, path
        browser.do("open", url=self.url(link), width=width, height=height, dark=dark)

    def url(self, link):
        address = self.path if self.path.startswith("http://") else "file://" + self.path
        return address + ("#" + link if link else "")

    def evaluate(self, code):
        return self.browser.do("evaluate", code=code)

    def until(self, code):
        """Waits until this expression holds in the page."""
        self.browser.do("until", code=code)

    def press(self, *keys):
        for key in keys:
            self.browser.do("press", key=key)

    def state(self):
        """The state of the page's state machine: READ, ERROR, ..."""
        return self.evaluate("document.body.dataset.state")

    def wait(self, state="READ"):
        """Waits until the page is in this state and has no pending query."""
        self.until("['%s', 'ERROR'].includes(document.body.dataset.state)" % state)
        if self.state() != state:
            raise Failure("the page says: " + self.text("body"))
        self.settle()
        return self

    def settle(self):
        """Waits until all answers have arrived and are drawn, and also those for which drawing them asked."""
        self.evaluate(_SETTLE)

    def go(self, link, **keys):
        """Goes to another view, as a link does, with these keys."""
        view, *rest = link.split("&")
        rest += ["%s=%s" % (key, urllib.parse.quote(str(value), safe="-_.!~*'()")) for key, value in keys.items()]
        self.evaluate("location.hash = %s" % json.dumps("#" + "&".join([view, *sorted(rest)])))
        self.until("document.querySelector('main').dataset.link === new URL(location.href).hash")
        self.settle()
        wrong = self.texts(".panel-error")
        if wrong:
            raise Failure("%s: %s" % (link, wrong))

    def text(self, selector):
        """The text that a person reads there."""
        return self.evaluate("document.querySelector(%s)?.innerText ?? ''" % json.dumps(selector))

    def texts(self, selector):
        return self.evaluate("[...document.querySelectorAll(%s)].map((e) => e.innerText)" % json.dumps(selector))

    def serious(self):
        """What axe finds that keeps people out."""
        return [found for found in self.browser.do("axe") if found[0] in ("serious", "critical")]

    def rows(self, grid="[role=grid]"):
        """All rows of a table, as a person would read them: {column: text}, by scrolling from its beginning to its end."""
        self.evaluate("document.querySelector(%s).focus()" % json.dumps(grid))
        self.press("Home")
        titles = self.texts(grid + " [role=columnheader]")
        total = int(self.evaluate("document.querySelector(%s).getAttribute('aria-rowcount')" % json.dumps(grid))) - 1
        rows, idle = {}, 0
        while len(rows) < total:
            before = len(rows)
            self.settle()
            for index, *cells in self.evaluate(
                    "[...document.querySelectorAll(%s)].filter((row) => row.querySelector('[role=gridcell]')).map((row) => ["
                    "row.getAttribute('aria-rowindex'), ...[...row.querySelectorAll('[role=gridcell]')].map((e) => e.innerText)])"
                    % json.dumps(grid + " [role=row]")):
                rows[int(index) - 2] = dict(zip(titles, cells))
            # The first key leads to the last visible row, and does not scroll.
            idle = idle + 1 if len(rows) == before else 0
            if idle > 3:
                raise Failure("%d of %d rows can be scrolled to" % (len(rows), total))
            self.press("PageDown")
        return [rows[i] for i in range(total)]

    def expect_quiet(self, t):
        """Checks that the page had no error and made no request."""
        seen = self.browser.do("seen")
        t.equal([line for line in seen["console"] if not line.startswith(("debug:", "info:", "log:"))], [])
        t.equal(seen["errors"], [])
        outside = [url for url in seen["requests"] if not url.startswith(("file://" + self.path, "data:", "blob:"))]
        t.equal(outside, [], "requests")
