# SPDX-License-Identifier: GPL-2.0-or-later
"""A heap graph after the profile, in the same file: every command finds in it what it finds in two files, and every
other reader of gzip finds the profile."""

import gzip
import json
import os

import graphtrial
from dmdvtest import Profile
from graphwriter import HEADER, Graph, data, number, part
from harness import files, onefile, page
from test_view import DMD, view
from trial import Ran

STACKS = ["wash (a.c:3)"], ["knead (new.c:7)", "main (a.c:9)"]


def pair(pid=7):
    """A profile and the graph of the same moment."""
    profile = Profile(dmd=dict(DMD, pid=pid))
    for i, stack in enumerate(STACKS):
        profile.block(100 + i, stack)
    header = part(data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) + data(6, "dark-matter") +
                       number(11, pid) + number(12, 1)))
    return gzip.compress(json.dumps(profile.json()).encode()), Graph().set(header=header).gzipped()


def write_both(test, size=0xfffb, **more):
    """a.json.gz in the folder `one`, and in `two` the same as two files."""
    profile, graph = pair(**more)
    for folder in "one", "two":
        os.makedirs(test.path(folder), exist_ok=True)
    files.write(test.path("one/a.json.gz"), onefile.join(profile, graph, size))
    files.write(test.path("two/a.json.gz"), profile)
    files.write(test.path("two/a.graph.gz"), graph)
    return test.path("one/a.json.gz")


def results(test, folder, line):
    path = test.path(folder + "/a.json.gz")
    ran = Ran(test.place.dmdv(), test.folder, [*(path if word == "FILE" else word for word in line), path])
    test.equal(ran.faults(), [])
    name, graph = (part.encode() for part in (path, path.replace(".json.", ".graph.")))
    return [ran.status] + [part.replace(graph, b"a.graph.gz").replace(name, b"a.json.gz") for part in (ran.out, ran.err)]


def test_every_command(test):
    """The same output, messages and exit status as with two files, whatever the size of the pieces."""
    lines = [*graphtrial.ONE_FILE, *graphtrial.BESIDE, ["print", "--owners=yes"], ["check", "--max-waste=1"], ["timeline"],
             ["export", "--format=collapsed"], ["merge"], ["diff", "FILE"], ["census", "FILE"]]
    for size in 100, 250, 0xfffb:
        write_both(test, size)
        for line in lines if size == 100 else lines[::6]:
            typed = [line[0], "--types=no", *line[1:]] if line and line[0] in graphtrial.TYPED else line
            one, two = (results(test, folder, typed) for folder in ("one", "two"))
            test.equal(one, [*two[:2], two[2].replace(b"a.graph.gz", b"a.json.gz")], " ".join(line))


def test_pages(test):
    write_both(test)
    one, two = "one/a.json.gz", "two/a.json.gz"
    for given, names in ([one], [one, one]), ([two], [two, "two/a.graph.gz"]):
        image, _ = view(test, *given)
        test.equal([(file["name"], file["kind"], file["beside"]) for file in image.files()],
                   [(names[0], page.IS_PROFILE, 0), (names[1], page.IS_GRAPH, 0)])
    test.equal(view(test, "--graphs=no", one)[0].n_graphs(), 0)


def test_other_readers(test):
    """They find one JSON document, without a word."""
    path = write_both(test, 700)
    profile = gzip.decompress(pair()[0])
    with gzip.open(path) as file:
        test.equal(file.read(), profile)
    for command in ["gzip", "-dc"], ["zcat"]:
        done = test.run([*command, path])
        test.equal((done.out.encode(), done.err), (profile, ""), command[0])
    test.run(["gzip", "-t", path])


def test_standard_input(test):
    """The profile is read, and all of the file; a command for graphs reads the graph."""
    path = write_both(test)
    file = files.read_bytes(path)
    test.equal(test.dmdv("print", "-", stdin=file)[0], test.dmdv("print", "-", stdin=pair()[0])[0])
    test.equal(test.dmdv("census", "--types=no", "-", stdin=file)[0], test.dmdv("census", "--types=no", path)[0])
    done = test.run(["bash", "-c", 'set -o pipefail; cat "$1" <(head -c 300000 /dev/zero) | "$0" print - >out', test.place.dmdv(), path])
    test.equal(done.err, "")


def test_cut_off(test):
    """Wherever the file is cut, dmdv says so, and does not show the profile as if it were whole."""
    profile, graph = pair()
    whole = onefile.join(profile, graph, 400)
    for n in [*range(len(profile) + 16, len(whole), 97), len(whole) - 1]:
        path = test.write("cut.json.gz", whole[:n])
        test.contains(test.error("print", path), "cut off")
        test.contains(test.error("leaks", "--types=no", path), "cut off")
    test.contains(test.error("print", test.write("cut.json.gz", whole[:len(profile) + 9])), "cut off")


def test_damaged(test):
    """The profile before the graph is still read; a graph is either the right one or an error."""
    profile, graph = pair()
    whole = onefile.join(profile, graph, 300)
    right = test.dmdv("census", "--types=no", test.write("a.json.gz", whole))[0]
    n_errors = 0
    for at in [*range(len(profile), len(profile) + 30), *range(len(whole) - 40, len(whole)), *range(len(profile), len(whole), 23)]:
        path = test.write("b.json.gz", whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:])
        ran = Ran(test.place.dmdv(), test.folder, ["census", "--types=no", path])
        test.equal(ran.faults(), [])
        test.check(ran.status == 2 or ran.out.decode() == right, "byte %d" % (at - len(profile)))
        n_errors += ran.status == 2
        ran = Ran(test.place.dmdv(), test.folder, ["print", path])
        test.equal(ran.faults(), [])
    test.check(n_errors > 50, "%d errors" % n_errors)
    for distance in 0, 1, len(whole), 1 << 40, (1 << 64) - 1:
        path = test.write("c.json.gz", whole[:-18] + distance.to_bytes(8, "little") + whole[-10:])
        test.check(test.dmdv("census", "--types=no", path, status=2)[1].count("\n") == 1, distance)


def test_symbolize(test):
    """The graph stays with the profile that gets names; a file that is not gzipped has no place for it."""
    path = write_both(test)
    leaks = test.dmdv("leaks", "--types=no", path)[0]
    before = onefile.parts(files.read_bytes(path))[1]
    test.dmdv("symbolize", path)
    test.equal(onefile.parts(files.read_bytes(path))[1], before)
    test.equal(test.dmdv("leaks", "--types=no", path)[0], leaks)
    test.dmdv("symbolize", "-o", "new.json.gz", path)
    test.equal(onefile.parts(files.read_bytes(test.path("new.json.gz")))[1], before)
    _, err = test.dmdv("symbolize", "-o", "new.json", path)
    test.contains(err, "dmdv: new.json: only a gzipped file can have the heap graph of %s\n" % path)
    test.equal(json.loads(test.read("new.json"))["version"], 5)


def test_the_old_name(test):
    """A script that names the graph's own file still works, and says where the graph is."""
    write_both(test)
    out, err = test.dmdv("census", "--types=no", "one/a.graph.gz")
    test.equal(err, "dmdv: one/a.graph.gz: the heap graph is in one/a.json.gz now\n")
    test.equal(out, test.dmdv("census", "--types=no", "two/a.graph.gz")[0])
    test.contains(test.error("census", "one/b.graph.gz"), "cannot open")
