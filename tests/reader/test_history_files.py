# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv history with files: readers leave nothing behind and see one moment, also in files that another
program switched to SQLite's WAL mode; versions other than dmdv's own are refused."""

import json
import os
import shutil
import sqlite3
import struct
import subprocess

from harness import Skip
from test_history import History, build_of, files_only, fill

NOBODY = 65534
VERSION_AT = 60  # of user_version in the header of a file of SQLite


def commands(test, db, names=("list", "check")):
    """Command lines of these commands; None: of all commands that read or write a history."""
    file = test.write("p.json", build_of(20))
    whole = test.write("none.json", '{"version": 1, "environments": [], "builds": [], "stacks": [], "runs": [], "records": [], '
                       '"series": [], "alarms": []}')
    return [["history", name, "--db=" + db, *more] for name, *more in (
        ["list"], ["list", "--json"], ["show", "heap"], ["check"], ["page", "-o", test.path("page.html")],
        ["export", "--format=json"], ["export", "--format=csv"], ["export", "--format=openmetrics"],
        ["add", "--build=b20", file], ["import", whole], ["prune", "--keep=3"], ["acknowledge", "--build=b0", "--reason=x"])
        if names is None or name in names]


def beside(test, name="h.db"):
    """The files beside a history in its folder, by the name's ending."""
    folder, base = os.path.split(test.path(name))
    return sorted(entry[len(base):] for entry in os.listdir(folder) if entry.startswith(base) and entry != base)


# ---- Versions. ----


def version_of(history):
    return int(history.sql("SELECT version FROM version" if history.server else "PRAGMA user_version")[0][0])


@files_only
def test_each_bit_of_the_version(test):
    """One bit of the version is flipped: all commands refuse it in the same words, and the file stays as it is."""
    history = History(test)
    fill(history, 4)
    with open(test.path("h.db"), "rb") as file:
        whole = file.read()
    now = struct.unpack(">i", whole[VERSION_AT:VERSION_AT + 4])[0]
    test.equal(now, version_of(history), "where the version is")
    said = set()
    for bit in range(32):
        version = struct.unpack(">i", struct.pack(">I", now ^ 1 << bit))[0]
        bytes_ = whole[:VERSION_AT] + struct.pack(">i", version) + whole[VERSION_AT + 4:]
        for command in commands(test, "d.db", None if bit in (0, 1, 2, 30, 31) else ("list", "add", "import")):
            test.write("d.db", bytes_)
            said.add(test.error(*command).replace(str(version), "N").removeprefix("dmdv: "))  # JSON has no such prefix
            with open(test.path("d.db"), "rb") as file:
                test.check(file.read() == bytes_, "the file was changed by " + " ".join(command))
    test.equal(said, {"d.db: a newer dmdv wrote this history (version N; this one knows %d)" % now,
                      "d.db: no dmdv writes histories of version N; it is damaged: restore a copy"}, "what was said")


def test_other_versions(test):
    """The lowest version, the negative ones next to it, no version, and later ones, with a server too."""
    history = History(test)
    fill(history, 2)
    now = version_of(history)
    for version, word in ((-2**31, "no dmdv writes"), (-2, "no dmdv writes"), (-1, "no dmdv writes"), (0, "no dmdv writes"),
                          (now + 1, "a newer dmdv"), (now + 2, "a newer dmdv"), (2**31 - 1, "a newer dmdv")):
        set_version(history, version)
        for command in commands(test, history.db, None):
            err = test.error(*command)
            test.check(word in err and "version %d" % version in err, "%s: %s" % (command, err))
    set_version(history, now)
    test.equal(len(history.json("list")["builds"]), 2, "with its own")


def set_version(history, version):
    if history.server:
        history.server.sql(history.db, "UPDATE dmd_history.version SET version = %d" % version)
        return
    with sqlite3.connect(history.test.path(history.db)) as db:
        db.execute("PRAGMA user_version = %d" % version)


# ---- Readers. ----


def as_nobody(test):
    if os.getuid() != 0:
        raise Skip("not root: it takes a second user")
    if shutil.which("setpriv") is None:
        raise Skip("no setpriv")
    os.chmod(os.path.dirname(test.path("x")), 0o755)
    return ["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups", test.place.dmdv()]


def into_wal_mode(path):
    """Switches a file to WAL mode, as any program with SQLite can. No files remain beside it."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("UPDATE build SET time = time")
    db.commit()
    db.close()


def journal_mode(path):
    with open(path, "rb") as file:
        return {1: "rollback", 2: "wal"}[file.read(100)[18]]


def shared(test, mode):
    """A history in a folder that everybody may write to, in one of SQLite's journal modes."""
    history = History(test)
    os.makedirs(test.path(mode))
    os.chmod(test.path(mode), 0o777)
    history.db = mode + "/h.db"
    fill(history, 3)
    if mode == "wal":
        into_wal_mode(test.path(history.db))
    test.equal(journal_mode(test.path(history.db)), mode, "mode")
    return history


@files_only
def test_a_reader_leaves_nothing_behind(test):
    """Another user reads a history in a folder that they may write to: no file remains, and the owner goes on
    adding."""
    dmdv = as_nobody(test)
    for mode in ("rollback", "wal"):
        history = shared(test, mode)
        expected = [test.dmdv(*command)[0] for command in commands(test, history.db)]
        test.equal(beside(test, history.db), [], "files beside, of the owner")
        for command, out in zip(commands(test, history.db), expected):
            done = test.run([*dmdv, *command])
            test.equal((done.out, done.err), (out, ""), " ".join(command))
            test.equal(beside(test, history.db), [], "files beside it after " + " ".join(command))
        history.add(7, build_of(7))
        test.equal(journal_mode(test.path(history.db)), "rollback", "mode after the owner added")
        test.equal(beside(test, history.db), [], "files beside it when the owner added")
        test.equal(len(history.json("list")["builds"]), 4, "builds")


OTHER_READER = """
import sqlite3, sys
db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
db.execute("SELECT * FROM build").fetchall()
db.close()
"""


@files_only
def test_what_another_reader_left_is_named(test):
    """Another user's -shm file, which readers other than dmdv leave in WAL mode: reading works, and adding fails
    with a message that says what to do."""
    if not os.path.exists("/usr/bin/python3"):
        raise Skip("no Python that other users may run")
    history = shared(test, "wal")
    os.chmod(test.path("wal"), 0o1777)
    dmdv = as_nobody(test)
    os.chown(test.path(history.db), NOBODY, NOBODY)
    test.run(["setpriv", "--reuid=%d" % (NOBODY - 1), "--clear-groups", "/usr/bin/python3", "-c", OTHER_READER, history.db])
    test.equal(beside(test, history.db), ["-shm", "-wal"], "files that the reader left")
    listed = test.run([*dmdv, "history", "list", "--json", "--db=" + history.db])
    test.equal(len(json.loads(listed.out)["builds"]), 3, "builds")
    done = test.run([*dmdv, *commands(test, history.db, ("add",))[0]], status=2)
    test.check(done.err.count("\n") == 1 and "left the -shm file beside it: remove that" in done.err, done.err)


FULL_DISK = """
set -e
mount -t tmpfs -o size=%dk none disk
cp h.db disk/h.db
dd if=/dev/zero of=disk/rest bs=1k 2>/dev/null || true
"$0" history list --db=disk/h.db >list
"$0" history check --db=disk/h.db >check || test $? = 1
ls disk >left
"""


@files_only
def test_a_full_disk_can_be_read(test):
    """The file system of the history has no byte left."""
    for mode in ("rollback", "wal"):
        history = History(test)
        history.db = "h.db"
        if mode == "rollback":
            fill(history, 3)
        else:
            into_wal_mode(test.path("h.db"))
        expected = history.run("list")
        os.makedirs(test.path("disk"), exist_ok=True)
        shell = ["unshare", "-rm", "sh", "-c"]
        if shutil.which("unshare") is None or test.run([*shell, "mount -t tmpfs none disk"], status=None).status != 0:
            raise Skip("no file system can be mounted here, neither as root nor with unshare -rm")
        kb = os.path.getsize(test.path("h.db")) // 1024 + 64
        test.run([*shell, FULL_DISK % kb, test.place.dmdv()])
        test.equal(test.read("list"), expected, "the list, " + mode)
        test.check("passed" in test.read("check"), test.read("check"))
        test.equal(test.read("left").split(), ["h.db", "rest"], "files")


@files_only
def test_a_folder_that_cannot_be_written(test):
    """Reading works, whatever mode the file is in."""
    for mode in ("rollback", "wal"):
        history = shared(test, mode)
        dmdv = as_nobody(test) if os.getuid() == 0 else [test.place.dmdv()]
        expected = history.run("list")
        os.chmod(test.path(mode), 0o555)
        os.chmod(test.path(history.db), 0o444)
        done = test.run([*dmdv, "history", "list", "--db=" + history.db])
        test.equal((done.out, done.err), (expected, ""), mode)
        os.chmod(test.path(mode), 0o777)


@files_only
def test_readers_see_one_moment_while_a_writer_writes(test):
    """Each build is added in one transaction with its run: a reader that saw half of it would list builds
    without runs or a shorter list than before."""
    history = shared(test, "wal")
    file = test.write("p.json", build_of(9))
    writer = subprocess.Popen(
        ["sh", "-c", 'for i in $(seq 100 130); do "$0" history add --db=wal/h.db --build=b$i --branch=main --time=$i "$1" || exit 1; done',
         test.place.dmdv(), file], cwd=test.folder, stderr=subprocess.PIPE, text=True)
    seen = []
    while writer.poll() is None:
        listed = history.json("list")
        test.equal({b["runs"] for b in listed["builds"]}, {1}, "runs of each build")
        heap = [s["builds"] for s in listed["series"] if s["series"] == "heap"]
        test.equal(heap, [len(listed["builds"])], "values of the heap")
        seen.append(len(listed["builds"]))
    err = writer.communicate()[1]
    test.equal(writer.returncode, 0, "the writer's status: " + err)
    test.check(seen == sorted(seen), "builds seen: %s" % seen)
    test.equal(len(history.json("list")["builds"]), 34, "builds in the end")
    test.equal((journal_mode(test.path(history.db)), beside(test, history.db)), ("rollback", []), "mode, and files beside it")


@files_only
def test_a_writer_in_wal_mode_and_a_reader(test):
    """Another program has the file open and has committed into its log: a reader sees that, and creates nothing."""
    history = shared(test, "wal")
    db = sqlite3.connect(test.path(history.db), isolation_level=None)
    db.execute("UPDATE build SET name = 'renamed' WHERE name = 'b0'")
    before = beside(test, history.db)
    test.equal(before, ["-shm", "-wal"], "files of the writer")
    dmdv = as_nobody(test) if os.getuid() == 0 else [test.place.dmdv()]
    done = test.run([*dmdv, "history", "list", "--db=" + history.db])
    test.check("renamed" in done.out, done.out)
    history.add(5, build_of(5))  # which cannot convert it now
    done = test.run([*dmdv, "history", "list", "--db=" + history.db])
    test.check("renamed" in done.out and " b5 " in done.out, done.out)
    for ending in ("", "-wal"):  # as if a killed writer's -shm file had been removed
        shutil.copy(test.path(history.db + ending), test.path("wal/copy.db" + ending))
    if os.getuid() == 0:
        done = test.run([*dmdv, "history", "list", "--db=wal/copy.db"], status=2)
        test.check("do you have write access" in done.err, done.err)
        test.equal(beside(test, "wal/copy.db"), ["-wal"], "files beside the copy")
    done = test.run([test.place.dmdv(), "history", "list", "--db=wal/copy.db"])
    test.check("renamed" in done.out and " b5 " in done.out, done.out)
    db.close()


def leave_journal(test, history):
    """Kills a writer during a commit, as far as files show: the journal has the file's previous contents."""
    path = test.path(history.db)
    code = ("import os, sqlite3, sys\n"
            "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "db.execute('PRAGMA cache_size = 1')\n"
            "db.execute('PRAGMA cache_spill = 1')\n"
            "db.execute('BEGIN IMMEDIATE')\n"
            "db.execute('UPDATE build SET name = name || \"x\"')\n"
            "db.execute('UPDATE stack SET frames = frames || ?', ['y' * 3000])\n"
            "db.execute('UPDATE series SET name = name || ?', ['y' * 3000])\n"
            "os._exit(0)\n")
    test.run(["python3", "-c", code, path])
    test.equal(beside(test, history.db), ["-journal"], "files that the killed writer left")


@files_only
def test_what_a_killed_writer_left(test):
    """The owner's next command repairs it, even one that only reads. Others get a message, and change
    nothing."""
    history = shared(test, "rollback")
    expected = history.run("list")
    leave_journal(test, history)
    if os.getuid() == 0 and shutil.which("setpriv"):
        done = test.run([*as_nobody(test), "history", "list", "--db=" + history.db], status=2)
        test.check("was killed: let its owner run dmdv history list" in done.err, done.err)
        test.equal(beside(test, history.db), ["-journal"], "after another user's list")
    test.equal(history.run("list"), expected, "the owner's list")
    test.equal(beside(test, history.db), [], "after the owner's list")
    history.add(5, build_of(5))


@files_only
def test_a_reader_whose_output_waits_keeps_nobody(test):
    """The reader's output goes to a pipe that nobody reads: a writer adds meanwhile."""
    history = History(test)
    history.add(0, build_of(0).block(10, ["malloc (m.c:1)"], tag="t"))
    with sqlite3.connect(test.path("h.db")) as db:
        db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
                   " INSERT INTO series(kind, name) SELECT 'tag', 'tag number ' || i FROM n")
        db.execute("INSERT INTO value SELECT series.id, run.id, 7 FROM series, run WHERE name LIKE 'tag number %'")
    reader = subprocess.Popen([test.place.dmdv(), "history", "list", "--db=h.db"], cwd=test.folder, stdout=subprocess.PIPE)
    first = reader.stdout.read(1)  # it has begun to write, and has more output than a pipe holds
    file = test.write("p.json", build_of(1))
    _, err = test.dmdv("history", "add", "--db=h.db", "--build=b1", file, environment={"DMD_HISTORY_WAIT": "1"})
    test.check("1 of 1 added" in err, err)
    out = first + reader.communicate()[0]
    test.equal((reader.returncode, out.count(b"tag number")), (0, 20000), "the reader")
