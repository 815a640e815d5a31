# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv timeline: the chart, moments, what changed, and JSON."""

import json

from dmdvtest import Profile

PEAK = {"bytes": 8000, "blocks": 9, "milliseconds": 250, "allocated": 20000}
MARKS = [{"text": "warm", "milliseconds": 100, "bytes": 4000, "blocks": 4, "allocated": 5000},
         {"dump": 1, "text": "busy", "milliseconds": 500, "bytes": 3000, "blocks": 3, "allocated": 40000, "resident": 4096},
         {"text": "warm", "milliseconds": 600, "bytes": 2500, "blocks": 2, "allocated": 50000}]
POINTS = [[0, 100, 1, 100], [200, 6000, 6, 15000], [400, 2000, 2, 30000], [999, 1000, 1, 90000, 8192]]


def profile(points=POINTS, marks=MARKS, peak=PEAK, **timeline):
    timeline = dict({"spacing": 2, "points": points, "marks": marks}, **timeline)
    run = {"version": "1", "label": "last", "faults": [], "timeline": timeline}
    return Profile(dmd=dict(run, peak=peak) if peak else run).block(1000, ["f (a.c:1)"])


def shown(test, *args, content=None, locale="C"):
    test.write("file.json", content or profile())
    out, err = test.dmdv("timeline", *args, "file.json", environment={"LC_ALL": locale})
    test.equal(err, "", "standard error")
    return out


def span(test, *args, **more):
    """The milliseconds of both moments, and the three changes."""
    doc = json.loads(shown(test, "--json", *args, **more))
    return doc["from"]["milliseconds"], doc["to"]["milliseconds"], tuple(doc["change"].values())


def columns(chart):
    """The height of each column of a chart in ASCII, in halves of a row."""
    rows = [line[14:].ljust(86) for line in chart.split("\n")[:12]]
    return [sum({" ": 0, "#": 2}.get(row[i], 1) for row in rows) for i in range(86)]


def test_chart(test):
    out = shown(test)
    lines = out.split("\n")
    test.check(all(len(line) <= 100 for line in lines), "100 columns")
    test.check(out.isascii(), "only ASCII")
    test.equal(lines[0][:14], "     0.01 MB |", "the peak is the upper edge")
    test.equal(lines[6][:14], "     3.91 KB |", "and half of it is in the middle")
    heights = columns(out)
    # 86 columns for 1,000 ms; 8,000 bytes are 12 rows, and part of a row is a half.
    test.equal([heights[0], heights[21], heights[8], heights[50], heights[85]], [1, 24, 12, 9, 3], "heights")
    test.equal(heights[20], 18, "a gap has the last known heap")
    test.equal(lines[13].split(), ["0", "ms", "0.5", "s", "1.0", "s"], "axis")
    test.equal([lines[14][14 + i] for i in (8, 21, 43, 51)], ["1", "P", "2", "3"], "marks")


def test_chart_in_utf8(test):
    for locale in ("C.UTF-8", "de_DE.utf8"):
        out = shown(test, locale=locale)
        test.check("█" in out and "│" in out and "#1 warm after" in out, out)
        test.check(all(len(line) <= 100 for line in out.split("\n")), "100 columns")


def test_text(test):
    rest = shown(test).split("\n")[16:]
    test.equal(rest, ["peak   after 0.3 s: 8,000 bytes in 9 blocks",
                      "end    after 1.0 s: 1,000 bytes in 1 block; 8,192 bytes resident",
                      "#1 warm after 0.1 s: 4,000 bytes in 4 blocks",
                      "#2 dump 1 busy after 0.5 s: 3,000 bytes in 3 blocks; 4,096 bytes resident",
                      "#3 warm after 0.6 s: 2,500 bytes in 2 blocks",
                      "",
                      "from   after 0 ms: 0 bytes in 0 blocks",
                      "to     after 1.0 s: 1,000 bytes in 1 block; 8,192 bytes resident",
                      "change +1,000 bytes in +1 blocks; 90,000 bytes were allocated in between", ""], "text")


def test_most_resident_memory(test):
    """It is said when it was if a point had nearly as much: the kernel's maximum may lie between two points."""
    for most, expected in (8192, "physical memory: 8,192 bytes at most, about after 1.0 s"), (99999, "physical memory: 99,999 bytes at most"):
        content = profile()
        content.document["dmd"]["residentPeak"] = most
        test.check(expected in shown(test, content=content).split("\n"), expected)
        test.equal(json.loads(shown(test, "--json", content=content))["residentPeak"], most)


def test_moments(test):
    test.equal(span(test), (0, 999, (1000, 1, 90000)), "all of it")
    test.equal(span(test, "--from=peak"), (250, 999, (-7000, -8, 70000)), "from the peak")
    test.equal(span(test, "--from=warm", "--to=warm"), (100, 600, (-1500, -2, 45000)), "the first and the last")
    test.equal(span(test, "--from=#2", "--to=#3")[:2], (500, 600), "by number")
    test.equal(span(test, "--from=busy", "--to=last")[:2], (500, 999), "by label")
    for text, at in (("0.3", 200), ("300ms", 200), ("0.55s", 500), ("1min", 999), ("0", 0), ("0.0h", 0)):
        test.equal(span(test, "--to=" + text)[1], at, text)


def counted(**more):
    """A program that starts slowly: half of the time for a tenth of its instructions."""
    points = [point[:4] + [point[4] if len(point) > 4 else None, None, n] for point, n in zip(POINTS, (0, 2000000, 4000000, 20000000))]
    marks = [dict(mark, instructions=n) for mark, n in zip(MARKS, (800, 5000000, 10000000))]
    return profile(points=points, marks=marks, peak=dict(PEAK, instructions=3000000), **more)


def test_instructions_are_the_axis(test):
    out = shown(test, content=counted())
    lines = out.split("\n")
    test.equal(lines[13].split(), ["0", "i", "10.00", "Mi", "20.00", "Mi"], "axis")
    # 86 columns for 20 million; the peak is in 12, the marks in 0, 21 and 43.
    test.equal([lines[14].index(sign) - 14 for sign in "1P23"], [0, 12, 21, 42], "marks")
    test.equal([columns(out)[i] for i in (11, 12, 13, 85)], [18, 24, 24, 3], "heights")
    test.check("peak   after 3.00 Mi (0.3 s): 8,000 bytes" in out and "#1 warm after 800 i (0.1 s): " in out, out)
    breakdowns = {"stacks": ["t0"], "tags": [], "breakdowns": [[100, 4000, 4, 5000, [4000], [], 1000000], [450, 3000, 3, 35000, [2500], [], 1500000], [999, 1000, 1, 90000, [1000], [], 7000000]]}
    # By time the second one is the nearest to #2, by instructions the third.
    out = shown(test, "--from=1ki", "--to=#2", content=counted(**breakdowns))
    test.check("from   after 800 i" in out and "\nby stack, from 0 i to 7.00 Mi, in bytes:\n" in out, out)


def test_moments_by_instructions(test):
    content = counted()
    for text, at in (("0i", 0), ("799i", 0), ("0.8ki", 100), ("2Mi", 200), ("4.999Mi", 400), ("0.005Gi", 500), ("1Ti", 999), ("9007199254740991i", 999),
                     ("99999999999999Ti", 999), ("0.3", 200), ("#3", 600), ("peak", 250)):
        test.equal(span(test, "--to=" + text, content=content)[1], at, text)
    doc = json.loads(shown(test, "--json", content=content))
    test.equal([point["instructions"] for point in doc["points"] + doc["marks"]], [0, 2000000, 4000000, 20000000, 800, 5000000, 10000000], "in JSON")
    test.equal((doc["start"]["instructions"], doc["peak"]["instructions"]), (0, 3000000), "start and peak")
    test.write("file.json", profile())
    for text in "12Mi", "0i":
        test.check("neither a time nor a mark" in test.error("timeline", "--to=" + text, "file.json"), "nothing was counted")
    test.write("file.json", content)
    for text in "12mi", "i", "5 Mi", "1e3i":
        test.check("neither a time nor a mark" in test.error("timeline", "--to=" + text, "file.json"), text)


def test_bad_moments(test):
    test.write("file.json", profile())
    for text in ("hot", "#0", "#4", "#", "1.5m", "-1", "5 s", ".", ""):
        test.check("neither a time nor a mark" in test.error("timeline", "--to=" + text, "file.json"), text)
    test.check("comes after" in test.error("timeline", "--from=end", "--to=peak", "file.json"), "backwards")


def test_files_without_timeline(test):
    test.write("file.json", Profile(dmd={"version": "1"}).block(8, ["f (a.c:1)"]))
    test.check("has no timeline" in test.error("timeline", "file.json"), "none")
    test.check("give one file" in test.error("timeline"), "no file")
    test.check("give one file" in test.error("timeline", "file.json", "file.json"), "two files")


def test_a_fork(test):
    out = shown(test, content=profile(forked=True, points=[[300, 700, 7, 400]] + [[500, 900, 9, 100000]], peak=None, marks=[]))
    test.check("fork   after 0.3 s: 700 bytes in 7 blocks\n" in out, out)
    test.check("from   after 0.3 s: 700 bytes" in out, out)
    test.check("peak   after 0.5 s: 900 bytes" in out, "the largest point")


def test_odd_timelines(test):
    """One moment; nothing at all; marks that are no texts for a terminal; the largest numbers."""
    most = 2**53
    for points in ([[0, 0, 0, 0]], [[7, 5, 1, 5]], [[0, 0, 0, 0], [most, most, most, most]]):
        out = shown(test, content=profile(points=points, marks=[], peak=None))
        test.check(all(len(line) <= 100 for line in out.split("\n")[:15]), out)
    out = shown(test, content=profile(marks=[dict(MARKS[0], text="\x1b[31m\n::error::")]))
    test.check("\x1b" not in out and "#1 \\x1b[31m" in out, out)


def test_growth(test):
    """1,000 bytes a second, hidden in 50,000 that come and go."""
    points = [[i * 100, 50000 * (i % 2) + i * 100, 5, i * 100000] for i in range(300)]
    out = shown(test, content=profile(points=points, marks=[], peak=None))
    test.check("\ngrows steadily by 0.98 KB/s since 0 ms\n" in out, out)
    doc = json.loads(shown(test, "--json", content=profile(points=points, marks=[], peak=None)))
    test.equal(doc["growth"]["since"], 0, "since")
    test.check(950 <= doc["growth"]["bytesPerSecond"] <= 1050, "rate")
    flat = [[i * 100, 50000 * (i % 2) + min(i, 100) * 100, 5, i * 100000] for i in range(300)]
    test.equal("grows" in shown(test, content=profile(points=flat, marks=[], peak=None)), False, "it levels off")


STACKS = {"stacks": ["t0", "t1"], "tags": ["hot"],
          "breakdowns": [[100, 4000, 4, 5000, [4000, 0], [0]], [500, 3000, 3, 40000, [500, 2000], [300]],
                         [999, 1000, 1, 90000, [1000, 0], [100]]]}


def by_stack(**more):
    content = profile(**dict(STACKS, **more))
    content = content.block(0, ["g (b.c:2)"])
    return content


def test_growth_by_stack(test):
    out = shown(test, content=by_stack())
    test.check("\nby stack, from 0 ms to 1.0 s, in bytes:\n            +1,000  f (a.c:1)\nby tag:\n              +100  hot\n" in out, out)
    out = shown(test, "--from=150ms", "--to=busy", content=by_stack())
    test.check("\nby stack, from 0.1 s to 0.5 s, in bytes:\n            +2,000  g (b.c:2)\n            -3,500  f (a.c:1)\n"
               "              +500  other stacks\n" in out, out)
    grown = json.loads(shown(test, "--json", "--from=150ms", "--to=busy", content=by_stack()))["grown"]
    test.equal([(row["bytes"], row["stack"][-1]) for row in grown["stacks"]], [(2000, "g (b.c:2)"), (-3500, "f (a.c:1)")], "stacks")
    test.equal((grown["from"]["milliseconds"], grown["to"]["milliseconds"], grown["others"]), (100, 500, 500), "moments")
    test.equal(grown["tags"], [{"bytes": 300, "name": "hot"}], "tags")
    test.equal("by stack" in shown(test, "--from=0.45", "--to=0.6", content=by_stack()), False, "one moment is the nearest to both")
    test.equal("by stack" in shown(test), False, "no breakdowns")


def test_growth_of_one_stack(test):
    """A tenth of the heap grows, in the midst of larger changes."""
    breakdowns = [[i * 1000, 50000 + i * 100, 5, i * 100000, [40000 * (i % 3) // 2, i * 100], [0]] for i in range(30)] + [[30000, 0, 0, 3000000, [0, 0], [0]]]
    points = [[b[0], b[1] + 9000 * (i % 7), 5, b[3]] for i, b in enumerate(breakdowns)]
    content = by_stack(points=points, marks=[], peak=None, breakdowns=breakdowns)
    out = shown(test, content=content)
    test.check("\ngrows steadily by 0.10 KB/s since 0 ms; 100% of it at g (b.c:2)\n" in out, out)
    growth = json.loads(shown(test, "--json", content=content))["growth"]
    test.equal((growth["since"], growth["stack"][-1]), (0, "g (b.c:2)"), "since, stack")
    test.check(95 <= growth["ofStack"] <= growth["bytesPerSecond"] <= 105, str(growth))


def test_json(test):
    doc = json.loads(shown(test, "--json"))
    keys = ("milliseconds", "bytes", "blocks", "allocated", "resident")
    test.equal(doc["points"], [dict(zip(keys, point)) for point in POINTS], "points")
    test.equal(doc["marks"], MARKS, "marks")
    test.equal((doc["peak"]["bytes"], doc["end"]["bytes"], doc["start"]["bytes"], doc["spacing"]), (8000, 1000, 0, 2), "moments")
    test.equal("forked" in doc, False, "not forked")
