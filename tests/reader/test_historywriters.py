# SPDX-License-Identifier: GPL-2.0-or-later
"""Several writers of one history: each waiting writer gets its turn, an import lets others write between its
parts, and a killed import leaves whole parts."""

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess

from harness import Skip
from test_history import HOUR, START, History, build_of, files_only, fill
from test_historyimport import exported, imported, new_history, whole

N_BUILDS, N_STACKS = 40, 6000  # nearly all of which change: some 8 parts of an import (importwriting.c)


def document_of(draw, n_builds=N_BUILDS, changing=1.0):
    """Builds of two processes, in which a share of the stacks changes; each launch has both."""
    records, held = [], []
    for i in range(2 * n_builds):
        before = held[i - 2] if i >= 2 else {}
        now = {k: (draw.randrange(16, 5000), 1) if k not in before or draw.random() < changing else before[k]
               for k in range(i % 3, N_STACKS)}
        records.append([[k, 3, now.get(k, (0, 0))[0] - before.get(k, (0, 0))[0], now.get(k, (0, 0))[1] - before.get(k, (0, 0))[1]]
                        for k in sorted({*now, *before}) if now.get(k) != before.get(k)])
        held.append(now)
    return {"version": 1, "environments": ["cc=gcc 12\n"],
            "builds": [{"build": "b%d" % i, "branch": "main", "time": START + i * HOUR} for i in range(n_builds)],
            "stacks": [["malloc (m.c:1)", "f%d (a.c:%d)" % (k, k)] for k in range(N_STACKS)],
            "runs": [{"build": i // 2, "environment": 0, "moment": "exit", "process": ("server", "worker")[i % 2], "run": "1",
                      "digest": "%032x" % (i + 1)} for i in range(2 * n_builds)],
            "records": records,
            "series": [{"kind": kind, "name": name, "values": [[i, draw.randrange(10 ** 6)] for i in range(2 * n_builds)]}
                       for kind, name in (("heap", ""), ("tag", "a"))], "alarms": []}


def values_of(document):
    """{(digest, kind, name): value}."""
    return {(document["runs"][run]["digest"], series["kind"], series["name"]): value
            for series in document["series"] for run, value in series["values"]}


def check_part(test, text, document):
    """Checks that the export's runs equal the document's, and that each launch is complete; returns the
    number of runs."""
    there = json.loads(text)
    of_us = {run["digest"] for run in document["runs"]} & {run["digest"] for run in there["runs"]}
    held, values = whole(there), values_of(there)
    expected, expected_values = whole(document), values_of(document)
    test.check(all(held[digest] == expected[digest] for digest in of_us), "what they held")
    test.equal({key: value for key, value in values.items() if key[0] in of_us},
               {key: value for key, value in expected_values.items() if key[0] in of_us}, "their values")
    test.equal([i for i in range(len(document["builds"])) if ("%032x" % (2 * i + 1) in of_us) != ("%032x" % (2 * i + 2) in of_us)], [],
               "launches that lack a process")
    return len(of_us)


def importing(test, history, *files):
    return subprocess.Popen([test.place.dmdv(), "history", "import", "--db=" + history.db, *files], cwd=test.folder,
                            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def number_of_runs(history):
    return int(history.sql("SELECT count(*) FROM run")[0][0])


@files_only
def test_a_full_disk_amid_an_import(test):
    """A limit on file sizes stops the import: the parts before it are whole, and with space again the rest is
    imported."""
    history, calm = new_history(test, "full.db"), new_history(test, "calm.db")
    document = document_of(random.Random(29))
    file = test.write("whole.json", document)
    imported(test, json.dumps(document), calm)
    room = os.path.getsize(test.path("calm.db")) // 2

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    done = test.run([test.place.dmdv(), "history", "import", "--db=" + history.db, file], status=2, preexec_fn=limit)
    test.check(done.err.count("\n") == 1 and "full.db: " in done.err and "disk" in done.err, done.err)
    there = check_part(test, exported(history), document)
    test.check(0 < there < 2 * N_BUILDS, "runs that had room: %d" % there)
    test.equal(history.sql("PRAGMA integrity_check"), [["ok"]], "integrity")
    err = imported(test, json.dumps(document), history)
    test.check("%d of %d runs added" % (2 * N_BUILDS - there, 2 * N_BUILDS) in err, err)
    test.equal(exported(history), exported(calm), "the whole")


def test_an_import_that_waits_for_its_input_keeps_nobody(test):
    history = new_history(test, "busy.db")
    history.add(1, build_of(1))
    source = new_history(test, "source.db")
    fill(source, 3)
    text = exported(source).encode()
    process = importing(test, history, "-")
    process.stdin.write(text[:-2])
    process.stdin.flush()
    history.add(5, build_of(5))
    test.equal([b["build"] for b in history.json("list")["builds"]], ["b1", "b5"], "meanwhile")
    process.communicate(text[-2:])
    test.equal(process.returncode, 0, "status")
    test.equal([b["build"] for b in history.json("list")["builds"]], ["b0", "b1", "b2", "b5"], "builds")


def test_others_write_while_an_import_does(test):
    """Builds that others add get places between those of the import."""
    history = new_history(test, "shared.db")
    history.add(1, build_of(1), "--branch=ours")
    document = document_of(random.Random(30))
    process = importing(test, history, test.write("whole.json", document))
    n = 0
    while process.poll() is None:
        history.add(n, build_of(n), "--branch=ours", name="w%d" % n)
        n += 1
    test.equal(process.wait(), 0, "status")
    order = [name for (name,) in history.sql("SELECT name FROM build ORDER BY id")]
    between = [name for name in order[order.index("b0"):order.index("b%d" % (N_BUILDS - 1))] if name.startswith("w")]
    test.check(len(between) >= 2, "%d of %d were added in between: %s" % (len(between), n, order))
    test.equal(check_part(test, exported(history), document), 2 * N_BUILDS, "runs of the document")
    test.equal(len([b for b in history.json("list")["builds"] if b["branch"] == "ours"]), n + 1, "of the others")


def test_a_killed_import_has_written_whole_parts(test):
    """Killed when it has written a part: the contents are whole. Importing again completes it; the export
    equals that of an undisturbed import."""
    history, calm = new_history(test, "killed.db"), new_history(test, "calm.db")
    document = document_of(random.Random(31))
    file, parts = test.write("whole.json", document), []
    history.add(50, build_of(50))
    calm.add(50, build_of(50))
    for least in (1, N_BUILDS // 2, N_BUILDS):
        process = importing(test, history, file)
        while process.poll() is None and number_of_runs(history) <= least:
            pass
        process.kill()
        process.wait()
        parts.append(check_part(test, exported(history), document))
        if not history.server:
            test.equal(history.sql("PRAGMA integrity_check"), [["ok"]], "integrity")
    test.check(parts == sorted(parts) and 0 < parts[0] < 2 * N_BUILDS, "runs after each kill: %s" % parts)
    err = imported(test, json.dumps(document), history)
    test.check("%d of %d runs added" % (2 * N_BUILDS - parts[-1], 2 * N_BUILDS) in err or parts[-1] == 2 * N_BUILDS, err)
    imported(test, json.dumps(document), calm)
    test.equal(exported(history), exported(calm), "the whole")


def test_builds_are_taken_out_while_an_import_writes(test):
    """Stacks and sets that the import has added are removed, and come back with other numbers, mixed with
    those of others: later additions are right."""
    n_builds, n, seen = 80, 0, []
    history = new_history(test, "pruned.db")
    history.add(0, build_of(0), "--branch=ours")
    document = document_of(random.Random(32), n_builds, 0.25)  # so that sets are differences
    process = importing(test, history, test.write("whole.json", document))
    while number_of_runs(history) == 1:
        pass
    while process.poll() is None:
        history.add(n, build_of(n).block(77, ["malloc (m.c:1)", "only%d (o.c:1)" % n]), "--branch=ours", name="w%d" % n)
        seen.append(exported(history))
        history.run("prune", "--keep=0", "--branch=main")
        n += 1
    test.equal(process.wait(), 0, "status")
    numbers = [check_part(test, text, document) for text in (*seen, exported(history))]
    test.check(sum(number > 0 for number in numbers) >= 1, "runs that were there: %s" % numbers)
    imported(test, json.dumps(document), history)
    test.equal(check_part(test, exported(history), document), 2 * n_builds, "once more")
    if not history.server:
        test.equal(history.sql("PRAGMA foreign_key_check") + history.sql("PRAGMA integrity_check"), [["ok"]], "integrity")


# ---- A file that another process has locked. ----


def keep(history):
    """A connection that has begun to write; close it."""
    db = sqlite3.connect(history.test.path(history.db), isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    return db


NANOSLEEP = ("35", "230")  # numbers of amd64's system calls


def wait_until_asleep(process):
    """Waits until the process has tried, and sleeps before its next try, according to the kernel."""
    while process.poll() is None:
        try:
            with open("/proc/%d/syscall" % process.pid, encoding="utf-8") as file:
                if file.read().split(" ")[0] in NANOSLEEP:
                    return
        except PermissionError as error:
            raise Skip("the kernel does not say where a process sleeps") from error


@files_only
def test_a_writer_waits_for_another(test):
    history = History(test)
    fill(history, 2)
    file, other = test.write("p.json", build_of(5)), keep(history)
    process = subprocess.Popen([test.place.dmdv(), "history", "add", "--db=" + history.db, "--build=b5", "--branch=main",
                                "--time=%d" % (START + 5 * HOUR), file], cwd=test.folder, stderr=subprocess.PIPE, text=True)
    wait_until_asleep(process)
    test.equal(process.poll(), None, "status while another writes")
    test.equal([b["build"] for b in history.json("list")["builds"]], ["b0", "b1"], "a reader waits for nobody")
    other.execute("UPDATE build SET time = time + 1 WHERE name = 'b0'")
    other.execute("COMMIT")
    err = process.communicate()[1]
    test.check(process.returncode == 0 and "1 of 1 added" in err, err)
    test.equal([b["time"] for b in history.json("list")["builds"]], ["2023-11-14T22:13:21Z", "2023-11-14T23:13:20Z", "2023-11-15T03:13:20Z"],
               "what both wrote")
    other.close()


@files_only
def test_a_writer_waits_as_long_as_he_is_told(test):
    """DMD_HISTORY_WAIT: after that time the error names the holder of the lock; nothing is half added."""
    history = History(test)
    fill(history, 2)
    before, file, other = exported(history), test.write("p.json", build_of(5)), keep(history)
    whole_file = test.write("h.json", before)
    for words in (["add", "--build=b5", file], ["import", whole_file], ["prune", "--keep=1"], ["acknowledge", "--build=b1", "--reason=x"]):
        _, err = test.dmdv("history", words[0], "--db=" + history.db, *words[1:], status=2, environment={"DMD_HISTORY_WAIT": "1"})
        test.check(err.count("\n") == 1 and "locked; another process has locked it for 1 s; DMD_HISTORY_WAIT" in err, err)
    other.close()
    test.equal(exported(history), before, "what is there")
    for wrong in ("soon", "0", "-1", "1s", "86401", "99999999999999999999"):
        _, err = test.dmdv("history", "list", "--db=" + history.db, status=2, environment={"DMD_HISTORY_WAIT": wrong})
        test.check("DMD_HISTORY_WAIT=%s is not a number of seconds" % wrong in err, err)
