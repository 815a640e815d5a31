# SPDX-License-Identifier: GPL-2.0-or-later
"""dmdv history on a PostgreSQL server: every test that is not about files, and that files and servers give
equal answers."""

import os
import random
import subprocess

import test_history
import test_history_database
import test_history_files
import test_history_prune
import test_history_records
import test_historyimport
import test_historywriters
from harness import Skip, functions_of, postgresql
from test_history import HOUR, LEFT_OUT, START, History, build_of, fill


def start(test):
    """Creates the test's histories on a server."""
    said = test.dmdv("history", "list", "--db=postgresql:///none", status=2)[1]
    for left_out in (LEFT_OUT, "built without SQLite"):
        if left_out in said:
            raise Skip("this dmdv was " + left_out)
    test.server = postgresql.server(test.place)


def on_server(function):
    """The test on a server. What is not the driver's has run with sanitizers on a file, in a third of the time."""
    def run(test):
        test.without_sanitizers()
        start(test)
        function(test)
    return run


for _name, _function in functions_of(test_history) + functions_of(test_history_database) + \
        functions_of(test_history_files) + functions_of(test_history_prune) + \
        functions_of(test_history_records) + functions_of(test_historyimport) + functions_of(test_historywriters):
    if not hasattr(_function, "is_for_files"):
        globals()["test_postgresql_" + _name] = on_server(_function)


def executed(history, function):
    """The lines of the server's log about statements that the function executed in this history."""
    name = history.db.partition("@/")[2].partition("?")[0]
    history.server.sql(history.db, "ALTER DATABASE %s SET log_statement = 'all'" % name)
    with open(history.server.log.name, encoding="utf-8", errors="replace") as log:
        log.seek(0, os.SEEK_END)
        function()
        return [line for line in log if "execute" in line]


def answers(history):
    """The output of the commands about it."""
    return [history.run("list"), history.run("list", "--json"), history.run("show", "heap"),
            history.run("show", "reporter explicit/app", "--json"), history.run("check", status=1),
            history.run("check", "--json", status=1)]


def test_postgresql_answers_as_a_file_does(test):
    """Two branches, two environments, names in an order that languages sort differently, change points: all
    output is equal."""
    def make(history):
        draw = random.Random(9)
        fill(history, 24, at=12, more=9000, noise=lambda: draw.randrange(-50, 51), runs=2)
        history.run("acknowledge", "--build=b12", "--series=heap", "--reason=it's \N{SNOWMAN}")
        for i, moment in enumerate(("Zeta", "alpha", "\N{LATIN SMALL LETTER A WITH DIAERESIS}", "_")):
            history.add(30 + i, build_of(i), "--moment=" + moment, "--env=cc=%d" % (i % 2))
            history.add(30 + i, build_of(i), "--branch=topic/" + moment)
        return answers(history)
    file = make(History(test))
    start(test)
    for ours, theirs in zip(file, make(History(test))):
        test.equal(theirs, ours, "of the server")


def test_postgresql_takes_what_a_file_exported(test):
    """A file restores a server's export: the same bytes everywhere, and the same answers."""
    draw = random.Random(21)
    file = History(test)
    test_historyimport.random_history(file, draw, 9)
    text, ours = test_historyimport.exported(file), test_historyimport.answers(file)
    start(test)
    server = History(test)
    test_historyimport.imported(test, text, server)
    test.equal(test_historyimport.exported(server), text, "of the server")
    for one, other in zip(ours, test_historyimport.answers(server)):
        test.equal(other, one, "the server's answers")
    test_historyimport.random_history(server, draw, 5)
    text, theirs = test_historyimport.exported(server), test_historyimport.answers(server)
    file.server, file.db = None, "back.db"
    test_historyimport.imported(test, text, file)
    test.equal(test_historyimport.exported(file), text, "of the file")
    for one, other in zip(theirs, test_historyimport.answers(file)):
        test.equal(other, one, "the file's answers")


def test_postgresql_imports_values_in_batches(test):
    """A run's values are one statement, as the server's log says; more than fit into a batch are complete."""
    n_series, n_builds = 2500, 3
    file = History(test)
    for i in range(n_builds):
        profile = build_of(i)
        for k in range(n_series):
            profile.block(16 + i + k, ["f (a.c:1)"], tag="tag %d" % k)
        file.add(i, profile)
    text = test_historyimport.exported(file)
    start(test)
    server = History(test)
    statements = [line for line in executed(server, lambda: test_historyimport.imported(test, text, server))
                  if "INSERT INTO value" in line]
    test.equal(test_historyimport.exported(server), text, "of the server")
    n_values = int(server.sql("SELECT count(*) FROM value")[0][0])
    test.check(n_values > n_series * n_builds, "there are %d values" % n_values)
    test.check(n_builds <= len(statements) <= n_values / 500, "%d statements for %d values" % (len(statements), n_values))


def test_postgresql_reads_curves_once(test):
    """Each of the commands that need all curves reads the runs once, and the values once."""
    start(test)
    history = History(test)
    fill(history, 16, at=8, more=9000)
    for words in (["list"], ["check"], ["page", "-o", "page.html"]):
        lines = executed(history, lambda words=words: test.dmdv("history", words[0], "--db=" + history.db, *words[1:], status=None))
        for table in (" FROM value ", "dense_rank"):
            test.equal(len([line for line in lines if table in line]), 1, "statements with%s of %s" % (table, words[0]))


def test_postgresql_prune_asks_for_many_at_once(test):
    """prune drops builds, runs, sets and stacks in one statement each, and reads what new bases need in parts."""
    start(test)
    history = History(test)
    n = 40
    for i in range(n):
        profile = build_of(i, index=3000 + i)
        for k in range(100):
            profile.block(16, ["f%d (a.c:1)" % k])
        history.add(i, profile, "--branch=" + ("topic" if i % 2 else "main"))
    of_topic = "SELECT recordset FROM run JOIN build ON build.id = build WHERE branch = 'topic'"
    n_based = int(history.sql("SELECT count(*) FROM recordset WHERE base IN (%s)" % of_topic)[0][0])
    test.check(n_based > n / 4, "%d sets have such a base" % n_based)
    lines = executed(history, lambda: history.run("prune", "--branch=topic"))
    updates = [line for line in lines if "UPDATE recordset" in line]
    test.equal(len(updates), n_based, "new bases")
    test.check(len(lines) - len(updates) < n / 2, "".join(lines))


def test_postgresql_password_is_not_told(test):
    start(test)
    for url in ("postgresql://me:secret@127.0.0.1:1/none", "postgres://me:secret@[::1/none", "postgresql:///none?password=secret"
                "&host=/nowhere&user=me", "postgresql:///none?nothing=secret"):
        err = test.error("history", "list", "--db=" + url)
        test.check("secret" not in err and "postgresql://" in err, err)


def test_postgresql_what_is_no_history(test):
    start(test)
    history = History(test)
    file = test.write("p.json", build_of(1))
    err = test.error("history", "list", "--db=" + history.db)
    test.check("the database has no history" in err, err)
    test.dmdv("history", "add", "--db=" + history.db, "--build=b", file)
    history.sql("UPDATE version SET version = 99")
    for command in (["list"], ["add", "--build=b", file]):
        err = test.error("history", command[0], "--db=" + history.db, *command[1:])
        test.check("newer dmdv" in err, err)
    other = History(test)
    other.server.sql(other.db, "CREATE SCHEMA dmd_history CREATE TABLE dmd_history.build(id INTEGER)")
    err = test.error("history", "add", "--db=" + other.db, "--build=b", file)
    test.check("belongs to another program" in err, err)
    ascii_only = other.server.url("ascii_only")
    other.server.sql(other.db, "CREATE DATABASE ascii_only ENCODING 'SQL_ASCII' TEMPLATE template0")
    err = test.error("history", "add", "--db=" + ascii_only, "--build=b", file)
    test.check("UTF8" in err, err)


def test_postgresql_reader_changes_nothing(test):
    """A user with read permission can list and check; adding is an error."""
    start(test)
    history = History(test)
    fill(history, 3)
    history.sql("CREATE ROLE guest LOGIN")
    history.sql("GRANT USAGE ON SCHEMA dmd_history TO guest")
    history.sql("GRANT SELECT ON ALL TABLES IN SCHEMA dmd_history TO guest")
    guest = history.db.replace("//dmd@", "//guest@")
    listed = test.dmdv("history", "list", "--db=" + guest)[0]
    test.equal(listed, history.run("list"), "a guest's list")
    err = test.error("history", "add", "--db=" + guest, "--build=b9", test.write("p.json", build_of(9)))
    test.check("permission denied" in err and "does this user have write access?" in err, err)


def test_postgresql_waits_as_long_as_the_address_says(test):
    """With another session's lock, writers fail with one line, and readers are not blocked; nothing is lost,
    and nothing is half added. A lock on a table blocks readers, too."""
    start(test)
    history = History(test)
    fill(history, 3)
    before = test_historyimport.exported(history)
    file, whole = test.write("p.json", build_of(9)), test.write("h.json", before)
    impatient = history.db + "&options=-c%20lock_timeout%3D200ms"

    def refused(*words):
        _, err = test.dmdv("history", words[0], "--db=" + impatient, *words[1:], status=2)
        test.check("lock timeout" in err and "another process locks it" in err and "postgresql://" in err, err)
    holder = history.server.holding(history.db, "SELECT pg_advisory_xact_lock(1145914472)")
    for words in (["add", "--build=b9", file], ["import", whole], ["prune", "--keep=1"], ["acknowledge", "--build=b1", "--reason=x"]):
        refused(*words)
    test.equal(test.dmdv("history", "export", "--db=" + impatient, "--format=json")[0], before, "what a reader sees")
    patient = subprocess.Popen([test.place.dmdv(), "history", "add", "--db=" + history.db, "--build=b9", "--branch=main",
                                "--time=%d" % (START + 9 * HOUR), file], cwd=test.folder, stderr=subprocess.DEVNULL)
    holder.communicate("")
    test.equal(patient.wait(), 0, "who waits")
    test.equal([b["build"] for b in history.json("list")["builds"]], ["b0", "b1", "b2", "b9"], "builds")
    holder = history.server.holding(history.db, "LOCK TABLE dmd_history.run IN ACCESS EXCLUSIVE MODE")
    refused("list")
    refused("check")
    holder.communicate("")
    test.equal(len(test.dmdv("history", "list", "--db=" + impatient, "--json")[0]) > 0, True, "afterwards")
