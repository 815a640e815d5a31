# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv run --ask --expect: a program's own number, against the blocks that it has.

The program serves its number in a FIFO, as a server does at a socket. It counts what counted() allocates, not what
forgotten() does; the numbers in the tests are those of its source.
"""

import os
import re
import shutil

from harness import Skip, compiler

SOURCE = """
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static void *kept[90];
static unsigned long szB;
__attribute__((noipa)) void *counted(unsigned long n) {
  szB += n;
  return malloc(n);
}
__attribute__((noipa)) void *forgotten(void) { return malloc(480); }
static void end(int number) { (void)number; _exit(0); }
int main(int argc, char **argv) {
  int left = argc > 1 ? atoi(argv[1]) : -1;
  for (int i = 0; i < 90; i++)
    kept[i] = i < 60 ? counted(1600) : forgotten();
  signal(SIGTERM, end);
  signal(SIGPIPE, SIG_IGN);
  if (mkfifo("early", 0600) != 0 || rename("early", "fifo") != 0)
    return 1;
  while (left-- != 0) {
    int fd = open("fifo", O_WRONLY);
    char text[200];
    int n = snprintf(text, sizeof text, "up 1\\r\\nused:%lu\\r\\nall:%lu\\r\\n", szB, szB + 30 * 480);
    if (fd < 0 || write(fd, text, n) != n)
      left++; /* the one that asked has ended: nothing was said */
    close(fd);
  }
  return 0;
}
"""
ASK = "--ask=cat fifo"


def engines(test):
    if os.path.exists(os.path.join(test.builddir, "libdmd.so")):
        yield "native"
    if os.path.exists(os.path.join(test.builddir, ".in_place", "stamp")) and shutil.which("vgdb"):
        yield "valgrind"


def ask(test, *options, status=0, arguments=()):
    """Standard error, for each engine."""
    program = compiler.compile_program(test.write("prog.c", SOURCE), test.path("prog"), test.builddir, ["-g"])
    found = list(engines(test))
    if not found:
        raise Skip("no engine was built")
    for engine in found:
        if os.path.exists(test.path("fifo")):
            os.remove(test.path("fifo"))
        yield engine, test.dmdv("run", "--engine=" + engine, "-q", "--graph=no", *options, program, *arguments, status=status)[1]


def test_right_numbers(test):
    for engine, err in ask(test, ASK, "--expect=used:(\\d+)=alloc-fn:counted", "--expect=^all:([0-9]+)=heap"):
        test.contains(err, "used:(\\d+) = alloc-fn:counted\n  96,000 printed, 96,000 in 60 blocks, in requested bytes: right\n")
        test.contains(err, "^all:([0-9]+) = heap\n  110,400 printed, 110,400 in 90 blocks, in requested bytes: right\n")


def test_a_number_that_leaves_blocks_out(test):
    for engine, err in ask(test, ASK, "--expect=used:([0-9]+)=heap", status=1):
        test.contains(err, "  96,000 printed, 110,400 in 90 blocks, in requested bytes: 14,400 bytes too few (13.04%)\n")
        test.contains(err, "  counts only what counted allocated, 96,000 bytes in 60 blocks, to the byte. It leaves out:\n"
                      "    14,400 bytes in 30 blocks\n")
        test.contains(err, "forgotten (prog.c:")
        test.check("counted (prog.c:" not in err, "shows what is counted: " + err)
    for _, err in ask(test, ASK, "--expect=used:([0-9]+)=heap", "--expect-within=14%"):
        test.contains(err, "(13.04%)")
    for _, err in ask(test, ASK, "--expect=used:([0-9]+)=heap", "--expect-within=14399", status=1):
        test.contains(err, "(13.04%)")


def test_tags_and_physical_memory(test):
    for engine, err in ask(test, ASK, "--tag-fn=forgotten=lost", "--expect=up (1)=tag:lost", "--expect=up (1)=resident", status=1):
        test.contains(err, "up (1) = tag:lost\n  1 printed, 14,400 in 30 blocks")
        resident = re.search(r"up \(1\) = resident\n  1 printed, ([0-9,]+) in physical memory: ([0-9,]+) bytes too few", err)
        numbers = [int(number.replace(",", "")) for number in resident.groups()]
        test.check(numbers[0] == numbers[1] + 1 > 110400, err)


def test_no_number(test):
    """The command fails, or its output has another form: said with what it printed last. The program ends after its
    third answer, when at least two have arrived."""
    wrong = (([ASK, "--expect=usd:([0-9]+)=heap"], "the output of 'cat fifo' has no number for --expect=usd:([0-9]+)=heap; its last line: all:110400"),
             ([ASK, "--expect=(u)sed=heap"], "has no number for --expect=(u)sed=heap"),
             (["--ask=cat fifo >/dev/null; echo no such server; exit 3", "--expect=(1)=heap"],
              "'cat fifo >/dev/null; echo no such server; exit 3' never succeeded while the program ran; its exit status is 3, its last line: no such server"))
    for options, says in wrong:
        for engine, err in ask(test, *options, status=2, arguments=["3"]):
            test.contains(err, says)


def test_a_program_that_ends(test):
    """It ends before the command has answered: its profile is there, and a line says why nothing was compared."""
    for engine in engines(test):
        out, err = test.dmdv("run", "--engine=" + engine, "-q", "--ask=exit 1", "--expect=(1)=heap", "/bin/true", status=2)
        test.contains(err, "dmdv: wrote ")
        test.check("ended before it could be asked" in err or "never succeeded while the program ran" in err, err)


def test_wrong_options(test):
    for options, says in ((["--expect=(1)=heap"], "--expect needs --ask=COMMAND"), (["--ask=true"], "--ask needs an --expect"),
                          (["--ask=true", "--expect=1=heap"], "no parentheses around the number"),
                          (["--ask=true", "--expect=(1)=heaps"], "this is not REGEX=heap, REGEX=tag:NAME"),
                          (["--ask=true", "--expect=(1)=tag:"], "this is not REGEX=heap"),
                          (["--ask=true", "--expect=(1=heap"], "--expect=(1=heap: "),
                          (["--ask=true", "--expect-within=x"], "--expect-within=x: "),
                          (["--ask=true", "--ask-timeout=0"], "--ask-timeout=0: ")):
        test.contains(test.error("run", *options, "/bin/true"), says)


def test_redis(test):
    """INFO's used_memory of the installed redis-server, unmodified, with commands in between; its zmalloc leaves out
    what libraries allocate, and what comes from it is nearly all."""
    if not shutil.which("redis-server") or not shutil.which("redis-cli"):
        raise Skip("redis is not installed")
    cli = "redis-cli -s socket"
    for engine in engines(test):
        err = test.dmdv("run", "--engine=" + engine, "-q", "--graph=no", "--ask=%s set key value && %s info memory" % (cli, cli),
                        "--expect=^used_memory:(\\d+)=alloc-fn:z*alloc*", "--expect-within=5%",
                        shutil.which("redis-server"), "--port", "0", "--unixsocket", "socket", "--save", "")[1]
        if "in 0 blocks" in err:
            raise Skip("this redis-server has no names of functions")
        test.check(re.search(r"  [0-9,]+ printed, [0-9,]+ in [0-9,]+ blocks", err), engine + err)
