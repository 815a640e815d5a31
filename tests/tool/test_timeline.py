# SPDX-License-Identifier: GPL-2.0-or-later
"""The timeline: the heap over time. Every profile is checked for points in order, none above the peak (profile.py)."""

from harness import commands, files

STEPS = [("even", 100000, 1, 100000), ("odd", 200000, 2, 200000), ("even", 300000, 3, 300000), ("odd", 400000, 4, 400000),
         ("even", 500000, 5, 500000), ("less", 200000, 2, 500000)]


def _figures(mark):
    return mark.get("text"), mark["bytes"], mark["blocks"], mark["allocated"]


def _last(profile):
    return profile.timeline["points"][-1][1:4]


def dumps_are_marks(t):
    """The sixth dump knows the five before it, with their exact figures."""
    profiles = t.run("steps").profiles
    for number, step in enumerate(STEPS, 1):
        profile = next(p for p in profiles.values() if p.run["dump"] == number)
        t.equal(tuple(_last(profile)), step[1:])
        t.equal([_figures(mark) for mark in profile.timeline["marks"]], STEPS[:number - 1])
        t.equal([mark["dump"] for mark in profile.timeline["marks"]], list(range(1, number)))


def marks_are_exact(t):
    timeline = t.run("marks").profile.timeline
    t.equal([_figures(mark) for mark in timeline["marks"]],
            [("begin", 0, 0, 0), ('a "text"\n\x1b\ufffd', 321000, 3, 321000), ("", 20500, 2, 321500), ("begin", 20500, 2, 321507)])
    t.check(timeline["marks"][3]["milliseconds"] - timeline["marks"][2]["milliseconds"] in range(1, 2000), "5 ms later")


def marks_are_bounded(t):
    for options in [], ["--peak=no"]:
        timeline = t.run("many", options=options).profile.timeline
        if options:
            t.equal(timeline, None)
            continue
        t.check(128 <= len(timeline["marks"]) <= 256, "some of them")
        t.equal(timeline["marks"][0]["bytes"], 10)
        t.check(all(mark["bytes"] == 10 * mark["blocks"] for mark in timeline["marks"]), "exact")


def points_show_growth(t):
    profile = t.run("grow").profile
    points = profile.timeline["points"]
    t.check(len(points) > 50, "many points: %d" % len(points))
    t.check(max(point[1] for point in points) <= 4002000, "little more than what stays")
    t.equal(tuple(points[-1][1:4]), (4000000, 400, 84000000))
    for point in points:
        # Each round has 1/400 of both.
        t.check(abs(point[1] / 4000000 - point[3] / 84000000) < 0.01, "in proportion: %s" % point)
    t.check(points[-1][0] - points[0][0] >= 390, "it takes 400 ms")
    t.equal(len(points[-1]), 5)


def a_child_begins_at_the_fork(t):
    child, parent = sorted((profile.timeline for profile in t.run("split").profiles.values()), key=lambda line: "forked" not in line)
    t.equal(child["forked"], True)
    t.equal("forked" in parent, False)
    t.equal(child["points"][0][1], 3000)
    t.check(child["points"][0][0] >= 20, "the time is the program's, by a clock that may be coarse: %s" % child["points"][0])
    t.check(max(point[1] for point in child["points"]) <= 5000, "without the parent's past")


def in_instructions_as_dhat_counts(t):
    """The sleeping program does the same work in each of its 400 rounds."""
    command = [t.program(), "grow"]
    profile = t.run_command(command, options=["--time-unit=i"]).profile
    folder = t.run_command(command, tool="dhat", options=["--dhat-out-file=out.dhat"]).folder
    end, points = profile.timeline["points"][-1][6], profile.timeline["points"]
    of_dhat = files.read_json(folder + "/out.dhat")["te"]
    t.check(abs(end - of_dhat) <= of_dhat / 100, "the end after %d instructions, and %d by DHAT" % (end, of_dhat))
    start = points[0][6]
    for point in points:
        t.check(abs(point[3] / 84000000 - (point[6] - start) / (end - start)) < 0.02, "in proportion: %s" % point)
    out = commands.run([t.place.dmdv(), "timeline", "--from=%di" % points[len(points) // 2][6], profile.path]).out
    t.contains(out, " Mi (")
    t.contains(out, "from   after ")
    t.contains(out, ": %s bytes in " % format(points[len(points) // 2][1], ","))


def turned_off(t):
    for options in ["--timeline=no"], ["--peak=no"], ["--mode=cumulative"]:
        t.equal(t.run("grow", options=options).profile.timeline, None)
