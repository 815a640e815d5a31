# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of dmdv tree share: memory reports to make trees of, and parts of what is printed."""

import json

from dmdvtest import Profile
from harness import Skip

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


def tree(test, *args, **keys):
    """The lines that dmdv tree prints; arguments that are not strings become files."""
    args = [a if isinstance(a, str) else test.write("file%d" % i, a) for i, a in enumerate(args)]
    return test.dmdv("tree", *args, **keys)[0].split("\n")


def body(lines):
    """What stands between the name of the only process and its end, without notes."""
    return lines[lines.index("") + 1:-2]


def explicit(lines):
    start = lines.index("Explicit Allocations") + 2
    return lines[start:lines.index("", start)]


def other(lines):
    start = lines.index("Other Measurements") + 2
    return lines[start:lines.index("", start)]


RUN = {"command": "/opt/my/app --flag", "pid": 42, "formatVersion": 1}


def profile(dmd=None, mode="dark-matter"):
    """Of 100 MB: 40 reported by a, 10 by a and b, 5 by nobody known; 20 tagged; 25 dark."""
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
