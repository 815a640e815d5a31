# SPDX-License-Identifier: GPL-2.0-or-later
"""Browsers that are installed, and starting one that says where it can be spoken to."""

import os
import re
import shutil
import subprocess

from harness.expect import Failure, Skip

# The programs that Debian and others have each as.
BROWSERS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}


def program_of(browser):
    """The browser's path: DMD_CHROMIUM or DMD_FIREFOX, or as it is installed; skips where there is none."""
    variable = "DMD_" + browser.upper()
    given = os.environ.get(variable)
    found = [given] if given else [path for path in map(shutil.which, BROWSERS[browser]) if path]
    if not found:
        raise Skip("no %s: install it, or set %s to it" % (browser.capitalize(), variable))
    return found[0]


def start(command, home, **more):
    """A browser with this folder as its home; it is killed by whoever started it. `more` goes to subprocess.Popen."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=dict(os.environ, HOME=home), text=True, errors="replace",
                            **more)


def line_of(stream, pattern):
    """Waits until the browser prints a line that the pattern is in, on this stream of its; the match."""
    said = ""
    for line in stream:
        said += line
        found = re.search(pattern, line)
        if found:
            return found
    raise Failure("the browser ended: " + said)
