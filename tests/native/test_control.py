# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv dump and dmdv status: requests to a program while it runs."""

import contextlib
import ctypes
import glob
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import threading

from harness import commands, compiler, profile
from harness.running import HANG_SECONDS, running

SIGNAL = 60


def asked(t, mode, **more):
    return running(t, [t.program("asked.c"), mode], **more)


def kept(program, path):
    """The blocks of the program in the profile: how many, and by which reporters they are reported."""
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
    """A program that samples has a status and a profile, but no graph."""
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
    """100 blocks of 1,000 bytes, 63 of which are sampled on average: each stands for 1.582, the error of all
    is 7.6."""
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
    """Each dump has a file of its own, with names. --clear begins a new measurement."""
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


def reported(profile):
    return {name: {tuple(block.reporters or []) for block in profile.blocks_at("make_" + name)} for name in ("whole", "short", "dark")}


def test_registered_reporters(t):
    """They run before the dump, each once. The next dump begins anew."""
    with running(t, [t.program("../../tool/programs/registered.c"), "serves"]) as program:
        for _ in range(2):
            done = program.ask("dump", "--label=asked")
            t.equal(done.err, "")
            profile = program.profile(done.out.strip())
            t.equal([profile.run["label"], profile.run["trigger"]], ["asked", "monitor"])
            t.equal(reported(profile), {"whole": {("explicit/whole",)}, "short": {("explicit/short",)}, "dark": {()}})
            t.check(("hits", 7) in {(r["path"], r["amount"]) for r in profile.run["memoryReports"]}, "what is published")
        t.equal(program.end(), "")


def test_registered_reporters_of_a_program_that_does_not_poll(t):
    with running(t, [t.program("../../tool/programs/registered.c"), "deaf"]) as program:
        done = program.ask("dump", "--timeout=1")
        t.contains(done.err, "note: the program did not poll in time")
        t.equal(reported(program.profile(done.out.strip())), {"whole": {()}, "short": {()}, "dark": {()}})
        t.equal(program.end(), "")


COPIED = r"""
#include <poll.h>
#include <unistd.h>
#include "dmd-reporters.h"
static void measure(struct dmd_reporters_call *call, void *closure) {
  (void)closure;
  dmd_reporters_report(call, "explicit/kept", DMD_REPORTERS_HEAP, DMD_REPORTERS_BYTES, 100, NULL);
}
int main(void) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
  dmd_reporters_register(measure, NULL, "explicit/kept", 0);
  if (dmd_reporters_start(0) != 0 || write(1, "ready\n", 6) != 6)
    return 1;
  while (poll(&input, 1, 5) <= 0)
    dmd_reporters_poll();
  return 0;
}
"""


def test_registered_reporters_of_a_library_without_dmd_h(t):
    """Compiled from the two files alone, the library does not know of dmd. The user hears it."""
    source = t.write("copied.c", COPIED)
    folder = os.path.dirname(source)
    for file in "include/valgrind/dmd-reporters.h", "reporters/dmd-reporters.c":
        shutil.copy(os.path.join(t.srcdir, "dmd", file), folder)
    program = os.path.join(folder, "copied")
    commands.run([*compiler.compiler_for(".c"), "-g", source, os.path.join(folder, "dmd-reporters.c"), "-o", program, "-pthread"])
    with running(t, [program]) as process:
        done = process.ask("dump")
        t.equal(done.err, "note: its reporters do not count for dmd: its dmd-reporters.c was compiled without dmd.h and valgrind.h; "
                          "copy dmd.h, too, and install valgrind.h\n")
        t.equal(process.profile(done.out.strip()).run.get("memoryReports", []), [])
        t.equal(process.end(), "")


def test_a_file_that_cannot_be_written(t):
    with asked(t, "waits", options=["--dmd-out-file=/no/such/folder/x.json"]) as program:
        done = program.ask("dump", status=1)
        t.equal(done.out, "")
        t.contains(done.err, "the profile could not be written; see the program's log")
        t.equal(program.end(), "whole 100\n")


def test_names_that_a_terminal_would_obey(t):
    """The file's name in the process's answer equals the one in its own message."""
    odd = "odd\u202e\u2066\u2028\x1b[31m\x9b.json"
    with asked(t, "waits", options=["--dmd-out-file=" + odd]) as program:
        path = json.loads(program.ask("dump", "--json").out)["files"][0]["path"]
        t.check(os.path.basename(path).startswith(odd[:-5]), path)
        for words in ("dump",), ("dump", "--json"), ("dump", "--print"), ("status",), ("status", "--json"):
            done = program.ask(*words)
            for text in done.out, done.err:
                t.equal([c for c in "\u202e\u2066\u2028\x1b\x9b" if c in text], [], " ".join(words))
        t.contains(program.ask("dump").out, "/odd\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xe2\\x80\\xa8\\x1b[31m\\xc2\\x9b.")
        t.equal(program.end(), "whole 100\n")


def test_whatever_the_program_does_with_signals(t):
    """The program gets none of our signals."""
    for mode in ("deaf", "awaits", "computes"):
        with asked(t, mode) as program:
            for _ in range(3):
                t.equal(kept(program, program.ask("dump").out.strip()), REPORTED)
            t.equal(program.ask_json("status")["dumps"], 3)
            t.equal(program.end(), "whole 100\n")


def test_who_cannot_be_asked(t):
    """Each has its own reason, and none of them is sent a signal."""
    with asked(t, "waits", options=["--control=no"]) as program:
        t.contains(program.ask("status", status=3).err, "it runs with --control=no")
        t.equal(program.end(), "whole 100\n")
    with asked(t, "takes") as program:
        t.contains(program.ask("dump", status=3).err, "uses signal 60 itself")
        t.equal(program.end(), "taken 0\n")
    with asked(t, "waits", with_engine=False) as program:
        t.contains(program.ask("dump", status=3).err, "does not run with dmd's native engine")
        t.equal(program.end(), "whole 100\n")
    t.contains(program.ask("dump", status=3).err, "does not exist")


def test_wrong_command_lines(t):
    for arguments, why in ((["dump"], "give one process id"), (["status", "1", "2"], "give one process id"),
                           (["status", "0"], "is not a process id"), (["dump", "-1"], "unknown option -1"),
                           (["dump", "x"], "x is not a process id"), (["dump", "--timeout=0", "1"], "--timeout"),
                           (["dump", "--label=" + "x" * 4097, "1"], "longer than 4096"),
                           (["dump", "--json", "--print", "1"], "exclude each other")):
        t.contains(commands.run([t.builddir + "/dmdv", *arguments], status=2).err, why)


def test_a_program_that_is_stopped(t):
    """The user is informed at once; earlier requests do no harm when the program continues."""
    with asked(t, "waits") as program:
        os.kill(program.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, program.pid, os.WSTOPPED)
        t.contains(program.ask("dump", status=4).err, "is stopped")
        send(program.pid, 12345)
        os.kill(program.pid, signal.SIGCONT)
        t.equal(kept(program, program.ask("dump").out.strip()), REPORTED)
        t.equal(program.end(), "whole 100\n")


def test_forks(t):
    """A program that forks all the time gets requests, and its children go on."""
    with asked(t, "forks", options=["--child-silent-after-fork=yes"]) as program:
        for _ in range(10):
            t.equal(kept(program, program.ask("dump").out.strip()), REPORTED)
        t.equal(program.end(), "whole 100\n")
        t.equal(len(glob.glob(program.folder + "/*.json.gz")), 10)


def test_a_child_is_asked_itself(t):
    """It has its parent's blocks, and dump numbers of its own."""
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
    """Each of fifty dumps of sixteen threads has each kept block once, also a block that is just being
    moved."""
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


# ---- Peers that are not dmdv. ----

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
    """Everything received until the other end closes, perhaps with unread input."""
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
    """Garbage, too much, half a request, nothing, and a peer that does not read: each is answered or dropped,
    and the program goes on."""
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
            t.equal(json.loads(read_all(connection)), {"error": "unknown command"})
        with called(program.pid) as connection:
            connection.sendall(b"dmd-control 1 sta")  # only a part: the process waits two seconds for the
                                                      # rest
            t.equal(json.loads(read_all(connection)), {"error": "unknown command"})
        with called(program.pid) as connection:
            connection.close()
        with called(program.pid) as connection:
            connection.sendall(b"dmd-control 1 status\n")
            connection.shutdown(socket.SHUT_RD)
        send(program.pid, 1)  # no listener there
        os.kill(program.pid, SIGNAL)  # by hand
        t.equal(program.ask_json("status")["dumps"], 0)
        t.equal(program.end(), "whole 100\n")


# ---- Many at once. ----

def listen(number):
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind("\0dmdv-%d-%d" % (os.getpid(), number))
    listening.listen()
    listening.settimeout(HANG_SECONDS)
    return listening


def ask_status(connection):
    """The answer; None if the process waited too long for the request, that is, two seconds."""
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(b"dmd-control 1 status\n")
    answer = read_all(connection)
    answer = json.loads(answer) if answer else {"error": ""}
    return None if "error" in answer else answer


def has_pending_question(pid):
    text, = [line for line in open("/proc/%d/status" % pid).read().splitlines() if line.startswith("ShdPnd:")]
    return int(text.split()[1], 16) >> (SIGNAL - 1) & 1


def test_questions_while_one_is_answered(t):
    """63 requests come while a thread waits for the first peer's: the process serves each of them."""
    with asked(t, "computes") as program, contextlib.ExitStack() as stack:
        first, *others = [stack.enter_context(listen(1000 + i)) for i in range(64)]
        while len(os.listdir("/proc/%d/task" % program.pid)) < 2:  # the other one gets the signals
            continue
        send(program.pid, 1000)
        with first.accept()[0] as held:
            for i in range(len(others)):
                send(program.pid, 1001 + i)
            while has_pending_question(program.pid):
                continue
            ask_status(held)
        while others:
            ready, _, _ = select.select(others, [], [], HANG_SECONDS)
            t.check(ready, "%d questions are lost" % len(others))
            for listening in ready:
                with listening.accept()[0] as connection:
                    answer = ask_status(connection)
                t.check(answer is None or answer["pid"] == program.pid, str(answer))
                others.remove(listening)
        t.equal(program.end(), "whole 100\n")


def test_many_clients_at_once(t):
    """Each gets an answer, however long the others take."""
    with asked(t, "computes") as program:
        command = [t.builddir + "/dmdv", "status", "--json", "--timeout=%d" % HANG_SECONDS, str(program.pid)]
        environment = commands.plain_environment(program.folder)
        clients = [subprocess.Popen(command, cwd=program.folder, env=environment, stdout=subprocess.PIPE)
                   for _ in range(64)]
        answers = [json.loads(client.communicate()[0]) for client in clients]
        t.equal([answer["pid"] for answer in answers], [program.pid] * 64)
        t.equal(program.end(), "whole 100\n")
