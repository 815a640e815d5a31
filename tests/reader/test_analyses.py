# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv retained, paths, leaks and owners on a small graph: options, JSON, errors. (The unit tests have the figures.)"""

import json
import os

from dmdvtest import Profile
from graphwriter import Graph
from harness import files


def analysed(test, command, *args):
    """What a command prints with --json, which obeys its schema."""
    result = json.loads(test.dmdv(command, "--types=no", "--json", *args)[0])
    try:
        import jsonschema
    except ImportError:
        return result
    schema = json.loads(files.read(os.path.join(test.srcdir, "docs", "dmdv-graph.schema.json")))
    jsonschema.Draft202012Validator({"$ref": "#/$defs/" + command, "$defs": schema["$defs"]}).validate(result)
    return result


def graph(test):
    return test.write("a.graph.gz", Graph().gzipped())


def test_leaks(test):
    path = graph(test)
    result = analysed(test, "leaks", path)
    # Block 3 is reached by a pointer into its middle alone, block 4 by none.
    test.equal([result[state] for state in ("definitely", "indirectly", "possibly", "reachable", "ignored")],
               [{"blocks": 1, "bytes": 10}, {"blocks": 0, "bytes": 0}, {"blocks": 1, "bytes": 50},
                {"blocks": 2, "bytes": 124}, {"blocks": 0, "bytes": 0}])
    test.equal([(row["state"], row["blocks"]) for row in result["rows"]],
               [("definitely", 1), ("possibly", 1), ("reachable", 2)])
    out, _ = test.dmdv("leaks", "--types=no", path)
    test.check("Definitely lost {" in out and "Still reachable {" not in out, out)
    test.contains(test.dmdv("leaks", "--types=no", "--show=all", path)[0], "Still reachable {")


def test_leaks_ignored(test):
    path = graph(test)
    ignore = test.write("ignore", "wash  # by the other team\nnobody  # is not there\n")
    out, err = test.dmdv("leaks", "--types=no", "--ignore=" + ignore, path)
    test.check("  Definitely lost: 0 bytes in 0 blocks\n" in out and "  Ignored: 60 bytes in 2 blocks\n" in out, out)
    test.check("2: warning: the pattern ignores nothing" in err, err)


def test_leaks_filtered(test):
    result = analysed(test, "leaks", "--filter=thread=thread 2", graph(test))
    test.equal((result["definitely"], result["reachable"]), ({"blocks": 1, "bytes": 10}, {"blocks": 0, "bytes": 0}))


def test_retained(test):
    path = graph(test)
    result = analysed(test, "retained", path)
    test.equal(result["total"], {"blocks": 4, "bytes": 192, "retained": 192})
    jar, lost = result["rows"]
    # Without the pointer into block 3 that one is held by nothing.
    test.equal((jar["held"], jar["name"], jar["retained"], jar["retainedAtLeast"]), ("root", "jar", 182, 132))
    test.equal((lost["held"], lost["address"], lost["bytes"]), ("lost", "0x8300", 10))


def test_retained_of(test):
    path = graph(test)
    for what, blocks, retained in (("0x8100", 1, 150), ("knead", 2, 182), ("explicit", 1, 32), ("unreported", 3, 160),
                                   ("unreported:2", 2, 60), ("from wash", 2, 60)):
        total = analysed(test, "retained", "--of=" + what, path)["total"]
        test.equal((what, total["blocks"], total["retained"]), (what, blocks, retained))
    test.equal(test.error("retained", "--types=no", "--of=0x1", path), "dmdv: --of=0x1: there is no block at this address")
    test.equal(test.error("retained", "--types=no", "--of=x", path),
               "dmdv: --of=x: there is no such type, function, reporter or variable")
    test.equal(test.error("retained", "--types=no", "--of=unreported:9", path),
               "dmdv: --of=unreported:9: there are not so many unreported records")


def test_paths(test):
    path = graph(test)
    result = analysed(test, "paths", "--to=wash", path)
    test.equal((result["blocks"], result["lost"]), (2, {"blocks": 1, "bytes": 10}))
    test.equal([[step.get("root", step.get("type")) for step in one["steps"]] for one in result["paths"]],
               [["jar", "from knead", "from wash"]])
    test.equal(result["paths"][0]["steps"][-1]["doubtful"], True)
    test.contains(test.error("paths", "--types=no", path), "say to which blocks")


def test_owners(test):
    path = graph(test)
    first, second = analysed(test, "owners", path)["rows"]
    test.equal((first["blocks"], first["owner"]["owned"], first["owner"]["root"]), (1, "root", "jar"))
    test.equal((second["blocks"], second["owner"]["owned"]), (2, "lost"))
    test.equal(len(analysed(test, "owners", "--filter=tag=driver", path)["rows"]), 1)


def test_one_file(test):
    for command in ("retained", "leaks", "owners"):
        test.equal(test.error(command),
                   "dmdv: %s: give one file, not 0; see dmdv %s --help" % (command, command))


def beside(test):
    """A profile with the graph beside it, of which 10 bytes are lost."""
    test.write("a.graph.gz", Graph().gzipped())
    profile = Profile(dmd={"version": "1", "faults": []})
    profile.block(100, ["knead (new.c:7)"])
    return test.write("a.json", profile)


def test_check_leaked(test):
    path = beside(test)
    test.contains(test.dmdv("check", "--max-leaked=10", path)[0], "passed  --max-leaked=10")
    out, _ = test.dmdv("check", "--max-leaked=9", path, status=1)
    test.contains(out, "leaked: 10 bytes in 1 block")
    test.contains(out, "wash (a.c:3)")
    finding = json.loads(test.dmdv("check", "--format=json", "--max-leaked=9", path, status=1)[0])["findings"][0]
    test.equal((finding["of"], finding["bytes"], finding["excess"], len(finding["causes"])), ("leaked", 10, 1, 1))


def test_check_leaked_ignored(test):
    path = beside(test)
    ignore = test.write("ignore", "wash  # by the other team\n")
    test.dmdv("check", "--max-leaked=0", "--ignore=" + ignore, path)


def test_check_leaked_without_graph(test):
    profile = test.write("b.json", Profile(dmd={"version": "1", "faults": []}))
    test.contains(test.error("check", "--max-leaked=0", profile), "needs the heap graph beside it")
