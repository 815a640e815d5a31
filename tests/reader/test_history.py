# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv history finds the added profiles again, and names the build that changed a metric and the stack
responsible."""

import json
import os
import random
import signal
import sqlite3
import subprocess

from dmdvtest import Profile
from graphwriter import wasteful_graph
from harness import Skip, page

LIST = ["malloc (m.c:1)", "list_new (list.c:%d)", "main (main.c:%d)"]
INDEX = ["malloc (m.c:1)", "index_build (index.c:%d)", "main (main.c:%d)"]
SIZE_OF = ["size_of (r.c:1)", "measure (r.c:2)"]

LEFT_OUT = "built without libpq"

HOUR, START = 3600, 1_700_000_000


def build_of(i, index=3000, noise=0, label="loaded", line=0, pid=0):
    """A program of 100,000 bytes in a list that explicit/app/list measures, and an index that no reporter
    measures. Line numbers change from build to build."""
    profile = Profile(dmd={"version": "1", "pid": 1000 + i + pid, "label": label, "faults": []})
    profile.block(1000, [LIST[0], LIST[1] % (7 + line), LIST[2] % (9 + line)], [SIZE_OF], num=100,
                  reporters=["explicit/app/list"])
    profile.block(index + noise, [INDEX[0], INDEX[1] % (3 + line), INDEX[2] % (10 + line)], tag="index")
    return profile


def files_only(function):
    """A test about SQLite's files; all other tests hold for a server, too (test_history_postgresql.py)."""
    function.is_for_files = True
    return function


class History:
    """A history: a file in the test's folder, or an empty database if the test runs with a server."""

    def __init__(self, test):
        self.test, self.server = test, getattr(test, "server", None)
        if "without SQLite" in test.dmdv("history", "--help")[0]:
            raise Skip("this dmdv was built without SQLite")
        self.db = self.server.new_database() if self.server else "h.db"

    def sql(self, text):
        """The rows of an answer, as lists of texts."""
        if self.server:
            return self.server.sql(self.db, text)
        with sqlite3.connect(self.test.path(self.db)) as db:
            return [[str(value) for value in row] for row in db.execute(text).fetchall()]

    def add(self, i, profile, *args, name=None, status=0):
        file = self.test.write("profile.json", profile)
        return self.test.dmdv("history", "add", "--db=" + self.db, "--build=%s" % (name or "b%d" % i), "--branch=main",
                              "--time=%d" % (START + i * HOUR), *args, file, status=status)

    def run(self, *args, status=0):
        out, err = self.test.dmdv("history", args[0], "--db=" + self.db, *args[1:], status=status)
        return out

    def json(self, *args, status=0):
        return json.loads(self.run(*args, "--json", status=status))

    def alarms(self, status=0, *args):
        return self.json("check", *args, status=status)["alarms"]

    def points(self, series):
        """The values of a series that has one curve."""
        curves = self.json("show", series)["curves"]
        self.test.equal(len(curves), 1, "curves of " + series)
        return [point["value"] for point in curves[0]["points"]]


def fill(history, n, at=None, more=0, noise=lambda: 0, runs=1, first=0):
    for i in range(first, n):
        for k in range(runs):
            history.add(i, build_of(i, 3000 + (more if at is not None and i >= at else 0), noise(), line=i, pid=1000 * k))


def test_stacks_that_scatter_are_not_blamed(test):
    """Two caches of 2,000 bytes together, whose shares differ from build to build: between the last build
    before a change point of 1,000 bytes and the first one after it, one cache grows by more than the real
    cause."""
    history = History(test)
    draw = random.Random(6)
    for i in range(24):
        index = 3000 + (1000 if i >= 14 else 0) + draw.randrange(-20, 21)
        first = {13: 300, 14: 1700}.get(i, draw.randrange(300, 1701))
        profile = build_of(i, index)
        profile.block(first, ["malloc (m.c:1)", "first_cache (cache.c:1)", "main (main.c:1)"])
        profile.block(2000 - first, ["malloc (m.c:1)", "second_cache (cache.c:9)", "main (main.c:1)"])
        history.add(i, profile)
    alarms = history.alarms(1, "--least-change=512")
    test.equal({(a["series"], a["first_build"]) for a in alarms}, {("heap", "b14"), ("unreported", "b14"), ("tag index", "b14")},
               "series that changed")
    for alarm in alarms:
        test.check("index_build" in alarm["records"][0]["frames"][1], str(alarm["records"]))
        test.check(950 < alarm["records"][0]["delta"] < 1050, str(alarm["records"]))


def test_figures_are_those_of_the_profile(test):
    """Each metric of the profiles, by hand; those of reporters include the paths above."""
    history = History(test)
    history.add(1, build_of(1))
    history.add(2, build_of(2, 5000).block(700, LIST[:1], [SIZE_OF, SIZE_OF], reporters=["explicit/app/x", "explicit/app/y"]))
    expected = {"heap": [103000, 105700], "unreported": [3000, 5000], "once": [100000, 100000], "twice": [0, 700],
                "faults": [0, 0], "reporter explicit": [100000, 101400], "reporter explicit/app": [100000, 101400],
                "reporter explicit/app/list": [100000, 100000], "tag index": [3000, 5000]}
    for series, values in expected.items():
        test.equal(history.points(series), values, series)
    test.equal(history.points("reporter explicit/app/x"), [700], "only in the second")
    listed = history.json("list")
    test.equal([(b["build"], b["branch"], b["runs"]) for b in listed["builds"]], [("b1", "main", 1), ("b2", "main", 1)], "builds")
    test.check(set(expected) <= {s["series"] for s in listed["series"]}, str(listed["series"]))
    err = test.error("history", "show", "--db=" + history.db, "reporter explicit/nobody")
    test.check("dmdv history list" in err, err)


def test_waste_of_the_graph_beside(test):
    """The third build has no graph of its own: the one that lies there is of another process."""
    history = History(test)
    for i in (1, 2, 3):
        test.write("profile.graph.gz", wasteful_graph(pid=1000 + min(i, 2)).gzipped())
        history.add(i, build_of(i))
    test.equal(history.points("waste"), [14500, 14500])


def test_memory_reports_are_figures(test):
    """Two workers of one name in a file are added up; a path in another unit has no series; of the system's
    trees only two names count."""
    history = History(test)
    def file(more):
        def report(process, path, amount, kind=1, units=0):
            return dict(process=process, path=path, amount=amount, kind=kind, units=units, description="")
        return {"version": 1, "hasMozMallocUsableSize": True, "reports": [
            report("server (pid 7)", "explicit/a/x", 1000 + more), report("server (pid 7)", "explicit/a/y", 200),
            report("server (pid 7)", "heap-allocated", 5000, 2), report("server (pid 7)", "calls", 9, 2, 1),
            report("worker (pid 8)", "resident", 100, 2), report("worker (pid 9)", "resident", 30, 2),
            report("worker (pid 9)", "rss/shared-libraries/libc/r-x", 40, 2),
            report("worker (pid 8)", "rss/shared-libraries/libm/r-x", 2, 2)]}
    history.add(1, file(0))
    history.add(2, file(5 - 2))
    test.check("already has all" in history.add(2, file(5 - 2))[1], "the same file again")
    expected = {"heap": [5000, 5000], "unreported": [3800, 3797], "reporter explicit": [5000, 5000], "reporter explicit/a": [1200, 1203],
                "reporter explicit/a/x": [1000, 1003], "reporter rss/shared-libraries": [42, 42], "reporter rss": [42, 42]}
    for series, values in expected.items():
        test.equal(history.points(series), values, series)
    test.equal(history.points("resident"), [130, 130], "resident memory of both workers")
    names = {s["series"] for s in history.json("list")["series"]}
    test.check(not names & {"reporter calls", "reporter rss/shared-libraries/libc", "faults", "once"}, str(sorted(names)))


def test_adding_twice_changes_nothing(test):
    history = History(test)
    fill(history, 3)
    before = history.json("list")
    _, err = history.add(1, build_of(1, line=1))
    test.check("already has all" in err, err)
    test.equal(history.json("list"), before, "builds and series")
    _, err = history.add(1, build_of(1, line=1, pid=500))
    test.check("1 of 1 added" in err, err)
    test.equal([b["runs"] for b in history.json("list")["builds"]], [1, 2, 1], "a repetition is another run")


def test_the_build_and_the_stack_are_named(test):
    """A change of 1% at the 14th of 20 builds, three runs each, while all lines move: one event, with the
    first build, the one before, and the stack that grew first."""
    history = History(test)
    draw = random.Random(5)
    fill(history, 20, at=13, more=1030, noise=lambda: draw.randrange(-50, 51), runs=3)
    alarms = history.alarms(1, "--least-change=512")
    test.equal([a["series"] for a in alarms], ["heap", "unreported", "tag index"], "series that changed")
    for alarm in alarms:
        test.equal((alarm["first_build"], alarm["after_build"], alarm["moment"], alarm["state"]),
                   ("b13", "b12", "loaded", "new"), alarm["series"])
        test.check(950 < alarm["delta"] < 1110, str(alarm))
        test.equal([frame.split(" (")[0] for frame in alarm["records"][0]["frames"]], ["malloc", "index_build", "main"], "stack")
        test.check(880 < alarm["records"][0]["delta"] < 1180 and len(alarm["records"]) == 1, str(alarm["records"]))
    text = history.run("check", "--least-change=512", status=1)
    for words in ("More since build b13 (after b12)", "index_build (index.c:", "refused: 3 new alarms"):
        test.check(words in text, text)


def test_equal_builds_raise_no_alarm(test):
    history = History(test)
    draw = random.Random(6)
    fill(history, 40, noise=lambda: draw.randrange(-300, 301))
    test.equal(history.alarms(), [], "alarms")
    test.check("passed: 0 new alarms in" in history.run("check"), "text")


def test_too_few_builds_are_said(test):
    """A step that so few builds cannot prove: check says so in its verdict. In a new environment it says so again."""
    few = "; the newest build cannot be judged yet: %s too few to find a step; at least %d are needed, or fewer with several runs each\n"
    history = History(test)
    fill(history, 5, at=3, more=9000)
    lines = history.run("check").splitlines(keepends=True)
    test.equal(len(lines), 1, "lines")
    test.check(lines[0].startswith("passed: 0 new alarms in "), lines[0])
    test.check(lines[0].endswith(few % ("5 builds are", 13)), lines[0])
    for form in ("github", "markdown", "junit"):
        test.check("5 builds are too few" in history.run("check", "--format=" + form), form)
    for form in ("json", "gitlab"):
        out, err = test.dmdv("history", "check", "--db=" + history.db, "--format=" + form)
        json.loads(out)
        test.check("cannot be judged yet" in err and "5 of the 13 builds" in err, err)
    fill(history, 13, at=3, more=9000, first=5)
    test.check("cannot be judged" not in history.run("check"), "enough builds for some step")
    fill(history, 20, at=3, more=9000, first=13)
    test.check("More since build b3 " in history.run("check", status=1), "the step")
    history.add(20, build_of(20, 12000), "--env=compiler=another")
    test.check(history.run("check", status=1).endswith(few % ("1 build is", 13)), "another environment")


def test_what_was_acknowledged_is_the_new_level(test):
    history = History(test)
    fill(history, 20, at=10, more=9000)
    test.equal({a["state"] for a in history.alarms(1)}, {"new"}, "before")
    err = test.error("history", "acknowledge", "--db=" + history.db, "--build=b11", "--reason=x")
    test.check("no step begins with build b11" in err, err)
    test.error("history", "acknowledge", "--db=" + history.db, "--build=b10")
    history.run("acknowledge", "--build=b10", "--series=heap", "--reason=the index is needed")
    states = {a["series"]: a["state"] for a in history.alarms(1)}
    test.equal(states, {"heap": "acknowledged", "unreported": "new", "tag index": "new"}, "one series")
    history.run("acknowledge", "--build=b10", "--reason=the index is needed")
    test.equal({(a["state"], a["reason"]) for a in history.alarms()}, {("acknowledged", "the index is needed")}, "all")
    for i in range(20, 40):
        history.add(i, build_of(i, 12000 if i < 30 else 32000))
    new = {a["series"]: a for a in history.alarms(1) if a["state"] == "new"}
    test.equal(set(new), {"heap", "unreported", "tag index"}, "a further step")
    test.equal((new["heap"]["first_build"], new["heap"]["before"], new["heap"]["delta"]), ("b30", 112000, 20000), "from there")


def test_improvements_do_not_fail(test):
    history = History(test)
    fill(history, 20, at=10, more=-2500)
    alarms = history.alarms(0, "--least-change=1KB")
    test.equal({a["state"] for a in alarms}, {"improved"}, "states")
    test.check(all(a["delta"] == -2500 and a["records"][0]["delta"] == -2500 for a in alarms), str(alarms))
    test.check("Less since build b10" in history.run("check", "--least-change=1KB"), "text")


def test_environments_are_never_joined(test):
    """The same change, but between two compilers: no change point."""
    history = History(test)
    for i in range(30):
        history.add(i, build_of(i, 3000 if i < 15 else 9000), "--env=compiler=%s" % ("gcc 12" if i < 15 else "gcc 14"))
    test.equal(history.alarms(), [], "alarms")
    curves = history.json("show", "heap")["curves"]
    test.equal([len(c["points"]) for c in curves], [15, 15], "curves")
    test.check("compiler=gcc 12\n" in curves[0]["environment"], curves[0]["environment"])


def test_moments_are_series_of_their_own(test):
    history = History(test)
    for i in range(3):
        history.add(i, build_of(i, label="start"))
        history.add(i, build_of(i, 8000, label="end"))
    test.equal([[p["value"] for p in c["points"]] for c in history.json("show", "heap")["curves"]],
               [[108000] * 3, [103000] * 3], "curves, by moment")


def test_a_year_of_builds_stays_small(test):
    """A thousand stacks, ten of which change with each build: a build takes a hundredth of the first one's
    space."""
    history = History(test)
    draw = random.Random(7)
    sizes = [draw.randrange(16, 5000) for _ in range(1000)]
    lengths = []
    for i in range(8):
        profile = Profile(mode="live", dmd={"version": "1", "pid": i, "faults": []})
        for k, size in enumerate(sizes):
            profile.block(size, ["malloc (m.c:1)", "f%d (a.c:%d)" % (k, k + i)])
        history.add(i, profile)
        lengths.append(int(history.sql("SELECT length(data) FROM recordset ORDER BY id DESC")[0][0]))
        test.equal(history.points("heap")[-1], sum(sizes), "heap")
        for k in draw.sample(range(1000), 10):
            sizes[k] += 8
    test.check(all(n < lengths[0] / 30 for n in lengths[1:]), str(lengths))


def test_chains_of_differences_end(test):
    """Seventy builds, all different: the stacks of a late change point are still right."""
    history = History(test)
    sizes = {k: 2000 for k in range(200)}
    for i in range(70):
        profile = Profile(mode="live", dmd={"version": "1", "pid": i, "faults": []})
        for k, size in sizes.items():
            profile.block(size, ["malloc (m.c:1)", "f%d (a.c:1)" % k])
        history.add(i, profile)
        sizes[i] += 16
        sizes[i + 1] -= 16
        if i == 64:
            sizes[150] += 7000
            sizes[151] += 5000
    alarm = history.alarms(1)[0]
    test.equal((alarm["first_build"], alarm["delta"]), ("b65", 12000), "the step")
    test.equal([(r["frames"][1], r["delta"]) for r in alarm["records"]],
               [("f150 (a.c:1)", 7000), ("f151 (a.c:1)", 5000), ("f64 (a.c:1)", 16)], "records")
    test.equal(len(history.sql("SELECT id FROM recordset WHERE base IS NULL")), 2, "whole sets")


def test_many_writers_at_once(test):
    """Eight processes at a time, some of which are killed: files in the history are whole, and the rest can
    be added again."""
    history = History(test)
    draw = random.Random(8)
    files = [test.write("p%d.json" % i, build_of(i)) for i in range(24)]
    command = [test.place.dmdv(), "history", "add", "--db=" + history.db, "--branch=main"]

    def start(i):
        return subprocess.Popen([*command, "--build=b%d" % i, "--time=%d" % (START + i), files[i]], cwd=test.folder,
                                stderr=subprocess.DEVNULL)
    for group in range(0, 24, 8):
        running = [start(i) for i in range(group, group + 8)]
        for process in running:
            if draw.random() < 0.4:
                process.send_signal(signal.SIGKILL)
        for process in running:
            process.wait()
    if os.path.exists(test.path("h.db")):
        test.equal(history.sql("PRAGMA integrity_check"), [["ok"]], "integrity")
    for i in range(24):
        test.dmdv(*command[1:], "--build=b%d" % i, "--time=%d" % (START + i), files[i])
    test.equal([(b["build"], b["runs"]) for b in history.json("list")["builds"]], [("b%d" % i, 1) for i in range(24)], "builds")
    test.equal(history.points("heap"), [103000] * 24, "heap")


def test_names_are_no_sql_and_no_escapes(test):
    history = History(test)
    evil = "x'); DROP TABLE run; --"
    profile = build_of(1, label="l'abel\x1b[31m").block(5000, ["malloc (m.c:1)", "f'\" (a.c:1)"], tag=evil)
    history.add(1, profile, name="b'1;\x1b]0;title\x07")
    test.equal(history.points("tag " + evil), [5000], "the tag")
    out = history.run("list")
    test.check("\x1b" not in out and "\x07" not in out and "DROP TABLE" in out, repr(out))


@files_only
def test_what_is_no_history(test):
    History(test)
    test.write("text.db", "no database, but long enough to be looked at. " * 50)
    test.write("p.json", build_of(1))
    with sqlite3.connect(test.path("other.db")) as db:
        db.execute("CREATE TABLE build(id INTEGER)")
    for name, word in (("text.db", "not a database"), ("other.db", "belongs to another program"), ("missing/h.db", "unable to open")):
        err = test.error("history", "add", "--db=" + name, "--build=b", "p.json")
        test.check(word in err and name in err, err)
    err = test.error("history", "list", "--db=missing.db")
    test.check("missing.db" in err, err)
    newer = test.path("newer.db")
    test.dmdv("history", "add", "--db=newer.db", "--build=b", "p.json")
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 99")
    err = test.error("history", "list", "--db=newer.db")
    test.check("newer dmdv" in err, err)


def test_damaged_records_are_said(test):
    history = History(test)
    fill(history, 20, at=10, more=9000)
    history.sql("UPDATE recordset SET data = %s WHERE base IS NULL" % ("'\\x00112233'" if history.server else "x'00112233'"))
    out, err = test.dmdv("history", "check", "--db=" + history.db, status=2)
    test.check("damaged" in err, err)


@files_only
def test_bad_command_lines(test):
    History(test)
    test.write("p.json", build_of(1))
    for args, word in (([], "give a command"), (["ad"], "did you mean 'add'"), (["frobnicate"], "unknown command"),
                       (["add", "p.json"], "--db"), (["add", "--db=h.db"], "profiles"),
                       (["add", "--db=h.db", "--build=b", "--time=noon", "p.json"], "give seconds since 1970"),
                       (["add", "--db=h.db", "--build=b", "--env=x", "p.json"], "KEY=VALUE"),
                       (["add", "--db=h.db", "--build=b", "none.json"], "none.json"),
                       (["check", "--db=h.db", "x"], "options"), (["show", "--db=h.db"], "series"),
                       (["check", "--db=h.db", "--least-change=much"], "least-change")):
        err = test.error("history", *args)
        test.check(word in err, err)


def test_the_build_is_that_of_the_checkout(test):
    """Commit, branch and time come from git, or from CI."""
    history = History(test)
    test.write("p.json", build_of(1))
    quiet = {"GIT_AUTHOR_DATE": "2025-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2025-01-02T03:04:05Z", "HOME": test.folder}
    for command in (["init", "-q", "-b", "trunk"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q",
                                                    "--allow-empty", "-m", "x"]):
        test.run(["git", *command], env={**os.environ, **quiet})
    commit = test.run(["git", "rev-parse", "HEAD"]).out.strip()
    clean = {name: "" for name in ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "GITHUB_HEAD_REF", "GITHUB_REF_NAME",
                                   "CI_COMMIT_REF_NAME", "GIT_BRANCH")}
    test.dmdv("history", "add", "--db=" + history.db, "p.json", environment=clean)
    build = history.json("list")["builds"][0]
    test.equal((build["build"], build["branch"], build["time"]), (commit, "trunk", "2025-01-02T03:04:05Z"), "of git")
    test.dmdv("history", "add", "--db=" + history.db, "p.json",
              environment=dict(clean, CI_COMMIT_SHA="cafe", CI_COMMIT_REF_NAME="topic"))
    test.check(("cafe", "topic") in [(b["build"], b["branch"]) for b in history.json("list")["builds"]], "of CI")


@files_only
def test_build_without_sqlite(test):
    """A dmdv without SQLite reports that, and what to install."""
    if "without SQLite" not in test.dmdv("history", "--help")[0]:
        raise Skip("this dmdv has histories")
    err = test.error("history", "list", "--db=h.db")
    test.check("libsqlite3-dev" in err, err)


@files_only
def test_build_without_libpq(test):
    """A dmdv without libpq works with files, and reports why it has no servers."""
    History(test)
    if LEFT_OUT not in test.dmdv("history", "list", "--db=postgresql:///none", status=2)[1]:
        raise Skip("this dmdv has libpq")
    test.check("libpq-dev" in test.error("history", "list", "--db=postgres://me:secret@there/none"), "what to install")


def test_page(test):
    """The page has the builds and series, the alarms with their stacks, and as many records as requested."""
    history = History(test)
    fill(history, 12, at=8, more=9000, runs=3)
    test.write("page.html", page.STUB)

    def sections(*args):
        _, err = test.dmdv("history", "page", "--db=" + history.db, "--page=page.html", "-o", "out.html", *args)
        image = page.image_of(test.read("out.html"))
        test.equal(image.files(), [], "files")
        return image.sections[page.HISTORY, 0], image.sections[page.HISTORY_RECORDS, 0], err
    figures, records, err = sections()
    for text in (b"b0", b"b11", b"main", b"loaded", b"reporter explicit/app/list", b"tag index", b"index_build (index.c:"):
        test.check(text in figures, text)
    for text in (b"list_new (list.c:", b"index_build (index.c:"):
        test.check(text in records, text)
    test.check("--records" not in err, err)
    same, fewer, err = sections("--records=1")
    test.equal(same, figures, "figures")
    test.check(len(fewer) < len(records) and "3 of 12 builds" in err, err)
    err = test.error("history", "page", "--db=" + history.db, "--records=some")
    test.check("--records=some" in err, err)
