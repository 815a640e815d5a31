# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurements in real browsers: the installed browsers, and when a page shows its parts."""
import os
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TOP, "tests", part) for part in ("viewer/browsers", "reader", "")]

import harness  # noqa: E402
from browser import BROWSERS, MODULES, Browser, Page  # noqa: E402

__all__ = ["GAPS", "PAINTED", "SHOWN", "Page", "browsers_of", "cpu_seconds", "place_of"]

# Milliseconds since the request for the page.
PAINTED = """new Promise((done) => {
  const look = () => {
    const [entry] = performance.getEntriesByName("first-contentful-paint");
    if (entry === undefined) setTimeout(look, 10);
    else done(entry.startTime);
  };
  look();
})"""
SHOWN = """new Promise((done) => {
  const look = () => document.querySelector(".table-row .frame") ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""
# From now on `gap` is the longest time between two frames, in which the page did not respond.
GAPS = """(() => {
  let last = performance.now();
  window.gap = 0;
  const frame = () => {
    const now = performance.now();
    window.gap = Math.max(window.gap, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()"""


def cpu_seconds(browser):
    """The CPU time of the browser's live processes so far."""
    parents, seconds = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(pid)] = int(fields[1])
        seconds[int(pid)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_its(pid):
        while pid in parents and pid != browser.process.pid:
            pid = parents[pid]
        return pid == browser.process.pid
    return sum(taken for pid, taken in seconds.items() if is_its(pid))


def place_of(args):
    """The folders that the tests work with."""
    args.srcdir, args.keep = TOP, False
    return harness.Place(args)


def browsers_of(place):
    """Each installed browser, running; `name` selects one. Installs their driver, as make check does; if that is
    impossible, it runs none of them and prints the reason."""
    subprocess.run(["make", "-s", "-C", place.builddir, MODULES], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in BROWSERS:
        try:
            browser = Browser(place, name)
        except harness.Skip as reason:
            print("%s: %s" % (name, reason))
            continue
        browser.name = name
        try:
            yield browser
        finally:
            browser.close()
