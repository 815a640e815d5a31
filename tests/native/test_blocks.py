# SPDX-License-Identifier: GPL-2.0-or-later
"""Blocks of the program's own allocator, from every function."""

from harness import commands, profile

REQUESTED = {"by_malloc": 100, "by_calloc": 200, "by_realloc_of_null": 300, "by_realloc_that_grows": 5000,
             "by_reallocarray": 400, "by_posix_memalign": 1000, "by_aligned_alloc": 640, "by_memalign": 700,
             "by_valloc": 800, "by_pvalloc": 4096, "by_strdup": 13, "by_realloc_that_fails": 60}


def test_each_function(t):
    run = t.run(t.program("blocks.c"))
    usable = dict(line.split() for line in run.out.decode().splitlines())
    t.equal(sorted(usable), sorted(REQUESTED))
    for function, req in REQUESTED.items():
        if function != "by_strdup":  # its caller needs more than frame pointers
            t.equal(run.profile.at(function), ["%d+%d" % (req, int(usable[function]) - req)])
    t.equal(run.profile.at("by_none"), [])
    t.equal(run.profile.totals["inUseBlocks"], len(REQUESTED))
    t.equal(run.profile.totals["inUseBytes"], sum(REQUESTED.values()))
    t.equal(run.log, "dmd: wrote %s\n" % run.profile.path.replace(".named.json", ""))


def test_counts_are_those_of_memcheck(t):
    """Counted by hand, by these rules: 13 functions allocate, once each; 2 of realloc's blocks come and go
    before, and so do those of by_none; the realloc that fails counts as both."""
    totals = t.run(t.program("blocks.c")).profile.totals
    t.equal(totals["allocs"], 12 + 2 + 4 + 1)
    t.equal(totals["frees"], 2 + 4 + 1)


def test_innermost_is_the_function_that_was_called(t):
    profile = t.run(t.program("blocks.c")).profile
    for function in ("malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign",
                     "valloc", "pvalloc"):
        t.check(any(block.stack[0] == function for block in profile.blocks), function)


ON_ITS_OWN = """
#include <stdlib.h>
#include <unistd.h>
void *malloc(size_t n) { static char bytes[1 << 20]; static size_t used; used += (n + 15) & ~15ul; return bytes + used; }
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
int main(void) { return malloc(10) == NULL; }
"""


def test_a_program_with_a_malloc_of_its_own(t):
    output = t.place.new_folder("own") + "/own"
    commands.run(["cc", "-fno-builtin", t.write("own.c", ON_ITS_OWN), "-o", output, "-rdynamic"])
    run = t.run(output)
    t.contains(run.log, "has a malloc of its own, which comes before libdmd.so's: blocks are seen as far")
    t.equal(run.profile.totals["inUseBlocks"], 0)


AROUND_LIBC = """
#include <stdlib.h>
#include <unistd.h>
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t m);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t a, size_t n);
void *__libc_valloc(size_t n);
void *__libc_pvalloc(size_t n);
void __libc_free(void *p);
void *malloc(size_t n) { return __libc_malloc(n); }
void free(void *p) { __libc_free(p); }
void *kept[6];
void by_malloc(void) { kept[0] = malloc(123); }
void by_calloc(void) { kept[1] = __libc_calloc(4, 50); }
void by_realloc(void) { kept[2] = __libc_realloc(__libc_realloc(malloc(10), 20), 300); }
void by_memalign(void) { kept[3] = __libc_memalign(64, 400); }
void by_valloc(void) { kept[4] = __libc_valloc(500); }
void by_pvalloc(void) { kept[5] = __libc_pvalloc(5000); }
int main(void) {
  by_malloc(), by_calloc(), by_realloc(), by_memalign(), by_valloc(), by_pvalloc();
  free(malloc(10));
  free(__libc_memalign(64, 10));
  return 0;
}
"""


def test_a_malloc_around_the_c_library_s(t):
    output = t.place.new_folder("around") + "/around"
    commands.run(["cc", "-g", "-fno-builtin", t.write("around.c", AROUND_LIBC), "-o", output, "-rdynamic"])
    run = t.run(output)
    t.equal([b.stack[:3] for b in run.profile.blocks_at("by_malloc")], [["malloc", "malloc", "by_malloc"]])
    requested = {"by_malloc": 123, "by_calloc": 200, "by_realloc": 300, "by_memalign": 400, "by_valloc": 500,
                 "by_pvalloc": 8192}
    t.equal({name: [b.req for b in run.profile.blocks_at(name)] for name in requested},
            {name: [req] for name, req in requested.items()})
    t.equal(run.profile.totals["inUseBytes"], sum(requested.values()))
    t.equal(run.profile.faults, [])


WRAPPER = """
#include <stddef.h>
void *__libc_malloc(size_t n);
void __libc_free(void *p);
void *malloc(size_t n) { return __libc_malloc(n); }
void free(void *p) { __libc_free(p); }
"""


def test_a_library_around_the_c_library_s(t):
    """Calls that the wrapper makes are not counted a second time."""
    library = t.place.new_folder("wrapper") + "/libwrapper.so"
    commands.run(["cc", "-shared", "-fPIC", "-fno-builtin", t.write("wrapper.c", WRAPPER), "-o", library])
    plain, run = t.run(t.program("blocks.c")), t.run(t.program("blocks.c"), preload=[library])
    for key in ("allocs", "frees", "allocBytes", "inUseBytes"):
        t.equal(run.profile.totals[key], plain.profile.totals[key])


def test_counts_are_those_of_valgrind(t):
    """Both engines agree to the byte; the blocks that the C and C++ libraries keep are freed under both."""
    for program in ("blocks.c", "containers.cc"):
        native = t.run(t.program(program)).profile
        folder = t.new_folder()
        commands.run([t.place.launcher(), "--tool=dmd", "-q", "--dmd-out-file=p.json", t.program(program)], folder=folder)
        valgrind = profile.Profile(folder + "/p.json", t.bench.validator)
        for key in ("allocs", "frees", "allocBytes", "inUseBytes", "inUseBlocks"):
            t.equal(native.totals[key], valgrind.totals[key])
        t.equal(sorted((b.req, b.num) for b in native.blocks), sorted((b.req, b.num) for b in valgrind.blocks))
