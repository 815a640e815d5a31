# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever the names are, dmdv prints no characters that a terminal interprets or that disguise text."""

import gzip
import json
import os
import xml.etree.ElementTree

from dmdvtest import Profile
from graphwriter import Graph, code, data, number, packed, part
from graphwriter import CODE, DATA, HEADER, NAME, OBJECT, REGISTERS, ROOT, STACK, TAG
from test_history import History, build_of, files_only, fill

# Bidirectional text; line and paragraph separators; C0, DEL and C1.
UNSAFE = [chr(c) for c in (0x61c, 0x200e, 0x200f, *range(0x202a, 0x202f), *range(0x2066, 0x206a), 0x2028, 0x2029,
                           *range(1, 0x20), 0x7f, *range(0x80, 0xa0))]
ALL = "".join("%s%x" % (c, ord(c)) for c in UNSAFE)
FEW = "\u202e\u2066\u2028\u061c\u200f\x1b[31m\x9b\x07\x7f"  # for names with a length limit


def check_safe(test, what, printed, is_lines=True):
    """Checks printed bytes: UTF-8 without any such character except line ends."""
    try:
        text = printed.decode("utf-8")
    except UnicodeDecodeError as error:
        test.check(False, "%s: not UTF-8: %s" % (what, error))
    raw = {c for c in UNSAFE if c in text.replace("\r\n", "\n")} - ({"\n", "\t"} if is_lines else set())
    test.equal({"U+%04X" % ord(c) for c in raw}, set(), "raw characters in " + what)
    return text


def safe(test, *command, status=None):
    """Runs dmdv; returns its output, which is checked to be safe. None: any status, but no crash."""
    done = test.run([test.place.dmdv(), *command], status=status, text=False)
    what = repr(command)
    test.check(done.status in (0, 1, 2, 3, 127), "status %d of %s" % (done.status, what))
    err = check_safe(test, "standard error of " + what, done.err)
    return check_safe(test, "standard output of " + what, done.out), err


def hostile(name, size=1000):
    """A profile with such characters in every name; faults, samples and memory reports too."""
    where = "f%s (a%s.c:1)" % (ALL, ALL)
    profile = Profile(options="--mode=dark-matter " + ALL, dmd={
        "version": "1" + FEW, "valgrind": "3" + FEW, "pid": 7, "command": "./app " + ALL, "argv": ["./app" + FEW, ALL],
        "label": "l" + FEW, "mode": "dark-matter"})
    reps = [["g%s%s (b%s.c:2)" % (name, ALL, ALL), "main (m.c:3)"]]
    profile.block(size, ["malloc (m.c:1)", where, name], reps=reps, tag="t" + ALL, reporters=["explicit/r%s/x" % ALL])
    profile.block(size, ["malloc (m.c:1)", "h" + where], num=3)
    profile.block(size + 1, ["malloc (m.c:1)", where], reps=reps + [["k" + ALL]], tag="t" + ALL,
                  reporters=["explicit/r" + ALL, "explicit/s" + ALL])
    return profile.within("/lib/o%s.so" % FEW, {where: 0x10})


PROFILE_COMMANDS = (
    ["print"], ["print", "--by=function"], ["print", "--by=library"], ["print", "--by=reporter"], ["print", "--by=tag"],
    ["print", "--full-names"], ["print", "--json"], ["tree"], ["tree", "--json"], ["check", "--max-unreported=1"],
    *(["check", "--max-unreported=1", "--max-twice-reported=1", "--format=" + form] for form in ("text", "json", "github", "junit")),
    ["check", "--max-unreported=1", "--budget", "explicit/r%s=1" % FEW], ["print", "--filter=" + FEW],
    ["export", "--format=collapsed"], ["export", "--format=about-memory"], ["export", "--format=speedscope"],
    ["export", "--format=dhat"], ["export", "--format=openmetrics"], ["merge"])


def test_profiles(test):
    path = test.write("p.json", hostile("f"))
    for command in PROFILE_COMMANDS:
        out, err = safe(test, *command, path)
        if "--format=junit" in command:
            xml.etree.ElementTree.fromstring(out)
        if out.startswith("{"):
            json.loads(out)
    out, _ = safe(test, "print", path)
    test.check("\\xe2\\x80\\xae202e" in out and "\\xd8\\x9c61c" in out and "\\xe2\\x81\\xa6" in out, "escaped: " + out[:3000])
    test.check("\\u202e202e" in safe(test, "print", "--json", path)[0], "escaped in JSON")


def test_two_profiles(test):
    old, new = test.write("old.json", hostile("f")), test.write("new.json", hostile("z", 9000))
    for command in (["diff"], ["diff", "--json"], ["diff", "--causal"], ["merge"], ["tree"],
                    ["check", "--max-growth=1", "--baseline=" + old]):
        files = [new] if "check" in command else [old, new]
        safe(test, *command, *files)


def test_reports(test):
    """A file of memory reports."""
    path = test.write("r.json", {"version": 1, "hasMozMallocUsableSize": True, "reports": [
        {"process": "p%s (pid 1)" % ALL, "path": path, "kind": 1, "units": 0, "amount": 1000, "description": "d%s." % ALL}
        for path in ("explicit/a%s/b" % ALL, "other" + ALL)]})
    for command in (["tree"], ["tree", "--json"], ["tree", "-v"]):
        safe(test, *command, path)


def test_wrong_files(test):
    """The error message quotes the file's content, or its name."""
    for i, text in enumerate(('{"version": 5, "%s": nul}' % FEW.replace("\x1b", "").replace("\x07", ""), FEW, "\u202e{", '{"\u202e": 1}',
                              '{"version": 5, "invocation": {"mode": "\u202e"}}',
                              json.dumps(hostile("f").json()).replace('"t0"', '"t0\u202e\u009b"', 1))):
        path = test.write("wrong%d.json" % i, text)
        for command in (["print"], ["tree"], ["merge"], ["diff", path], ["census"], ["history", "import", "--db=w.db"]):
            safe(test, *command, path)


def odd_name(ending):
    """A file name with as many such characters as fit."""
    return "".join(UNSAFE[:60]) + ending


def test_file_names(test):
    folder = os.fsencode(test.folder)
    good, bad = odd_name(".json"), b"\xff\xfe\x9b" + odd_name("2.json").encode()
    test.write(good, hostile("f"))
    test.write("plain.json", hostile("z", 9000))
    for name in os.fsencode(good), bad:
        if name == bad:
            os.link(os.path.join(folder, os.fsencode(good)), os.path.join(folder, bad))
        for command in ([b"print"], [b"tree"], [b"check", b"--max-unreported=1"], [b"merge"], [b"diff", b"plain.json"], [b"census"],
                        [b"check", b"--max-unreported=1", b"--format=github"], [b"check", b"--max-growth=1", b"--baseline=plain.json"],
                        [b"check", b"--max-unreported=1", b"--format=junit"], [b"check", b"--max-unreported=1", b"--format=json"],
                        [b"print", b"-o", b"missing/" + name, b"plain.json"], [b"export", b"--format=collapsed", b"-o", name + b".x"],
                        [b"print", name + b"no"], [b"view", b"-o", name + b".html"], [b"history", b"list", b"--db=" + name],
                        [b"history", b"add", b"--build=x", b"--db=%s.db" % name[:100]]):
            safe(test, *command, name)
    for words in (["--" + FEW], ["print", "--" + FEW], [FEW], ["print", "--by=" + FEW], ["history", FEW], ["help", FEW],
                  ["check", "--budget=" + FEW, "plain.json"], ["status", FEW], ["dump", FEW], ["run", "--engine=native", FEW],
                  ["run", "--engine=" + FEW, "x"]):  # under Valgrind, its launcher prints the name
        safe(test, *words)


def hostile_graph():
    bad = (ALL + "x").encode() + b"\xff\xc3"
    name = lambda start: start.encode() + bad  # noqa: E731

    def odd_code(function, file, line):
        return data(3, data(1, name(function)) + data(2, name(file)) + number(3, line))
    return Graph().set(
        header=part(data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter"))),
        objects=part(data(OBJECT, data(1, name("/bin/a")) + number(4, 0x1000))),
        roots=part(data(ROOT, number(1, DATA) + number(2, 0x2000) + number(3, 16) + number(4, 1) + data(7, name("jar"))),
                   data(ROOT, number(1, REGISTERS) + number(3, 8) + number(5, 1))),
        codes=part(data(CODE, odd_code("knead", "new.c", 7)), data(CODE, odd_code("main", "a.c", 9)), data(CODE, odd_code("wash", "a.c", 3))),
        names=part(data(NAME, name("explicit/a"))), tags=part(data(TAG, name("driver"))))


def test_graphs(test):
    path = test.write("g.graph.gz", hostile_graph().gzipped())
    commands = [["leaks"], ["owners"], ["paths", "0x8200"], ["retained"], ["referrers", "0x8200"], ["leaks", "--json"],
                *(["census", "--by=" + by] for by in ("function", "stack", "tag", "reporter", "library", "root", "type", "size"))]
    n = 0
    for command in commands:
        words = [command[0], "--types=no", *command[1:2]] if command[0] == "census" or "--" in command[-1] else [command[0], "--types=no"]
        rest = [] if words[1:] and command[1:] and command[1] in words else command[1:]
        out, _ = safe(test, *words, path, *rest)
        n += "\\xe2\\x80\\xae" in out or "u202e" in out
    test.check(n >= 6, "commands that showed a name: %d" % n)


@files_only
def test_histories(test):
    history = History(test)
    odd = "n" + FEW
    path = test.write("p.json", hostile("f"))
    safe(test, "history", "add", "--db=h.db", "--build=b" + odd, "--branch=" + odd, "--time=1700000000", "--moment=" + odd,
         "--process=" + odd, "--run=" + odd, "--env=k=" + odd, path, status=0)
    fill(history, 24, at=12, more=90000)
    for command in (["list"], ["list", "--json"], ["show", "heap"], ["show", odd], ["show", "tag t" + odd],
                    *(["check", "--format=" + form] for form in ("text", "json", "github", "markdown", "junit", "gitlab")),
                    ["export", "--format=json"], ["export", "--format=openmetrics"], ["export", "--format=csv"],
                    ["export", "--format=benchmark"], ["acknowledge", "--build=" + odd, "--reason=" + odd],
                    ["acknowledge", "--build=b12", "--reason=" + odd], ["check"], ["check", "--json"], ["prune", "--branch=" + odd]):
        out, _ = safe(test, "history", command[0], "--db=h.db", *command[1:])
        if command[-1] == "--format=junit":
            xml.etree.ElementTree.fromstring(out)
    for i in range(24):
        history.add(i, hostile("f", 100000 if i >= 12 else 1000), "--branch=o" + odd)
    for form in ("text", "json", "github", "markdown", "junit", "gitlab"):
        out, _ = safe(test, "history", "check", "--db=h.db", "--format=" + form)
        if form == "junit":
            xml.etree.ElementTree.fromstring(out)
