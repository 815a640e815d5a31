# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv history export --format=json and import: a history is restored in a file and on a server, and two
histories are merged; invalid documents are rejected as a whole."""

import json
import os
import random
import resource
import signal
import subprocess

from dmdvtest import Profile
from harness import Skip, page
from test_history import HOUR, INDEX, START, History, build_of, files_only, fill

try:
    import jsonschema
except ImportError:
    jsonschema = None

KEYS = ["version", "exporter", "environments", "builds", "stacks", "runs", "records", "series", "alarms"]


def new_history(test, name):
    history = History(test)
    if not history.server:
        history.db = name
    return history


def exported(history):
    return history.run("export", "--format=json")


def imported(test, text, history, status=0):
    """The message of import about this text."""
    return test.dmdv("history", "import", "--db=" + history.db, test.write("history.json", text), status=status)[1]


def process_of(draw, name, pid, label, sizes):
    profile = Profile(mode="live", dmd={"version": "1", "pid": pid, "label": label, "faults": [], "argv": ["/opt/" + name],
                                        "command": "/opt/%s --x" % name})
    for k, size in sizes.items():
        profile.block(size, ["malloc (m.c:1)", "f%d (a.c:%d)" % (k, draw.randrange(1, 500)), "main[app +0x%x]" % draw.randrange(1, 999)],
                      num=draw.randrange(1, 4), **({"tag": "tag %d" % k} if k % 5 == 0 else {}))
    return profile


def random_history(history, draw, n):
    """Branches, environments, moments, processes and repetitions of all kinds, and builds that were removed
    again."""
    fill(history, 14, at=9, more=9000)
    sizes = {k: draw.randrange(16, 3000) for k in range(draw.randrange(3, 30))}
    for i in range(n):
        for k in list(sizes):
            sizes[k] = sizes[k] + 8 if draw.random() < 0.2 else sizes[k]
        if draw.random() < 0.3:
            sizes[max(sizes) + 1] = draw.randrange(16, 3000)
        if len(sizes) > 3 and draw.random() < 0.2:
            del sizes[draw.choice(sorted(sizes)[2:])]
        words = ["--env=cc=%d" % draw.choice((12, 12, 12, 14))]
        if draw.random() < 0.2:
            words.append("--branch=topic/\N{SNOWMAN}'%d" % draw.randrange(2))
        if draw.random() < 0.2:
            words.append("--run=job %d" % draw.randrange(2))
        label = draw.choice(("loaded", "loaded", "after \"quit\"\t\x1b[1m"))
        for name in draw.choice((["server"], ["server", "worker"], ["server", "worker", "worker"], ["server"] * 3)):
            history.add(i - draw.randrange(2), process_of(draw, name, draw.randrange(1, 10000), label, sizes), *words)
    for alarm in history.json("check", status=None)["alarms"]:
        if alarm["state"] == "new" and draw.random() < 0.7:
            history.run("acknowledge", "--build=" + alarm["first_build"], "--series=" + alarm["series"], "--reason=it's\n\N{SNOWMAN}")
    if draw.random() < 0.5:
        history.run("prune", "--keep=%d" % n)


def answers(history):
    """The output of the commands about it. The page's records depend on how the database stores them; whole()
    compares these."""
    test = history.test
    said = [history.run(*words, status=None) for words in (["list"], ["list", "--json"], ["show", "heap", "--json"], ["check"],
                                                           ["check", "--json"], ["check", "--format=markdown"],
                                                           ["export", "--format=csv"], ["export", "--format=openmetrics"])]
    test.write("page.html", page.STUB)
    test.dmdv("history", "page", "--db=" + history.db, "--page=page.html", "-o", "out.html")
    image = page.image_of(test.read("out.html"))
    name = os.path.basename(history.db.split("?")[0]).encode()
    return said + [image.sections[page.HISTORY, 0].replace(bytes([len(name)]) + name, b"", 1)]


def test_what_is_imported_is_what_was_exported(test):
    """Random histories: exporting an import gives the same bytes, and all commands give the same answers."""
    n_alarms = 0
    for seed in range(3):
        draw = random.Random(seed)
        first, second = new_history(test, "first%d.db" % seed), new_history(test, "again%d.db" % seed)
        random_history(first, draw, 9)
        text = exported(first)
        err = imported(test, text, second)
        test.check("runs added" in err, err)
        test.equal(exported(second), text, "seed %d: the export of what was imported" % seed)
        for ours, theirs in zip(answers(first), answers(second)):
            test.equal(theirs, ours, "seed %d: answers" % seed)
        n_alarms += len(json.loads(text)["alarms"])
        err = imported(test, text, second)
        test.check("the history already has all runs" in err, err)
        test.equal(exported(second), text, "seed %d: imported twice" % seed)
    test.check(n_alarms > 0, "acknowledged alarms")


def whole(document):
    """The contents of each run, by its digest: {(frames without lines, section): [bytes, blocks]};
    differences are applied."""
    lines, runs = {}, {}
    for run, records in zip(document["runs"], document["records"]):
        held = dict(lines.get((run["moment"], run["environment"], run["process"]), {}))
        for stack, section, *figures in records:
            key = tuple(frame.split(" (")[0] for frame in document["stacks"][stack]), section
            held[key] = [a + b for a, b in zip(held.get(key, [0, 0]), figures)]
            if held[key] == [0, 0]:
                del held[key]
        lines[run["moment"], run["environment"], run["process"]] = runs[run["digest"]] = held
    return runs


def test_the_document(test):
    """Its keys, by hand, and by the schema."""
    history = History(test)
    history.add(1, build_of(1))
    history.add(2, build_of(2, 5000), "--env=cc=gcc 12")
    history.add(3, build_of(3, 5000))
    document = json.loads(exported(history))
    test.equal(list(document), KEYS, "keys")
    test.equal([b["build"] for b in document["builds"]], ["b1", "b2", "b3"], "builds")
    test.equal(document["builds"][2], {"build": "b3", "branch": "main", "time": START + 3 * HOUR}, "a build")
    test.equal([(r["build"], r["moment"], r["environment"], r["process"], r["run"]) for r in document["runs"]],
               [(0, "loaded", 0, "", "1"), (1, "loaded", 1, "", "1"), (2, "loaded", 0, "", "1")], "runs")
    index = [i for i, stack in enumerate(document["stacks"]) if "index_build" in stack[1]][0]
    test.equal(document["stacks"][index], [INDEX[0], INDEX[1] % 3, INDEX[2] % 10], "frames")
    test.equal(sorted(document["records"][0]), sorted([[index, 1, 3000, 1], [1 - index, 2, 100000, 100]]), "records")
    test.equal(document["records"][2], [[index, 1, 2000, 0]], "the difference")
    heap = [s for s in document["series"] if s["kind"] == "heap"]
    test.equal(heap, [{"kind": "heap", "name": "", "values": [[0, 103000], [1, 105000], [2, 105000]]}], "values")
    if jsonschema is None:
        raise Skip("no Python module jsonschema")
    with open(os.path.join(test.srcdir, "docs/dmd-history.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    random_history(history, random.Random(5), 8)
    jsonschema.Draft202012Validator(schema).validate(json.loads(exported(history)))


def test_digests_are_the_same_everywhere(test):
    """Stacks have other numbers in another history; an equal file is an equal run nevertheless."""
    first, second = new_history(test, "first.db"), new_history(test, "second.db")
    profiles = [build_of(i, 3000 + 10 * i) for i in range(4)]
    second.add(9, build_of(9).block(70, ["malloc (m.c:1)", "other (o.c:1)"]), "--branch=other")
    for i in range(4):
        first.add(i, profiles[i])
        second.add(3 - i, profiles[3 - i])
    ours, theirs = whole(json.loads(exported(first))), whole(json.loads(exported(second)))
    test.check(set(ours) < set(theirs) and len(ours) == 4, "%s of %s" % (list(ours), list(theirs)))
    test.equal({digest: theirs[digest] for digest in ours}, ours, "what they held")
    before = exported(second)
    test.check("already" in imported(test, exported(first), second), "imported")
    test.equal(exported(second), before, "nothing is new")
    third = new_history(test, "third.db")
    imported(test, exported(first), third)
    _, err = third.add(2, profiles[2])
    test.check("already" in err, err)


def test_two_histories_become_one(test):
    """Runners with a history each: the result has the builds of both, in the order of time. Repetitions are
    added as further ones, and no two are summed. Processes of a named launch belong to one launch."""
    first, second = new_history(test, "first.db"), new_history(test, "second.db")
    for i in range(24):
        history = second if i % 3 == 1 else first
        history.add(i, build_of(i, 3000 + 9000 * (i >= 15)))
    for k in range(2):
        first.add(30, build_of(30, 12000 + k, pid=k))
        second.add(30, build_of(30, 12010 + k, pid=100 + k))
    first.add(31, build_of(31, 12000), "--run=job", "--process=server", "--branch=jobs")
    second.add(31, build_of(31, 1000, pid=7), "--run=job", "--process=worker", "--branch=jobs")
    first.add(32, build_of(32, 12000))
    second.add(32, build_of(32, 12000), "--time=1800000000")
    imported(test, exported(second), first)
    builds = first.json("list")["builds"]
    test.equal([b["build"] for b in builds], ["b31", *("b%d" % i for i in (*range(24), 30, 32))], "builds")
    test.equal({b["build"]: b["runs"] for b in builds if b["runs"] != 1}, {"b30": 4, "b31": 2}, "runs")
    jobs, points = (curve["points"] for curve in first.json("show", "heap")["curves"])
    test.equal([(p["value"], p["runs"]) for p in jobs + points[-2:]], [(213000, 1), (112005, 4), (112000, 1)], "sums and means")
    alarm = [a for a in first.alarms(1) if a["series"] == "heap" and a["first_build"] == "b15"]
    test.equal([(a["after_build"], a["delta"], a["records"][0]["frames"][1].split(" (")[0]) for a in alarm],
               [("b14", 9000, "index_build")], "the step")
    text = exported(first)
    test.check("already" in imported(test, exported(second), first), "once more")
    test.equal(exported(first), text, "nothing changed")


def test_what_is_there_stays(test):
    """A build's time, and the acknowledgement of an alarm."""
    first, second = new_history(test, "first.db"), new_history(test, "second.db")
    for history, reason in ((first, "ours"), (second, "theirs")):
        fill(history, 20, at=10, more=9000)
        history.run("acknowledge", "--build=b10", "--series=heap", "--reason=" + reason)
    second.run("acknowledge", "--build=b10", "--series=unreported", "--reason=theirs")
    text = exported(second).replace('"time": %d' % START, '"time": %d' % (START - 7))
    test.check("already" in imported(test, text, first), "runs")
    test.equal(first.json("list")["builds"][0]["time"], "2023-11-14T22:13:20Z", "time")
    reasons = {a["series"]: a.get("reason") for a in first.alarms(1)}
    test.equal((reasons["heap"], reasons["unreported"]), ("ours", "theirs"), "reasons")


def test_times_survive(test):
    """Seconds and ISO notation, in any time zone, before 1970 and after 9999."""
    first, second = new_history(test, "first.db"), new_history(test, "second.db")
    file = test.write("p.json", build_of(1))
    times = {"a": ("0", 0), "b": ("-86400", -86400), "c": ("2026-11-23T02:00:00Z", 1795399200), "d": ("2026-11-23 02:00:00", 1795399200),
             "e": ("2026-11-23", 1795392000), "f": ("2026-11-23T02:00", 1795399200), "g": ("99999999999999", 99999999999999),
             "h": ("2026-11-23T04:30:00+02:30", 1795399200), "i": ("2026-11-22T18:00:00-0800", 1795399200),
             "j": ("1969-12-31T23:59:59Z", -1)}
    for name, (text, _) in times.items():
        test.dmdv("history", "add", "--db=" + first.db, "--build=" + name, "--branch=\N{SNOWMAN} " + name, "--time=" + text,
                  "--env=k\N{SNOWMAN}=v", file, environment={"TZ": "Asia/Kolkata"})
    imported(test, exported(first), second)
    document = json.loads(exported(second))
    test.equal({b["build"]: b["time"] for b in document["builds"]}, {name: time for name, (_, time) in times.items()}, "times")
    test.equal({b["branch"] for b in document["builds"]}, {"\N{SNOWMAN} " + name for name in times}, "branches")
    test.equal(second.run("list"), first.run("list"), "the list")
    for time in ("2026-11-23T02:00:00+2", "2026-11-23T02:00:00+99:00", "2026-11-23T02:00:00Z+01:00", "99999999999999999999"):
        err = test.error("history", "add", "--db=" + first.db, "--build=z", "--time=" + time, file)
        test.check("give seconds since 1970" in err, err)


# ---- Errors. ----


def small(test):
    history = new_history(test, "small.db")
    fill(history, 3)
    return json.loads(exported(history))


def changed(document, path, value):
    """A copy with one value replaced, or with a key removed."""
    copy = json.loads(json.dumps(document))
    at = copy
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(copy)


WRONG = [
    (("version",), 2, "a newer dmdv"), (("version",), "1", "a newer dmdv"), (("version",), None, '"version" is missing'),
    *(((key,), None, '"%s"' % key) for key in KEYS[2:]),
    (("builds", 1, "time"), 2 ** 63, "whole number of seconds"), (("builds", 1, "time"), 1.5, "whole number of seconds"),
    (("builds", 1, "time"), "noon", "whole number of seconds"), (("builds", 0, "build"), "x" * 501, "too long"),
    (("builds", 0, "build"), 5, "not a string"), (("builds", 0), [], "not an object"), (("builds",), {}, "an array should be"),
    (("environments", 0), "x" * 2001, "too long"), (("environments", 0), 1, "not a string"),
    (("environments",), ["a=b\n", "a=b\n"], "an environment comes twice"),
    (("builds", 1), {"build": "b0", "branch": "main", "time": 1}, "a build comes twice"),
    (("stacks", 0), ["f"] * 65, "at most 64"), (("stacks", 0), "f", "at most 64"), (("stacks", 0), [["f"]], "not a string"),
    (("stacks", 0), ["f\ng"], "more than one line"),
    (("runs", 0, "build"), 3, "came before"), (("runs", 0, "build"), -1, "came before"), (("runs", 0, "build"), 1e300, "came before"),
    (("runs", 0, "environment"), 2 ** 32, "came before"), (("runs", 0, "environment"), 2 ** 64, "came before"),
    (("runs", 0, "digest"), "00", "32 hexadecimal"), (("runs", 0, "digest"), "g" * 32, "32 hexadecimal"),
    (("runs", 0, "moment"), "x" * 501, "too long"), (("runs", 0, "process"), None, "not a string"), (("runs", 0, "run"), [], "not a string"),
    (("records", 0, 0), [0, 1, 2], "four numbers"), (("records", 0, 0), [2, 1, 2, 3], "a record's stack"),
    (("records", 0, 0), [0, 4, 2, 3], "a record's section"), (("records", 0, 0), [0, 1, 2 ** 63, 3], "64 bits"),
    (("records", 0, 0), [0, 1, 2, -2 ** 63 - 1], "64 bits"), (("records", 0, 0), [0, 1, 2, 0.5], "64 bits"),
    (("records", 2), None, "records of a run are missing"), (("records",), [[], [], [], []], "more runs have records"),
    (("series", 0, "kind"), "smell", "unknown kind"), (("series", 0, "values"), None, 'no "values"'),
    (("series", 1), {"kind": "heap", "name": "", "values": []}, "a series comes twice"),
    (("series", 0), {"values": [], "kind": "heap", "name": ""}, "before its kind and name"), (("series", 0, "values", 0), [3, 1], "[RUN, NUMBER]"),
    (("series", 0, "values"), [[1, 5], [0, 5]], "do not ascend"), (("series", 0, "values"), [[1, 5], [1, 5]], "do not ascend"),
    (("series", 0, "values", 0), [0, 2 ** 64], "[RUN, NUMBER]"), (("series", 0, "name"), "x" * 501, "too long"),
    (("alarms",), [{"series": 0, "build": 0, "environment": 0, "process": "", "moment": "", "state": "well", "reason": ""}], "state"),
    (("alarms",), [{"series": 99, "build": 0, "environment": 0, "process": "", "moment": "", "state": "x", "reason": ""}], "series"),
    (("alarms",), [{"series": 0, "build": 0, "environment": 0, "process": "", "moment": "", "state": "acknowledged"}], "reason"),
]


def test_wrong_files_are_refused_whole(test):
    """Each fails with one line about the error and its place; nothing is added."""
    document = small(test)
    texts = [(changed(document, path, value), word) for path, value, word in WRONG]
    plain = json.dumps(document)
    texts += [(plain.replace('"runs"', '"x"').replace('"series"', '"runs"').replace('"x"', '"series"'), '"'),
              (json.dumps(dict(reversed(document.items()))), "comes before"), (plain.replace('"stacks"', '"builds": [], "stacks"', 1), "comes twice"),
              (plain.replace('"exporter"', '"version"', 1), "comes twice"), (plain + "x", "history.json"), (plain + plain, "history.json"),
              ('{"version":1,"x":' + "[" * 5000, "history.json"), (plain.replace('"alarms": [', '"alarms": ' + '[' * 300), "history.json"),
              ("", "history.json"), ("[]", "history.json"), ("SQLite format 3\0", "history.json"), (json.dumps(build_of(1).json()), "version")]
    history = new_history(test, "wrong.db")
    fill(history, 2, first=1)
    before = exported(history)
    for text, word in texts:
        err = imported(test, text, history, status=2)
        test.check(word in err and err.count("\n") == 1 and "history.json" in err, "%s: %s" % (word, err))
    test.equal(exported(history), before, "what was there")
    err = test.error("history", "import", "--db=" + history.db, "none.json")
    test.check("none.json" in err, err)
    err = test.error("history", "import", "--db=" + history.db)
    test.check("files to add" in err, err)


def test_cut_files_are_refused_whole(test):
    document = json.dumps(small(test), indent=1)
    history = new_history(test, "cut.db")
    history.add(7, build_of(7))
    before, draw = exported(history), random.Random(12)
    for n in [len(document) - 1, *draw.sample(range(len(document)), 40)]:
        err = imported(test, document[:n], history, status=2)
        test.check(err.count("\n") == 1 and "history.json" in err, "%d: %s" % (n, err))
    test.equal(exported(history), before, "what was there")


def test_the_largest_numbers_and_strangest_names(test):
    """Names that contain SQL or escapes, numbers of 64 bits, unknown or repeated keys, stacks that are equal
    without lines: all are accepted as they are."""
    evil = "x'); DROP TABLE run; --\x1b[31m\"\\\u2028"
    document = small(test)
    document["later"] = {"deep": [[[{}]]]}
    document["builds"][0]["build"] = document["builds"][0]["branch"] = document["runs"][0]["process"] = evil
    document["environments"][0] = "k=" + evil + "\n"
    document["series"][0]["values"][0] = [0, -2 ** 63]
    document["series"][0]["values"][1] = [1, 2 ** 63 - 1]
    document["stacks"] += [[document["stacks"][0][0], "list_new (list.c:77)", "main (main.c:99)"], [], [evil], ["x"] * 64]
    document["records"][0] += [[2, 2, 5, 1], [3, 0, 7, 1], [4, 3, 2 ** 63 - 1, -2 ** 63], [4, 3, 1, 0], [5, 0, 1, 1]]
    text = json.dumps(document).replace('"branch"', '"branch": "main", "branch"', 1)
    history = new_history(test, "evil.db")
    test.check("3 of 3 runs added" in imported(test, text, history), "added")
    again = json.loads(exported(history))
    test.equal(again["series"][0]["values"][:2], [[0, -2 ** 63], [1, 2 ** 63 - 1]], "values")
    test.equal((again["builds"][0]["build"], again["builds"][0]["branch"], again["runs"][0]["process"]), (evil, "main", evil), "names")
    test.equal(again["environments"][0], "k=" + evil + "\n", "the environment")
    test.equal([len(stack) for stack in again["stacks"]], [3, 3, 0, 1, 64], "stacks")
    records = {tuple(r[:2]): r[2:] for r in again["records"][0]}
    test.equal((records[0, 2], records[3, 3]), ([100005, 101], [-2 ** 63, -2 ** 63]), "records")
    copy = new_history(test, "copy.db")
    imported(test, json.dumps(again), copy)
    test.equal(json.loads(exported(copy)), again, "once more")
    history.run("list")
    history.run("show", "heap")
    history.run("check", status=None)


# ---- Interruptions. ----


def test_killed_while_importing(test):
    """Killed when it has read a part, everything but the end, or at any time: the small document is added as
    a whole or not at all, and can be imported again. (test_historywriters.py has a document of many
    parts.)"""
    history = new_history(test, "killed.db")
    history.add(50, build_of(50))
    before = exported(history)
    source = new_history(test, "source.db")
    random_history(source, random.Random(3), 6)
    document = json.loads(exported(source))
    document["stacks"] += [["filler %d %d" % (i, k) for k in range(20)] for i in range(2000)]
    text = json.dumps(document).encode()
    command = [test.place.dmdv(), "history", "import", "--db=" + history.db]
    for n in (len(text) // 2, len(text) - 1):
        process = subprocess.Popen([*command, "-"], cwd=test.folder, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdin.write(text[:n])  # all but what the pipe holds has been read when this returns
        process.stdin.flush()
        process.kill()
        process.wait()
        process.stdin.close()
        test.equal(exported(history), before, "after %d of %d bytes" % (n, len(text)))
    file, draw, n_killed = test.write("whole.json", text), random.Random(4), 0
    for _ in range(12):
        process = subprocess.Popen([*command, file], cwd=test.folder, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=draw.random() * 0.3)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
        n_killed += 1
        after = exported(history)
        if after != before:  # killed between the commit and its end
            break
    test.dmdv(*command[1:], file)
    added = json.loads(exported(history))
    test.equal(len(added["runs"]), 1 + len(document["runs"]), "all runs, once, after %d were killed" % n_killed)
    test.equal({d: h for d, h in whole(added).items() if d in {r["digest"] for r in document["runs"]}}, whole(document), "what they held")
    if not history.server:
        test.equal(history.sql("PRAGMA integrity_check"), [["ok"]], "integrity")


@files_only
def test_memory_does_not_grow_with_builds(test):
    """1,000 builds of 5,000 stacks would have 200 MB of contents."""
    if "-fsanitize" in open(os.path.join(test.builddir, "config.status"), encoding="utf-8").read():
        raise Skip("a sanitizer needs more memory than there may be")
    n, n_stacks = 1000, 5000
    records = [[[k, 3, 100, 1] for k in range(n_stacks)] if i == 0 else [[k, 3, 8, 0] for k in range(i % 50, n_stacks, 50)] for i in range(n)]
    document = {"version": 1, "environments": [""], "builds": [{"build": "b%d" % i, "branch": "main", "time": i} for i in range(n)],
                "stacks": [["malloc (m.c:1)", "f%d (a.c:%d)" % (k, k)] for k in range(n_stacks)],
                "runs": [{"build": i, "environment": 0, "moment": "exit", "process": "", "run": "1", "digest": "%032x" % i} for i in range(n)],
                "records": records, "series": [{"kind": "heap", "name": "", "values": [[i, i] for i in range(n)]}], "alarms": []}

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))
    history = new_history(test, "large.db")
    dmdv = [test.place.dmdv(), "history"]
    test.run([*dmdv, "import", "--db=large.db", test.write("large.json", document)], preexec_fn=limit)
    test.run([*dmdv, "export", "--db=large.db", "--format=json", "-o", "again.json.gz"], preexec_fn=limit)
    test.run([*dmdv, "import", "--db=second.db", "again.json.gz"], preexec_fn=limit)
    history.db = "second.db"
    test.equal(whole(json.loads(exported(history))), whole(document), "what they held")
