# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that know nothing of dmd."""

import sys


def test_ls(t):
    run = t.run(["ls", "-la", "/"])
    t.check(run.profile.totals["allocs"] > 10, "it allocates")


def test_python(t):
    run = t.run([sys.executable, "-c", "import json, subprocess; print(len(json.dumps(list(range(1000)))))"],
                env={"PYTHONMALLOC": "malloc"})
    t.equal(run.out, b"4890\n")
    t.check(run.profile.totals["allocs"] > 10000, "it allocates")
    t.equal(run.profile.faults, [])
