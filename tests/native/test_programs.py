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
    t.check(64 << 20 <= memory["residentUnique"] <= memory["resident"] <= 68 << 20, str(memory))


BESIDE = """
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  for (int i = 0; i < 64; i++) {
    void *part = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memset(part, 1, 1 << 20);
    for (int k = 0; k < 10000; k++)
      if (malloc(16) == 0)
        return 1;
  }
  return 0;
}
"""


def test_resident_memory_beside_the_engine_s(t):
    """The program maps 64 MiB as jemalloc does, a part at a time, while the engine maps tables: parts that
    lie right beside a table are the program's."""
    output = t.place.new_folder("beside") + "/beside"
    commands.run(["cc", t.write("beside.c", BESIDE), "-o", output])
    memory = t.run(output).profile.run["memory"]
    t.check(64 << 20 <= memory["residentUnique"] <= memory["resident"] <= 96 << 20, str(memory))
