# SPDX-License-Identifier: GPL-2.0-or-later
"""Signals that end a program: the profile is written, and everything else is as without the engine."""

import contextlib
import fcntl
import json
import os
import resource
import select
import signal
import subprocess

from harness import commands, files
from harness.expect import Failure
from harness.running import HANG_SECONDS

KEPT = ["123+13"]
PAGE_SZB = 4096


def ended(t, arguments, number, **more):
    """Signals may be ignored here, where the tests run under nohup or in the background of a script."""
    run = t.run([t.program("deadly.c"), *arguments], status=-number,
                preexec_fn=lambda: signal.signal(number, signal.SIG_DFL), **more)
    t.equal(run.profile.at("kept_block"), KEPT)
    t.equal(run.profile.run["trigger"], "exit")
    return run


def test_each_signal_whose_default_is_the_end(t):
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGABRT, signal.SIGPIPE, signal.SIGTERM, signal.SIGXCPU,
                   signal.SIGSEGV, signal.SIGRTMIN, signal.SIGRTMAX):
        ended(t, ["raise", str(number + 0)], number)
    for number in (signal.SIGTERM, signal.SIGSEGV):
        ended(t, ["handled", str(number + 0)], number)


def test_signals_that_end_nothing(t):
    for number in (signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH):
        run = t.run([t.program("deadly.c"), "raise", str(number + 0)])
        t.equal(run.profile.at("kept_block"), KEPT)


def test_crashes(t):
    for how, number in (("segv", signal.SIGSEGV), ("fpe", signal.SIGFPE), ("trap", signal.SIGTRAP),
                        ("heap", signal.SIGABRT), ("overflow", signal.SIGSEGV), ("overflow-in-thread", signal.SIGSEGV)):
        ended(t, [how], number)


def test_no_profile_of_sigkill(t):
    t.equal(t.run([t.program("deadly.c"), "raise", "9"], status=-9).profiles, {})


def test_children(t):
    run = t.run([t.program("deadly.c"), "child", "15"])
    t.equal(sorted(len(p.at("child_block")) for p in run.profiles.values()), [0, 1])
    t.equal([p.at("kept_block") for p in run.profiles.values()], [KEPT, KEPT])
    run = t.run([t.program("deadly.c"), "vfork-child", "15"])
    t.equal(run.profile.at("kept_block"), KEPT)


def test_a_child_that_is_made_meanwhile(t):
    """The child is not the process that the signal ends, and ends as it likes."""
    run = t.run(t.program("amid_fork.c"), status=-signal.SIGTERM, timeout=HANG_SECONDS,
                preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
    t.equal([p.at("kept_block") for p in run.profiles.values()], [KEPT, KEPT])
    t.equal(sorted(len(p.at("child_block")) for p in run.profiles.values()), [0, 1])


def ignore_hangup():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_what_is_ignored_from_the_start(t):
    run = t.run([t.program("deadly.c"), "raise", "1"], preexec_fn=ignore_hangup)
    t.equal(run.profile.at("kept_block"), KEPT)


def test_the_program_sees_nothing(t):
    """Handlers, alternate stacks and what becomes of both in exec are those without the engine."""
    program = t.program("deadly.c")
    alone = commands.run([program, "shows"], t.new_folder(), text=False, preexec_fn=ignore_hangup)
    t.equal(alone.out.count(b"\n"), 66 + 2 * 6 + 4)
    t.equal(t.run([program, "shows"], preexec_fn=ignore_hangup).out.decode(), alone.out.decode())


def how_it_ended(command, folder, env):
    """The wait status that its parent gets, including whether there is a core file."""
    def let_cores_be():
        resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2)
    with subprocess.Popen(command, cwd=folder, env=env, preexec_fn=let_cores_be, stderr=subprocess.DEVNULL) as process:
        told = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        return told.si_code, told.si_status


def test_core_files(t):
    program = t.program("deadly.c")
    for arguments in (["segv"], ["overflow"], ["raise", "6"], ["raise", "15"]):
        alone, watched = t.new_folder(), t.new_folder()
        environment = {**commands.plain_environment(watched), **t.environment()}
        t.equal(how_it_ended([program, *arguments], watched, environment),
                how_it_ended([program, *arguments], alone, commands.plain_environment(alone)))


@contextlib.contextmanager
def waiting(t, output):
    folder = t.new_folder()
    environment = {**commands.plain_environment(folder), **t.environment(["--dmd-out-file=" + output])}
    with subprocess.Popen([t.program("deadly.c"), "waits"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        try:
            if process.stdout.readline() != b"ready\n":
                raise Failure("the program did not begin")
            yield process, folder
        finally:
            process.kill()


def test_threads_in_the_engine(t):
    """The signal comes while the threads are anywhere."""
    for i in range(20):
        with waiting(t, "x.json") as (process, folder):
            process.send_signal(signal.SIGTERM)
            t.equal(process.wait(HANG_SECONDS), -signal.SIGTERM)
            t.equal(sorted(os.listdir(folder)), ["log.%d" % process.pid, "x.json"])
            blocks = [b["req"] for b in files.read_json(folder + "/x.json")["blockList"] for _ in range(b.get("num", 1))]
            t.equal(blocks.count(123), 1)


def small_pipe(path):
    """The channel has so few bytes that the program has to wait for us."""
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PAGE_SZB)
    return open(pipe, "rb")


@contextlib.contextmanager
def writing(t):
    """A signal ends the program, which has begun to write its profile, and waits for us."""
    with waiting(t, "pipe.json") as (process, folder), small_pipe(folder + "/pipe.json") as pipe:
        process.send_signal(signal.SIGTERM)
        select.select([pipe], [], [], HANG_SECONDS)
        os.set_blocking(pipe.fileno(), True)
        yield process, folder, pipe


def test_what_comes_while_it_writes(t):
    """Other signals, and other threads that end the program, do not change how the program ends."""
    for _ in range(20):
        with writing(t) as (process, _folder, pipe):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
                process.send_signal(number)
            process.stdin.write(b"x")
            process.stdin.flush()
            written = pipe.read()
            while process.poll() is None:
                process.send_signal(signal.SIGINT)
            t.equal(process.wait(HANG_SECONDS), -signal.SIGTERM)
            t.check(len(written) > 2 * PAGE_SZB, "it was not held up: %d bytes" % len(written))
            t.contains(written.decode(), '"req":123')
            t.equal(written.decode().rstrip()[-1], "}")


def test_a_question_while_it_writes(t):
    """The peer no longer answers, and the profile is whole."""
    with writing(t) as (process, folder, pipe):
        for question in ("status", "dump"):
            t.equal(commands.run([t.builddir + "/dmdv", question, "--timeout=1", str(process.pid)], status=None).status, 4)
        written = pipe.read()
        t.equal(process.wait(HANG_SECONDS), -signal.SIGTERM)
        t.equal([block["req"] for block in json.loads(written)["blockList"]].count(123), 1)
        t.equal(sorted(os.listdir(folder)), ["log.%d" % process.pid, "pipe.json"])
