# SPDX-License-Identifier: GPL-2.0-or-later
"""The contents of dmdv history: processes, old builds, digests, and accidents of a database."""

import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess

from dmdvtest import Profile
from harness import Skip
from test_history import HOUR, START, History, build_of, files_only, fill

TABLES = ("build", "environment", "recordset", "run", "series", "value", "stack", "alarm")


# ---- Processes ----


def process_of(name, pid, size):
    return Profile(mode="live", dmd={"version": "1", "pid": pid, "label": "loaded", "faults": [],
                                     "argv": ["/opt/app/" + name, "--serve"], "command": "/opt/app/%s --serve" % name}) \
        .block(size, ["malloc (m.c:1)", "%s_main (%s.c:1)" % (name, name)])


def test_processes_add_up_and_are_kept_apart(test):
    """Two launches of a server and its worker for each build: the sums are one series, and each process has
    its own. The worker's growth is reported in both, with its stack."""
    history = History(test)
    for i in range(20):
        for launch in range(2):
            history.add(i, process_of("server", 100 + launch, 100000))
            history.add(i, process_of("worker", 200 + launch, 50000 + 20 * launch + (9000 if i >= 12 else 0)))
    more = [9000 * (i >= 12) for i in range(20)]
    test.equal(history.points("heap"), [150010 + m for m in more], "all")
    test.equal(history.points("heap of server"), [100000] * 20, "the server")
    test.equal(history.points("heap of worker"), [50010 + m for m in more], "the worker")
    test.equal({p["runs"] for p in history.json("show", "heap")["curves"][0]["points"]}, {2}, "launches")
    alarms = {a["series"]: a for a in history.alarms(1)}
    test.equal(set(alarms), {"heap", "heap of worker"}, "series that changed")
    for alarm in alarms.values():
        test.equal((alarm["first_build"], alarm["delta"]), ("b12", 9000), alarm["series"])
        test.equal([(r["delta"], r["frames"][1]) for r in alarm["records"]], [(9000, "worker_main (worker.c:1)")], "stacks")
    history.run("acknowledge", "--build=b12", "--series=heap of worker", "--reason=x")
    test.equal({a["series"]: a["state"] for a in history.alarms(1)}, {"heap": "new", "heap of worker": "acknowledged"}, "states")
    err = test.error("history", "show", "--db=" + history.db, "heap of nobody")
    test.check("no series" in err, err)


def test_one_process_has_one_curve(test):
    """A program whose name differs in each build is compared nevertheless."""
    history = History(test)
    for i in range(3):
        history.add(i, process_of("app-1.%d" % i, 1, 1000 + i))
    listed = [s["series"] for s in history.json("list")["series"]]
    test.equal((history.points("heap"), listed.count("heap"), [s for s in listed if " of " in s]), ([1000, 1001, 1002], 1, []), "")


def test_runs_by_name(test):
    """Processes with equal names: with --run they belong to one run, without it each is a repetition.
    --process distinguishes them."""
    history = History(test)
    for run, pids, sizes in (("ci-1", (10, 11, 12), (1000, 2000, 3000)), ("ci-2", (20, 21, 22), (1000, 2000, 3300))):
        for pid, size in zip(pids, sizes):
            history.add(1, process_of("worker", pid, size), "--run=" + run)
    for pid, size in enumerate((1000, 2000, 3000)):
        history.add(2, process_of("worker", pid, size))
        history.add(3, process_of("worker", pid, size), "--process=w%d" % pid)
    points = history.json("show", "heap")["curves"][0]["points"]
    test.equal([(p["value"], p["runs"]) for p in points], [(6150, 2), (2000, 3), (6000, 1)], "sums and means")
    test.equal(history.points("heap of w1"), [2000], "one of them")
    test.equal(history.points("heap of worker"), [6150, 2000], "the others")


def test_several_files_at_once(test):
    """Each build has stacks that earlier ones lacked: a server is queried in two ways by turns."""
    history = History(test)
    files = [test.write("p%d.json" % i, process_of("app", i, 1000 + i).block(10 + i, ["malloc (m.c:1)", "only%d (o.c:1)" % i]))
             for i in range(3)]
    _, err = test.dmdv("history", "add", "--db=" + history.db, "--build=b", *files)
    test.check("3 of 3 added" in err, err)
    test.equal(history.json("show", "heap")["curves"][0]["points"][0]["runs"], 3, "runs")
    test.equal(history.sql("SELECT count(*) FROM stack"), [["4"]], "stacks")


# ---- Removing builds ----


def growing(history, n, changes=(), **more):
    """Builds that each have a stack of their own, and a stack that grows at some builds."""
    for i in range(n):
        profile = Profile(mode="live", dmd={"version": "1", "pid": i, "faults": []})
        profile.block(100000 + sum(9000 for at in changes if i >= at), ["malloc (m.c:1)", "grown (g.c:%d)" % i])
        for k in range(40):
            profile.block(64, ["malloc (m.c:1)", "same%d (s.c:1)" % k])
        profile.block(16, ["malloc (m.c:1)", "once%d (o.c:1)" % i])
        history.add(more.get("first", 0) + i, profile, *more.get("args", ()))


def stacks(history):
    return {int(n) for (frames,) in history.sql("SELECT replace(frames, chr(10), ' ') FROM stack" if history.server else
                                                "SELECT replace(frames, char(10), ' ') FROM stack")
            for n in re.findall(r"once(\d+) ", frames)}


def test_prune_keeps_the_last_builds(test):
    """Remaining builds have the same metrics, change points and stacks; data that is no longer referenced is
    gone, and its space is freed."""
    history = History(test)
    growing(history, 44, changes=(8, 32))
    growing(history, 5, first=100, args=["--branch=topic"])
    history.run("acknowledge", "--build=b8", "--reason=x")
    before = {a["first_build"]: a for a in history.alarms(1)}
    points = history.json("show", "heap")["curves"]
    _, err = test.dmdv("history", "prune", "--db=" + history.db, "--keep=20", "--branch=main")
    found = re.fullmatch(r"dmdv: 23 of 49 builds dropped, 1 kept for acknowledged steps; ([\d,]+) of ([\d,]+) bytes freed\n", err)
    test.check(found and int(found[1].replace(",", "")) < int(found[2].replace(",", "")), err)
    test.check(history.server or int(found[1].replace(",", "")) > 0, err)  # a server's tables have few pages here
    kept = ["b8", *("b%d" % i for i in range(24, 44))]
    builds = history.json("list")["builds"]
    test.equal([b["build"] for b in builds if b["branch"] == "main"], kept, "builds of main")
    test.equal(len(builds), 26, "with topic")
    after = history.json("show", "heap")["curves"]
    test.equal(after[0]["points"], [p for p in points[0]["points"] if p["build"] in kept], "figures")
    test.equal(after[1], points[1], "of topic")
    test.equal({a["first_build"]: a for a in history.alarms(1)}["b32"]["records"], before["b32"]["records"], "stacks of the step")
    test.equal(stacks(history), {8, *range(24, 44), *range(5)}, "stacks")
    history.add(44, build_of(44))
    test.equal(history.sql("SELECT count(*) FROM recordset WHERE id NOT IN (SELECT recordset FROM run)"), [["0"]], "sets")
    test.equal(history.sql("SELECT count(*) FROM value WHERE run NOT IN (SELECT id FROM run)"), [["0"]], "values")


def test_prune_by_age_and_branch(test):
    history = History(test)
    growing(history, 6)
    growing(history, 4, first=20, args=["--branch=topic"])

    def names():
        return [b["build"] for b in history.json("list")["builds"]]
    for args, left in ((["--older-than=%d" % (START + 2 * HOUR), "--keep=5"], 9), (["--older-than=%d" % (START + 3 * HOUR)], 7),
                       (["--older-than=90000d"], 7), (["--branch=nobody"], 7), (["--branch=topic", "--keep=1"], 4),
                       (["--branch=topic"], 3), (["--older-than=2000-01-01"], 3), (["--keep=0", "--older-than=1d"], 0)):
        history.run("prune", *args)
        test.equal(len(names()), left, " ".join(args))
    test.equal([history.sql("SELECT count(*) FROM " + table) for table in TABLES], [[["0"]]] * len(TABLES), "rows")
    for args, word in (([], "--keep"), (["--keep=-1"], "keep"), (["--older-than=soon"], "soon"), (["--keep=1", "x"], "options")):
        err = test.error("history", "prune", "--db=" + history.db, *args)
        test.check(word in err, err)


def test_prune_forgets_what_was_acknowledged_with_the_branch(test):
    history = History(test)
    growing(history, 24, changes=(12,), args=["--branch=topic"])
    test.dmdv("history", "acknowledge", "--db=" + history.db, "--build=b12", "--reason=x")
    history.run("prune", "--keep=1")
    test.equal(len(history.json("list")["builds"]), 2, "the last, and the acknowledged one")
    history.run("prune", "--branch=topic")
    test.equal((history.json("list")["builds"], history.sql("SELECT count(*) FROM alarm")), ([], [["0"]]), "all")


# ---- Digests ----


def digest_of(data):
    return hashlib.sha256(data).digest()[:16]


def digests(history, table):
    return {row[0].lower() for row in history.sql("SELECT %s(digest%s) FROM %s" % (("encode", ", 'hex'", table) if history.server
                                                                                 else ("hex", "", table)))}


def test_digests_never_change(test):
    """The digests of two stacks, of what they held, and of the run, computed anew: histories that exchange
    runs compare them, whatever machine and version of dmdv made them."""
    history = History(test)
    stacks = {(1, 3000, 1): b"malloc (m.c)\nindex_build (index.c)\nmain (main.c)\n",
              (2, 100000, 100): b"malloc (m.c)\nlist_new (list.c)\nmain (main.c)\n"}
    history.add(1, build_of(1))
    records = 0
    for numbers, frames in stacks.items():
        records += int.from_bytes(digest_of(digest_of(frames) + struct.pack("<QQQ", *numbers)), "little")
    records = (records % 2 ** 128).to_bytes(16, "little")
    test.equal(digests(history, "stack"), {digest_of(frames).hex() for frames in stacks.values()}, "stacks")
    test.equal(digests(history, "recordset"), {records.hex()}, "what they held")
    test.equal(digests(history, "run"), {digest_of(records + b"1001 0\n\n\n").hex()}, "the run")
    run, = json.loads(test.dmdv("history", "export", "--format=json", "--db=" + history.db)[0])["runs"]
    test.equal({run["digest"]}, digests(history, "run"), "in an export")


# ---- Accidents of a file ----


def as_nobody(test):
    """Words before a command that run it without root's permission to write."""
    if os.getuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        raise Skip("no setpriv")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@files_only
def test_files_and_folders_that_may_not_be_written(test):
    """Users who may read a history may list it, even if they cannot write beside it; adding is an error."""
    history = History(test)
    fill(history, 3)
    listed = history.run("list")
    file = test.write("p.json", build_of(9))
    os.mkdir(test.path("closed"))
    shutil.copy(test.path("h.db"), test.path("closed/h.db"))
    os.chmod(test.path("closed/h.db"), 0o444)
    os.chmod(test.path("closed"), 0o555)
    os.chmod(test.folder, 0o755)
    command = [*as_nobody(test), test.place.dmdv(), "history"]
    done = test.run([*command, "list", "--db=closed/h.db"])
    test.equal((done.out, done.err), (listed, ""), "the list")
    for db in ("closed/h.db", "closed/new.db", "/proc/h.db"):
        done = test.run([*command, "add", "--db=" + db, "--build=b9", file], status=2)
        test.check(done.err.count("\n") == 1 and db in done.err and "do you have write access to it" in done.err, done.err)
    os.chmod(test.path("closed"), 0o755)


@files_only
def test_damaged_files(test):
    """Bytes of a history are overwritten at random: nothing crashes, and an error is one line."""
    history = History(test)
    fill(history, 14, at=7, more=9000)
    with open(test.path("h.db"), "rb") as file:
        whole = file.read()
    draw = random.Random(10)
    file, refused = test.write("p.json", build_of(20)), 0
    for trial in range(30):
        bytes_ = bytearray(whole)
        for _ in range(draw.choice((1, 20, 400))):
            bytes_[draw.randrange(0 if trial % 3 == 0 else 100, len(bytes_))] = draw.randrange(256)
        if trial % 10 == 9:
            bytes_ = bytes_[:draw.randrange(len(bytes_))]
        for command in (["list"], ["check"], ["show", "heap"], ["add", "--build=b20", file], ["prune", "--keep=3"]):
            test.write("d.db", bytes(bytes_))
            done = test.run([test.place.dmdv(), "history", command[0], "--db=d.db", *command[1:]], status=None)
            test.check(done.status in (0, 1, 2), done.describe())
            test.check(done.status != 2 or done.err.startswith("dmdv: "), done.describe())
            refused += done.status == 2
            for name in ("d.db-wal", "d.db-shm"):
                if os.path.exists(test.path(name)):
                    os.remove(test.path(name))
    test.check(refused > 10, "%d refused" % refused)


@files_only
def test_full_disk(test):
    """No space left, as with a limit on file sizes: the file that was being added is absent, all others are
    there."""
    history = History(test)
    growing(history, 4)
    before = history.json("list")
    profile = Profile(mode="live", dmd={"version": "1", "pid": 1, "faults": []})
    for k in range(3000):
        profile.block(8 * k + 8, ["malloc (m.c:1)", "%s%d (a.c:1)" % ("long" * 20, k)])
    file, room = test.write("p.json", profile), os.path.getsize(test.path("h.db")) + 40000

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    done = test.run([test.place.dmdv(), "history", "add", "--db=h.db", "--build=b9", file], status=2, preexec_fn=limit)
    test.check(done.err.count("\n") == 1 and "h.db: " in done.err and "disk" in done.err, done.err)
    test.equal(history.sql("PRAGMA integrity_check"), [["ok"]], "integrity")
    test.equal(history.json("list"), before, "what was there")
    history.add(9, profile)
    test.equal(len(history.json("list")["builds"]), 5, "with room again")


def test_sixteen_writers_killed_at_random(test):
    """Sixteen processes at a time, a third of them killed with -9 at a random moment: each file that was
    reported as added is there as a whole; each of the others is either absent or whole."""
    history = History(test)
    draw = random.Random(11)
    command = [test.place.dmdv(), "history", "add", "--db=" + history.db, "--branch=main"]
    fill(history, 1)
    files, done = {}, set()
    for group in range(3):
        running = []
        for i in range(1 + 16 * group, 17 + 16 * group):
            files[i] = test.write("p%d.json" % i, build_of(i))
            process = subprocess.Popen([*command, "--build=b%d" % i, "--time=%d" % (START + i * HOUR), files[i]],
                                       cwd=test.folder, stderr=subprocess.PIPE)
            running.append((i, process))
        for i, process in running:
            if draw.random() < 0.35:
                try:
                    process.wait(timeout=draw.random() * 0.4)
                except subprocess.TimeoutExpired:
                    process.kill()
        for i, process in running:
            if b"1 of 1 added" in process.communicate()[1]:
                done.add(i)
    if not history.server:
        test.equal(history.sql("PRAGMA integrity_check"), [["ok"]], "integrity")
    there = {int(b["build"][1:]) for b in history.json("list")["builds"]}
    test.check(done <= there and len(done) >= 20, "%s of %s" % (done - there, done))
    test.equal(history.points("heap"), [103000] * len(there), "heap of all")
    test.equal(history.sql("SELECT count(*) FROM value GROUP BY run HAVING count(*) <> "
                           "(SELECT count(*) FROM value WHERE run = (SELECT min(id) FROM run))"), [], "runs that lack a value")
    for i, file in files.items():
        test.dmdv(*command[1:], "--build=b%d" % i, "--time=%d" % (START + i * HOUR), file)
    test.equal([b["runs"] for b in history.json("list")["builds"]], [1] * 49, "all, once")


@files_only
def test_a_million_series(test):
    """Time and memory stay in proportion: each series is read, printed and freed."""
    history = History(test)
    fill(history, 3)
    with sqlite3.connect(test.path("h.db")) as db:
        db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)"
                   " INSERT INTO series(kind, name) SELECT 'tag', 'tag number ' || i FROM n")
        db.execute("INSERT INTO value SELECT series.id, run.id, series.id * run.id FROM series, run"
                   " WHERE name LIKE 'tag number %' AND run.id < 3")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    limits = {} if "-fsanitize" in open(os.path.join(test.builddir, "config.status"), encoding="utf-8").read() else {"preexec_fn": limit}
    dmdv = [test.place.dmdv(), "history"]
    with open(test.path("out"), "wb") as out:
        subprocess.run([*dmdv, "list", "--db=h.db"], cwd=test.folder, stdout=out, check=True, **limits)
    with open(test.path("out"), "rb") as out:
        test.equal(sum(b"tag number" in line for line in out), 1000000, "listed")
    test.check("tag number 77777," in test.run([*dmdv, "show", "--db=h.db", "tag tag number 77777"], **limits).out, "shown")
    test.check("passed: 0 new alarms in 1,000,0" in test.run([*dmdv, "check", "--db=h.db"], **limits).out, "checked")


def test_names_may_be_long(test):
    """Names of builds, moments and processes have a limit; a series with a long name is found by what list calls it."""
    history = History(test)
    tag = "\N{SNOWMAN}" * 3000
    history.add(1, build_of(1).block(5000, ["malloc (m.c:1)"], tag=tag + "1").block(6000, ["malloc (m.c:1)"], tag=tag + "2"))
    names = [s["series"] for s in history.json("list")["series"] if "\N{SNOWMAN}" in s["series"]]
    test.check(len(names) == 2 and all(len(name.encode()) < 520 for name in names), str(names))
    test.equal(sorted(history.points(name)[0] for name in names), [5000, 6000], "both")
    file = test.write("p.json", build_of(1))
    for option in ("build", "branch", "moment", "process", "run"):
        err = test.error("history", "add", "--db=" + history.db, *(["--build=b"] if option != "build" else []),
                         "--%s=%s" % (option, "x" * 501), file)
        test.check("too long" in err, err)
    err = test.error("history", "add", "--db=" + history.db, "--build=b", *("--env=k%d=%s" % (i, "v" * 150) for i in range(20)), file)
    test.check("too long" in err, err)


def test_bytes_that_are_no_text(test):
    history = History(test)
    file = test.write("p.json", build_of(1))
    subprocess.run([test.place.dmdv(), "history", "add", "--db=" + history.db, b"--build=b\xff\xfe", b"--branch=\xc3", file],
                   cwd=test.folder, check=True, stderr=subprocess.DEVNULL)
    build = history.json("list")["builds"][0]
    test.equal((build["build"], build["branch"]), ("b\ufffd\ufffd", "\ufffd"), "replaced")
