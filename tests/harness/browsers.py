# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed browsers, and starting one and reading its output."""

import os
import re
import shutil
import subprocess

from harness.expect import Failure, Skip

# The programs' names, in Debian and elsewhere.
BROWSERS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}


def program_of(browser):
    """The browser's path: DMD_CHROMIUM or DMD_FIREFOX, or the installed one; skips the test if it is missing."""
    variable = "DMD_" + browser.upper()
    given = os.environ.get(variable)
    found = [given] if given else [path for path in map(shutil.which, BROWSERS[browser]) if path]
    if not found:
        raise Skip("no %s: install it, or set %s to it" % (browser.capitalize(), variable))
    return found[0]


def start(command, home, **more):
    """A browser with this folder as its home; the caller kills it. `more` goes to subprocess.Popen."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=dict(os.environ, HOME=home), text=True, errors="replace",
                            **more)


def line_of(stream, pattern):
    """Waits until the browser prints a line with the pattern on this stream; returns the match."""
    said = ""
    for line in stream:
        said += line
        found = re.search(pattern, line)
        if found:
            return found
    raise Failure("the browser ended: " + said)
