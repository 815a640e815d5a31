# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of dmdv history shows what dmdv history prints, and opens a build compared with the one before."""

import json
import os
import random
import shutil

from browser import Page
from dmdvtest import Profile
from shown import facts, number
from test_history import History, build_of
from test_hostile import NAMES

BUILDS, KNOWN, FIXED, LESS, NEW = 28, 8, 13, 18, 23
GREW = 9000


def index_of(i):
    """The unreported bytes: they grow at three builds, the second time until it is fixed."""
    return 3000 + (GREW // 2 if i >= KNOWN else 0) + (8000 if FIXED <= i < LESS else 0) + (GREW if i >= NEW else 0)


def fill(t):
    """A history with two moments, two branches, one of which has two processes, and two environments; the first step is
    acknowledged."""
    history, draw = History(t), random.Random(3)
    history.db = t.path(history.db)  # for other tests, too
    for i in range(BUILDS):
        for run in range(2):
            history.add(i, build_of(i, index_of(i), draw.randrange(-9, 10), line=i, pid=1000 * run))
        if i % 3 == 0:
            history.add(i, build_of(i, 500 + draw.randrange(9), label="started", line=i), "--env=cpu=another")
    for i in range(3):
        for process in ("app", "worker"):
            t.dmdv("history", "add", "--db=" + history.db, "--build=d%d" % i, "--branch=try/this", "--time=%d" % (1800000000 + i),
                   "--process=" + process, t.write("dev.json", build_of(50 + i, 4000, line=i, pid=len(process))))
    history.run("acknowledge", "--build=b%d" % KNOWN, "--reason=a cache", "--least-change=512")
    return history


def made(t):
    """(the history, its page)"""
    def make():
        history = fill(t)
        page = os.path.join(t.new_folder(), "history.html")
        t.dmdv("history", "page", "--db=" + history.db, "--least-change=512", "-o", page)
        return history, page
    return t.browsers.once("history", make)


def open_page(t, link="", **more):
    return Page(t.browser, made(t)[1], link, **more).wait()


def alarms_of(t, history):
    """The alarms of each event."""
    events = []
    for alarm in json.loads(t.dmdv("history", "check", "--db=" + history.db, "--least-change=512", "--json", status=1)[0])["alarms"]:
        kind = [alarm[key] for key in ("first_build", "moment", "environment", "branch")] + [alarm["state"] == "improved"]
        if not events or events[-1][0] != kind:
            events.append((kind, []))
        events[-1][1].append(alarm)
    return [alarms for _, alarms in events]


def sentence(alarm):
    text = "%s: %s bytes (%.2f%% of %s)" % (alarm["series"], "{:+,}".format(alarm["delta"]),
                                            100 * alarm["delta"] / alarm["before"], number(alarm["before"]))
    return text + {"acknowledged": ", acknowledged: %s" % alarm.get("reason"), "fixed": ", fixed with build %s" % alarm.get("fixed_build")}.get(alarm["state"], "")


def test_alarms(t):
    """Each event with its series, and the stack that changed most."""
    history, _ = made(t)
    page = open_page(t)
    events = alarms_of(t, history)
    t.equal([alarms[0]["first_build"] for alarms in events], ["b%d" % i for i in (KNOWN, FIXED, LESS, NEW)])
    events.reverse()  # the last ones first
    t.equal(page.evaluate("[...document.querySelectorAll('.event')].map((e) => [...e.querySelectorAll('.event-series .link')].map((e) => e.innerText))"),
            [[sentence(alarm) for alarm in alarms] for alarms in events])
    t.equal(page.texts(".event h3 .alarm-state"), ["new", "improvement", "fixed", "acknowledged"])
    for alarms, shown in zip(events, page.texts(".event > .stack")):
        record = alarms[0]["records"][0]
        t.contains(shown, "{:+,} bytes".format(record["delta"]))
        t.equal([line.strip() for line in shown.split("\n")[1:] if line.strip()], record["frames"])
    text = t.dmdv("history", "check", "--db=" + history.db, "--least-change=512", status=1)[0]
    t.equal(page.text(".headline"), text.strip().split("\n")[-1].split("; the newest build")[0])
    t.picture(page, "history")
    page.expect_quiet(t)


def test_no_new_alarm(t):
    """The curves are on the screen; the old alarms open on request."""
    copy, path = (os.path.join(t.new_folder(), name) for name in ("known.db", "known.html"))
    shutil.copy(made(t)[0].db, copy)
    t.dmdv("history", "acknowledge", "--db=" + copy, "--build=b%d" % NEW, "--reason=a table", "--least-change=512")
    t.dmdv("history", "page", "--db=" + copy, "--least-change=512", "-o", path)
    for width, height in ((1280, 720), (390, 800)):
        page = Page(t.browser, path, width=width, height=height).wait()
        t.picture(page, "history-known-%d" % width)
        t.check(page.evaluate("document.querySelector('.tile').getBoundingClientRect().bottom < innerHeight"), "a curve is on the screen")
        page.evaluate("document.querySelector('.page summary').click()")
        t.equal(page.texts(".event h3 .alarm-state"), ["acknowledged", "improvement", "fixed", "acknowledged"])
        page.expect_quiet(t)


def test_curves(t):
    """Each series of each branch, moment and environment: its last value in the small pictures, and all values in the table."""
    history, _ = made(t)
    listed = t.json("history", "list", "--db=" + history.db, "--json")["series"]
    environments = list(dict.fromkeys(row["environment"] for row in listed))
    lines = {(row["branch"], row["moment"], environments.index(row["environment"])) for row in listed}
    t.equal(len(lines), 3)
    page = open_page(t)
    offered = page.evaluate("[...document.querySelectorAll('.all-curves select')].map((e) => [...e.options].map((e) => e.text))")
    t.equal([sorted(names) for names in offered[:2]], [["main", "try/this"], ["loaded", "started"]])
    for branch, moment, environment in sorted(lines):
        here = [row for row in listed if (row["branch"], row["moment"], environments.index(row["environment"])) == (branch, moment, environment)]
        page.go("view=history", branch=branch, moment=moment, environment=environment)
        shown = page.evaluate("[...document.querySelectorAll('.tile')].map((e) => [e.querySelector('.tile-name').innerText, "
                              "e.querySelector('.tile-last').firstChild.data])")
        t.equal(sorted(map(tuple, shown)), sorted((row["series"], number(row["last"])) for row in here), "%s, %s" % (branch, moment))
    for series in ("heap", "unreported", "reporter explicit/app", "tag index", "faults"):
        curves = t.json("history", "show", "--db=" + history.db, "--json", series)["curves"]
        for curve in curves:
            page.go("view=curve", branch=curve["branch"], moment=curve["moment"], environment=environments.index(curve["environment"]), series=series)
            rows = page.rows()[::-1]
            t.equal([[row["Build"], row["Value"], row["Runs"], row["Time"]] for row in rows],
                    [[point["build"], number(point["value"]), str(point["runs"]), point["time"]] for point in curve["points"]], series)
    page.expect_quiet(t)


def steps_shown(page):
    return page.evaluate("document.querySelectorAll('.curve-picture .alarm-mark').length")


def test_a_build_opens(t):
    """A click on the curve shows the build's value, the changes since the build before by stack, and all its records."""
    page = open_page(t, "view=curve&branch=main&moment=loaded&series=unreported")
    t.equal(steps_shown(page), 4)
    box = page.evaluate("(({ left, top, height }) => ({ left, top, height }))(document.querySelector('.curve-picture').getBoundingClientRect())")
    x = page.evaluate("Number(document.querySelectorAll('.curve-step')[3].getAttribute('x1'))")
    page.browser.do("mouse", x=box["left"] + x, y=box["top"] + box["height"] / 2)
    page.until("document.querySelector('.details ol.list li') !== null")
    t.equal(page.text(".details h2"), "Build b%d" % NEW)
    t.contains(page.evaluate("location.hash"), "build=b%d" % NEW)
    t.contains(page.text(".details .event h3"), "More since build b%d (after b%d)" % (NEW, NEW - 1))
    places = page.texts(".details ol.list li")
    t.equal(len(places), 1, "only the index changed")
    t.contains(places[0], "index_build")
    known = facts(page, ".details")
    t.check(known["Runs"].startswith("2: "), str(known))
    t.picture(page, "history-build")
    page.evaluate("[...document.querySelectorAll('.details .link')].find((e) => e.innerText.startsWith('All records that changed')).click()")
    page.until("document.querySelector('[role=grid]') !== null && document.querySelector('main').dataset.link.startsWith('#view=records')")
    page.settle()
    rows = page.rows()
    t.equal(len(rows), 1)
    change = int(rows[0]["Bytes"].replace(",", ""))
    t.check(GREW - 40 < change < GREW + 40, "what the index grew by: %d" % change)
    t.equal(page.evaluate("[...document.querySelectorAll('.files select')].map((e) => e.selectedOptions[0].text)"), ["b%d" % NEW, "b%d" % (NEW - 1)])
    # The next build, compared with the one before it.
    page.evaluate("(() => { const list = document.querySelector('.files select'); list.value = [...list.options].find((e) => e.text === 'b%d').value; "
                  "list.dispatchEvent(new Event('change', { bubbles: true })); })()" % KNOWN)
    page.until("document.querySelectorAll('.files select')[1].selectedOptions[0].text === 'b%d'" % (KNOWN - 1))
    page.settle()
    t.check(abs(int(page.rows()[0]["Bytes"].replace(",", "")) - GREW // 2) < 40, "what it grew by with the first step")
    page.evaluate("history.go(-2)")
    page.until("document.querySelector('.details h2')?.innerText === 'Build b%d'" % NEW)
    page.expect_quiet(t)


def test_a_build_is_looked_at(t):
    """A build alone in the available views: sums agree with its figures, and the page says what a history does not keep."""
    history, _ = made(t)
    page = open_page(t, "view=overview")
    last = {series: t.json("history", "show", "--db=" + history.db, "--json", series)["curves"] for series in ("heap", "unreported")}
    kept = facts(page, "section")
    t.contains(kept["Kept"], "what each stack held")
    branch, moment, build = kept["Branch"], kept["Moment"], kept["Build"]
    values = {series: next(point["value"] for curve in curves if (curve["branch"], curve["moment"]) == (branch, moment)
                           for point in curve["points"] if point["build"] == build) for series, curves in last.items()}
    t.equal(branch, "try/this", "the newest build is looked at first")
    shown = int(page.text(".headline").split(" ")[0].replace(",", ""))
    t.check(abs(shown - values["heap"]) < 20, "the heap of the first run is near to the mean: %d, %d" % (shown, values["heap"]))
    titles = page.texts(".tabs a")
    t.equal(titles, ["History", "Curve", "Overview", "Records", "Flame graph", "Treemap", "Changes"])
    for view in ("records", "flame", "treemap", "diff&of=1&old=2"):
        page.go("view=" + view)
    page.expect_quiet(t)


def test_keys(t):
    """With the keyboard alone: from the alarms to the curve, from step to step, into a build and back."""
    page = open_page(t, "view=curve&branch=main&moment=loaded&series=heap")
    page.evaluate("document.querySelector('.curve-picture').focus()")
    said = "document.querySelector('.chosen [role=status]').innerText"
    page.press("Home")
    page.until(said + ".startsWith('b0,')")
    for step in (KNOWN, FIXED, LESS, NEW):
        page.press("n")
        page.until(said + ".startsWith('b%d,')" % step)
    page.press("p", "ArrowRight")
    page.until(said + ".startsWith('b%d,')" % (LESS + 1))
    page.press("ArrowLeft", "Enter")
    page.until("document.querySelector('.details h2')?.innerText === 'Build b%d'" % LESS)
    page.settle()
    page.press("Escape")
    page.until("document.querySelector('.details') === null")
    page.evaluate("history.back()")
    page.until("document.querySelector('.details h2')?.innerText === 'Build b%d'" % LESS)
    page.press("1")
    page.until("document.querySelector('main').dataset.link.startsWith('#view=history')")
    page.settle()
    page.press("/")
    page.browser.do("type", text="tag")
    page.until("document.querySelectorAll('.tile').length === 1")
    page.press("Tab", "Enter")
    page.until("document.querySelector('main').dataset.link.includes('series=tag%20index')")
    page.expect_quiet(t)


def test_everybody_can_read_it(t):
    """axe finds nothing serious, whatever the width, in light and dark (only light in Firefox)."""
    for width, dark in ((360, True), (1280, False), (3840, True)):
        for name, link in (("history", ""), ("curve", "view=curve&branch=main&moment=loaded"), ("build", "view=curve&branch=main&moment=loaded&build=b%d" % NEW)):
            page = open_page(t, link, width=width, height=700 if width == 360 else width * 9 // 16,
                             dark=dark and t.browser_name == "chromium")
            page.settle()
            serious = page.serious()
            t.equal(serious, [], "%s, %d pixels: %s" % (name, width, json.dumps(serious, indent=1)))
            t.check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "%s fits into %d pixels" % (name, width))
            t.picture(page, "history-%s-%d" % (name, width))
            page.expect_quiet(t)


def test_names_are_text(t):
    """Builds, branches, moments, series, environments and frames with hostile names."""
    names = [name[:90].replace("\x01", "").replace("\x1b", "") for name in NAMES.values()]
    for i, name in enumerate(names):
        for build in range(2):
            profile = Profile(dmd={"version": "1", "pid": 7, "label": "m" + name, "faults": []})
            profile.block(9000 + build, ["malloc (m.c:1)", "%s (%s:1)" % (name, name)], tag=name)
            t.dmdv("history", "add", "--db=h.db", "--build=%d%s" % (build, name), "--branch=" + name, "--time=%d" % (1700000000 + 10 * i + build),
                   "--env=own=" + name.replace("\t", " "), t.write("profile.json", profile))
    t.dmdv("history", "page", "--db=h.db", "-o", "history.html")
    page = Page(t.browser, t.path("history.html")).wait()
    scripts = page.evaluate("document.scripts.length")
    listed = t.json("history", "list", "--db=h.db", "--json")["series"]
    for name in names:
        here = [row for row in listed if row["branch"] == name]
        t.check(len(here) > 3, "%r has series" % name)
        page.go("view=history", branch=name)
        t.equal(sorted(page.evaluate("[...document.querySelectorAll('.tile-name')].map((e) => e.textContent)")), sorted(row["series"] for row in here))
        page.go("view=curve", branch=name, build="1" + name)
        t.contains(page.evaluate("document.querySelector('.details h2').textContent"), "1" + name)
    t.equal(page.evaluate("document.scripts.length"), scripts)
    t.equal(page.evaluate("document.querySelectorAll('img, b, iframe, object').length"), 0)
    page.expect_quiet(t)


def test_records_left_out(t):
    """Only builds around steps have records; the page says what to do for others."""
    history, _ = made(t)
    path = os.path.join(t.new_folder(), "few.html")
    _, err = t.dmdv("history", "page", "--db=" + history.db, "--least-change=512", "--records=0", "-o", path)
    t.contains(err, "--records=N")
    page = Page(t.browser, path, "view=curve&branch=main&moment=loaded&build=b3").wait()
    t.contains(page.text(".details"), "--records=N")
    page.go("view=curve&branch=main&moment=loaded", build="b%d" % NEW)
    page.until("document.querySelector('.details ol.list li') !== null")
    t.contains(page.text(".details ol.list"), "index_build")
    page.expect_quiet(t)
