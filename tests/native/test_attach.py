# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv run --pid=PID: the engine is attached to a program that runs, and detached from it."""

import calendar
import collections
import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time

from harness import commands
from harness.expect import Failure, Skip
from harness.native import NativeProfile
from harness.running import HANG_SECONDS, running

OURS = "libdmd.so"
SIGNAL = 60  # the engine's


def need_gdb(t):
    if not t.has_command("gdb"):
        raise Skip("needs gdb")


def attached_program(t, *arguments):
    need_gdb(t)
    return running(t, [t.program("attached.c"), *arguments], with_engine=False)


def dmdv(t, program, *arguments, status=0):
    done = commands.run([t.builddir + "/dmdv", "run", "--pid=%d" % program.pid, *arguments], program.folder,
                        commands.plain_environment(program.folder), status=None)
    if done.status != status and "Operation not permitted" in done.err:
        raise Skip("the system does not let gdb control a process")
    t.equal(done.status, status, done.err)
    return done


def attach(t, program, *options):
    t.contains(dmdv(t, program, "-o", "out.json", *options).err, "recording process %d from now on" % program.pid)


def detach(t, program):
    """The profile."""
    t.contains(dmdv(t, program, "--detach").err, "wrote %s/out.json" % program.folder)
    return NativeProfile(program.folder + "/out.json", t.bench.validator)


def work(t, program):
    program.process.stdin.write(b"w")
    program.process.stdin.flush()
    t.equal(program.process.stdout.readline(), b"worked\n")


def calls_to_us(program):
    """How many slots of the process's objects lead into the engine: what a debugger reads there."""
    code = [tuple(int(end, 16) for end in line.split()[0].split("-"))
            for line in open("/proc/%d/maps" % program.pid) if OURS in line and "r-x" in line]
    n = 0
    with open("/proc/%d/mem" % program.pid, "rb") as memory:
        for line in open("/proc/%d/maps" % program.pid):
            fields = line.split()
            if len(fields) < 6 or OURS in line or not fields[5].startswith("/") or "r" not in fields[1] or "x" in fields[1]:
                continue
            start, end = (int(part, 16) for part in fields[0].split("-"))
            memory.seek(start)
            data = memory.read(end - start)
            words = (int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data) - 7, 8))
            n += sum(any(low <= word < high for low, high in code) for word in words)
    return n


def described(blocks):
    return sorted(block.describe() for block in blocks)


def test_same_as_from_the_start(t):
    """What is born after the attach is recorded as in a run that is recorded from its start."""
    with attached_program(t, "0") as program:
        attach(t, program)
        work(t, program)
        profile = detach(t, program)
        t.equal(program.end(), "whole 200\n")
    whole = t.run([t.program("attached.c"), "0"], stdin=b"w").profile
    t.equal(profile.count_at("keep"), (200, 200 * 300))
    t.equal(profile.count_at("grow"), (10, 10 * 6001))
    t.equal(described(profile.blocks), described(whole.blocks))
    t.equal(described(profile.peak_blocks), described(whole.peak_blocks))
    for key in ("bytes", "blocks", "error"):
        t.equal(profile.peak.get(key), whole.peak.get(key), key)
    t.equal(profile.totals, whole.totals)


def test_growth_as_from_the_start(t):
    """The timeline and the growth; the program's clock is a count of its steps."""
    need_gdb(t)
    command = [t.program("leak.c"), "leak", "wait"]
    whole = t.run(command, stdin=b"w")
    with running(t, command, with_engine=False) as program:
        attach(t, program)
        work(t, program)
        profile = detach(t, program)
        attached = growth_in(t, program.folder, "out.json")
        program.end()
    t.equal(profile.doc["dmd"]["attached"]["time"], "1970-01-01T00:16:40Z", "the program's clock")
    t.equal(requested(profile.blocks), requested(whole.profile.blocks))
    t.equal(requested(profile.peak_blocks), requested(whole.profile.peak_blocks))
    t.equal(without_resident(profile), without_resident(whole.profile))
    t.check(95000 <= attached["bytesPerSecond"] <= 105000, str(attached))
    t.equal(attached, growth_in(t, whole.folder, *whole.profiles))


def requested(blocks):
    """{(requested bytes, functions of the stack up to main): blocks}. The slop depends on where the allocator put them."""
    numbers = collections.Counter()
    for block in blocks:
        numbers[(block.req, *block.stack[:block.stack.index("main")])] += block.num
    return numbers


def growth_in(t, folder, name):
    done = commands.run([t.place.dmdv(), "timeline", "--json", name], folder)
    return json.loads(done.out).get("growth")


def without_resident(profile):
    """Time, bytes, blocks and allocated bytes of each point."""
    return [point[:4] for point in profile.timeline["points"]]


def test_says_that_it_was_attached(t):
    """The file says since when, and how much was freed of what was there before; texts say it, and that the end is a detach."""
    with attached_program(t, "100") as program:
        before = time.time()
        attach(t, program)
        work(t, program)
        asked = program.profile(program.ask("dump").out.strip())
        attached = time.time()
        profile = detach(t, program)
        after = time.time()
        shown = commands.run([t.place.dmdv(), "print", "out.json"], program.folder).out
        screen = commands.run([t.place.dmdv(), "out.json"], program.folder).out
        t.equal(program.end(), "whole 200\n")
    run = profile.doc["dmd"]
    t.equal(run["trigger"], "detach")
    t.equal(asked.doc["dmd"]["trigger"], "monitor")
    t.equal(asked.doc["dmd"]["attached"], run["attached"])
    begun = calendar.timegm(time.strptime(run["attached"]["time"], "%Y-%m-%dT%H:%M:%SZ"))
    t.check(int(before) <= begun <= attached <= after, "%s is within the attach" % run["attached"]["time"])
    # malloc_usable_size of 1,000 bytes is 1,000 with the C library's allocator.
    t.equal((run["attached"]["olderBlocks"], run["attached"]["olderBytes"]), (100, 100 * 1000))
    for text in shown, screen:
        t.contains(text, "from the attach at %s on" % run["attached"]["time"])
        t.contains(text, "100,000 bytes in 100 blocks were freed or reallocated since")
    t.contains(shown, "(detach)")
    t.contains(screen, "  at detach ")
    t.check("exit" not in shown + screen, "the program goes on")


def test_says_of_samples(t):
    """With sampling a block from before is like one that was not kept: they are not counted."""
    with attached_program(t, "100") as program:
        attach(t, program, "--sample-interval=4k")
        work(t, program)
        t.equal(list(detach(t, program).doc["dmd"]["attached"]), ["time"])
        t.equal(program.end(), "whole 200\n")


def test_blocks_from_before(t):
    """They are freed and reallocated by the program's own functions; a block that was reallocated is new."""
    with attached_program(t, "100") as program:
        attach(t, program)
        work(t, program)
        profile = detach(t, program)
        t.equal(program.end(), "whole 200\n")
    t.equal(profile.count_at("outgrow"), (50, 50 * 3000))
    t.equal(profile.count_at("keep"), (200, 200 * 300))
    t.equal(profile.faults, [])


def test_as_before_after_the_detach(t):
    """No object calls the engine any more, and nothing is recorded; it can be attached again, and starts anew."""
    with attached_program(t, "10") as program:
        t.equal(calls_to_us(program), 0)
        attach(t, program)
        t.check(calls_to_us(program) > 0, "malloc and free are the engine's")
        work(t, program)
        t.equal(detach(t, program).count_at("keep"), (200, 200 * 300))
        t.equal(calls_to_us(program), 0)
        t.contains(dmdv(t, program, "--detach", status=3).err, "it is not attached")
        work(t, program)
        attach(t, program, "--mode=live")
        profile = detach(t, program)
        t.equal([profile.count_at(name) for name in ("keep", "grow", "outgrow")], [(0, 0)] * 3)
        attach(t, program)
        work(t, program)
        t.equal(detach(t, program).count_at("keep"), (200, 200 * 300))
        t.equal(program.end(), "whole 200\n")


def attach_in_turn(t, times, *arguments):
    """Attaches and detaches; each time all blocks of the work are seen, and no call leads to the library afterwards."""
    with attached_program(t, *arguments) as program:
        for _ in range(times):
            attach(t, program)
            work(t, program)
            profile = detach(t, program)
            t.equal(profile.count_at("keep"), (200, 200 * 300))
            t.equal(profile.faults, [])
        t.equal(calls_to_us(program), 0)
        t.equal(program.end(), "whole 200\n")


def test_again_and_again(t):
    """While two threads allocate and free all the time."""
    attach_in_turn(t, 3, "100", "computes")


def test_in_the_allocator(t):
    """The only thread is often in malloc or free, where it cannot load anything: dmdv tries again."""
    with attached_program(t, "0", "alone") as program:
        attach(t, program)
        work(t, program)
        t.equal(detach(t, program).count_at("keep"), (200, 200 * 300))
        t.equal(program.end(), "whole 200\n")


def test_dump_meanwhile(t):
    """dmdv status and dmdv dump answer as for a program that was started with the engine."""
    with attached_program(t, "0") as program:
        attach(t, program)
        work(t, program)
        t.equal(program.ask_json("status")["pid"], program.pid)
        path = program.ask("dump").out.strip()
        t.equal(program.profile(path).count_at("keep"), (200, 200 * 300))
        t.contains(dmdv(t, program, status=3).err, "is being recorded already")
        detach(t, program)
        t.contains(program.ask("status", status=3).err, "cannot be reached")
        t.equal(program.end(), "whole 200\n")


def test_its_end(t):
    """A program that ends meanwhile writes its profile; so does one that a signal ends, unless it was detached."""
    with attached_program(t, "0") as program:
        attach(t, program)
        work(t, program)
        t.equal(program.end(), "whole 200\n")
        t.equal(NativeProfile(program.folder + "/out.json", t.bench.validator).count_at("keep"), (200, 200 * 300))
    for is_attached in (True, False):
        with attached_program(t, "0") as program:
            attach(t, program)
            if not is_attached:
                detach(t, program)
                os.unlink(program.folder + "/out.json")
            work(t, program)
            program.process.send_signal(signal.SIGTERM)
            t.equal(program.process.wait(), -signal.SIGTERM)
            t.equal(os.path.exists(program.folder + "/out.json"), is_attached)


@contextlib.contextmanager
def begins(t, *command, with_engine=False, **more):
    """A program that runs; the test is skipped if it may not become what its arguments say."""
    with contextlib.ExitStack() as stack:
        try:
            program = stack.enter_context(running(t, list(command), with_engine=with_engine, **more))
        except Failure as failure:
            if command[1] in ("rooted", "traced"):
                raise Skip("the system does not allow it: %s" % failure) from failure
            raise
        yield program


def refused(t, program, why, *arguments, **more):
    t.contains(dmdv(t, program, *arguments, status=3, **more).err, why)
    t.equal(program.process.poll(), None, "it runs")


def works(t, program):
    """What was refused has left the process as it was."""
    t.equal(calls_to_us(program), 0)
    work(t, program)
    program.end()


def test_refused(t):
    """What cannot be attached to is refused with the reason, and runs on untouched."""
    with attached_program(t, "0") as program:
        t.contains(dmdv(t, program, "--mode=nonsense", status=2).err, "--mode=nonsense")
        refused(t, program, "may not write files in this folder", "-o", "none/out.json")
        refused(t, program, "not", "--detach")
        work(t, program)
        t.equal(program.end(), "whole 200\n")
    for arguments, why in ((["--pid=1", "true"], "not both"), (["--detach"], "--detach needs --pid"),
                           (["--pid=1", "--engine=valgrind"], "Valgrind cannot attach")):
        t.contains(commands.run([t.builddir + "/dmdv", "run", *arguments], status=2).err, why)


def test_refused_programs(t):
    """A static one, and one of another C library."""
    with begins(t, t.program("attached.c", ["-static"]), "0") as program:
        refused(t, program, "is linked statically")
        works(t, program)
    if t.has_command("musl-gcc"):
        with begins(t, t.program("attached.c", compiler="musl-gcc"), "0") as program:
            refused(t, program, "C library")
            works(t, program)


def test_refused_sandboxes(t):
    """The engine's system calls would end the process."""
    for how in "strict", "filtered":
        with begins(t, t.program("closed.c"), how) as program:
            refused(t, program, "seccomp")
            works(t, program)


def test_refused_root(t):
    """A process that does not see the library."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with begins(t, t.program("closed.c"), "rooted", t.new_folder()) as program:
        refused(t, program, "it has another root")
        works(t, program)


def test_refused_valgrind(t):
    if not t.has_command("valgrind"):
        raise Skip("needs Valgrind")
    with begins(t, "valgrind", "--tool=none", "-q", t.program("closed.c"), "open") as program:
        refused(t, program, "runs under Valgrind")
        works(t, program)


def test_refused_recorded(t):
    """By an engine that was there from the start, whether or not it can be asked."""
    need_gdb(t)
    for control in "yes", "no":
        with begins(t, t.program("closed.c"), "open", with_engine=True, options=["--control=" + control]) as program:
            refused(t, program, "is being recorded already")
            work(t, program)
            program.end()


def test_refused_debugged(t):
    with begins(t, t.program("closed.c"), "traced") as program:
        refused(t, program, "is traced by process")
        works(t, program)


def test_refused_stopped(t):
    with begins(t, t.program("closed.c"), "open") as program:
        program.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: "T" in state_of(program.pid))
        refused(t, program, "is stopped")
        program.process.send_signal(signal.SIGCONT)
        works(t, program)


def test_refused_other_user(t):
    """Of another user, who may not enter it."""
    if os.geteuid() != 0:
        done = commands.run([t.builddir + "/dmdv", "run", "--pid=1"], status=3)
        t.contains(done.err, "belongs to another user")
        return
    if not t.has_command("setpriv"):
        raise Skip("needs setpriv")
    with begins(t, t.program("closed.c"), "open") as program:
        done = commands.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", t.builddir + "/dmdv", "run",
                             "--pid=%d" % program.pid], program.folder, status=None)
        if "failed to execute" in done.err or "native engine is missing" in done.err:
            raise Skip("another user may not run dmdv here")
        t.equal(done.status, 3, done.err)
        t.contains(done.err, "belongs to another user")
        works(t, program)


def test_refused_without_gdb(t):
    with begins(t, t.program("closed.c"), "open") as program:
        done = commands.run([t.builddir + "/dmdv", "run", "--pid=%d" % program.pid], program.folder,
                            dict(commands.plain_environment(program.folder), PATH=program.folder), status=3)
        t.contains(done.err, "gdb is not in PATH")
        works(t, program)


def test_refused_dead(t):
    """A process that has ended, before and after its parent took note."""
    with begins(t, t.program("closed.c"), "open") as program:
        program.process.stdin.close()
        wait_until(lambda: "Z" in state_of(program.pid))
        t.contains(dmdv(t, program, status=3).err, "has ended")
        program.process.wait()
        t.contains(dmdv(t, program, status=3).err, "does not exist")


def state_of(pid):
    with open("/proc/%d/status" % pid, encoding="utf-8", errors="replace") as status:
        return next(line for line in status if line.startswith("State:"))


def test_its_signal(t):
    """While it is attached a kill with the engine's signal has no effect; afterwards it has the one that it had before."""
    with attached_program(t, "0") as program:
        attach(t, program)
        program.process.send_signal(SIGNAL)
        work(t, program)
        detach(t, program)
        work(t, program)
        program.process.send_signal(SIGNAL)
        t.equal(program.process.wait(HANG_SECONDS), -SIGNAL)


def test_deaf_threads(t):
    """Threads that block all signals, since before the attach, cannot be stopped; they stay out of the engine all the same."""
    attach_in_turn(t, 2, "0", "deaf")


# ---- Servers under load. DMD_ATTACH_TIMES=200 tests/native/run attach.redis and so on is the stress test. ----

TIMES = int(os.environ.get("DMD_ATTACH_TIMES", "2"))

PYTHON = """
import json, sys, threading
done = threading.Event()
def compute():
    while not done.is_set():
        text = json.dumps([{str(i): "x" * (i * 7 % 3000)} for i in range(200)])
        if sum(len(value) for entry in json.loads(text) for value in entry.values()) != sum(i * 7 % 3000 for i in range(200)):
            print("wrong", flush=True)
threads = [threading.Thread(target=compute) for _ in range(4)]
for thread in threads:
    thread.start()
print("ready", flush=True)
sys.stdin.read()
done.set()
for thread in threads:
    thread.join()
print("right", flush=True)
"""


def recorded_now_and_then(t, folder, pid, is_well):
    """Attaches and detaches; each profile has something in it."""
    for _ in range(TIMES):
        for arguments in (["-o", "out.json", "--graph=no", "--sample-interval=4k"], ["-q", "--detach"]):
            done = commands.run([t.builddir + "/dmdv", "run", "--pid=%d" % pid, *arguments], folder,
                                commands.plain_environment(folder), status=None)
            if done.status != 0 and "Operation not permitted" in done.err:
                raise Skip("the system does not let gdb control a process")
            t.equal(done.status, 0, done.err)
            is_well()
        t.check(NativeProfile(folder + "/out.json", t.bench.validator).totals, "the profile says something")
        os.unlink(folder + "/out.json")


def test_python(t):
    """Four threads that compute, in an interpreter of the system's."""
    if not (t.has_command("gdb") and os.path.exists("/usr/bin/python3")):
        raise Skip("needs gdb and python3")
    with running(t, ["/usr/bin/python3", "-c", PYTHON], with_engine=False) as program:
        recorded_now_and_then(t, program.folder, program.pid, lambda: t.equal(program.process.poll(), None))
        t.equal(program.end(), "right\n")


def test_redis(t):
    """While redis-benchmark asks it all the time."""
    if not all(t.has_command(name) for name in ("gdb", "redis-server", "redis-benchmark", "redis-cli")):
        raise Skip("needs gdb and redis")
    folder = t.new_folder()
    at = ["-s", folder + "/socket"]
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", folder + "/socket", "--save", "", "--dir", folder],
                              stdout=subprocess.DEVNULL)
    load = None
    try:
        wait_until(lambda: subprocess.run(["redis-cli", *at, "ping"], capture_output=True, check=False).stdout == b"PONG\n")
        load = subprocess.Popen(["redis-benchmark", *at, "-q", "-l", "-t", "set,get,lpush,lpop", "-r", "1000", "-d", "300"],
                                stdout=subprocess.DEVNULL)
        ask = ["redis-cli", *at, "set", "key", "value"]
        recorded_now_and_then(t, folder, server.pid, lambda: t.equal(commands.run(ask).out, "OK\n"))
        t.equal(load.poll(), None, "the load goes on")
    finally:
        for process in filter(None, (load, server)):
            process.terminate()
            process.wait()
    t.equal(server.returncode, 0)


NGINX = """
%(user)sdaemon off;
worker_processes 2;
pid %(folder)s/pid;
error_log %(folder)s/errors;
events {}
http {
  access_log off;
  client_body_temp_path %(folder)s/1; proxy_temp_path %(folder)s/2; fastcgi_temp_path %(folder)s/3;
  uwsgi_temp_path %(folder)s/4; scgi_temp_path %(folder)s/5;
  server {
    listen unix:%(folder)s/socket;
    location / { return 200 "yes"; }
  }
}
"""


def get(path):
    """What the server on this socket answers."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(HANG_SECONDS)
        client.connect(path)
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return b"".join(iter(lambda: client.recv(4096), b""))


def test_nginx(t):
    """Its workers, while three clients ask all the time."""
    if not all(t.has_command(name) for name in ("gdb", "nginx")):
        raise Skip("needs gdb and nginx")
    folder = t.new_folder()
    path, done, wrong = folder + "/socket", threading.Event(), []

    def ask():
        while not done.is_set():
            answer = get(path)
            if not answer.endswith(b"\r\n\r\nyes"):
                wrong.append(answer)
    configuration = t.write("nginx.conf", NGINX % {"folder": folder, "user": "user root;\n" if os.geteuid() == 0 else ""})
    server = subprocess.Popen(["nginx", "-c", configuration], stderr=subprocess.DEVNULL)
    clients = [threading.Thread(target=ask) for _ in range(3)]
    try:
        wait_until(lambda: os.path.exists(path) and get(path).endswith(b"yes"))
        for client in clients:
            client.start()
        with open("/proc/%d/task/%d/children" % (server.pid, server.pid), encoding="ascii") as children:
            workers = [int(pid) for pid in children.read().split()]
        t.equal(len(workers), 2)
        for worker in workers:
            recorded_now_and_then(t, folder, worker, lambda: t.check(get(path).endswith(b"yes"), "it answers"))
        with open("/proc/%d/task/%d/children" % (server.pid, server.pid), encoding="ascii") as children:
            t.equal([int(pid) for pid in children.read().split()], workers, "no worker has ended")
    finally:
        done.set()
        for client in filter(threading.Thread.is_alive, clients):
            client.join()
        server.send_signal(signal.SIGQUIT)
        server.wait()
    t.equal(wrong, [])
    t.equal(server.returncode, 0)


def wait_until(is_true):
    deadline = time.monotonic() + HANG_SECONDS
    while not is_true():
        if time.monotonic() > deadline:
            raise Failure("it did not begin")
        time.sleep(0.05)
