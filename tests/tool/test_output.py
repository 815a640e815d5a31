# SPDX-License-Identifier: GPL-2.0-or-later
"""Where profiles go: names, existing files, and the messages when they cannot be written."""

import calendar
import os
import re
import shutil
import socket
import stat
import threading
import time

from harness import Skip, commands, files

LOST = "dmd: this dump's profile is lost; name another place with --dmd-out-file=<file>\n"


def two_dumps(t):
    run = t.run()
    t.equal(sorted(run.profiles), ["dmd.out.%d.%d.json.gz" % (run.pid, n) for n in (1, 2)])
    one, two = run.numbered(1), run.numbered(2)
    t.equal([(p.run["label"], p.run["dump"], p.run["trigger"]) for p in (one, two)],
            [("one", 1, "request"), ("two", 2, "request")])
    t.equal(one.at("first"), ["100+4 reported by measure"])
    t.equal(one.at("counted"), ["200+0 reported by count, measure"])
    t.equal((two.at("first"), two.at("third")), ([], []))
    t.equal(two.at("counted"), ["200+0 reported by count"])
    t.equal(two.at("second"), ["300+12 reported by measure"])
    t.equal(two.totals["freedReported"], 0)
    # The log names both files in full.
    for profile in one, two:
        t.contains(run.log, "dmd: wrote %s\n" % profile.path)


def dump_at_exit(t):
    def triggers(*options):
        run = t.run(options=options)
        return {re.sub(r"dmd\.out\.%d\." % run.pid, "", name): p.run["trigger"] for name, p in run.profiles.items()}

    requested = {"1.json.gz": "request", "2.json.gz": "request"}
    t.equal(triggers("--dump-at-exit=auto"), requested)
    t.equal(triggers("--dump-at-exit=no"), requested)
    t.equal(triggers("--dump-at-exit=yes"), {**requested, "json.gz": "exit"})
    run = t.run(options=["--dump-at-exit=yes"])
    last = run.profiles["dmd.out.%d.json.gz" % run.pid]
    t.equal((last.run["dump"], last.run["label"], last.at("third")), (3, None, ["400+8"]))


def run_is_described(t):
    """A folder with a blank in it is no end of the program's name; the time is that of the dump."""
    folder = os.path.join(t.new_folder(), "my programs")
    os.mkdir(folder)
    program = shutil.copy(t.bench.compile("dumps.c"), os.path.join(folder, "an app"))
    before = int(time.time())
    run = t.run_command([program, "two words", ""], status=None)
    after = time.time()
    profile = run.numbered(1).run
    t.equal(profile["argv"], [program, "two words", ""])
    t.equal(profile["command"], program + " two words ")
    t.equal((profile["folder"], profile["host"]), (run.folder, socket.gethostname()))
    made = calendar.timegm(time.strptime(profile["time"], "%Y-%m-%dT%H:%M:%SZ"))
    t.check(before <= made <= after, "%s is not between %d and %d" % (profile["time"], before, after))


def patterns(t):
    folder = t.new_folder()
    for pattern, expected in [
            ("%q{DMD_TEST}-%p.json.gz", r"value-\d+\.1\.json\.gz"), ("a.gz", r"a\.1\.gz"),
            ("plain", r"plain\.1"), ("100%%.json", r"100%\.1\.json"), ("a.json.b", r"a\.json\.b\.1"),
            (folder + "/absolute.json", "absolute.1.json")]:
        run = t.run(options=["--dmd-out-file=" + pattern], env={"DMD_TEST": "value"})
        names = run.files() + os.listdir(folder)
        t.equal(len([name for name in names if re.fullmatch(expected, name)]), 1, "%s: %s" % (pattern, names))


def plain_json(t):
    run = t.run(options=["--dmd-out-file=plain.json"])
    t.equal(sorted(run.profiles), ["plain.1.json", "plain.2.json"])
    t.equal(run.read("plain.1.json")[0], "{")


# ---- Places that cannot be written ----


def _lost(t, run, name, why):
    """The profile leaves nothing behind, and the log has the reason."""
    t.equal(run.files(), ["log.%d" % run.pid])
    t.check(re.search(r"^dmd: cannot write \S*/?%s: %s \(error \d+\)\n%s" % (re.escape(name), why, re.escape(LOST)),
                      run.log, re.MULTILINE), "the log says that: " + run.log[-600:])


def where_no_folder_is(t):
    # DMD_DUMP returns 0, which makes the program exit with 10.
    run = t.run(options=["--dmd-out-file=no/such/folder.json.gz"], status=10)
    _lost(t, run, "no/such/folder.1.json.gz", "no such folder")
    t.equal(run.log.count(LOST), 2)
    # The log still has all records.
    t.contains(run.log, "Twice-reported {\n")


def onto_a_folder(t):
    folder = t.new_folder()
    for name in "out.1.json", "out.2.json":
        os.mkdir(os.path.join(folder, name))
    run = t.run_command([t.program()], folder=folder, options=["--dmd-out-file=out.json"], status=10)
    _lost(t, run, "out.1.json", "it is a folder")
    t.check(os.path.isdir(os.path.join(folder, "out.1.json")), "the folder is still there")


def read_only_folder(t):
    folder = t.new_folder()
    closed = os.path.join(folder, "closed")
    os.mkdir(closed)
    more = {}
    if os.getuid() == 0:
        # root may write anywhere
        more = {"user": 65534, "group": 65534, "extra_groups": []}
        os.chmod(folder, 0o777)
        if commands.run(["test", "-x", t.place.launcher()], status=None, **more).status != 0:
            raise Skip("another user cannot enter the build folder")
    os.chmod(closed, 0o555)
    run = t.run_command([t.program()], folder=folder, options=["--dmd-out-file=closed/out.json"], status=10, **more)
    _lost(t, run, "closed/out.1.json", "permission denied")


# In a mount namespace of its own, whose file system is gone when it ends: runs $2... in a file system of 16 KiB with an
# older file named $1 in it, and then keeps what is there under other names.
FULL_DISK = """
set -e
name=$1
shift
mkdir disk
mount -t tmpfs -o size=16k none disk
echo old > "disk/$name"
status=0
"$@" || status=$?
ls -A disk > listing
cp "disk/$name" kept
exit $status
"""


def full_disk(t):
    shell = [t.need("unshare"), "-rm", "sh", "-c", FULL_DISK, "sh"]
    if commands.run([*shell, "x", "true"], t.new_folder(), status=None).status != 0:
        raise Skip("no file system can be mounted here, neither as root nor with unshare -rm")
    for name in "out.json", "out.json.gz":
        run = t.run_command([t.program()], before=[*shell, name], options=["--dmd-out-file=disk/" + name], status=6)
        t.contains(run.log, "disk/%s: no space left on the device (error 28)\n%s" % (name, LOST))
        t.equal(run.read("listing"), name + "\n")
        t.equal(run.read("kept"), "old\n")


# Files of at most 16 blocks of 512 or 1024 bytes; the log is below that.
SIZE_LIMIT = ["sh", "-c", 'ulimit -f 16; exec "$@"', "sh"]


def file_size_limit(t):
    run = t.run_command([t.program()], options=["--dmd-out-file=out.json", "--max-records=1"], before=SIZE_LIMIT,
                        status=6)
    _lost(t, run, "out.json", "the file size limit is reached")


def file_size_limit_amid_the_run(t):
    # The signal that goes with the error is not for the program, which wrote nothing.
    run = t.run_command([t.program(), "dump"], options=["--dmd-out-file=out.json", "--max-records=1"],
                        before=SIZE_LIMIT, status=7)
    _lost(t, run, "out.1.json", "the file size limit is reached")


class _Reader:
    """Reads from a pipe of this name for the time of a `with`; at most `limit` bytes, and then closes it."""

    def __init__(self, path, limit=-1):
        os.mkfifo(path)
        self.path = path
        self.limit = limit
        self.received = b""
        self.thread = threading.Thread(target=self._read)

    def _read(self):
        with open(self.path, "rb", buffering=0) as file:
            self.received = file.read(self.limit)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        # If nobody wrote, open the pipe to let the reader go.
        while self.thread.is_alive():
            os.close(os.open(self.path, os.O_RDWR | os.O_NONBLOCK))
            self.thread.join(0.1)


def to_a_broken_pipe(t):
    # Nor is the signal of a pipe whose reader goes away after the first bytes.
    folder = t.new_folder()
    with _Reader(os.path.join(folder, "out.1.json"), limit=1):
        run = t.run_command([t.program(), "dump"], folder=folder, options=["--dmd-out-file=out.json"], status=7)
    t.contains(run.log, "out.1.json: the pipe has no reader (error 32)\n" + LOST)


# ---- Existing files ----


def older_file_is_replaced(t):
    folder = t.new_folder()
    files.write(os.path.join(folder, "out.json.gz"), "x" * 1000000)
    run = t.run_command([t.program()], folder=folder, options=["--dmd-out-file=out.json.gz"], status=6)
    t.equal(sum(block.num for block in run.profile.blocks), 2000)


def to_dev_null(t):
    # Through a link, so that a tool that replaces what it should write to does no harm to the system.
    folder = t.new_folder()
    path = os.path.join(folder, "out")
    os.symlink("/dev/null", path)
    run = t.run_command([t.program()], folder=folder, options=["--dmd-out-file=out"], status=6)
    t.equal(os.readlink(path), "/dev/null")
    t.check(stat.S_ISCHR(os.stat(path).st_mode), "/dev/null is still a device")
    t.contains(run.log, "dmd: wrote ")


def to_a_pipe(t):
    folder = t.new_folder()
    path = os.path.join(folder, "out.pipe")
    with _Reader(path) as reader:
        t.run_command([t.program()], folder=folder, options=["--dmd-out-file=out.pipe"], status=6)
    t.check(stat.S_ISFIFO(os.stat(path).st_mode), "the pipe is still a pipe")
    t.equal(len(_received(t, reader.received).doc["blockList"]), 2000)


def _received(t, data):
    return t.load(files.write(os.path.join(t.new_folder(), "received.json"), data))


def to_dev_stdout(t):
    # A pipe here, and nothing else is printed to it.
    run = t.run_command([t.program()], options=["--dmd-out-file=/dev/stdout"], status=6)
    t.equal(len(_received(t, run.out).doc["blockList"]), 2000)


def through_a_link(t):
    # A link stays a link: /dev/stdout is one, too.
    folder = t.new_folder()
    os.symlink("target.json", os.path.join(folder, "link"))
    files.write(os.path.join(folder, "target.json"), "older and longer " * 100000)
    run = t.run_command([t.program()], folder=folder, options=["--dmd-out-file=link"], status=6)
    t.equal(os.readlink(os.path.join(folder, "link")), "target.json")
    t.equal(sum(block.num for block in run.profile.blocks), 2000)


def through_a_link_of_another_user(t):
    # In a folder without the sticky bit the kernel protects no links.
    if os.geteuid() != 0:
        raise Skip("two users are needed: run it as root")
    for name, target, out, why in (
            ("link", "roots/precious", "link", "it is a symbolic link of another user"),
            ("way", "roots", "way/new", "a folder of its path is a symbolic link of another user")):
        folder = t.new_folder()
        os.chmod(folder, 0o777)
        os.mkdir(os.path.join(folder, "roots"))
        precious = files.write(os.path.join(folder, "roots", "precious"), "nobody else writes here\n")
        os.symlink(target, os.path.join(folder, name))
        os.lchown(os.path.join(folder, name), 65534, 65534)
        run = t.run_command([t.program()], folder=folder, options=["--dmd-out-file=" + out])
        t.equal(run.profiles, {})
        t.contains(run.log, "dmd: cannot write %s/%s: %s\n%s" % (folder, out, why, LOST))
        t.equal(files.read(precious), "nobody else writes here\n")
        t.equal(os.listdir(os.path.join(folder, "roots")), ["precious"])


def permissions(t):
    # What the program does to its umask only takes away from them.
    for mask, own, mode in ((0o22, "0", 0o644), (0o27, "0", 0o640), (0o22, "077", 0o600)):
        run = t.run_command([t.program(), own], options=["--dump-at-exit=no"], umask=mask)
        t.equal(oct(os.stat(run.profile.path).st_mode & 0o777), oct(mode))


def after_chdir_and_close(t):
    # A relative name counts from the folder in which the program was started.
    run = t.run(status=5)
    t.equal(run.profile.at("main"), ["100+4"])
    t.equal(os.path.dirname(run.profile.path), run.folder)
