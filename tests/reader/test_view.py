# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv view: which files a page has, that their contents are unchanged, its name, and errors."""

import gzip
import json
import os

from dmdvtest import Profile
from graphwriter import BLOCKS, END, HEADER, Graph, data, number, part
from harness import Skip, page

PAGE = "stub.html"
DMD = {"formatVersion": 1, "version": "0.1.0", "command": "a", "pid": 7, "dump": 1, "wordSize": 8}


def profile(req=8, **keys):
    """A profile of one block, as dmd writes them."""
    return Profile(dmd=dict(DMD, **keys)).block(req, ["f (a.c:1)", "main (a.c:2)"])


def graph_of(pid):
    """A heap graph of a process, at its first dump."""
    return Graph().set(header=part(data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) +
                                        data(6, "dark-matter") + number(11, pid) + number(12, 1)))).gzipped()


def view(test, *args, output="out.html", **more):
    """The bundle in the page that dmdv writes, and dmdv's messages."""
    test.write(PAGE, page.STUB)
    out, err = test.dmdv("view", "--page=" + PAGE, "--types=no", "-o", output, *args, **more)
    test.equal(out, "")
    return page.image_of(test.read(output)), err


def same_records(test, image, index, path, *options):
    """dmdv print gives equal records for the profile in the bundle and for the file."""
    copy = test.write("copy.json", image.sections[page.PROFILE, index])
    printed = [json.loads(test.dmdv("print", "--json", *options, name)[0]) for name in (copy, path)]
    test.equal(printed[0], printed[1])


# ---- contents ----


def test_profile(test):
    path = test.write("a.json", profile().block(100, ["g (b.c:3)"], reps=[["r (b.c:9)"]], reporters=["explicit/x"]))
    image, err = view(test, path)
    test.equal(err, "dmdv: wrote out.html\n")
    test.equal(image.files(), [{"name": path, "kind": page.IS_PROFILE, "index": 0, "beside": page.ALONE, "records": 0,
                                "bytes": 0, "nodes": 0}])
    test.equal(image.settings(), (8, 0, []))
    same_records(test, image, 0, path)


def test_gzipped_and_standard_input(test):
    test.write("a.json.gz", gzip.compress(json.dumps(profile(1).json()).encode()))
    image, _ = view(test, "a.json.gz", "-", stdin=json.dumps(profile(2).json()).encode())
    test.equal([one["blockList"][0]["req"] for one in image.profiles()], [1, 2])
    test.equal([file["name"] for file in image.files()], ["a.json.gz", "-"])


def test_frame_options(test):
    path = test.write("a.json", Profile().block(8, ["malloc (m.c:1)", "pool (p.c:2)", "main (a.c:3)"]))
    image, _ = view(test, "-f", "3", "--full-names", "--alloc-fn=pool", "--alloc-fn=x*", "-a", path)
    test.equal(image.settings(), (3, 1, ["pool", "x*"]))
    document = image.profiles()[0]
    stack = document["traceTable"][document["blockList"][0]["alloc"]]
    test.equal([document["frameTable"][frame].split(" ")[1] for frame in stack], ["main"])


def test_graph(test):
    path = test.write("a.graph.gz", Graph().gzipped())
    image, _ = view(test, path)
    test.equal([(file["kind"], file["index"], file["beside"]) for file in image.files()],
               [(page.IS_GRAPH, 0, page.ALONE)])
    # The root of all, two roots, four blocks; see graphwriter.Graph.
    test.equal(image.column(page.SIZE, 0, "Q"), [0, 16, 8, 32, 100, 50, 10])
    test.equal(image.column(page.FIRST, 0, "I"), [0, 2, 4, 4, 4, 5, 5, 5])
    test.equal(image.column(page.TARGET, 0, "I"), [1, 2, 3, 4, 5])
    test.equal(image.column(page.OFFSET, 0, "I"), [0, 0, 0, 8, 24])
    test.equal(image.column(page.BLOCKS, 0, "Q")[::4], [0x8000, 0x8100, 0x8200, 0x8300])


def test_graph_beside(test):
    """A graph is added with its profile, but not one of another run, or one that is not wanted."""
    path = test.write("a.json", profile())
    test.write("a.graph.gz", graph_of(7))
    image, _ = view(test, path)
    test.equal([(file["name"], file["kind"], file["beside"]) for file in image.files()],
               [(path, page.IS_PROFILE, 0),
                (path.replace(".json", ".graph.gz"), page.IS_GRAPH, 0)])
    test.equal(view(test, "--graphs=no", path)[0].n_graphs(), 0)
    test.write("a.graph.gz", graph_of(8))
    image, err = view(test, path)
    test.equal((image.n_graphs(), len(image.files()), err), (0, 1, "dmdv: wrote out.html\n"))


def test_graph_beside_and_given(test):
    """The graph is added once, and belongs to its profile, whatever the order of the files."""
    test.write("a.json", profile())
    test.write("a.graph.gz", graph_of(7))
    test.write("b.json", profile(9))
    image, _ = view(test, "./a.graph.gz", "b.json", "a.json")
    test.equal(image.n_graphs(), 1)
    test.equal([(file["name"], file["index"], file["beside"]) for file in image.files()],
               [("./a.graph.gz", 0, 1), ("b.json", 0, page.ALONE), ("a.json", 1, 0)])


def test_damaged_graph_beside(test):
    """The user did not request the graph: the profile is shown without it."""
    path = test.write("a.json", profile())
    test.write("a.graph.gz", graph_of(7)[:-20])
    image, err = view(test, path)
    test.equal((image.n_graphs(), len(image.profiles()), len(image.files())), (0, 1, 1))
    test.contains(err, "a.graph.gz: ")


def test_graph_that_is_too_large(test):
    """The graph is left out; without another file there is no page. Blocks of 8 bytes, 32 apart, to which
    nothing points. The last one has no size, which only somebody who loads the graph would notice."""
    n, limit = 10000001, 10000000
    large = Graph().set(header=part(data(HEADER, data(1, "dmd-graph") + number(2, 1) + number(3, 8) +
                                         data(6, "dark-matter") + number(11, 7) + number(12, 1))),
                        blocks=part(data(BLOCKS, number(1, n) + data(2, b"\x20" * n) + data(3, b"\x08" * (n - 1)))),
                        end=part(data(END, number(1, 2) + number(2, n) + number(3, 2))))
    path, graph = test.write("a.json", profile()), test.write("b.graph.gz", large.gzipped())
    image, err = view(test, path, graph)
    test.equal((image.n_graphs(), len(image.profiles())), (0, 1))
    said = ("dmdv: view: %s is left out: it has {:,} blocks and roots with {:,} pointers, and a page holds {:,} with 50,000,000; "
            "use dmdv census, retained and the like\n" % graph)
    # Beside the blocks the two roots, and the node that points to them.
    test.equal(err, said.format(n + 3, 4, limit) + "dmdv: wrote out.html\n")
    _, err = test.dmdv("view", "--page=" + PAGE, "--types=no", "-o", "none.html", graph, status=2)
    test.equal(err, said.format(n + 3, 4, limit) + "dmdv: view: nothing is left to show\n")
    test.equal(os.path.exists(test.path("none.html")), False)


def test_smaller_records(test):
    """Of more stacks than a page holds the largest stay, and the rest become one; the sums are unchanged."""
    limit, large, n, n_stacks = 1000000, 100, 1050000, 10500
    made = Profile()
    for i in range(large):
        made.block(1000000000 + i, ["large%d (a.c:1)" % i, "main (a.c:2)"])
    small = [made.trace(["small%d (a.c:1)" % i, "main (a.c:2)"]) for i in range(n_stacks)]
    made.blocks += [{"req": 1 + i, "alloc": small[i % n_stacks]} for i in range(n)]
    path = test.write("a.json", made)
    image, err = view(test, path)
    file, document = image.files()[0], image.profiles()[0]
    smaller = [trace for trace, frames in document["traceTable"].items()
               if document["frameTable"][frames[0]].endswith("(smaller records)")]
    kept = [one for one in document["blockList"] if one["alloc"] not in smaller]
    test.equal((len(smaller), len(kept), file["records"]), (1, limit, n_stacks - (limit - large) * n_stacks // n))
    test.equal(max(one["req"] for one in kept), 1000000000 + large - 1)
    test.contains(err, 'became one, "(smaller records)"')
    totals = [json.loads(test.dmdv("print", "--json", name)[0])["sections"] for name in
              (path, test.write("b.json", image.sections[page.PROFILE, 0]))]
    test.equal(*[[(section["name"], section["blocks"], section["bytes"]) for section in one] for one in totals])


def test_anonymous(test):
    """No name remains in the page, figures are unchanged, and two runs make the same words."""
    secret = Profile(dmd=dict(DMD, command="/opt/secret/secretd -x", argv=["/opt/secret/secretd", "-x"], folder="/secret",
                              host="secret", label="secret"))
    secret.block(100, ["malloc (vg_replace_malloc.c:1)", "secret::f(int) (secret.cc:3)", "main (secret.cc:9)"],
                 reps=[["secret_measure (secret.cc:5)"]], reporters=["explicit/secret/x"], tag="secret")
    secret.block(50, ["secret_alloc (secret.cc:4)"])
    path = test.write("secret.json", secret)
    test.write("secret.graph.gz", graph_of(7))
    image, err = view(test, "--anonymize", "--alloc-fn=secret_al*", path)
    test.equal(err, "dmdv: wrote out.html\n")
    text = test.read("out.html")
    test.check("secret" not in text, "the page has the name")
    # The names of graphwriter.Graph's graph.
    for name in (b"secret", b"knead", b"wash", b"jar", b"new.c", b"driver", b"explicit/a", b"/bin/a"):
        test.check(name not in image.data, "the image has %s" % name.decode())
    test.equal([file["name"] for file in image.files()], ["profile 1", "graph 1"])
    test.equal(image.settings()[2], [])
    document = image.profiles()[0]
    test.equal([block["req"] for block in document["blockList"]], [100, 50])
    frames = sorted(document["frameTable"].values())
    test.equal(sum("malloc_" in frame for frame in frames), 1)
    test.contains("\n".join(frames), " main (file_")
    again, _ = view(test, "--anonymize", "--alloc-fn=secret_al*", path)
    test.equal(again.data, image.data)


def source_of(test, frames, *more):
    """The source lines in the page of a profile with these frames; the files are in src."""
    path = test.write("a.json", Profile().block(8, frames))
    image, err = view(test, "--source=src", *more, path)
    return image.sources(), err


def numbered(first, last):
    return {line: "line %d" % line for line in range(first, last + 1)}


def test_source(test):
    """Lines around those of frames, from the file that the frame refers to; long lines are cut off."""
    lines = "".join("line %d\n" % line for line in range(1, 31))
    os.makedirs(test.path("src/lib/deep"))
    os.makedirs(test.path("src/app"))
    test.write("src/lib/a.c", lines)
    test.write("src/lib/deep/same.c", lines)
    test.write("src/app/same.c", lines)
    test.write("src/end.c", "x" * 500 + "\nlast")
    sources, err = source_of(test, ["f (a.c:2)", "g (a.c:6)", "h (a.c:20)", "i (/build/lib/deep/same.c:30)",
                                    "j (same.c:3)", "k (end.c:2)", "l (end.c:9)", "m (none.c:1)"])
    test.equal(sources, {"a.c": {**numbered(1, 11), **numbered(15, 25)}, "/build/lib/deep/same.c": numbered(25, 30),
                         "end.c": {1: "x" * 400, 2: "last"}})
    test.equal(err, "dmdv: view: the page has source lines of 3 files\ndmdv: wrote out.html\n")


def test_source_from_outside(test):
    """Neither links nor .. lead out of the folder, and hidden folders are not searched."""
    os.makedirs(test.path("src/.git"))
    os.mkdir(test.path("outside"))
    for name in ("outside/a.c", "b.c", "src/.git/c.c", "src/.d.c"):
        test.write(name, "secret\n")
    os.symlink("../b.c", test.path("src/b.c"))
    os.symlink("../outside", test.path("src/linked"))
    sources, _ = source_of(test, ["f (a.c:1)", "g (b.c:1)", "h (../b.c:1)", "i (%s:1)" % test.path("b.c"), "j (c.c:1)",
                                  "k (.d.c:1)"])
    test.equal(sources, {})


def test_source_wrong(test):
    path = test.write("a.json", profile())
    test.write(PAGE, page.STUB)
    test.equal(test.error("view", "--page=" + PAGE, "--source=none", path),
               "dmdv: view: cannot search none: No such file or directory")
    test.equal(test.error("view", "--page=" + PAGE, "--source=a.json", path),
               "dmdv: view: cannot search a.json: Not a directory")
    test.equal(test.error("view", "--page=" + PAGE, "--source=.", "--anonymize", path),
               "dmdv: view: --source shows what --anonymize hides; give only one of them")
    test.equal(os.path.exists(test.path("a.html")), False)


# ---- the page ----


def test_page_around_it(test):
    """Only the title and the bundle are replaced, and no name can end the title."""
    path = test.write("<b&>.json.gz", gzip.compress(json.dumps(profile().json()).encode()))
    view(test, path)
    text = test.read("out.html")
    begin = text.index(page.ELEMENT) + len(page.ELEMENT)
    expected = page.STUB.replace("<title>", "<title>&lt;b&amp;> - ")
    test.equal(text[:begin] + text[text.index("</script>", begin):], expected)


def test_page_only(test):
    """The page is unchanged, except that it may fetch the files that its address names."""
    test.write(PAGE, page.STUB)
    _, err = test.dmdv("view", "--page-only", "--page=" + PAGE)
    test.equal(err, "dmdv: wrote dmd.html\n")
    test.equal(test.read("dmd.html"), page.STUB.replace("connect-src 'none'", "connect-src https: http:"))
    test.equal(test.error("view", "--page-only", "--page=" + PAGE, "a.json"),
               "dmdv: view: --page-only takes no files; see dmdv view --help")


def test_names(test):
    test.write(PAGE, page.STUB)
    os.mkdir(test.path("runs"))
    for name, expected in (("runs/a.7.json.gz", "a.7.html"), ("b.json", "b.html"), ("c.out", "c.out.html"),
                           ("d.gz", "d.html")):
        test.write(name, profile())
        _, err = test.dmdv("view", "--page=" + PAGE, name)
        test.equal(err, "dmdv: wrote %s\n" % expected)
        page.image_of(test.read(expected))
    _, err = test.dmdv("view", "--page=" + PAGE, "-", stdin=json.dumps(profile().json()).encode())
    test.equal(err, "dmdv: wrote dmd.html\n")


def test_page_of_a_page(test):
    """A page that has a bundle already, or two places for one, is rejected."""
    path = test.write("a.json", profile())
    view(test, path)
    for text in (test.read("out.html"), page.STUB + page.STUB, "", "<html></html>"):
        test.write("other.html", text)
        test.equal(test.error("view", "--page=other.html", path),
                   "dmdv: view: other.html is not a page that dmdv view --page-only wrote")
    test.equal(test.error("view", "--page=none.html", path),
               "dmdv: none.html: cannot open: No such file or directory")


def test_open(test):
    """xdg-open gets the page once it is complete; its failure is reported."""
    test.write("a.json", profile())
    test.write(PAGE, page.STUB)
    os.mkdir(test.path("bin"))
    program = test.write("bin/xdg-open", "#!/bin/sh\ncp \"$1\" opened.html\n")
    os.chmod(program, 0o755)
    path = {"PATH": test.path("bin") + os.pathsep + os.environ["PATH"]}
    test.dmdv("view", "--open", "--page=" + PAGE, "a.json", environment=path)
    page.image_of(test.read("opened.html"))
    test.write("bin/xdg-open", "#!/bin/sh\nexit 3\n")
    _, err = test.dmdv("view", "--open", "--page=" + PAGE, "a.json", environment=path, status=2)
    test.equal(err, "dmdv: wrote a.html\ndmdv: view: xdg-open could not open a.html\n")


# ---- errors ----


def test_no_half_page(test):
    """If one of the files cannot be read, an older page stays, and no other file remains."""
    test.write(PAGE, page.STUB)
    test.write("good.json", profile())
    test.write("bad.json", "{\"version\": 5")
    test.write("out.html", "older")
    before = sorted(os.listdir(test.folder))
    message = test.error("view", "--page=" + PAGE, "-o", "out.html", "good.json", "bad.json")
    test.contains(message, "dmdv: bad.json:1: ")
    test.equal((test.read("out.html"), sorted(os.listdir(test.folder))), ("older", before))


def test_command_line(test):
    test.write(PAGE, page.STUB)
    test.equal(test.error("view"), "dmdv: view: give one or more files; see dmdv view --help")
    test.equal(test.error("view", "--page=" + PAGE, "-", "-"),
               "dmdv: view: only one of the files can be standard input")
    test.equal(test.error("view", "--page=" + PAGE, *["a.json"] * 1001),
               "dmdv: view: 1001 files are too many for a page; it holds 1000")
    test.equal(test.error("view", "--page=" + PAGE, "-o", "no/such/folder.html", test.write("a.json", profile())),
               "dmdv: cannot write no/such/folder.html: No such file or directory")


def page_is_missing(test):
    """Whether this dmdv was built without the page, according to its message."""
    return "built without the page" in test.dmdv("view", "--page-only", "-o", "page.html", status=None)[1]


def test_build_without_page(test):
    """It says what to do, and doing that works."""
    if not page_is_missing(test):
        raise Skip("this dmdv has the page")
    path = test.write("a.json", profile())
    test.equal(test.error("view", "-o", "out.html", path),
               "dmdv: view: this dmdv was built without the page; the output of configure and make names what is missing. Or give "
               "--page=FILE, a page that another dmdv wrote with view --page-only")
    test.equal(os.path.exists(test.path("out.html")), False)
    view(test, path)


def test_built_page(test):
    path = test.write("a.json", profile())
    if page_is_missing(test):
        raise Skip("this dmdv has no page")
    test.dmdv("view", "-o", "out.html", path)
    test.equal(page.image_of(test.read("out.html")).files()[0]["name"], path)
    _, err = test.dmdv("view", "--page-only", "-o", "empty.html")
    test.contains(test.read("empty.html"), "connect-src https: http:")
    _, err = test.dmdv("view", "--page=empty.html", "-o", "again.html", path)
    test.equal(test.read("again.html"), test.read("out.html").replace("connect-src 'none'", "connect-src https: http:"))
