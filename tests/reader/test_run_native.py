# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv run --engine=native: its checks before the program starts, and what it does with the files
afterwards."""

import gzip
import json
import os
import re
import shutil
import signal
import stat
import subprocess

from harness import Skip, compiler, files, onefile
from harness.graphfile import Graph

SOURCE = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
void *kept[8];
static void caught(int number) { (void)number; _exit(9); }
__attribute__((noinline)) void knead(int i) {
  kept[i] = malloc(100 + i); /* line 8 */
}
int main(int argc, char **argv) {
  knead(1); /* line 11 */
  if (argc > 1 && argv[1][0] == 'w') {
    signal(SIGTERM, caught);
    if (write(1, "ready", 5) == 5)
      for (;;)
        pause();
  }
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


def program(test, *flags):
    if not os.path.exists(os.path.join(test.builddir, "libdmd.so")):
        raise Skip("the native engine was not built")
    return compiler.compile_program(test.write("prog.c", SOURCE), test.path("prog"), test.builddir, ["-g", *flags])


def run(test, *args, status=0, environment=None):
    """Standard output and error."""
    return test.dmdv("run", "--engine=native", *args, status=status, environment=environment)


def frames(test, name, size=101):
    """The stack of a block."""
    profile = files.read_json(test.path(name))
    block, = [block for block in profile["blockList"] if block["req"] == size]
    return [profile["frameTable"][frame][5:] for frame in profile["traceTable"][block["alloc"]]]


def test_native_names_and_text(test):
    """Names that are found are in the file and in the text, which looks like Valgrind's."""
    out, err = run(test, "--mode=live", "--log-file=log", "-o", "p.json", program(test))
    named = frames(test, "p.json")
    if named[1].startswith("???"):
        raise Skip("dmdv was built without libdw")
    test.equal(named[0], "malloc (libdmd.so:0)")
    test.equal(named[1:], ["knead (prog.c:8)", "main (prog.c:11)"])
    pid = files.read_json(test.path("p.json"))["dmd"]["pid"]
    text = test.read("log")
    lines = text.splitlines()
    test.equal((out, err), ("", "dmdv: wrote p.json\n"))
    test.check(all(line.startswith("==%d== " % pid) for line in lines), text)
    test.check("==%d==     #02: knead (prog.c:8)" % pid in lines, text)
    test.check("==%d== # dmd " % pid in text and "Summary {" in text, text)


def test_native_below_main(test):
    run(test, "-q", "--show-below-main=yes", "-o", "p.json", program(test))
    named = frames(test, "p.json")
    test.check(len(named) > 3 and "main (prog.c:11)" in named or named[1].startswith("???"), named)


def test_native_quiet(test):
    _, err = run(test, "-q", "-o", "p.json", program(test))
    test.equal(err, "dmdv: wrote p.json\n")
    out, err = run(test, "--print", "--max-records=1", "-o", "p.json", program(test))
    test.equal(err, "dmdv: wrote p.json\n")
    test.check("knead" in out or "???" in out, out)


def test_native_log_file(test):
    _, err = run(test, "--log-file=log.%p", "-o", "p.json", program(test))
    test.equal(err, "dmdv: wrote p.json\n")
    pid = files.read_json(test.path("p.json"))["dmd"]["pid"]
    test.check("==%d== Summary {" % pid in test.read("log.%d" % pid).splitlines(), "the log")


def test_native_default_name(test):
    _, err = run(test, "-q", program(test))
    test.check(re.fullmatch(r"dmdv: wrote dmd\.out\.\d+\.json\.gz\n", err), err)


def test_native_exit_status(test):
    path = program(test)
    run(test, "-q", "--", path, "7", status=7)
    run(test, "-q", "/bin/sh", "-c", "kill -TERM $$", status=128 + signal.SIGTERM)


def test_native_signals_are_handed_on(test):
    path = program(test)
    started = subprocess.Popen([test.place.dmdv(), "run", "--engine=native", "-q", "-o", "p.json", path, "wait"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=test.folder,
                               preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
    test.equal(started.stdout.read(5), b"ready")
    started.send_signal(signal.SIGTERM)
    _, err = started.communicate(timeout=60)
    test.equal((started.returncode, err), (9, b"dmdv: wrote p.json\n"))


def test_native_says_why_nothing_was_written(test):
    path = program(test)
    still = compiler.compile_program(test.path("prog.c"), test.path("still"), test.builddir, ["-static"])
    _, err = run(test, "-q", "/bin/sh", "-c", "exec " + still)
    test.equal(err, "dmdv: no profile was written; it became another program, still; programs that a program starts or becomes are "
                    "watched with --trace-children=yes\n")
    _, err = run(test, "-q", "/bin/sh", "-c", "kill -9 $$", status=128 + 9)
    test.equal(err, "dmdv: no profile was written; where SIGKILL ends a program there is no time for it\n")
    _, err = run(test, "-q", "--dump-at-exit=no", path)
    test.equal(err, "dmdv: no profile was written\n")


# Each way to exec; the last argument is the status that the program ends with.
BECOMES = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
  const char *how = argv[1], *path = argv[2], *name = strrchr(path, '/') + 1;
  char *list[] = {argv[2], (char *)"7", NULL}, *mine[] = {(char *)"MINE=1", NULL};
  if (strcmp(how, "child") == 0 && fork() != 0) {
    int status;
    wait(&status);
    _exit(WEXITSTATUS(status));
  }
  execve("/no/such/program", list, environ);
  if (strcmp(how, "execv") == 0) execv(path, list);
  if (strcmp(how, "execvp") == 0) execvp(name, list);
  if (strcmp(how, "execvpe") == 0) execvpe(name, list, mine);
  if (strcmp(how, "execve") == 0) execve(path, list, mine);
  if (strcmp(how, "execl") == 0) execl(path, path, "7", (char *)0);
  if (strcmp(how, "execlp") == 0) execlp(name, name, "7", (char *)0);
  if (strcmp(how, "execle") == 0) execle(path, path, "7", (char *)0, mine);
  if (strcmp(how, "fexecve") == 0) fexecve(open(path, O_RDONLY | O_CLOEXEC), list, environ);
  execv(path, list);
  return argc;
}
"""


def test_native_follows_exec(test):
    """The program that dmdv started, as which program it ends; not one that begins in a child."""
    path = program(test)
    becomes = compiler.compile_program(test.write("becomes.c", BECOMES), test.path("becomes"), test.builddir, ["-w"])
    environment = {"PATH": os.path.dirname(path) + ":" + os.environ["PATH"]}
    for how in ("execv", "execvp", "execvpe", "execve", "execl", "execlp", "execle", "fexecve"):
        _, err = run(test, "-q", "-o", how + ".json", becomes, how, path, status=7, environment=environment)
        test.equal((how, err), (how, "dmdv: wrote %s.json\n" % how))
        test.contains(" ".join(frames(test, how + ".json")), "knead (prog.c:8)")
    run(test, "-q", "-o", "child.json", "--child-silent-after-fork=yes", becomes, "child", path, status=7)
    test.equal([block for block in files.read_json(test.path("child.json"))["blockList"] if block["req"] == 101], [])


def test_native_exec_leaves_the_environment(test):
    """The new program sees its environment as it would without dmd."""
    program(test)
    out, _ = run(test, "-q", "-o", "p.json", "/bin/sh", "-c", "MINE=1 exec env", environment={"LD_PRELOAD": ""})
    test.equal([line for line in out.splitlines() if line.startswith(("LD_PRELOAD=", "DMD_OPTIONS=", "MINE="))], ["MINE=1"])


def test_native_wrong_options(test):
    """The message comes before the program starts, which would exit with 3."""
    path = program(test)
    for option, said in (("--bogus=3", "no option --bogus=3"), ("--mod=live", "did you mean --mode?"),
                         ("--mode=foo", "is not one of dark-matter|live|"), ("--mode", "write it like --mode"),
                         ("--max-frames=0", "is not a number from 1"), ("--quiet=yes", "quiet"), ("-v", "no option -v"),
                         ("--num-callers=x", "is not a number")):
        line = test.error("run", "--engine=native", option, path, "3")
        test.check(said in line, "%s: %s" % (option, line))
    line = test.error("run", "--engine=native", "--mode=scan", "--sample-below=9", path, "3")
    test.check("it cannot be combined with --sample-below" in line, line)
    test.check("is not one of auto|valgrind|native" in test.error("run", "--engine=other", path), "the engine")


def test_native_programs_that_cannot_be_watched(test):
    path = program(test)
    test.equal(test.error("run", "--engine=native", "./nowhere", status=127),
               "dmdv: run: cannot start ./nowhere: No such file or directory")
    # The beginning of a 32-bit program.
    narrow = bytearray(files.read_bytes(path))
    narrow[4] = 1
    files.write_program(test.path("narrow"), "")
    test.write("narrow", bytes(narrow))
    os.chmod(test.path("narrow"), 0o755)
    test.equal(test.error("run", "--engine=native", test.path("narrow"), status=126),
               "dmdv: run: %s is a 32-bit program, but the native engine watches 64-bit programs" % test.path("narrow"))
    try:
        still = compiler.compile_program(test.path("prog.c"), test.path("still"), test.builddir, ["-static"])
    except Exception as error:  # there may be no static C library
        raise Skip("no static program can be made") from error
    line = test.error("run", "--engine=native", still, status=126)
    test.check("is linked statically" in line, line)


def test_native_programs_of_another_c_library(test):
    """The name of the loader, as musl's linker would have stored it."""
    whole = files.read_bytes(program(test))
    glibc = re.search(rb"/lib64/ld-linux[^\0/]*\0", whole)
    if glibc is None:
        raise Skip("the loader has another name here")
    musl = b"/lib/ld-musl-x86_64.so.1".ljust(len(glibc.group(0)), b"\0")
    path = test.write("musl", whole.replace(glibc.group(0), musl, 1))
    os.chmod(path, 0o755)
    line = test.error("run", "--engine=native", path, status=126)
    test.equal(line, "dmdv: run: %s uses another C library, with the loader ld-musl-x86_64.so.1: the native engine was "
               "built for programs that use %s: use --engine=valgrind" % (path, glibc.group(0).decode().strip("\0").split("/")[-1]))


def test_native_programs_with_rights(test):
    path = program(test)
    if os.getuid() != 0:
        raise Skip("only root can give a program to another user")
    os.chown(path, 1, 1)
    for bit, said in ((stat.S_ISUID, "(setuid)"), (stat.S_ISGID, "(setgid)")):
        os.chmod(path, 0o755 | bit)
        line = test.error("run", "--engine=native", path, status=126)
        test.check("preloads no library into" in line and said in line, line)
    os.chmod(path, 0o755)
    run(test, "-q", path)


def test_native_scripts(test):
    """The interpreter is profiled, and so are the interpreters of scripts that interpret."""
    files.write_program(test.path("inner"), "#!%s\n" % program(test))
    files.write_program(test.path("script"), "#! %s\n" % test.path("inner"))
    run(test, "-q", "-o", "p.json", "./script", status=None)
    test.check(files.read_json(test.path("p.json"))["blockList"], "it has blocks")


def test_native_environment(test):
    """The user's preloads stay, and no child sees the engine."""
    program(test)
    # A dmdv with sanitizers insists on being loaded first, unless told otherwise.
    out, _ = run(test, "-q", "/bin/sh", "-c", "echo \"$LD_PRELOAD,$DMD_OPTIONS\"",
                 environment={"LD_PRELOAD": "libm.so.6", "ASAN_OPTIONS": "verify_asan_link_order=0"})
    test.equal(out, "libm.so.6,\n")


def test_native_engine_left_out(test):
    """A dmdv without the engine beside it, and with nothing installed."""
    path = program(test)
    shutil.copy(test.place.dmdv(), test.path("dmdv"))
    done = test.run([test.path("dmdv"), "run", "--engine=native", "-q", path], status=None)
    if done.status == 0:
        raise Skip("the native engine is installed")
    test.equal((done.status, done.out), (127, ""))
    test.check(done.err.startswith("dmdv: run: the native engine is missing: libdmd.so is neither next to dmdv nor in "), done.err)


WASTEFUL = """
#include <stdlib.h>
#include <string.h>
#include <alloca.h>
void *kept[2000];
__attribute__((noinline)) void lose(void) {
  for (int i = 0; i < 300; i++)
    memset(malloc(1000), i, 1000); /* line 8 */
}
__attribute__((noinline)) void keep(void) {
  for (int i = 0; i < 2000; i++)
    kept[i] = malloc(8); /* line 12 */
}
int main(void) {
  lose();
  memset(alloca(4096), 0, 4096);
  keep();
  return 0;
}
"""


def wasteful(test):
    program(test)
    source = test.write("wasteful.c", WASTEFUL)
    return compiler.compile_program(source, test.path("wasteful"), test.builddir, ["-g"])


def test_native_findings_of_the_heap_graph(test):
    """The screen has what a graph shows, the graph is recorded without an option, and each command that the screen names
    reads what it found."""
    _, err = run(test, "-o", "p.json.gz", wasteful(test))
    lines = err.splitlines()
    at = lines.index("Worth a look")
    test.check(re.match(r"  a +0\.2[89] MB +\d+\.\d% +(299|300) blocks  .*lose \(wasteful\.c:8\)", lines[at + 1]), err)
    test.equal(lines[at + 2], "     lost: No variable leads to them: free them.")
    test.check("0.05 MB" in lines[at + 3] and "2,000 blocks" in lines[at + 3] and "small: " in lines[at + 4], err)
    test.check("dmdv leaks p.json.gz  lists the lost blocks" in lines, err)
    test.check("dmdv waste p.json.gz  says what could be saved" in lines, err)
    test.check(len(lines) <= 41 and max(map(len, lines)) <= 100, err)
    leaks = json.loads(test.dmdv("leaks", "--json", "p.json.gz")[0])
    test.check(leaks["definitely"]["bytes"] in (299000, 300000), leaks["definitely"])
    waste = json.loads(test.dmdv("waste", "--json", "p.json.gz")[0])
    test.check(waste["kinds"]["lost"] >= 299000 and waste["kinds"]["small"] > 0, waste["kinds"])


MANY_BLOCKS = """
#include <stdlib.h>
int main(int argc, char **argv) {
  (void)argv;
  void **last = NULL;
  for (int i = 1; i < 3000000 + argc; i++) {
    void **block = malloc(8);
    *block = last;
    last = block;
  }
  return last == NULL;
}
"""


def test_native_graphs_that_nobody_asked_for(test):
    """Where no graph is possible, nothing is said about it, and --graph=no leaves it out."""
    made = wasteful(test)
    for options, screen in (["--graph=no", "-o", "p.json"], True), (["--sample-interval=4096", "-o", "p.json"], True), \
                           (["-o", "/dev/null"], False):
        _, err = run(test, *options, made)
        test.check("heap graph" not in err and "Worth a look" not in err, err)
        test.equal(("traffic" in err, os.path.exists(test.path("p.graph.gz"))), (screen, False), str(options))
    test.equal(test.error("leaks", "p.json"),
               "dmdv: p.json: has no heap graph; to record one: dmdv run --graph=yes %s" % made)
    many = compiler.compile_program(test.write("many.c", MANY_BLOCKS), test.path("many"), test.builddir)
    for more, is_there in ([], True), (["1"], False):
        run(test, "-q", "-o", "many.json", many, *more)
        test.equal(os.path.exists(test.path("many.graph.gz")), is_there, "one block more: %s" % more)
        if is_there:
            os.remove(test.path("many.graph.gz"))
    _, err = run(test, "-q", "-o", "p.json", made)
    shutil.copy(test.path("p.graph.gz"), test.path("old.graph.gz"))
    run(test, "-q", "-o", "p.json", made)
    shutil.copy(test.path("old.graph.gz"), test.path("p.graph.gz"))
    test.equal(test.error("leaks", "p.json"), "dmdv: p.graph.gz was not written together with p.json")


def has_tool(test):
    return os.path.exists(os.path.join(test.builddir, ".in_place", "stamp"))


def parts_of(test, name):
    """The pids of the profile and of the graph in a file; None: there is no graph."""
    profile, graph = onefile.parts(files.read_bytes(test.path(name)))
    pid = json.loads(gzip.decompress(profile))["dmd"]["pid"]
    if graph is None:
        return pid, None
    files.write(test.path("part.graph.gz"), graph)
    graph = Graph(test.path("part.graph.gz"))
    os.remove(test.path("part.graph.gz"))
    return pid, graph.header["pid"]


def test_native_one_file(test):
    """The graph is in the file of its profile, whatever the engine, and however many processes there are."""
    made = wasteful(test)
    for engine in "native", "valgrind":
        if engine == "valgrind" and not has_tool(test):
            continue
        test.dmdv("run", "--engine=" + engine, "-q", "--graph=yes", "-o", engine + ".json.gz", made)
        own, other = parts_of(test, engine + ".json.gz")
        test.check(own == other and own > 0, (own, other))
        leaks = json.loads(test.dmdv("leaks", "--json", engine + ".json.gz")[0])
        test.check(leaks["definitely"]["bytes"] in (299000, 300000), leaks["definitely"])
    run(test, "-q", "--trace-children=yes", "-o", "each.%p.json.gz", "sh", "-c", "%s; %s; :" % (made, made))
    each = [name for name in sorted(os.listdir(test.folder)) if name.startswith("each.")]
    test.equal([name for name in each if ".graph" in name], [])
    test.check(len(each) >= 2 and all(own == other for own, other in (parts_of(test, name) for name in each)), each)
    for _ in range(3):
        run(test, "-q", "--trace-children=yes", "-o", "same.json.gz", "sh", "-c", "%s & %s & wait" % (made, made))
        own, other = parts_of(test, "same.json.gz")
        test.check(other in (own, None), "the graph is another process's")
    test.equal([name for name in os.listdir(test.folder) if ".tmp." in name], [])


def test_native_two_files_where_one_is_impossible(test):
    """Of a profile that is not gzipped, and where the joined file is too large for the system: nothing is lost, and
    dmdv prints no message."""
    made = wasteful(test)
    run(test, "-q", "-o", "plain.json", made)
    test.dmdv("leaks", "plain.json")
    run(test, "-q", "-o", "whole.json.gz", made)
    profile, graph = onefile.parts(files.read_bytes(test.path("whole.json.gz")))
    most = max(len(profile), len(graph)) // 1024 + 1
    if most * 1024 >= len(profile) + len(graph):
        raise Skip("one of the files is too small beside the other")
    if not has_tool(test):
        raise Skip("the native engine's channel needs larger files, and no tool was built beside dmdv")
    done = test.run(["bash", "-c", 'ulimit -f "$0" && exec "$@"', str(most), test.place.dmdv(), "run", "--engine=valgrind", "-q", "-o",
                     "p.json.gz", made])
    test.equal(done.err, "dmdv: wrote p.json.gz\n")
    test.equal(sorted(name for name in os.listdir(test.folder) if name.startswith("p.")), ["p.graph.gz", "p.json.gz"])
    leaks = json.loads(test.dmdv("leaks", "--json", "p.json.gz")[0])
    test.check(leaks["definitely"]["bytes"] in (299000, 300000), leaks["definitely"])


def test_native_a_running_program(test):
    """--pid: the screen of a program that dmdv runs; of others what the system knows."""
    with subprocess.Popen([os.path.join(test.builddir, "dmdv"), "run", "--engine=native", "-q", "-o", "p.json.gz", program(test), "wait"],
                          cwd=test.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as starter:
        try:
            test.equal(starter.stdout.read(5), b"ready")
            pid = int(files.read("/proc/%d/task/%d/children" % (starter.pid, starter.pid)))
            out, err = test.dmdv("--pid=%d" % pid)
            test.check("\n  at dump   0.10 KB in 1 block\n" in out and " knead (prog.c:8)\n" in out, out)
            test.equal([line for line in err.splitlines() if "wrote" in line], ["dmdv: wrote " + test.path("p.1.json.gz")])
            test.equal(parts_of(test, "p.1.json.gz"), (pid, pid))
            os.kill(pid, signal.SIGTERM)
        finally:
            starter.terminate()
    out, err = test.dmdv("--pid=%d" % os.getpid())
    test.check(err.startswith("dmdv: process %d runs without dmd: " % os.getpid()) and "resident" in out, err + out)
    test.contains(err, "; dmdv run --pid=%d records its heap from now on, dmdv ./program from the beginning\n" % os.getpid())
    test.equal(test.error("--pid=x"), "dmdv: --pid: x is not a process id")
