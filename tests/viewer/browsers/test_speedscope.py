# SPDX-License-Identifier: GPL-2.0-or-later
"""speedscope, as npm has it, reads what dmdv export writes for it and for others."""

import base64
import json
import os
import urllib.parse

from browser import Page
from dmdvtest import Profile
from harness import Skip

BAKE = ["malloc (m.c:1)", "bake (oven.c:12)", "main (app.c:30)"]
KNEAD = ["malloc (m.c:1)", "knead (dough.c:7)", "main (app.c:30)"]
RUN = {"formatVersion": 1, "version": "0.1.0", "command": "app", "argv": ["app"], "pid": 77, "wordSize": 8}
# Bytes of each function with those that it calls, and without.
BYTES = {"malloc": (600, 600), "bake": (400, 0), "knead": (200, 0), "main": (600, 0)}


def shown(t, name, data):
    """speedscope's page with the table of functions, and {function: (total, self)} as it shows them."""
    index = os.path.join(t.builddir, "viewer/browsers/node_modules/speedscope/dist/release/index.html")
    t.browser  # skips the test if nothing is installed
    if not os.path.exists(index):
        raise Skip("speedscope was not installed")
    call = "speedscope.loadFileFromBase64(%s, %s)" % (json.dumps(name), json.dumps(base64.b64encode(data).decode()))
    page = Page(t.browser, index, "view=sandwich&localProfilePath=" + urllib.parse.quote(t.write(name + ".js", call)))
    page.until("document.querySelectorAll('tr').length > 1 || document.body.innerText.includes('went wrong')")
    rows = page.evaluate("[...document.querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.innerText))")
    cells = [[cell.strip() for cell in row] for row in rows]
    begin = cells.index(["Total", "Self", "Symbol Name"]) + 1  # above it may be the list of profiles
    return page, {name.partition(" (")[0]: (int(total.split(" ")[0]), int(own.split(" ")[0])) for total, own, name in cells[begin:]}


def exported(t, form):
    t.write("p.json", Profile(dmd=dict(RUN)).block(100, BAKE, num=4).block(50, KNEAD, num=4))
    t.dmdv("export", "--format=" + form, "-o", "out", "p.json")
    with open(t.path("out"), "rb") as file:
        return file.read()


def test_reads_callgrind(t):
    page, found = shown(t, "callgrind.out.p", exported(t, "callgrind"))
    t.equal(found, BYTES)
    t.contains(page.text("body"), "Bytes (1/")


def test_reads_pprof(t):
    t.equal(shown(t, "p.pb.gz", exported(t, "pprof"))[1], BYTES)


def test_reads_its_own(t):
    page, found = shown(t, "p.speedscope.json", exported(t, "speedscope"))
    t.equal(found, BYTES)
    t.contains(page.text("body"), "unreported (1/")


def test_reads_collapsed(t):
    """Their outermost frame says whether blocks were reported."""
    t.equal(shown(t, "p.txt", exported(t, "collapsed"))[1], dict(BYTES, unreported=(600, 0)))
