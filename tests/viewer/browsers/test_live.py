# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv memory --view: the page shows the memory of a process while it changes."""

import contextlib
import re
import subprocess
import sys

from browser import Page
from harness import Skip

# Each line that it reads makes it keep 64 MiB more.
GROWS = "import sys; kept = []; print(flush=True)\nfor line in sys.stdin: kept.append(b'x' * (64 << 20)); print(len(kept), flush=True)"
RESIDENT = ("Number(([...document.querySelectorAll('[role=treeitem]')].find((e) => e.querySelector('.tree-name').innerText "
            "=== 'resident-unique')?.querySelector('.tree-value').innerText ?? '0').replace(/[^0-9.]/g, ''))")


@contextlib.contextmanager
def served(t, *options):
    """A program, and the address of its page."""
    program = subprocess.Popen([sys.executable, "-c", GROWS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    dmdv = subprocess.Popen([t.place.dmdv(), "memory", "--view", "--listen=127.0.0.1:0", *options, str(program.pid)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        program.stdout.readline()
        if dmdv.stdout.readline() == "":
            said = dmdv.stderr.read()
            if "built without libmicrohttpd" in said:
                raise Skip("this dmdv was built without libmicrohttpd")
            t.fail(said)
        yield program, re.fullmatch(r"the page: (http://\S+)\n", dmdv.stdout.readline())[1]
    finally:
        for process in (dmdv, program):
            process.kill()
            process.communicate()


def grow(program):
    program.stdin.write("\n")
    program.stdin.flush()
    program.stdout.readline()


def names(page):
    page.settle()
    return page.texts("[role=treeitem] .tree-name")


def test_the_page_follows_the_program(t):
    """The filter stays, and the amount grows, by 64 MB, without anybody's doing."""
    with served(t, "--watch=1") as (program, address):
        page = Page(t.browser, address).wait()
        page.go("view=tree&q=resident-unique")
        shown = names(page)
        t.check(shown == ["resident-unique"], str(shown))
        before = page.evaluate(RESIDENT)
        grow(program)
        page.until("%s >= %g" % (RESIDENT, before + 63))
        t.equal(page.evaluate("document.querySelector('.filter-text').value"), "resident-unique", "the filter")
        t.equal(page.serious(), [])


def test_a_row_says_what_it_is(t):
    """The row with the keyboard's focus, in the order of names."""
    with served(t) as (_, address):
        page = Page(t.browser, address).wait()
        page.go("view=tree&order=name&q=page-faults")
        t.equal([name for name in names(page) if "page-faults" in name], ["page-faults-hard", "page-faults-soft"])
        page.evaluate("document.querySelector('[role=tree]').focus()")
        page.press("End")
        page.settle()
        t.check(page.text(".tree-said").startswith("page-faults-soft - kind: other - "), page.text(".tree-said"))


def test_a_file_to_compare_with(t):
    with served(t) as (program, _):
        old = t.path("old.json")
        t.dmdv("memory", "-o", old, str(program.pid))
        grow(program)
        server = [t.place.dmdv(), "memory", "--view", "--listen=127.0.0.1:0", "--diff=" + old, str(program.pid)]
        with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as dmdv:
            try:
                dmdv.stdout.readline()
                page = Page(t.browser, dmdv.stdout.readline().split(" ")[2].strip()).wait()
                page.until("%s >= 63" % RESIDENT)
                t.check(63 <= page.evaluate(RESIDENT) < 66, "the growth alone: %s" % page.evaluate(RESIDENT))
            finally:
                dmdv.kill()
