# SPDX-License-Identifier: GPL-2.0-or-later
"""How processes end, and the processes that they start before."""

import os
import platform
import signal

from harness import Skip, commands


def test_after_everything_else(t):
    """Exit handlers have run when the profile is made; with _exit and quick_exit they never do."""
    for how, left in [("return", []), ("exit", []), ("_exit", ["456+8"]), ("_Exit", ["456+8"]),
                      ("quick_exit", ["456+8"])]:
        run = t.run([t.program("ends.c"), how], status=3)
        t.equal(run.profile.at("kept_block"), ["123+13"])
        t.equal([text.split("+")[0] for text in run.profile.at("block_until_exit")], [each.split("+")[0] for each in left])


def test_fork(t):
    run = t.run([t.program("ends.c"), "fork"], status=3)
    t.equal(len(run.profiles), 2)
    t.equal(sorted(len(p.at("child_block")) for p in run.profiles.values()), [0, 1])
    for profile in run.profiles.values():
        t.equal(len(profile.at("kept_block")), 1)


def test_fork_that_is_silent(t):
    run = t.run([t.program("ends.c"), "fork"], options=["--child-silent-after-fork=yes"], status=3)
    t.equal(run.profile.at("child_block"), [])


def test_vfork(t):
    run = t.run([t.program("ends.c"), "vfork"], status=3)
    t.equal(len(run.profile.at("kept_block")), 1)


def test_children_are_not_watched(t):
    """The shell that the program becomes is, the programs that it starts are not."""
    run = t.run([t.program("ends.c"), "exec"], status=3)
    t.equal(run.out, b"0\n")
    t.equal([profile.doc["dmd"]["argv"][:2] for profile in run.profiles.values() if profile.doc["dmd"]["pid"] == run.pid],
            [["sh", "-c"]])
    t.check(all(profile.doc["dmd"]["argv"][0] == "sh" for profile in run.profiles.values()), "none is of env or grep")


def test_children_are_watched_if_that_is_wanted(t):
    run = t.run([t.program("ends.c"), "exec"], options=["--trace-children=yes"], status=3)
    t.equal(run.out, b"2\n")
    t.check(len(run.profiles) >= 3, "a profile of each of sh, env and grep: %s" % sorted(run.profiles))


def test_the_c_library_s_own_ends(t):
    """Functions of the C library that end the program without an interceptable call."""
    for how, status in [("pthread_exit", 0), ("errx", 3), ("error", 3), ("assert", -signal.SIGABRT),
                        ("abort", -signal.SIGABRT)]:
        run = t.run([t.program("ends.c"), how], status=status)
        t.equal(len(run.profile.at("kept_block")), 1, how)


def test_daemon(t):
    """Its parent ends within the C library; its child goes on, and has its parent's files here."""
    run = t.run([t.program("ends.c"), "daemon"])
    t.equal(sorted(len(p.at("child_block")) for p in run.profiles.values()), [0, 1])
    for profile in run.profiles.values():
        t.equal(len(profile.at("kept_block")), 1)


def test_daemon_is_the_c_library_s(t):
    """It is in the root folder, leads a session, and has no terminal, as without the engine."""
    described = []
    for watched in (False, True):
        pipe = os.path.join(t.new_folder(), "pipe")
        os.mkfifo(pipe)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reading, True)
        environment = commands.plain_environment(t.new_folder())
        if watched:
            environment.update(t.environment(["--dump-at-exit=no", "--log-file=/dev/null"]))
        keeping = os.open(pipe, os.O_WRONLY)
        commands.run([t.program("ends.c"), "daemon", pipe], None, environment)
        text = os.read(reading, 4096)
        os.close(keeping)
        while part := os.read(reading, 4096):
            text += part
        os.close(reading)
        described.append(text)
    t.equal(described, [b"/ 1\n/dev/null\n/dev/null\n/dev/null\n"] * 2)


def test_system_call_of_its_own(t):
    """The program's own exit_group is seen, wherever it is; similar code is left alone."""
    if platform.machine() != "x86_64":
        raise Skip("the engine knows the code of x86-64 only")
    program = t.program("rawexit.c")
    for how in ("plain", "small", "thread", "vfork", "others"):
        run = t.run([program, how], status=3)
        t.equal(run.profile.count_at("keep"), (1, 123), how)
    run = t.run([program, "fork"], status=3)
    t.equal(sorted(p.count_at("keep") for p in run.profiles.values()), [(1, 123), (2, 579)])


def test_a_wrong_option(t):
    run = t.run([t.program("ends.c")], options=["--mode=life"], env={"DMD_OPTIONS": "--mode=life"}, status=1)
    t.contains(run.err.decode(), "DMD_OPTIONS: --mode=life: ")
