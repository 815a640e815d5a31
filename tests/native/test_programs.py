# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that do not use dmd.h."""

import sys

from harness import commands


def test_ls(t):
    run = t.run(["ls", "-la", "/"])
    t.check(run.profile.totals["allocs"] > 10, "it allocates")


def test_python(t):
    run = t.run([sys.executable, "-c", "import json, subprocess; print(len(json.dumps(list(range(1000)))))"],
                env={"PYTHONMALLOC": "malloc"})
    t.equal(run.out, b"4890\n")
    t.check(run.profile.totals["allocs"] > 10000, "it allocates")
    t.equal(run.profile.faults, [])


LARGE = """
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *all = malloc(64 << 20);
  memset(all, 1, 64 << 20);
  return all[5] - 1;
}
"""


def test_resident_memory_is_the_program_s(t):
    """64 MiB are written to; the C library and the program stay far below the other four, and the engine's
    own memory does not count."""
    output = t.place.new_folder("large") + "/large"
    commands.run(["cc", t.write("large.c", LARGE), "-o", output])
    memory = t.run(output).profile.run["memory"]
    t.check(64 << 20 <= memory["residentUnique"] <= memory["resident"] <= 68 << 20, memory)
