# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles and messages that reach dmdv run although the program could not write them."""

import contextlib
import fcntl
import mmap
import os
import re
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import time

from harness import commands, files
from harness.expect import Failure, Skip
from harness.commands import HANG_SECONDS

CANNOT = 77
NOBODY = "65534"
KEPT = 123
MIB = 1 << 20

# struct dmd_channel and struct dmd_packet in dmd/record/engine/channel.h
CLOSED_AT, TAIL_AT, OWNER_AT, HEAD_AT, RING_AT, RING_SZB = 8, 64, 128, 136, 4096, 4 * MIB
MAGIC = 0x32306c6e6863646d
SAY, WROTE, OPEN, DATA, CLOSE = 4, 5, 6, 7, 8


def until(condition, what):
    """Polls until it holds."""
    deadline = time.monotonic() + HANG_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise Failure("there never was " + what)
        time.sleep(0.001)


def profile_blocks(path):
    return [block["req"] for block in files.read_json(path)["blockList"] for _ in range(block.get("num", 1))]


def dmdv(t, *arguments):
    return [t.builddir + "/dmdv", "run", "--engine=native", *arguments]


class Done:
    """A run that has ended, and its folder."""

    def __init__(self, folder, done):
        self.folder, self.status, self.out, self.err = folder, done.status, done.out, done.err

    def path(self, name):
        return os.path.join(self.folder, name)

    def listed(self):
        return re.findall(r"^dmdv: wrote (.*)$", self.err, flags=re.MULTILINE)


def run(t, command, options=("-q", "--mode=live", "-o", "p.%p.json"), status=5, folder=None, **more):
    folder = folder or t.new_folder()
    env = commands.plain_environment(folder)
    done = Done(folder, commands.run(dmdv(t, *options, "--", *command), folder, env, status=None, **more))
    if done.status == CANNOT:
        raise Skip("the system does not let it")
    if status is not None and done.status != status:
        raise Failure("expected exit status %s, got %s\n%s%s" % (status, done.status, done.out, done.err))
    return done


def one_profile(t, command, **more):
    """The run, and the sizes of the blocks in its only profile."""
    done = run(t, command, **more)
    t.equal(len(done.listed()), 1)
    blocks = profile_blocks(done.path(done.listed()[0]))
    t.equal(blocks.count(KEPT), 1)
    t.equal([name for name in os.listdir(done.folder) if ".tmp" in name], [])
    return done, blocks


def need_root():
    if os.geteuid() != 0:
        raise Skip("only root can become another user")


def need_reach(t):
    """Root's own folder, in which a build may lie, is closed to others."""
    need_root()
    if not t.has_command("setpriv"):
        raise Skip("there is no setpriv")
    if commands.run(["setpriv", "--reuid=" + NOBODY, "--clear-groups", "test", "-r", t.library], status=None).status != 0:
        raise Skip("another user cannot reach the build folder")


def sandboxes(t, *arguments):
    return [t.program("sandboxes.c"), *arguments]


# ---- Restrictions that programs put on themselves. ----


def test_streams_that_are_closed(t):
    """What dmdv has to say arrives nevertheless."""
    done, _ = one_profile(t, sandboxes(t, "streams"), options=["--mode=live", "-o", "p.json"])
    t.check("dmdv print p.json" in done.err, done.err)


def test_programs_that_close_their_streams(t):
    for command, status in ((["sort", "/dev/null"], 0), (["ls", "/"], 0), (["ls", "/nowhere"], 2)):
        alone = commands.run(command, t.new_folder(), commands.plain_environment("/"), status=status)
        done = run(t, command, status=status, options=["-q", "--stats=yes", "-o", "p.json"])
        t.equal((done.out, done.listed()), (alone.out, ["p.json"]))
        t.check(re.search("^==[0-9]+== .*stacks", done.err, flags=re.MULTILINE), done.err)


def test_descriptors_that_are_closed(t):
    one_profile(t, sandboxes(t, "descriptors"))


def test_filters_that_kill(t):
    for how in ("seccomp", "prctl", "allow-list"):
        one_profile(t, sandboxes(t, how))


def test_no_graph_in_a_filter(t):
    """Creating it needs system calls that the filter may forbid."""
    done, _ = one_profile(t, sandboxes(t, "allow-list"), options=["-q", "--graph=yes", "-o", "p.json"])
    t.check("there is no heap graph of a process that has given up system calls" in done.err, done.err)
    t.equal(os.listdir(done.folder), ["p.json"])


def test_landlock(t):
    one_profile(t, sandboxes(t, "landlock"))


def test_xz(t):
    if not t.has_command("xz"):
        raise Skip("there is no xz")
    folder = t.new_folder()
    files.write(os.path.join(folder, "text"), "text" * 1000)
    done = run(t, ["xz", "-c", "text"], folder=folder, status=0, text=False,
               options=["-q", "-o", "p.json"], stderr=subprocess.DEVNULL)
    t.check(done.out.startswith(b"\xfd7zXZ"), done.out[:6])
    t.check(profile_blocks(done.path("p.json")), "blocks")


def test_another_root_and_user(t):
    need_root()
    one_profile(t, sandboxes(t, "chroot", t.new_folder()))


def test_another_user(t):
    need_root()
    done, _ = one_profile(t, sandboxes(t, "user"))
    t.equal(os.stat(done.path(done.listed()[0])).st_uid, 0)


def readable_folder(t):
    """Others may read it, but only we may write to it, and the program where it can open it."""
    folder = t.new_folder()
    at = folder
    while at != "/" and not os.stat(at).st_mode & stat.S_IXOTH:
        os.chmod(at, stat.S_IMODE(os.stat(at).st_mode) | 0o055)
        at = os.path.dirname(at)
    return folder


def test_a_log_file_of_another_user(t):
    """The program runs, and its output arrives."""
    need_reach(t)
    folder = readable_folder(t)
    program = shutil.copy(t.program("sandboxes.c"), os.path.join(folder, "program"))
    options = ["--trace-children=yes", "--log-file=log.%p", "--mode=live", "-o", "p.%p.json"]
    command = ["setpriv", "--reuid=" + NOBODY, "--clear-groups", program]
    done = run(t, command, folder=folder, options=options)
    name, = done.listed()
    t.equal(profile_blocks(done.path(name)).count(KEPT), 1)
    t.check("Summary {" in files.read(done.path("log." + name.split(".")[1])), "the log")


def test_a_log_file_that_cannot_be(t):
    """Without dmdv the program runs, too, and reports why."""
    done = t.run(sandboxes(t), options=["--log-file=no/such/folder/log"], status=5)
    t.contains(done.err.decode(), "dmd: cannot write to no/such/folder/log: no such folder")
    t.equal(done.profile.at("kept_block"), ["123+13"])


def test_workers_of_another_user(t):
    need_root()
    done = run(t, sandboxes(t, "workers", "4"))
    blocks = sorted(tuple(size for size in profile_blocks(done.path(name)) if size in range(1000, 1004)) for name in done.listed())
    t.equal(blocks, [(), (1000,), (1001,), (1002,), (1003,)])


def test_requested_dumps_without_rights(t):
    """Profiles take the same way if the process cannot write them."""
    need_root()
    done = run(t, [t.program("sandboxes.c"), "user"], options=["-q", "-o", "p.json"])
    t.equal(done.listed(), ["p.json"])


# ---- Many and large ones. ----

MANY_STACKS = ["-q", "--mode=live", "--num-callers=40", "-o", "p.json"]


def test_larger_than_the_ring(t):
    done = run(t, sandboxes(t, "large", "300"), options=MANY_STACKS)
    t.equal(done.listed(), ["p.json"])
    t.equal(len(profile_blocks(done.path("p.json"))), 1 + 300 * 1024)
    with waiting(t, "large", "300", options=MANY_STACKS) as (process, _pid, folder), memory_of(process) as memory:
        process.stdin.write(b"x")
        process.stdin.flush()
        until(lambda: memory[CLOSED_AT] == 1, "the end of the channel")
        t.check(word(memory, HEAD_AT) > 2 * RING_SZB, "it is too small: %d" % word(memory, HEAD_AT))
        t.equal(process.wait(HANG_SECONDS), 5)


def test_at_the_same_moment(t):
    done = run(t, sandboxes(t, "children", "16"))
    found = sorted(size for name in done.listed() for size in profile_blocks(done.path(name)) if size in range(1000, 1016))
    t.equal((len(done.listed()), found), (17, list(range(1000, 1016))))


# ---- Failures. ----


@contextlib.contextmanager
def waiting(t, *arguments, options=("-q", "--mode=live", "-o", "p.json"), env=()):
    """dmdv, the program, which waits for a byte, and the memory between them."""
    folder = t.new_folder()
    command = dmdv(t, *options, "--", *sandboxes(t, *arguments, "waits"))
    with subprocess.Popen(command, cwd=folder, env={**commands.plain_environment(folder), **dict(env)},
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            if process.stdout.readline() != b"ready\n":
                raise Failure("the program did not begin")
            yield process, int(files.read("/proc/%d/task/%d/children" % (process.pid, process.pid))), folder
        finally:
            process.kill()


@contextlib.contextmanager
def memory_of(process):
    names = ["/proc/%d/fd/%s" % (process.pid, fd) for fd in os.listdir("/proc/%d/fd" % process.pid)]
    name, = [name for name in names if os.readlink(name).startswith("/memfd:dmd-channel")]
    with open(name, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        yield memory


def word(memory, at):
    return struct.unpack_from("@Q", memory, at)[0]


def set_word(memory, at, value):
    """In one step: dmdv reads at the same time, and struct.pack_into writes zeros first."""
    with memoryview(memory) as view, view.cast("Q") as words:
        words[at // 8] = value


def let_go(process):
    """Its exit status, and dmdv's messages."""
    process.stdin.write(b"x")
    process.stdin.close()
    err = process.stderr.read().decode()
    return process.wait(HANG_SECONDS), err


def test_dmdv_is_killed(t):
    """The program does not notice, and writes its profile itself."""
    with waiting(t, "", "") as (process, pid, folder):
        process.kill()
        process.wait(HANG_SECONDS)
        program = os.pidfd_open(pid)
        process.stdin.write(b"x")
        process.stdin.close()
        until(lambda: os.path.exists(folder + "/p.json"), "the program's profile")
        t.equal(profile_blocks(folder + "/p.json"), [KEPT])
        os.close(program)


def test_a_writer_is_killed(t):
    """dmdv is stopped, so the program has to wait in the middle of its profile."""
    with waiting(t, "large", "300", options=MANY_STACKS) as (process, pid, folder):
        with memory_of(process) as memory:
            process.send_signal(signal.SIGSTOP)
            process.stdin.write(b"x")
            process.stdin.flush()
            until(lambda: word(memory, HEAD_AT) - word(memory, TAIL_AT) > RING_SZB - 2 * 32768, "a full ring")
            os.kill(pid, signal.SIGKILL)
            process.send_signal(signal.SIGCONT)
            status, err = let_go(process)
    t.equal((status, err), (128 + 9, "dmdv: no profile was written; one was begun, and its process ended before it was complete\n"))
    t.equal(os.listdir(folder), [])


def dead_process():
    with subprocess.Popen(["true"]) as process:
        process.wait()
        return process.pid


def test_a_lock_of_a_dead_process(t):
    with waiting(t, "", "") as (process, _pid, folder), memory_of(process) as memory:
        set_word(memory, OWNER_AT, dead_process() << 32 | 1)
        t.equal(let_go(process), (5, "dmdv: wrote p.json\n"))
    t.equal(profile_blocks(folder + "/p.json"), [KEPT])


# ---- Hostile processes. ----


def put(memory, kind, payload, pid, stream=0):
    """Marks the channel as the engine does while it is idle."""
    head = word(memory, HEAD_AT)
    packet = struct.pack("<IIIIQ", kind, len(payload), pid, 0, stream) + payload
    packet += bytes(-len(packet) % 8)
    for i, byte in enumerate(packet):
        memory[RING_AT + (head + i) % RING_SZB] = byte
    set_word(memory, HEAD_AT, head + len(packet))


def put_file(memory, name, pid, stream):
    put(memory, OPEN, b"%d 1 exit %s\n" % (pid, name.encode()), pid, stream)
    put(memory, DATA, b"harm", pid, stream)
    put(memory, CLOSE, b"", pid, stream)


def test_names_of_others(t):
    """Only files that --dmd-out-file can mean are written, and never outside its folder."""
    outside = t.new_folder() + "/outside"
    refused = (outside, "../outside.json", "p.json/../q.json", "q.json", "", "p.json\\n", "./p.json", "/p.json")
    with waiting(t, "", "", options=("-q", "--mode=live", "--graph=no", "-o", "p.json")) as (process, pid, folder), memory_of(process) as memory:
        for i, name in enumerate(refused):
            put_file(memory, name, pid, 1000 + i)
        put(memory, WROTE, b"%d 1 request %s\n" % (pid, outside.encode()), pid)
        put(memory, SAY, b"a \x1b[2Jline", pid)
        status, err = let_go(process)
    t.equal(status, 5)
    t.check("a \\x1b[2Jline" in err, err)
    t.check(err.count("that is refused") >= len(refused) - 2, err)
    t.check(not os.path.exists(outside), "it was written")
    t.equal(os.listdir(folder), ["p.json"])
    t.equal(profile_blocks(folder + "/p.json"), [KEPT])


def test_values_of_variables(t):
    options = ("-q", "--graph=no", "-o", "sub/%q{WHICH}.json")
    with waiting(t, "", "", options=options, env={"WHICH": "own"}) as (process, pid, folder), memory_of(process) as memory:
        os.mkdir(folder + "/sub")
        for i, name in enumerate(("sub/../x.json", "sub/a/b.json", "sub/...json", "sub/..json", "sub/good.json")):
            put_file(memory, name, pid + 1, 1000 + i)
        _, err = let_go(process)
    t.check("wrote sub/own.json" in err, err)
    t.equal(sorted(os.listdir(folder + "/sub")), ["...json", "..json", "good.json", "own.json"])
    t.equal(os.listdir(folder), ["sub"])


def test_nonsense(t):
    """dmdv reports it and stops reading; the program writes its profile itself."""
    with waiting(t, "", "") as (process, _pid, folder), memory_of(process) as memory:
        set_word(memory, HEAD_AT, 1 << 63)
        until(lambda: memory[CLOSED_AT] == 1, "the end of the channel")
        status, err = let_go(process)
    t.equal(status, 5)
    t.check("a process has written into the channel what does not belong there" in err, err)
    t.equal(profile_blocks(folder + "/p.json"), [KEPT])


def test_endless_messages(t):
    """They end with the program."""
    with waiting(t, "", "", options=("-q", "--log-file=log", "-o", "p.json")) as (process, pid, folder):
        with memory_of(process) as memory:
            for _ in range(5000):
                until(lambda: word(memory, HEAD_AT) - word(memory, TAIL_AT) < MIB, "room")
                put(memory, SAY, b"x" * 1000, pid)
            t.equal(let_go(process)[0], 5)
    t.equal(profile_blocks(folder + "/p.json"), [KEPT])
    t.equal(files.read(folder + "/log").count("\n"), 5000)


def test_who_has_no_token(t):
    with waiting(t, "", "") as (process, pid, _folder):
        options = files.read("/proc/%d/environ" % pid).split("DMD_OPTIONS=")[1].split("\0")[0]
        name, token = re.search("--dmd-channel=([^: ]*):([0-9a-f]{32})", options).groups()
        answers = []
        for shown in ("0" * 32, token[:-1], token + "0", "x", token):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
                asking.connect("\0" + name)
                asking.send(shown.encode())
                _, fds, _, _ = socket.recv_fds(asking, 1, 1)
                answers.append(len(fds))
                for fd in fds:
                    os.close(fd)
        t.equal(answers, [0, 0, 0, 0, 1])
        let_go(process)


@contextlib.contextmanager
def listener(memory, user=None):
    """A process that listens as dmdv run does, hands out this memory, and prints each token that it gets."""
    name = "dmd-run-test-%d-%d" % (os.getpid(), memory)
    code = ("import os, socket, sys\n"
            "name, memory = sys.argv[1], int(sys.argv[2])\n"
            "if len(sys.argv) > 3: os.setuid(int(sys.argv[3]))\n"
            "with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:\n"
            "    listening.bind('\\0' + name)\n"
            "    listening.listen()\n"
            "    print('ready', flush=True)\n"
            "    while True:\n"
            "        asking = listening.accept()[0]\n"
            "        token = asking.recv(100)\n"
            "        print('token %r' % token, flush=True)\n"
            "        if token: socket.send_fds(asking, [b'x'], [memory])\n")
    arguments = [name, str(memory)] + ([] if user is None else [user])
    with subprocess.Popen(["/usr/bin/python3", "-c", code, *arguments], stdout=subprocess.PIPE, text=True,
                          pass_fds=[memory]) as process:
        try:
            if process.stdout.readline() != "ready\n":
                raise Failure("nobody listens")
            yield name, process
        finally:
            process.kill()


def channel_memory(*seals):
    """Memory that looks like a channel whose reader is there."""
    memory = os.memfd_create("dmd-channel", os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, RING_AT + RING_SZB)
    os.pwrite(memory, struct.pack("<Q", MAGIC), 0)
    for seal in seals:
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, seal)
    return memory


def run_with_listener(t, memory, user=None):
    """What the listener got of a program that was started with its name, and the program's own profile."""
    folder = t.new_folder()
    with listener(memory, user) as (name, process):
        environment = {**commands.plain_environment(folder),
                       **t.environment(["--mode=live", "-q", "--dmd-out-file=p.json", "--dmd-channel=%s:secret" % name])}
        commands.run(sandboxes(t, "", ""), folder, environment, status=5)
        select.select([process.stdout], [], [], HANG_SECONDS)  # on a busy machine it may not have noticed yet
        process.kill()
        got = process.stdout.read().splitlines()
    return got, os.path.exists(folder + "/p.json")


def test_a_listener_of_another_user(t):
    """After dmdv has ended, anybody may listen under its socket's name: another user gets no token."""
    need_reach(t)
    memory = channel_memory(fcntl.F_SEAL_SHRINK)
    got, has_own = run_with_listener(t, memory, NOBODY)
    os.close(memory)
    t.equal((set(got), has_own), ({"token b''"}, True))


def test_memory_that_could_shrink(t):
    """A process that reads memory that is no longer there is killed: what could shrink is not used."""
    for seals, is_mapped in (((fcntl.F_SEAL_SHRINK,), True), ((), False)):
        memory = channel_memory(*seals)
        got, has_own = run_with_listener(t, memory)
        head = struct.unpack("<Q", os.pread(memory, 8, HEAD_AT))[0]
        os.close(memory)
        t.equal((got[0], has_own, head > 0), ("token b'secret'", True, is_mapped))


# ---- Reasons for a missing profile. ----


def test_reasons(t):
    program = t.program("ends.c")
    said = {
        ("sh", "-c", "kill -9 $$"): (128 + 9, "; where SIGKILL ends a program there is no time for it"),
        ("sh", "-c", "exec " + t.program("ends.c", ["-static"])): (None, "; it became another program, "),
    }
    said[tuple(sandboxes(t, "exit-group"))] = (5, "; the engine did not see its end: it ended by a system call of its own")
    for command, (status, why) in said.items():
        t.contains(run(t, command, status=status).err, "dmdv: no profile was written" + why)
