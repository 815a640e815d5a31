# SPDX-License-Identifier: GPL-2.0-or-later
"""The base of the tests of dmdv tree: memory reports to make trees of, and parts of the output."""

import json
import os
import re

from dmdvtest import Profile
from harness import Skip, files

MB = 1 << 20
NONHEAP, HEAP, OTHER = 0, 1, 2
BYTES, COUNT, CUMULATIVE, PERCENTAGE = 0, 1, 2, 3
A = ["malloc (m.c:1)", "a (a.c:1)"]
R = ["size_of (r.c:1)"]


def report(path, amount, kind=NONHEAP, units=BYTES, process="P"):
    return {"process": process, "path": path, "kind": kind, "units": units, "amount": amount, "description": "Some."}


def allocated(amount, process="P"):
    return report("heap-allocated", amount, OTHER, process=process)


def document(*reports):
    return {"version": 1, "hasMozMallocUsableSize": True, "reports": list(reports)}


def safe(name):
    """A name as it appears in text."""
    return re.sub("[\\x00-\\x1f\\x7f]", lambda m: "\\x%02x" % ord(m.group()), name)


def spell(node, lines):
    """The lines of a JSON node and of its shown descendants, without the text before the amounts."""
    kids = node.get("children")
    share = " (%s)" % node["share"] if "share" in node else ""
    sign = "──" if kids is None else "++" if "hidden" in node else "--"
    lines.append("%s%s %s %s" % (node["value"], share, sign, safe(node["name"])) + (" [?!]" if "invalid" in node else "") +
                 (" [%d]" % node["n"] if "n" in node else "") + (" [whole: %s]" % node["whole"] if "whole" in node else "") +
                 {"new": " [+]", "old": " [-]", None: ""}[node.get("only")])
    for kid in kids if kids is not None and "hidden" not in node else ():
        spell(kid, lines)


def check_json(test, lines, *args):
    """Checks that the result as JSON conforms to its schema and agrees with the text; returns it."""
    result = json.loads(test.dmdv("tree", "--json", *args)[0])
    schema = json.loads(files.read(os.path.join(test.srcdir, "docs", "dmdv-tree.schema.json")))
    try:
        import jsonschema
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(result)
    except ImportError:
        pass
    spelt = []
    for process in result["processes"]:
        for node in process["trees"]:
            spell(node, spelt)
    # Another test has trees deeper than JSON's limit (24 levels).
    if all(line.index(line.lstrip(" │├└─")) < 100 for line in lines):
        test.equal(spelt, [line.lstrip(" │├└─") for line in lines if re.search(" (──|--|\\+\\+) ", line)], "as JSON")
    return result


def tree(test, *args, **keys):
    """The lines that dmdv tree prints; arguments that are not strings become files."""
    args = [a if isinstance(a, str) else test.write("file%d" % i, a) for i, a in enumerate(args)]
    lines = test.dmdv("tree", *args, **keys)[0].split("\n")
    if not keys:
        check_json(test, lines, *args)
    return lines


def body(lines):
    """The text between the name of the only process and its end, without notes."""
    return lines[lines.index("") + 1:-2]


def explicit(lines):
    start = lines.index("Explicit Allocations") + 2
    return lines[start:lines.index("", start)]


def other(lines):
    start = lines.index("Other Measurements") + 2
    return lines[start:lines.index("", start)]


RUN = {"command": "/opt/my/app --flag", "pid": 42, "formatVersion": 1}


def profile(dmd=None, mode="dark-matter"):
    """Of 100 MB: 40 reported by a, 10 by a and b, 5 by an unknown reporter; 20 tagged; 25 dark."""
    return (Profile(mode=mode, dmd=dmd or RUN)
            .block(10 * MB, A, num=4, reps=[R], reporters=["explicit/a"])
            .block(6 * MB, A, slop=4 * MB, reps=[R, R], reporters=["explicit/a", "explicit/b"])
            .block(5 * MB, A, reps=[R])
            .block(20 * MB, A, tag="lib")
            .block(25 * MB, A))


def export(test, content):
    """The reports that dmdv export writes."""
    path = test.write("profile", content)
    out, _ = test.dmdv("export", "--help")
    if "about-memory" not in out:
        raise Skip("this dmdv export knows no about-memory")
    out, _ = test.dmdv("export", "--format=about-memory", path)
    written = json.loads(out)
    test.equal((written["version"], written["hasMozMallocUsableSize"], sorted(written)),
               (1, True, ["hasMozMallocUsableSize", "reports", "version"]), "the document")
    for entry in written["reports"]:
        test.equal(sorted(entry), ["amount", "description", "kind", "path", "process", "units"], "keys")
        test.check(entry["description"], "descriptions")
    return written["reports"]
