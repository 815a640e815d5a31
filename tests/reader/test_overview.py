# SPDX-License-Identifier: GPL-2.0-or-later
"""The screen at the end of dmdv ./program, and of dmdv FILE. Expected texts are calculated by hand from the blocks."""

import ctypes
import json
import os
import platform
import re
import struct

from dmdvtest import Profile
from harness import Skip, compiler, files

MIB = 1 << 20
MAIN = "main (main.c:9)"
NEWS = ["malloc (m.c:1)", "news_add (src/news.c:7)", MAIN]
CACHE = ["malloc (m.c:1)", "std::vector<char, std::allocator<char> >::push_back (/usr/include/c++/12/bits/stl_vector.h:5)",
         "cache_fill (cache.cc:88)", MAIN]
REPORT = ["size_of (r.c:1)", "measure (r.c:2)"]
RUN = {"formatVersion": 1, "version": "1", "command": "./news -v", "pid": 7, "dump": 1, "time": "2026-11-22T09:44:50Z",
       "trigger": "exit"}


def totals(allocs, allocated, live, blocks):
    return {"allocs": allocs, "frees": allocs - blocks, "allocBytes": allocated, "inUseBytes": live, "inUseBlocks": blocks}


def overview(test, profile, *more):
    return test.dmdv(test.write("p.json", profile), *more)[0]


def at_the_peak():
    """1 MiB and 3 MiB at the peak, of which 3 MiB were freed; another 512 bytes came later."""
    profile = Profile(dmd=dict(RUN, totals=totals(12, 5 * MIB, MIB + 512, 2), peak={
        "bytes": 4 * MIB, "blocks": 4, "milliseconds": 1234, "allocated": 5 * MIB}))
    profile.block(MIB, NEWS).block(512, NEWS, afterPeak=True)
    document = profile.json()
    document["peakBlockList"] = [{"req": MIB, "num": 3, "alloc": profile.trace(CACHE)}]
    document["frameTable"] = {number: "#00: " + text for text, number in profile.frames.items()}
    document["traceTable"] = {trace: list(ids) for ids, trace in profile.traces.items()}
    return document


def test_a_program_that_freed_its_heap(test):
    test.equal(overview(test, at_the_peak()), """\
dmd  ./news -v    pid 7, dump 1, 2026-11-22T09:44:50Z

  peak      4.00 MB in 4 blocks, after 1.2 s
  at exit   1.00 MB in 2 blocks
  traffic   12 allocations, 5.00 MB in all

At the peak
  1      3.00 MB   75.0%          3 blocks  cache_fill (cache.cc:88)
  2      1.00 MB   25.0%          1 block   news_add (news.c:7)

No memory reporter ran: dmd cannot tell what the program's own statistics, if any, leave out.

dmdv view {0}  shows all of it in a browser
dmdv print {0}  prints the stacks
dmdv run --graph=yes --dump-at-peak=yes --dump-at-exit=no ...  finds what could be saved
""".format(test.path("p.json")), "text")
    small = at_the_peak()
    small["dmd"]["peak"]["bytes"] = MIB - 1
    for document in (small, dict(at_the_peak(), dmd=dict(at_the_peak()["dmd"], trigger="request"))):
        test.check("--dump-at-peak" not in overview(test, document), "there is no such dump, or one")


def test_a_heap_that_stays(test):
    """At most half as much at exit, or the places at exit are listed."""
    document = at_the_peak()
    document["dmd"]["totals"] = totals(12, 5 * MIB, 3 * MIB, 2)
    out = overview(test, document)
    test.check("\nAt exit\n  1      1.00 MB  100.0%          2 blocks  news_add (news.c:7)\n\n" in out, out)
    document["dmd"].update(trigger="request", totals=totals(12, 5 * MIB, 3 * MIB, 2))
    test.check("\n  at dump   3.00 MB in 2 blocks\n" in overview(test, document), "a dump that was asked for")
    document["dmd"].update(trigger="exit", totals=totals(12, 5 * MIB, 0, 0))
    document["blockList"] = []
    test.check("\n  at exit   0 bytes: everything was freed\n" in overview(test, document), "an empty heap")


def test_attached(test):
    """A process that ran already: since when it is recorded, and that it goes on. With sampling, nothing of blocks from before."""
    document = at_the_peak()
    attached = {"time": "2026-11-22T09:40:00Z", "olderBlocks": 1, "olderBytes": 2048}
    document["dmd"].update(trigger="detach", attached=attached)
    out = overview(test, document)
    test.check("""
  at detach 1.00 MB in 2 blocks
  traffic   12 allocations, 5.00 MB in all
  recorded  from the attach at 2026-11-22T09:40:00Z on
  before    2,048 bytes in 1 block was freed or reallocated since

At the peak
""" in out, out)
    out = test.dmdv("print", test.path("p.json"))[0]
    for text in ("  Process: 7, dump 1 (detach)\n  Attached: 2026-11-22T09:40:00Z\n", "; 1,049,088 bytes at the detach\n"):
        test.check(text in out, out)
    out = test.dmdv("print", "--moment=end", test.path("p.json"))[0]
    test.check("recorded: from the attach at 2026-11-22T09:40:00Z on\n"
               "from before the attach: 2,048 bytes in 1 block was freed or reallocated since\n" in out, out)
    answer = json.loads(test.dmdv("--json", test.path("p.json"))[0])
    test.equal((answer["attached"], answer["atExit"]), ("2026-11-22T09:40:00Z", False), "JSON")
    del attached["olderBlocks"], attached["olderBytes"]
    test.check("on\n\nAt the peak\n" in overview(test, document), "no blocks from before")
    document["dmd"]["totals"] = totals(12, 5 * MIB, 3 * MIB, 2)
    test.check("\nAt the detach\n" in overview(test, document), "a heap that stays")


def test_reporters(test):
    """The records that reporters left out, but no tiny ones; those measured twice; no places."""
    profile = (Profile(dmd=dict(RUN, trigger="request"))
               .block(6 * MIB, CACHE).block(100, NEWS)
               .block(3 * MIB, NEWS, [REPORT], reporters=["explicit/a"])
               .block(MIB // 2, NEWS, [REPORT, REPORT], num=2, reporters=["explicit/a", "explicit/b"]))
    out = overview(test, profile)
    test.check("  measured  3.00 MB (30.0%) once, 1.00 MB (10.0%) twice; 6.00 MB (60.0%) by no reporter\n" in out, out)
    test.check("""
Measured by no reporter: 6.00 MB in 2 blocks
  1      6.00 MB   60.0%          1 block   cache_fill (cache.cc:88)

Measured twice: 1.00 MB in 2 blocks
  1      1.00 MB   10.0%          2 blocks  news_add (news.c:7)
     by explicit/a and by explicit/b
""" in out, out)
    test.check("At exit" not in out and "No memory reporter" not in out and "dmdv tree" in out, out)


def test_reports_outside_of_reporters(test):
    """Blocks that were reported twice, once or never within a reporter."""
    profile = (Profile(dmd=dict(RUN, trigger="request")).block(8000, NEWS, [REPORT, REPORT[:1]])
               .block(4000, CACHE, [REPORT, REPORT[:1]], reporters=["explicit/a", None]))
    lines = overview(test, profile).splitlines()
    for words in ("     by reports outside of any reporter", "     by explicit/a and by a report outside of any reporter"):
        test.check(words in lines, "%r is not in\n%s" % (words, "\n".join(lines)))


def test_referrers_and_faults(test):
    profile = Profile().block(900, CACHE).block(100, NEWS, [REPORT], reporters=["explicit/a"])
    profile.document["dmd"] = dict(
        RUN, advice=[{"alloc": profile.trace(CACHE), "held": "reported", "reporter": "explicit/" + "long/" * 20,
                      "at": profile.trace(REPORT), "offset": 24, "blocks": 1, "bytes": 900}],
        faults=[{"kind": "report-interior", "num": n, "at": profile.trace([MAIN, "f%d (f.c:1)" % n]), "reporter": "explicit/b"}
                for n in range(1, 6)])
    lines = overview(test, profile).split("\n")
    at = lines.index("     100% held at +0x18 of blocks reported by")
    test.equal(lines[at + 1], "     explicit/" + "long/" * 20, "folded")
    at = lines.index("Faults")
    test.check(all(line.startswith("  Report of an interior pointer, by explicit/b") for line in lines[at + 1:at + 4]), str(lines))
    test.equal(lines[at + 4:at + 6], ["  and 2 more", ""], "no more than three")


def test_one_screen(test):
    """Whatever the profile has, and whatever names are in it."""
    profile = Profile(dmd=dict(RUN, command="./x\x1b[31m " + "y" * 300))
    for i in range(60):
        profile.block(1000 + i, ["malloc (m.c:1)", "f\x1b[0m%d (a.c:1)" % i, "main (a.c:9)"],
                      *([[REPORT] * (i % 3)] if i % 3 else []), reporters=["explicit/%d" % i] * (i % 3))
    profile.document["dmd"]["faults"] = [
        {"kind": "report-interior", "num": 1, "at": profile.trace(["g%d (a.c:1)" % i]), "reporter": "explicit/\x07%d" % i}
        for i in range(60)]
    out = overview(test, profile)
    test.check(out.count("\n") <= 40, out)
    test.check(max(map(len, out.split("\n")[:-4])) <= 100, out)
    test.check("\x1b" not in out and "\x07" not in out and "\\x1b[31m" in out, out)


def test_several_files_and_options(test):
    path = test.write("a.json", Profile().block(100, NEWS))
    out = overview(test, Profile().block(200, NEWS), path)
    test.equal(out.count("dmd  "), 2, "two screens")
    out, _ = test.dmdv(path, "--max-frames=1")
    test.check("Unreported {" in out, "with options it is dmdv print")
    out, err = test.dmdv(path, test.write("b.json", "{]"), status=2)
    test.check(out.count("dmd  ") == 1 and err.startswith("dmdv: ") and "b.json:1: " in err, err)


def test_by_line(test):
    out, _ = test.dmdv("print", "--by=line", test.write("p", Profile().block(100, NEWS).block(300, CACHE).block(50, NEWS)))
    test.equal([line.split()[-2:] for line in out.split("\n") if ".c" in line],
               [["cache_fill", "(cache.cc:88)"], ["news_add", "(news.c:7)"]], "rows")


def test_code_without_names(test):
    """It is shown with the first caller in the same file that has a name, and the first line leads to a hint."""
    stack = ["malloc (m.c:1)", "???[/usr/lib/libpix.so.2 +0x1f]", "???[/usr/lib/libpix.so.2 +0x2f]", "???[/bin/app +0x3]",
             "pix_open[/usr/lib/libpix.so.2 +0x4f]", MAIN]
    profile = Profile(dmd=RUN).block(500, stack).block(300, stack[:4]).block(200, NEWS)
    profile.within("/usr/lib/libpix.so.2", {stack[1]: 0x1f, stack[2]: 0x2f, stack[4]: 0x4f}).within("/bin/app", {stack[3]: 3})
    out = overview(test, profile)
    test.equal([line.split("  ")[-1].strip() for line in out.split("\n") if re.match("  [123] ", line)],
               ["libpix.so.2+0x1f from pix_open", "libpix.so.2+0x1f", "news_add (news.c:7)"], "places")
    test.check("\nNo names are known in libpix.so.2: install its debug symbols, or set DEBUGINFOD_URLS.\n" in out, out)
    test.check("No names" not in overview(test, at_the_peak()), "names")


def test_long_places(test):
    """57 columns: without parameters, and with the end of the name, so that file and line remain."""
    def shown(function):
        out = overview(test, Profile().block(500, ["malloc (m.c:1)", function + " (oven.cc:4)", MAIN]))
        return re.search(r" block   (.*)\n", out).group(1)
    kitchen = "bakery::(anonymous namespace)::kitchen::"
    for end in "", " const", " [clone .part.0]":
        test.equal(shown(kitchen + "bake(int, char const*, long)" + end), kitchen + "bake (oven.cc:4)")
    test.equal(shown(kitchen + "b" * 33 + "(int)"), "...kitchen::" + "b" * 33 + " (oven.cc:4)")
    test.equal(shown("b" * 60), "..." + "b" * 42 + " (oven.cc:4)")


def test_a_heap_that_grows(test):
    """By 2 MiB a second, for 40 seconds."""
    document = at_the_peak()
    document["dmd"]["timeline"] = {"spacing": 1000, "points": [[s * 1000, s * 2 * MIB, s, s * 2 * MIB] for s in range(41)], "marks": []}
    out = overview(test, document)
    test.check(re.search(r"\n  growing   steadily by 2\.0[01] MB/s since 0 ms\n", out) and "\ndmdv timeline /" in out, out)
    document["dmd"]["timeline"]["points"] = [[s * 1000, 2 * MIB, s, s * 2 * MIB] for s in range(41)]
    test.check("growing" not in overview(test, document), "a heap that does not")


# ---- At the end of a run ----

SOURCE = """
#include <stdlib.h>
__attribute__((noinline)) static char *bake(size_t n) { return malloc(n); } /* line 3 */
int main(int argc, char **argv) {
  char *volatile cake = bake(3000000);
  free((void *)cake);
  if (argc > 1 && argv[1][0] == 'k')
    abort();
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


def program(test, *flags):
    if not os.path.exists(os.path.join(test.builddir, ".in_place", "stamp")):
        raise Skip("no tool was built beside dmdv")
    return compiler.compile_program(test.write("prog.c", SOURCE), test.path("prog" + "".join(flags)), test.builddir, ["-g", *flags])


def test_end_of_a_run(test):
    program(test)
    path = "./prog"
    for engine, name in ("native", "native engine"), ("valgrind", "Valgrind"):
        if engine == "native" and not os.path.exists(os.path.join(test.builddir, "libdmd.so")):
            continue
        out, err = test.dmdv("run", "--engine=" + engine, "-o", "p.json", path, "7", status=7)
        test.check(re.match(r"\ndmd  %s 7    %s, \d+\.\d s, exit status 7\n\n  peak      2\.86 MB in 1 block, after " %
                            (re.escape(path), name), err), err)
        test.check("\n  at exit   0 bytes: everything was freed\n  traffic   1 allocation, 2.86 MB in all\n" in err, err)
        if "without libdw" not in err:
            test.check(re.search(r"\nAt the peak\n  1      2\.86 MB  100\.0%          1 block   bake \(prog\.c:3\)\n", err), err)
        test.check(err.endswith("\ndmdv: wrote p.json\n") and out == "" and "==" not in err, err)
        _, err = test.dmdv("run", "--engine=" + engine, "-o", "p.json", path, "k", status=128 + 6)
        test.check("dmdv: no profile was written" in err or "ended by signal 6\n" in err, err)


def test_json_and_page_of_a_run(test):
    path = program(test)
    out, err = test.dmdv("--json", path, "7", status=7)
    shown = json.loads(err)
    test.equal((out, shown["peak"], shown["dump"]["blocks"], os.path.exists(test.path(shown["file"]))),
               ("", {"bytes": 3000000, "blocks": 1}, 0, True), "what standard error gets")
    if os.path.exists(os.path.join(test.builddir, "viewer", "page.html")):
        os.mkdir(test.path("bin"))
        os.chmod(test.write("bin/xdg-open", '#!/bin/sh\necho "$1" > opened\n'), 0o755)
        test.dmdv("--open", "-o", "p.json", path, "7", status=7,
                  environment={"PATH": test.path("bin") + os.pathsep + os.environ["PATH"]})
        test.check(test.read("opened").endswith(".html\n"), "a page")
    test.contains(test.dmdv("run", "--json", "--pid=1", status=2)[1], "not for --pid")


FORKS = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  char *volatile cake = malloc(1 << 20);
  pid_t child = fork();
  if (child == 0) {
    char *volatile more = malloc(2 << 20);
    return more == 0;
  }
  return cake == 0 || waitpid(child, 0, 0) != child;
}
"""


def test_of_a_run_with_processes(test):
    """The child, which ends first, has 2 MiB more than its parent."""
    program(test)
    path = compiler.compile_program(test.write("forks.c", FORKS), test.path("forks"), test.builddir, ["-g"])
    _, err = test.dmdv("run", path)
    first, last = re.findall(r"(?m)^dmdv: wrote dmd\.out\.(\d+)\.json\.gz$", err)
    test.check(f"\n  one of    2 profiles: dump 1 of process {last} has the largest peak (dmdv FILE shows another)\n  peak      3.0" in err, err)
    test.check(first != last and f"\ndmdv print dmd.out.{last}.json.gz  " in err, err)


def test_runs_without_it(test):
    path = program(test)
    for option in "-q", "--log-file=log":
        out, err = test.dmdv("run", option, "-o", "p.json", path)
        test.equal((out, err), ("", "dmdv: wrote p.json\n"), option)
    test.check("Summary {" in test.read("log"), "the log has the records")
    out, err = test.dmdv("run", "--print", "-o", "p.json", path)
    test.check("Summary {" in out and err == "dmdv: wrote p.json\n", err)


# As a Rust program that is linked with jemalloc. Only Valgrind replaces functions that are too short for a jump.
OWN_ALLOCATOR = """
#include <stdlib.h>
void *_rjem_malloc(size_t n) { return malloc(n); }
#ifdef SHORT
__asm__(".globl _rjem_free; .type _rjem_free, %function; _rjem_free: ret; .size _rjem_free, . - _rjem_free");
#endif
int main(void) { return _rjem_malloc(100) == NULL; }
"""


def test_which_engine(test):
    """The native one, but not for a static program, one with another allocator, or with an option that it lacks."""
    path = program(test)
    if not os.path.exists(os.path.join(test.builddir, "libdmd.so")):
        raise Skip("the native engine was not built")
    test.check(", exit status 0" in test.dmdv("-o", "p.json", path)[1], "an option in front")
    for words, name in ((path,), "native engine"), (("--soname-synonyms=somalloc=x", path), "Valgrind"):
        err = test.dmdv("run", "-o", "p.json", *words)[1]
        test.check("    %s, " % name in err.split("\n")[1], err)
    own = compiler.compile_program(test.write("own.c", OWN_ALLOCATOR), test.path("own"), test.builddir)
    is_replaced = platform.machine() == "x86_64"
    if is_replaced:
        test.check("    native engine, " in test.dmdv("run", "-o", "p.json", own)[1], "it replaces the allocator")
        own = compiler.compile_program(test.path("own.c"), test.path("short"), test.builddir, ["-DSHORT"])
    why = "its function _rjem_free is too short for a jump" if is_replaced else "the native engine can do that on x86-64 only"
    err = test.dmdv("run", "-o", "p.json", own)[1].split("\n")
    test.equal(err[0], "dmdv: %s allocates with _rjem_malloc, too, which only Valgrind can replace (%s): it runs under Valgrind"
               % (own, why))
    test.check("    Valgrind, " in err[2], str(err))
    err = test.dmdv("run", "-o", "p.json", "--engine=native", own)[1]
    test.check("dmd: %s allocates with _rjem_malloc, too, which only Valgrind can replace: " % own in err, err)
    test.check("    native engine, " in err, err)
    try:
        still = program(test, "-static")
    except Exception as error:  # there may be no static C library
        raise Skip("no static program can be made") from error
    err = test.dmdv("run", "-o", "p.json", still)[1].split("\n")
    test.equal(err[0], "dmdv: %s is linked statically, so no library can be preloaded into it: it runs under Valgrind" % still)
    test.check("    Valgrind, " in err[2], str(err))


KEEPS = """#include <stdlib.h>
char *kept;
int main(void) {
  kept = malloc(50000);
  return kept == 0;
}
"""


def _confine():
    """Gives the process a seccomp filter as a container has one: it denies process_vm_readv, and allows everything else."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 310, "aarch64": 270}[platform.machine()]
    code = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000))  # EPERM if it is this number
    rules = b"".join(struct.pack("HBBI", *rule) for rule in code)
    held = ctypes.create_string_buffer(rules, len(rules))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(held))
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if libc.prctl(22, 2, ctypes.create_string_buffer(program, len(program)), 0, 0) != 0:  # PR_SET_SECCOMP
        raise OSError(ctypes.get_errno(), "prctl")


def test_in_a_container(test):
    """A seccomp filter that dmdv has, too, as each program in a container, keeps nothing from the native engine. It sees that the
    block's pointer is in a variable, though the filter denies the usual way to read memory."""
    if not os.path.exists(os.path.join(test.builddir, "libdmd.so")):
        raise Skip("the native engine was not built")
    path = compiler.compile_program(test.write("own.c", KEEPS), test.path("own"), test.builddir, ["-g"])
    done = test.run([test.place.dmdv(), "run", "-o", "p.json", path], preexec_fn=_confine)
    test.contains(done.err, "    native engine, ")
    test.contains(done.err, "(own.c:4)")
    leaks = test.dmdv("leaks", "--json", "p.graph.gz")[0]
    test.equal(json.loads(leaks)["reachable"], {"blocks": 1, "bytes": 50000})


def test_options_of_valgrind_alone(test):
    """An option that the native engine cannot follow leads to Valgrind, not to an error."""
    path = compiler.compile_program(test.write("own.c", "int main(void) { return 0; }\n"), test.path("own"), test.builddir, ["-g"])
    for option in ("--claim-fn=size_*", "--time-unit=i"):
        test.contains(test.dmdv("run", option, "-o", "p.json", path)[1], "    Valgrind, ")


WASTEFUL = """
#include <map>
#include <vector>
int main() {
  std::map<int, std::vector<double>> all;
  for (int i = 0; i < 5000; i++) {
    all[i].reserve(64);
    all[i].push_back(i);
  }
  return all.size() != 5000;
}
"""


def test_waste_at_the_peak(test):
    """A program that frees its heap: the command of its screen leads to what it wasted at the peak, 63 of 64 doubles of each
    vector."""
    if not os.path.exists(os.path.join(test.builddir, "libdmd.so")):
        raise Skip("the native engine was not built")
    path = compiler.compile_program(test.write("own.cc", WASTEFUL), test.path("own"), test.builddir, ["-g"])
    screen = test.dmdv("run", "-o", "p.json.gz", path)[1]
    [command] = re.findall("^dmdv (run .*) \\.\\.\\.  finds what could be saved$", screen, re.M)
    screen = test.dmdv(*command.split(), "-o", "p.json.gz", path)[1]
    [found] = re.findall(r"^  a +([0-9.]+) MB .* blocks  double\[\]", screen, re.M)
    # The last dump is at most an eighth away from the peak.
    test.check(5000 * 63 * 8 / 9 * 8 < float(found) * MIB < 5000 * 64 * 8, found)
    little = "\ndmdv waste p.json.gz  says what could be saved: little\n"
    screen = test.dmdv("run", "--graph=yes", "-o", "p.json.gz", program(test))[1]
    test.check(little not in screen and "--dump-at-peak" in screen, screen)  # the graph is of another moment
    test.write("full.c", "#include <stdlib.h>\nint main(void) {\n  char *volatile p = malloc(1 << 20);\n"
               "  for (int i = 0; i < 1 << 20; i++)\n    p[i] = (char)rand();\n  return 0;\n}\n")
    path = compiler.compile_program(test.path("full.c"), test.path("full"), test.builddir, ["-g"])
    test.contains(test.dmdv("run", "--graph=yes", "-o", "p.json.gz", path)[1], little)


def test_graphs_name_owners(test):
    """A heap graph beside the profile leads to the reporter that forgot a block."""
    if not os.path.exists(os.path.join(test.builddir, "libdmd.so")):
        raise Skip("the native engine was not built")
    source = """
#include <stdlib.h>
#include <valgrind/dmd.h>
struct jar { char *label; } *jar;
int main(void) {
  jar = malloc(sizeof *jar);
  jar->label = malloc(5000);
  DMD_REPORTER_BEGIN("explicit/jar");
  DMD_REPORT(jar);
  DMD_REPORTER_END(sizeof *jar);
  DMD_DUMP("end");
  return 0;
}
"""
    path = compiler.compile_program(test.write("jar.c", source), test.path("jar"), test.builddir,
                                    ["-g", "-I", os.path.join(test.srcdir, "dmd", "include")])
    test.dmdv("run", "-q", "--graph=yes", "-o", "p.json", path)
    out, _ = test.dmdv("p.1.json")
    if not files.read_json(test.path("p.1.json"))["dmd"].get("reporterRuns"):
        raise Skip("no reporter ran")
    test.check("  Owner: " in out.replace("     Owner", "  Owner") and "explicit/jar" in out, out)
    test.check("dmdv run --graph=yes" not in out, "there is a graph")


def test_json(test):
    """One object for each file, with all findings in order, however many fit on the screen."""
    profile = (Profile(dmd=dict(RUN, trigger="request", totals=totals(9, 20 * MIB, 10 * MIB, 5)))
               .block(6 * MIB, CACHE).block(100, NEWS)
               .block(3 * MIB, NEWS, [REPORT], reporters=["explicit/a"])
               .block(MIB // 2, NEWS, [REPORT, REPORT], num=2, reporters=["explicit/a", "explicit/b"]))
    paths = [test.write("p.json", profile), test.write("q.json", at_the_peak())]
    out, _ = test.dmdv("--json", *paths)
    decoder, found = json.JSONDecoder(), []
    while out.strip():
        one, end = decoder.raw_decode(out)
        found.append(one)
        out = out[end:].lstrip()
    reported, peak = found
    test.equal([(f["kind"], f["bytes"], f["blocks"], f["place"], f["showMore"]) for f in reported["findings"]],
               [("unreported", 6 * MIB, 1, "cache_fill (cache.cc:88)", "print"), ("twice", MIB, 2, "news_add (news.c:7)", "print")])
    test.equal(reported["findings"][1]["sentence"], "by explicit/a and by explicit/b")
    test.equal([reported[key] for key in ("moment", "faults", "atExit", "allocations", "unreported")],
               ["dump", 0, False, 9, {"bytes": 6 * MIB + 100, "blocks": 2}])
    test.equal((peak["moment"], peak["peak"], peak["peakMilliseconds"], peak["file"]),
               ("peak", {"bytes": 4 * MIB, "blocks": 4}, 1234, paths[1]))
    test.equal([(f["kind"], f["bytes"]) for f in peak["findings"]], [("place", 3 * MIB), ("place", MIB)])


def test_many_places(test):
    """Where no place is large, sums by library say more."""
    profile = Profile(dmd=RUN)
    for i in range(40):
        profile.block(1000, ["malloc (m.c:1)", "f%d (a.c:%d)" % (i, i + 1)])
    test.check("\ndmdv print --by=library " in overview(test, profile), "40 places")
    test.check("--by=library" not in overview(test, profile.block(50000, NEWS)), "a large one")
