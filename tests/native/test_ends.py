# SPDX-License-Identifier: GPL-2.0-or-later
"""How processes end, and what they start before."""


def test_after_everything_else(t):
    """Handlers of exit have run when the profile is made; those of _exit and quick_exit never do."""
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
    run = t.run([t.program("ends.c"), "exec"], status=3)
    t.equal(run.out, b"0\n")
    t.equal(run.profiles, {})


def test_children_are_watched_if_that_is_wanted(t):
    run = t.run([t.program("ends.c"), "exec"], options=["--trace-children=yes"], status=3)
    t.equal(run.out, b"2\n")
    t.check(len(run.profiles) >= 3, "a profile of each of sh, env and grep: %s" % sorted(run.profiles))


def test_a_wrong_option(t):
    run = t.run([t.program("ends.c")], options=["--mode=life"], env={"DMD_OPTIONS": "--mode=life"}, status=1)
    t.contains(run.err.decode(), "DMD_OPTIONS: --mode=life: ")
