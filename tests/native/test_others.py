# SPDX-License-Identifier: GPL-2.0-or-later
"""What other users can do to root: by processes that root sends requests to, and by links in folders that
they can write to."""

import glob
import gzip
import os
import shutil
import signal
import stat
import subprocess
import tempfile

from harness import Skip, commands, files, onefile
from harness.running import running

SOMEBODY = 65534
AS_SOMEBODY = ["setpriv", "--reuid=%d" % SOMEBODY, "--regid=%d" % SOMEBODY, "--clear-groups"]
PRECIOUS = "nobody but root may write here\n"


def need_two_users(t):
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        raise Skip("two users are needed: run it as root, with setpriv")
    done = commands.run([*AS_SOMEBODY, "test", "-r", t.library], status=None)
    if done.status != 0:
        raise Skip("another user cannot reach the build folder")


def open_folder(t):
    """A folder that everybody can write to, without the sticky bit: the kernel protects no links there."""
    need_two_users(t)
    folder = tempfile.mkdtemp(prefix="dmd-others.")
    t.bench.place.at_end(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.chmod(folder, 0o777)
    return folder


def link_of_somebody(target, name):
    os.symlink(target, name)
    os.lchown(name, SOMEBODY, SOMEBODY)


def dmdv(t, *arguments, folder=None, status=0):
    folder = folder or t.new_folder()
    return commands.run([t.builddir + "/dmdv", *arguments], folder, commands.plain_environment(folder), status=status)


def a_profile(t):
    run = t.run([t.program("dumping.c"), "022"], options=["--dmd-out-file=a.json"])
    path, = glob.glob(run.folder + "/a.*json")
    return path


def precious_file(t):
    return files.write(os.path.join(t.new_folder(), "precious"), PRECIOUS)


# ---- Requests to other users' processes. ----


def hostile(t, *arguments, user=True):
    before = AS_SOMEBODY if user else []
    return running(t, [*before, t.program("hostile.c"), t.library, *arguments], with_engine=False)


def test_a_process_that_swaps_a_link_for_its_file(t):
    """A thousand times root requests a dump of a process that replaces the file by a link to a file of
    root's."""
    folder, precious = open_folder(t), precious_file(t)
    path, link = folder + "/dmd.out.1.json", folder + "/other"
    shutil.copy(a_profile(t), path)
    os.chown(path, SOMEBODY, SOMEBODY)
    link_of_somebody(precious, link)
    with hostile(t, path, link) as program:
        for _ in range(1000):
            program.ask("dump", status=None)
            t.equal(files.read(precious), PRECIOUS)


def test_root_becomes_the_user_of_the_process(t):
    """Files that only root can read are not read, whatever the process answers."""
    folder = open_folder(t)
    path = os.path.join(t.new_folder(), "roots.json")
    shutil.copy(a_profile(t), path)
    os.chmod(path, 0o600)
    before = files.read(path)
    with hostile(t, path) as program:
        t.contains(program.ask("dump", status=1).err, path + ": Permission denied")
        t.equal(files.read(path), before)
    os.chmod(path, 0o644)
    with hostile(t, path) as program:
        t.contains(program.ask("dump", status=1).err, "it is another user's file")
        t.equal(files.read(path), before)
    link = folder + "/link.json"
    os.symlink(path, link)
    with hostile(t, link) as program:
        t.contains(program.ask("dump", status=1).err, "it is another user's file")
        t.equal(files.read(path), before)


def test_what_the_user_could_do_root_does(t):
    """The engine of another user's process answers; dmdv adds names to its file, which keeps its owner and
    permissions."""
    folder = open_folder(t)
    environment = ["env", "LD_PRELOAD=" + t.library,
                   "DMD_OPTIONS=--dump-at-exit=no --dmd-out-file=%s/x.json --log-file=%s/log" % (folder, folder)]
    shell = ["sh", "-c", 'umask 077; exec "$@"', "sh"]
    with running(t, [*AS_SOMEBODY, *shell, *environment, t.program("asked.c"), "waits"], with_engine=False) as program:
        t.equal(program.ask_json("status")["pid"], program.pid)
        path = program.ask("dump").out.strip()
        t.equal(path, folder + "/x.1.json")
        t.contains(files.read(path), "keep (asked.c:")
        found = os.stat(path)
        t.equal([found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)], [SOMEBODY, SOMEBODY, 0o600])
        t.equal(program.end(), "whole 100\n")


def test_a_process_of_two_users(t):
    """The process may be root's at one moment and another user's at the next."""
    need_two_users(t)
    path = a_profile(t)
    before = files.read(path)
    with hostile(t, path, "mixed", user=False) as program:
        for command in ("dump", "status"):
            t.contains(program.ask(command, status=3).err, "has rights of root and of user %d" % SOMEBODY)
    t.equal(files.read(path), before)


def test_a_process_that_names_a_graph(t):
    """Only a heap graph of the same moment, beside the profile, goes into its file: no other file is touched, even where
    dmdv's user could."""
    folder = t.new_folder()
    path, beside = (os.path.join(folder, "dmd.out.1" + ending) for ending in (".json.gz", ".graph.gz"))
    files.write(path, gzip.compress(files.read_bytes(a_profile(t))))
    with running(t, [t.program("asked.c"), "waits"]) as program:
        other = onefile.parts(files.read_bytes(program.dump_graph()))[1]
        program.end()
    precious = gzip.compress(PRECIOUS.encode())
    for name, content in (folder + "/notes.gz", precious), (folder + "/other.graph.gz", other), (beside, precious), (beside, other):
        files.write(name, content)
        with hostile(t, path, "graph", name, user=False) as program:
            t.equal(program.ask("dump").out, "%s\n%s\n" % (path, name))
        t.equal(files.read_bytes(name), content)
        t.equal(onefile.parts(files.read_bytes(path))[1], None, "no graph is in it")


# ---- Links of other users. ----


def test_profiles_and_logs_through_links(t):
    folder, precious = open_folder(t), precious_file(t)
    link_of_somebody(precious, folder + "/x.json")
    link_of_somebody(os.path.dirname(precious), folder + "/way")
    program = [t.program("ends.c"), "return"]
    run = t.run(program, options=["--dmd-out-file=%s/x.json" % folder], status=3)
    t.contains(run.log, "cannot write %s/x.json: it is a symbolic link of another user" % folder)
    run = t.run(program, options=["--dmd-out-file=%s/way/new.json" % folder], status=3)
    t.contains(run.log, "cannot write %s/way/new.json: a folder of its path is a symbolic link of another user" % folder)
    for name in ("x.json", "way/precious"):
        environment = {"DMD_OPTIONS": "--dump-at-exit=no --log-file=%s/%s" % (folder, name)}
        run = t.run(program, env=environment, status=None)
        t.contains(run.err.decode(), "is a symbolic link of another user")
        t.equal(files.read(precious), PRECIOUS)
    t.equal(os.listdir(os.path.dirname(precious)), ["precious"])


def test_a_log_that_becomes_a_link(t):
    """Each line opens the file again: a file that has the name by then is another one, and stays empty."""
    folder, precious = open_folder(t), precious_file(t)
    log = folder + "/log"
    with running(t, ["env", "LD_PRELOAD=" + t.library, "DMD_OPTIONS=--dump-at-exit=no --log-file=" + log,
                     t.program("asked.c"), "waits"], with_engine=False) as program:
        program.ask("dump")
        t.contains(files.read(log), "dmd: wrote ")
        os.unlink(log)
        link_of_somebody(precious, log)
        program.ask("dump")
        t.equal(program.end(), "whole 100\n")
    t.equal(files.read(precious), PRECIOUS)


def test_links_of_ones_own(t):
    """They are followed, and so are those that lead to standard output."""
    folder = t.new_folder()
    os.mkdir(folder + "/real")
    os.symlink("real", folder + "/way")
    os.symlink("way/file.json", folder + "/x.json")
    program = [t.program("ends.c"), "return"]
    t.run(program, options=["--dmd-out-file=%s/x.json" % folder], status=3)
    t.check(os.path.islink(folder + "/x.json"), "the link stays")
    t.contains(files.read(folder + "/real/file.json"), "blockList")
    run = t.run(program, options=["--dmd-out-file=/dev/stdout"], status=3)
    t.contains(run.out.decode(), "blockList")
    done = dmdv(t, "print", "-o", "/dev/stdout", folder + "/x.json")
    t.contains(done.out, "# ")


def test_outputs_of_dmdv_through_links(t):
    folder, precious = open_folder(t), precious_file(t)
    profile = a_profile(t)
    link_of_somebody(precious, folder + "/x")
    link_of_somebody(os.path.dirname(precious), folder + "/way")
    page = [["view", "-o"]] if dmdv(t, "view", "-o", "page.html", profile, status=None).status == 0 else []
    for command in (*page, ["print", "-o"], ["merge", "-o"], ["tree", "-o"], ["export", "--format=dhat", "-o"]):
        for name, why in (("x", "it is a symbolic link of another user"),
                          ("way/precious", "a folder of its path is a symbolic link of another user"),
                          ("way/new", "a folder of its path is a symbolic link of another user")):
            done = dmdv(t, *command, "%s/%s" % (folder, name), profile, status=2)
            t.contains(done.err, "%s/%s: %s" % (folder, name, why))
            t.equal(files.read(precious), PRECIOUS)
    t.equal(os.listdir(os.path.dirname(precious)), ["precious"])


def test_run_rewrites_its_own_files_only(t):
    """The file under a listed name may be another user's by then, or a link."""
    folder, precious = open_folder(t), precious_file(t)
    for how, why in (("chown %d \"$2\"" % SOMEBODY, "it is another user's file"),
                     ("ln -sf \"$3\" \"$2\" && chown -h %d \"$2\"" % SOMEBODY, "is a symbolic link of another user")):
        path = folder + "/p.json"
        script = 'LD_PRELOAD=%s "$1" return; %s; exit 0' % (t.library, how)
        # The shell runs without the engine: it would write its own profile over its program's.
        done = dmdv(t, "run", "--engine=native", "--trace-children=yes", "-o", path, "env", "-u", "LD_PRELOAD", "sh", "-c",
                    script, "sh", t.program("ends.c"), path, precious, status=None)
        t.contains(done.err, why)
        t.equal(files.read(precious), PRECIOUS)
        if os.path.lexists(path):
            os.unlink(path)


def test_a_graph_that_another_user_put_beside(t):
    """The variable is ignored; a pipe there does not block."""
    need_two_users(t)
    with running(t, [t.program("asked.c"), "waits"]) as program:
        profile = program.dump_graph()
        t.equal(program.end(), "whole 100\n")
    graph = profile.replace(".json.gz", ".graph.gz")
    for path, part in zip((profile, graph), onefile.parts(files.read_bytes(profile))):
        files.write(path, part)
    with_own = dmdv(t, "print", profile).out
    os.chown(graph, SOMEBODY, SOMEBODY)
    with_theirs = dmdv(t, "print", profile).out
    os.unlink(graph)
    without = dmdv(t, "print", profile).out
    t.check(with_own != without, "a graph beside is used")
    t.equal(with_theirs, without)
    os.mkfifo(graph)
    t.equal(dmdv(t, "print", profile).out, without)


# ---- Permissions. ----


def test_permissions(t):
    """A program that removes all restrictions does not remove them from its profiles; it may add some."""
    program = t.program("dumping.c")
    for mask, own, mode in ((0o22, "0", 0o644), (0o27, "0", 0o640), (0o22, "077", 0o600)):
        folder = t.new_folder()
        environment = {**commands.plain_environment(folder), **t.environment(["--dump-at-exit=no", "--graph=yes"])}
        commands.run([program, own], folder, environment, umask=mask)
        commands.run([t.builddir + "/dmdv", "run", "--engine=native", "--dump-at-exit=no", "-o", "run.json", program, own],
                     folder, commands.plain_environment(folder), umask=mask)
        # A program that the first one starts, with its umask.
        commands.run([t.builddir + "/dmdv", "run", "--engine=native", "--dump-at-exit=no", "--trace-children=yes", "-o",
                      "child.json", "sh", "-c", 'umask %s; exec "$1" "$2"' % own, "sh", program, own], folder,
                     commands.plain_environment(folder), umask=mask)
        names = [name for name in sorted(os.listdir(folder)) if not name.startswith("log.")]
        t.equal(len(names), 6)
        for name in names:
            t.equal(oct(os.stat(folder + "/" + name).st_mode & 0o777), oct(mode))


# ---- Remains of killed dumps. ----


def test_killed_dumps_leave_nothing(t):
    folder = t.new_folder()
    environment = {**commands.plain_environment(folder), **t.environment(["--dmd-out-file=dmd.out.%p.json"])}
    for i in range(40):
        with subprocess.Popen([t.program("dumping.c")], cwd=folder, env=environment, stdout=subprocess.PIPE) as process:
            process.stdout.read(i % 5 + 1)
            for _ in range(i * 200):  # somewhere in the middle
                pass
            process.send_signal(signal.SIGKILL)
    left = glob.glob(folder + "/*.tmp.*")
    t.check(len(left) <= 2, "files have no name before they are complete: %s" % left)
    dmdv(t, "run", "--engine=native", "-o", "dmd.out.%p.json", "true", folder=folder)
    t.equal(glob.glob(folder + "/*.tmp.*"), [])


def a_number_of_no_process():
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def test_leftovers(t):
    """A living writer keeps its file, also in another container; and so do all other owners."""
    folder = t.new_folder()
    dead = a_number_of_no_process()
    go = ["dmd.out.77.json.gz.tmp.%d", "dmd.out.77.3.json.gz.tmp.%d", "dmd.out.%d.2.graph.gz.tmp.%%d" % dead]
    stay = ["dmd.out.77.json.gz.tmp.%d" % os.getpid(), "dmd.out.77.json.gz.tmp.x", "dmd.out.78.json.gz",
            "other.77.json.gz.tmp.%d" % dead, "dmd.out.77.txt.tmp.%d" % dead]
    names = [name % dead for name in go] + stay
    locked, empty = "dmd.out.5.json.gz.tmp.%d" % dead, "dmd.out.6.json.gz.tmp.%d" % dead
    os.symlink(precious_file(t), folder + "/dmd.out.7.json.gz.tmp.%d" % dead)
    files.write(folder + "/" + empty, "")
    kept = sorted([*stay, locked, empty, "dmd.out.7.json.gz.tmp.%d" % dead])

    def clean(how):
        for name in [*names, locked]:
            files.write(folder + "/" + name, "half a")
        with subprocess.Popen(["flock", folder + "/" + locked, "sh", "-c", "echo; read x"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            how()
            process.stdin.close()
        found = sorted(name for name in os.listdir(folder) if name in kept or ".tmp." in name)
        t.equal(found, kept)

    clean(lambda: dmdv(t, "run", "--engine=native", "--dump-at-exit=no", "true", folder=folder))
    with running(t, [t.program("asked.c"), "waits"], options=["--dmd-out-file=%s/dmd.out.%%p.json.gz" % folder]) as program:
        clean(lambda: program.ask("dump"))
        t.equal(program.end(), "whole 100\n")
    os.utime(folder + "/" + empty, (1, 1))
    kept.remove(empty)
    clean(lambda: dmdv(t, "run", "--engine=native", "--dump-at-exit=no", "true", folder=folder))
