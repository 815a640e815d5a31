# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv dump and dmdv status: a program is asked while it runs."""

import contextlib
import ctypes
import glob
import json
import os
import signal
import socket
import threading

from harness import commands, profile
from harness.running import HANG_SECONDS, running

SIGNAL = 60


def asked(t, mode, **more):
    return running(t, [t.program("asked.c"), mode], **more)


def kept(program, path):
    """What the profile has of the blocks that the program keeps: how many, and by whom they are reported."""
    found = {}
    for block in program.profile(path).blocks_at("keep"):
        reporters = tuple(block.reporters)
        found[reporters] = found.get(reporters, 0) + block.num
    return found


REPORTED, FORGOTTEN = {("explicit/kept",): 40, (): 60}, {(): 100}


def test_status(t):
    with asked(t, "waits") as program:
        status = program.ask_json("status")
        t.equal([status[key] for key in ("pid", "program", "mode", "dumps", "reporters", "faults")],
                [program.pid, t.program("asked.c"), "dark-matter", 0, 1, 0])
        t.equal(status["reports"]["once-reported"], {"blocks": 40, "usable": 40 * 1000})
        t.equal(status["reports"]["twice-reported"], {"blocks": 0, "usable": 0})
        t.equal(status["allocations"] - status["frees"], status["blocks"])
        t.equal(sum(part["blocks"] for part in status["reports"].values()), status["blocks"])
        t.check(0 < status["ownBytes"] < 64 << 20, "the engine takes up something")
        text = program.ask("status").out
        t.contains(text, "process %d: %s\n" % (program.pid, t.program("asked.c")))
        t.contains(text, "once-reported   40 blocks, 40,000 bytes (usable)")
        t.equal(program.end(), "whole 100\n")


def test_samples(t):
    """Of a program that samples there is a status and a profile, but no graph."""
    with asked(t, "waits", options=["--sample-interval=512"]) as program:
        status = program.ask_json("status")
        t.equal(status["sampleInterval"], 512)
        t.check(0 < status["blocks"], "some blocks are kept")
        t.contains(program.ask("status").out, ", one block is kept for 512 bytes\n")
        done = program.ask("dump", "--graph", status=1)
        t.equal(done.out.count("\n"), 1)
        t.contains(done.err, "the heap graph could not be written; see the program's log")
        t.equal(program.end(), "whole 100\n")


def test_status_of_a_sampled_program(t):
    """100 blocks of 1,000 bytes, of which 63 are kept on average: each stands for 1.582, the error of all is 7.6."""
    with asked(t, "waits", options=["--sample-interval=1000"]) as program:
        status = program.ask_json("status")
        t.equal(status["sampleInterval"], 1000)
        reports = status["reports"]
        t.check(abs(sum(part["usable"] for part in reports.values()) - 100000) < 38000, str(status))
        t.check(abs(reports["once-reported"]["blocks"] - 40) < 25, str(status))
        said = program.ask("status").out
        part = reports["once-reported"]
        t.contains(said, "once-reported   ~%d blocks, ~%s bytes (usable)" % (part["blocks"], "{:,}".format(part["usable"])))
        for line in ("live            ~", "allocations     ~", "frees           ~"):
            t.contains(said, line)
        t.equal(program.end(), "whole 100\n")


def test_dumps(t):
    """Each has a file of its own, with names. --clear begins a new measurement."""
    with asked(t, "waits") as program:
        first = program.ask("dump", "--label=after login").out.strip()
        t.equal(first, program.folder + "/dmd.out.%d.1.json.gz" % program.pid)
        t.equal(kept(program, first), REPORTED)
        run = program.profile(first).run
        t.equal([run["label"], run["trigger"], run["dump"], run["pid"]], ["after login", "monitor", 1, program.pid])
        second = program.ask_json("dump", "--clear")
        t.equal([second["number"], second["cleared"]], [2, True])
        t.equal(kept(program, second["files"][0]["path"]), REPORTED)
        t.equal(kept(program, program.ask("dump").out.strip()), FORGOTTEN)
        t.equal(program.ask_json("status")["dumps"], 3)
        printed = program.ask("dump", "--print")
        t.contains(printed.out, "keep (asked.c:")
        t.contains(printed.err, "wrote " + program.folder)
        t.equal(program.end(), "whole 100\n")


def test_a_file_that_cannot_be_written(t):
    with asked(t, "waits", options=["--dmd-out-file=/no/such/folder/x.json"]) as program:
        done = program.ask("dump", status=1)
        t.equal(done.out, "")
        t.contains(done.err, "the profile could not be written; see the program's log")
        t.equal(program.end(), "whole 100\n")


def test_whatever_the_program_does_with_signals(t):
    """It gets none of ours."""
    for mode in ("deaf", "awaits", "computes"):
        with asked(t, mode) as program:
            for _ in range(3):
                t.equal(kept(program, program.ask("dump").out.strip()), REPORTED)
            t.equal(program.ask_json("status")["dumps"], 3)
            t.equal(program.end(), "whole 100\n")


def test_who_cannot_be_asked(t):
    """Each for its own reason; and to none of them is a signal sent."""
    with asked(t, "waits", options=["--control=no"]) as program:
        t.contains(program.ask("status", status=3).err, "it runs with --control=no")
        t.equal(program.end(), "whole 100\n")
    with asked(t, "takes") as program:
        t.contains(program.ask("dump", status=3).err, "has taken signal 60 for itself")
        t.equal(program.end(), "taken 0\n")
    with asked(t, "waits", with_engine=False) as program:
        t.contains(program.ask("dump", status=3).err, "does not run with dmd's native engine")
        t.equal(program.end(), "whole 100\n")
    t.contains(program.ask("dump", status=3).err, "there is no process")


def test_wrong_command_lines(t):
    for arguments, why in ((["dump"], "give the number of one process"), (["status", "1", "2"], "of one process"),
                           (["status", "0"], "is not the number"), (["dump", "-1"], "there is no option -1"),
                           (["dump", "x"], "x is not the number"), (["dump", "--timeout=0", "1"], "--timeout"),
                           (["dump", "--label=" + "x" * 4097, "1"], "longer than 4096"),
                           (["dump", "--json", "--print", "1"], "do not go together")):
        t.contains(commands.run([t.builddir + "/dmdv", *arguments], status=2).err, why)


def test_a_program_that_is_stopped(t):
    """It is told so at once; and what was asked before it stopped does no harm when it goes on."""
    with asked(t, "waits") as program:
        os.kill(program.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, program.pid, os.WSTOPPED)
        t.contains(program.ask("dump", status=4).err, "is stopped")
        send(program.pid, 12345)
        os.kill(program.pid, signal.SIGCONT)
        t.equal(kept(program, program.ask("dump").out.strip()), REPORTED)
        t.equal(program.end(), "whole 100\n")


def test_forks(t):
    """A program that forks all the time is asked, and its children go on."""
    with asked(t, "forks", options=["--child-silent-after-fork=yes"]) as program:
        for _ in range(10):
            t.equal(kept(program, program.ask("dump").out.strip()), REPORTED)
        t.equal(program.end(), "whole 100\n")
        t.equal(len(glob.glob(program.folder + "/*.json.gz")), 10)


def test_a_child_is_asked_itself(t):
    """It has what its parent had, and numbers of its own."""
    source = t.write("child.c", """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char *volatile g_kept;
__attribute__((noinline)) static void keep(void) { g_kept = malloc(4321); }
int main(void) {
  keep();
  if (fork() == 0) {
    char c;
    printf("ready\\n%d\\n", (int)getpid());
    fflush(stdout);
    while (read(0, &c, 1) != 0)
      continue;
    _exit(0);
  }
  close(0);
  wait(NULL);
  return 0;
}
""")
    program = t.place.new_folder("child") + "/child"
    commands.run(["cc", "-g", source, "-o", program])
    with running(t, [program]) as parent:
        child = parent.process.stdout.readline().decode().strip()
        done = commands.run([t.builddir + "/dmdv", "dump", child])
        path = done.out.strip()
        t.equal(path, parent.folder + "/dmd.out.%s.1.json.gz" % child)
        t.equal(parent.profile(path).count_at("keep"), (1, 4321))
        t.equal(parent.end(), "")


def test_dumps_while_threads_allocate(t):
    """Each of fifty dumps of sixteen threads has each block that is kept once, also one that is being moved."""
    threads, blocks, dumps = 16, 40, 50
    expected = [10000 // 8 + i for i in range(threads * blocks)]
    with running(t, [t.program("dumps.c"), str(threads), str(blocks), "0"], options=["--mode=live"]) as program:
        for number in range(dumps):
            with called(program.pid, number) as connection:
                connection.sendall(b"dmd-control 1 dump\n")
                path = json.loads(read_all(connection))["files"][0]["path"]
            found = sorted(block["req"] // 8 for block in json.loads(profile.read_bytes(path))["blockList"]
                           for _ in range(block.get("num", 1)) if block["req"] >= 10000)
            t.equal(found, expected)
            os.unlink(path)
        program.end()


def test_several_at_once(t):
    """Each gets an answer of its own."""
    with asked(t, "computes") as program:
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(program.ask_json("dump"))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        t.equal(sorted(answer["number"] for answer in answers), [1, 2, 3, 4, 5, 6])
        t.equal(program.end(), "whole 100\n")


# ---- Whoever is no dmdv. ----

def send(pid, number):
    """The signal, as dmdv sends it."""
    class Value(ctypes.Union):
        _fields_ = [("number", ctypes.c_int), ("pointer", ctypes.c_void_p)]
    libc = ctypes.CDLL(None, use_errno=True)
    value = Value()
    value.number = number
    if libc.sigqueue(pid, SIGNAL, value) != 0:
        raise OSError(ctypes.get_errno(), "sigqueue")


@contextlib.contextmanager
def called(pid, number=77):
    """The connection that the process makes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind("\0dmdv-%d-%d" % (os.getpid(), number))
        listening.listen()
        listening.settimeout(HANG_SECONDS)
        send(pid, number)
        connection, _ = listening.accept()
        with connection:
            connection.settimeout(HANG_SECONDS)
            yield connection


def read_all(connection):
    """What comes until the other end closes, perhaps with what it was sent unread."""
    got = b""
    try:
        while True:
            part = connection.recv(65536)
            if not part:
                return got
            got += part
    except ConnectionResetError:
        return got


def test_hostile_clients(t):
    """Garbage, too much, half a request, nothing, and nobody who reads: each is answered or left, and the program goes
    on."""
    with asked(t, "waits") as program:
        for garbage in (b"\n", b"\0\xff\n", b"dmd-control 1 sing\n", b"x" * 100000, b"dmd-control 1 dump \0\n",
                        b"dmd-control 1 dump label " + b"y" * 5000 + b"\n"):
            with called(program.pid) as connection:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    connection.sendall(garbage)
                answer = read_all(connection)
                t.check(answer == b"" or "error" in json.loads(answer), "%r is refused" % garbage[:40])
        with called(program.pid) as connection:
            connection.sendall(b"dmd-control 1 stat")
            connection.shutdown(socket.SHUT_WR)
            t.equal(json.loads(read_all(connection)), {"error": "there is no such command"})
        with called(program.pid) as connection:
            connection.sendall(b"dmd-control 1 sta")  # and no more: it waits two seconds for that
            t.equal(json.loads(read_all(connection)), {"error": "there is no such command"})
        with called(program.pid) as connection:
            connection.close()
        with called(program.pid) as connection:
            connection.sendall(b"dmd-control 1 status\n")
            connection.shutdown(socket.SHUT_RD)
        send(program.pid, 1)  # nobody listens there
        os.kill(program.pid, SIGNAL)  # by hand
        t.equal(program.ask_json("status")["dumps"], 0)
        t.equal(program.end(), "whole 100\n")
