# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs whose malloc is not that of a shared C library."""

import glob
import os
import re

from harness import Failure, Skip, TimedOut, commands


def _program(t, *flags):
    try:
        return t.program(flags)
    except Failure as failure:
        if "cannot find" in str(failure):
            raise Skip("there is no static C library") from failure
        raise


def static_program(t):
    """Valgrind replaces malloc in any object whose symbols it can read, the program itself included, but the
    replacements live in a library that a static program does not load. So dmd sees no blocks, whatever
    --soname-synonyms is; requests are part of the program, and work."""
    for options in [], ["--soname-synonyms=somalloc=NONE"]:
        run = t.run_command([_program(t)], options=options, status=30)
        profile = run.numbered(1)
        t.equal(profile.blocks, [])
        t.equal(profile.run["label"], "static")
        t.equal(profile.faults_at("main"), ["report-mapped x 1"])
        t.equal(profile.totals["allocs"], 0)


def static_and_stripped(t):
    profile = t.run_command([_program(t, "-s")], status=30).numbered(1)
    t.equal((profile.blocks, profile.totals["allocs"]), ([], 0))


def jemalloc_preloaded(t):
    library = _library("libjemalloc.so.2")
    # Valgrind by itself replaces malloc in every library; so the option only narrows it down. Sizes are the model's.
    for options in [], ["--soname-synonyms=somalloc=*jemalloc*"]:
        run = t.run_command([t.program()], options=options, env={"LD_PRELOAD": library})
        t.equal(run.profile.at("blocks"), ["100+12 reported by main", "200+24"])
        t.equal(run.profile.faults, [])
    # With the option to leave it alone, it sees nothing.
    run = t.run_command([t.program()], options=["--soname-synonyms=somalloc=nouserintercepts"],
                        env={"LD_PRELOAD": library}, status=None)
    t.equal(run.profile.at("blocks"), [])


# ---- Models against the real allocators ----

# The folders of libraries, and a small program of Firefox's packages that contains Firefox's allocator.
FOLDERS = ["/usr/lib/*", "/usr/lib", "/usr/lib64", "/usr/local/lib"]
PINGSENDER = ["/usr/lib*/firefox*/pingsender", "/opt/firefox*/pingsender"]


def _library(pattern):
    """The library's path, with all links followed."""
    found = [path for folder in FOLDERS for path in glob.glob(folder + "/" + pattern)]
    if not found:
        raise Skip(pattern + " is not installed")
    return os.path.realpath(found[0])


def _real_allocator(t, *flags):
    core = os.path.join(t.srcdir, "dmd")
    return t.bench.compile("real_allocator.c", ["-O1", "-fno-builtin", "-I" + core, core + "/model/profile/allocator.c", *flags])


def _compared(t, run):
    """{way to allocate: (requests compared, sizes that depend on the heap, sizes that differ)}"""
    lines = [line.partition(": ") for line in run.out.decode().splitlines()]
    found = {way: tuple(int(n) for n in numbers.split(", ")) for way, _, numbers in lines}
    t.equal(list(found), ["malloc", "posix_memalign", "aligned_alloc", "memalign", "operator new", "realloc"])
    t.check(found["malloc"][0] > 65536 and all(n[0] > 50000 for n in found.values()), "all was compared: %s" % found)
    t.equal({way: n[2] for way, n in found.items()}, dict.fromkeys(found, 0), run.err.decode())
    return {way: n[1] for way, n in found.items()}


def _compare_preloaded(t, model, library):
    return _compared(t, t.run_natively([_real_allocator(t), model], env={"LD_PRELOAD": library}))


NOTHING_IN_DOUBT = {"malloc": 0, "posix_memalign": 0, "aligned_alloc": 0, "memalign": 0, "operator new": 0, "realloc": 0}


def real_glibc(t):
    """Sizes that cannot be predicted, since they depend on free memory: a few bytes more (the model has the limit),
    blocks above 128 KiB that come from the heap, and the rest of a mapping behind an alignment of more than a
    page. Heaps begin at a random page, so the numbers vary from run to run."""
    if "glibc" not in os.confstr("CS_GNU_LIBC_VERSION"):
        raise Skip("this is not the GNU C library")
    in_doubt = _compared(t, t.run_natively([_real_allocator(t), "glibc"]))
    t.check(in_doubt["malloc"] < 20 and in_doubt["realloc"] < 5000, "malloc and realloc are known: %s" % in_doubt)


def real_jemalloc(t):
    t.equal(_compare_preloaded(t, "jemalloc", _library("libjemalloc.so.2")), NOTHING_IN_DOUBT)


def real_tcmalloc(t):
    t.equal(_compare_preloaded(t, "tcmalloc", _library("libtcmalloc_minimal.so.4")), NOTHING_IN_DOUBT)


def real_mimalloc(t):
    """Over-aligned blocks of unaligned sizes are cut out of larger ones: the bytes lost before them depend on
    which block is free. The model gives the smallest size. Free memory is the same in each run."""
    library = _library("libmimalloc.so.2*")
    in_doubt = _compare_preloaded(t, "mimalloc", library)
    t.equal((in_doubt["malloc"], in_doubt["realloc"]), (0, 0))
    if library.endswith("/libmimalloc.so.2.0"):
        t.equal(in_doubt, {"malloc": 0, "posix_memalign": 20553, "aligned_alloc": 1545, "memalign": 20545,
                           "operator new": 20096, "realloc": 0})


def real_mozjemalloc(t):
    """Firefox's allocator is in its programs, not in a library. The test uses the smallest of them."""
    found = [path for pattern in [os.environ.get("DMD_PINGSENDER", ""), *PINGSENDER] for path in glob.glob(pattern)]
    if not found:
        raise Skip("Firefox is not installed; DMD_PINGSENDER can name the program pingsender of any")
    probe = _real_allocator(t, "-shared", "-fPIC")
    run = t.run_natively([found[0]], env={"LD_PRELOAD": probe, "REAL_ALLOCATOR": "mozjemalloc"})
    t.equal(_compared(t, run), NOTHING_IN_DOUBT)


def _preloadable(t, pattern):
    """The library's path, if it works under Valgrind: with Debian 13's tcmalloc, a program never ends under
    any tool that replaces malloc."""
    library = _library(pattern)
    if library not in _ENDS:
        try:
            t.run_command(["true"], env={"LD_PRELOAD": library}, tool="memcheck", timeout=30)
            _ENDS[library] = True
        except TimedOut:
            _ENDS[library] = False
    if not _ENDS[library]:
        raise Skip("with %s Memcheck does not end either" % library)
    return library


_ENDS = {}


def same_sizes_as_natively(t):
    """The same program natively and under dmd, which recognises preloaded allocators by itself."""
    for model, pattern, args in (("glibc", None, ["unaligned"]), ("jemalloc", "libjemalloc.so.2", []),
                                 ("tcmalloc", "libtcmalloc_minimal.so.4", []),
                                 ("mimalloc", "libmimalloc.so.2*", ["unaligned"])):
        try:
            env = {"LD_PRELOAD": _preloadable(t, pattern)} if pattern else {}
        except Skip as skip:
            t.note(skip)
            continue
        native = t.run_natively([t.program(), *args], env=env)
        run = t.run_command([t.program(), *args], env=env)
        _chose(t, run, model)
        native_lines, lines = native.out.splitlines(), run.out.splitlines()
        t.equal(len(lines), len(native_lines))
        differ = [pair for pair in zip(native_lines, lines) if pair[0] != pair[1]]
        # glibc's realloc may find a free chunk behind a block, and then uses it.
        t.equal([pair for pair in differ if not (model == "glibc" and pair[0].startswith(b"2 "))], [], model)
        t.check(len(differ) < len(lines) / 10, "most of glibc's sizes are known: %s" % differ)


# ---- Which one is chosen ----


def _chose(t, run, model, chosen="auto"):
    t.equal((run.profile.run["allocator"], run.profile.run["allocatorChosen"]), (model, chosen))
    option = "auto" if chosen == "auto" else model
    t.equal(run.log.count("\nallocator: %s (--allocator=%s)\n" % (model, option)), 1, run.log[-300:])


def auto_is_glibc(t):
    run = t.run()
    _chose(t, run, "glibc")
    t.equal(run.profile.at("main"), ["1100+12"])
    _chose(t, t.run(options=["--allocator=auto"]), "glibc")


def option_decides(t):
    # 1100: a chunk of 1112 + 8; four or eight classes from 1024 to 2048; 256 apart.
    slops = {"glibc": 12, "exact": 0, "jemalloc": 180, "mozjemalloc": 180, "tcmalloc": 52, "mimalloc": 180}
    for model, slop in slops.items():
        run = t.run(options=["--allocator=" + model])
        _chose(t, run, model, "option")
        t.equal(run.profile.at("main"), ["1100+%d" % slop], model)


def auto_finds_what_is_linked(t):
    library = _library("libjemalloc.so.2")
    run = t.run_command([t.program([library, "-DNO_MALLOC", "-Wl,--no-as-needed"])])
    _chose(t, run, "jemalloc")
    t.equal(run.profile.at("main"), ["1100+180"])
    # Preloaded libraries are searched first.
    run = t.run_command([t.program([library, "-DNO_MALLOC", "-Wl,--no-as-needed"])],
                        env={"LD_PRELOAD": "/no/libmimalloc.so.2:" + _preloadable(t, "libtcmalloc_minimal.so.4")})
    _chose(t, run, "tcmalloc")
    t.equal(run.profile.at("main"), ["1100+52"])


def auto_finds_what_the_program_has(t):
    if not t.has_private("LOOKUP_SYMBOL"):
        _chose(t, t.run_command([t.program(["-DMARK=mallctl"])]), "glibc")
        return
    marks = {"moz_arena_malloc": "mozjemalloc", "mallctl": "jemalloc", "tc_malloc": "tcmalloc", "mi_malloc": "mimalloc"}
    for mark, model in marks.items():
        _chose(t, t.run_command([t.program(["-DMARK=" + mark])]), model)
    # A function of that name is not enough, nor a malloc.
    _chose(t, t.run_command([t.program(["-DMARK=mallctl", "-DNO_MALLOC"])]), "glibc")
    _chose(t, t.run_command([t.program()]), "glibc")


def auto_wants_a_malloc(t):
    """A libjemalloc whose functions have other names leaves the program with glibc's malloc. Where dmd cannot look
    them up, the library's name counts."""
    folder = t.new_folder()
    library = os.path.join(folder, "libjemalloc.so.2")
    made = t.bench.compile_text("je.c", "void *je_malloc(long n) { return (void *)(n - n); }\n",
                                ["-shared", "-fPIC", "-Wl,-soname,libjemalloc.so.2"])
    os.rename(made, library)
    model = "glibc" if t.has_private("LOOKUP_SYMBOL") else "jemalloc"
    _chose(t, t.run_command([t.program()], env={"LD_PRELOAD": library}), model)


def auto_without_a_malloc(t):
    # The program never allocates: the model is chosen for the dump. Static programs load no libraries.
    run = t.run_command([_program(t)], status=30)
    t.equal(run.numbered(1).run["allocator"], "glibc")


def auto_for_redis(t):
    """Debian's redis-server is linked with libjemalloc."""
    server = t.need("redis-server")
    _library("libjemalloc.so.2")
    _chose(t, t.run_command([server, "--version"]), "jemalloc")
    _chose(t, t.run_command([server, "--version"], env={"LD_PRELOAD": _preloadable(t, "libtcmalloc_minimal.so.4")}),
           "tcmalloc")


def auto_for_firefox(t):
    found = [path for pattern in [os.environ.get("DMD_PINGSENDER", ""), *PINGSENDER] for path in glob.glob(pattern)]
    if not found:
        raise Skip("Firefox is not installed; DMD_PINGSENDER can name the program pingsender of any")
    _chose(t, t.run_command([found[0]], status=None), "mozjemalloc")


# ---- The program's own operators new ----


def _tells(t, run, path):
    """The profile and the log report that this object's operator new did not run; None: nothing is
    reported."""
    if not (t.has_private("LOOKUP_SYMBOL") and t.has_private("REDIR_DO_LOOKUP")):
        path = None
    t.equal(run.profile.run.get("replacedNew"), path)
    t.equal(run.log.count("did not run"), path is not None)
    t.equal(run.log.count("\nThe operator new of %s did not run: Valgrind's ran in its place.\n" % path),
            path is not None, run.log[-600:])


def own_new_that_is_replaced(t):
    program = t.program()
    run = t.run_command([program], status=0)
    t.equal(run.profile.at("main"), ["3 x 100+4"])
    _tells(t, run, program)


def own_new_that_runs(t):
    """As it does natively. The caller still counts as the allocator."""
    t.run_natively([t.program()], status=3)
    for value in "nouserintercepts", "*malloc*":
        run = t.run_command([t.program()], options=["--soname-synonyms=somalloc=" + value], status=3)
        t.equal(run.profile.at("main"), ["3 x 100+4"])
        _tells(t, run, None)


def own_new_of_a_library(t):
    # Preloaded into the shell that starts Valgrind too, which has no counter.
    text = """#include <cstdlib>
              #include <new>
              extern "C" __attribute__((weak)) int n_calls;
              void *operator new(std::size_t szB) { if (&n_calls) n_calls++; return malloc(szB); }"""
    library = t.bench.compile_text("new.cc", text, ["-shared", "-fPIC", "-Wl,-soname,libnew.so.1"])
    program = t.program(["-DWITHOUT", "-rdynamic"])
    env = {"LD_PRELOAD": library}
    t.run_natively([program], env=env, status=3)
    _tells(t, t.run_command([program], env=env, status=0), os.path.realpath(library))
    options = ["--soname-synonyms=somalloc=nouserintercepts"]
    _tells(t, t.run_command([program], options=options, env=env, status=3), None)


def own_new_beside_the_library(t):
    """If a program is statically linked with the C++ library, the operator's source shows whose it is."""
    for flags, known in ([], True), (["-g0"], False):
        program = t.program(["-static-libstdc++", *flags])
        t.run_natively([program], status=3)
        _tells(t, t.run_command([program], status=0), program if known else None)
        _tells(t, t.run_command([program], options=["--soname-synonyms=somalloc=nouserintercepts"], status=3), None)


def own_new_of_arrays(t):
    program = t.program(["-DARRAYS"])
    t.run_natively([program], status=3)
    _tells(t, t.run_command([program], status=0), program)


def own_new_there_is_none(t):
    """If the C++ library is part of the program, the program has an operator of its own nevertheless."""
    for flags in [], ["-static-libstdc++"]:
        run = t.run_command([t.program(["-DWITHOUT", *flags])])
        t.equal(run.profile.at("main"), ["3 x 100+4"])
        _tells(t, run, None)


# glibc counts the blocks in a thread's cache as used: up to 7 of each size from 32 to 1,040 bytes, the header included.
THREAD_CACHE_SZB = 7 * sum(range(32, 1041, 16))


def own_numbers(t):
    """A program that measures itself by the allocator's numbers sees what it sees natively, but for the thread's cache
    of freed blocks."""
    program = t.program()
    plain = commands.run([program])
    run = t.run_command([program])
    natively, here = ({name: int(value) for name, value in (line.rsplit(" ", 1) for line in out.splitlines())}
                      for out in (plain.out, run.out.decode()))
    t.equal(sorted(here), sorted(natively))
    t.check(natively["full used"] > 2 * 10 ** 6 and natively["full mappings"] == 3, "what is compared")

    def compare(name, found, expected, cached):
        t.check(-expected / 50 <= expected - found <= expected / 50 + cached,
                "%s: natively %d, here %d" % (name, expected, found))

    for name, expected in natively.items():
        if not name.endswith("system"):
            is_half = name.startswith("half") and "mapp" not in name
            compare(name, here[name], expected, THREAD_CACHE_SZB if is_half else 0)
    t.check(here["full system"] >= here["full used"], "the system gave as much as is used")
    stats = [[int(number) for number in re.findall(r"in use bytes +=\D*(\d+)", err)]
             for err in (plain.err, run.err.decode())]
    t.equal([len(numbers) for numbers in stats], [2, 2])
    for expected, found in zip(*stats):
        compare("malloc_stats", found, expected, THREAD_CACHE_SZB)


PREFIXED = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define REAL { abort(); }
#define JEMALLOC(prefix) \\
  void *prefix##malloc(size_t n) REAL \\
  void *prefix##calloc(size_t n, size_t one) REAL \\
  void *prefix##realloc(void *p, size_t n) REAL \\
  void prefix##free(void *p) REAL \\
  size_t prefix##malloc_usable_size(const void *p) REAL \\
  int prefix##posix_memalign(void **to, size_t align, size_t n) REAL \\
  void *prefix##aligned_alloc(size_t align, size_t n) REAL \\
  void *prefix##mallocx(size_t n, int flags) REAL \\
  void *prefix##rallocx(void *p, size_t n, int flags) REAL \\
  void prefix##sdallocx(void *p, size_t n, int flags) REAL
JEMALLOC(_rjem_)
JEMALLOC(je_)
void *mi_malloc(size_t n) REAL
void *mi_zalloc_aligned(size_t n, size_t align) REAL
void *mi_realloc_aligned(void *p, size_t n, size_t align) REAL
void mi_free(void *p) REAL

static void check(int good, int line) { if (!good) { printf("line %d\\n", line); exit(1); } }
#define CHECK(x) check(x, __LINE__)
static void *kept[20];
static int n_kept;
static int is_aligned(void *p, size_t n) { return p != NULL && (uintptr_t)p % n == 0; }
static int is_zero(const char *p, size_t n) { while (n > 0 && p[n - 1] == 0) n--; return n == 0; }

#define USE(prefix) \\
  void *p = prefix##malloc(1000); \\
  memset(p, 1, 1000); \\
  prefix##free(p); \\
  p = prefix##calloc(10, 101); \\
  CHECK(is_zero(p, 1010)); \\
  CHECK(prefix##calloc(SIZE_MAX / 2, 3) == NULL); \\
  strcpy(p, "kept"); \\
  kept[n_kept++] = p = prefix##realloc(p, 2000); \\
  CHECK(strcmp(p, "kept") == 0 && prefix##malloc_usable_size(p) >= 2000); \\
  CHECK(prefix##posix_memalign(&kept[n_kept++], 256, 300) == 0 && is_aligned(kept[n_kept - 1], 256)); \\
  CHECK(prefix##posix_memalign(&p, 3, 300) != 0); \\
  CHECK(is_aligned(kept[n_kept++] = prefix##aligned_alloc(64, 400), 64)); \\
  p = prefix##mallocx(500, 6 | 0x40); \\
  CHECK(is_aligned(p, 64) && is_zero(p, 500)); \\
  kept[n_kept++] = prefix##rallocx(p, 600, 0); \\
  prefix##free(NULL); \\
  prefix##sdallocx(prefix##mallocx(700, 0), 700, 0);

static void rust(void) { USE(_rjem_) }
static void redis(void) { USE(je_) }
static void mimalloc(void) {
  mi_free(mi_malloc(800));
  kept[n_kept++] = mi_realloc_aligned(mi_zalloc_aligned(900, 32), 950, 32);
}
int main(void) { rust(); redis(); mimalloc(); return 0; }
"""


def prefixed(t):
    """Allocators that are linked into the program with a prefix are replaced. The real functions abort."""
    program = t.bench.compile_text("prefixed.c", PREFIXED, ["-w", "-O0"])
    profile = t.run_command([program]).profile
    sizes = {name: sorted(block.req for block in profile.blocks for _ in range(block.num) if block.stack[1:2] == [name])
             for name in ("rust", "redis", "mimalloc")}
    t.equal(sizes, {"rust": [300, 400, 600, 2000], "redis": [300, 400, 600, 2000], "mimalloc": [950]})
    t.equal(profile.faults, [])
