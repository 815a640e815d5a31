# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that must not compile, each for one reason, which the compiler says at the right line.

Lines `// Expect: ERROR at `CODE`` name an error and the code of the line at which it is; others, words that the message
must have, or one of several with | between them.
"""

import os
import re
import shutil

from harness import commands, files
from harness.expect import Skip

AT = re.compile(r"(.*) at `(.*)`$")


def _rustc(t, path):
    folder = t.bench.programs_of()
    built = os.path.join(t.bench.target(), "debug")
    libraries = [os.path.join(built, "deps", name) for name in os.listdir(os.path.join(built, "deps"))
                 if re.fullmatch(r"libdmd-[0-9a-f]+\.rmeta", name)]
    newest = max(libraries, key=os.path.getmtime).replace(".rmeta", ".rlib")
    return commands.run([shutil.which("rustc"), "--edition=2021", "--crate-type=bin", "--emit=metadata", "--out-dir", folder,
                         "--extern", "dmd=" + newest, "-L", "dependency=" + os.path.join(built, "deps"), path], status=None)


def _errors(text):
    """[(message, line), ...]"""
    return re.findall(r"^(error[^\n]*)\n +--> [^\n:]*:(\d+):", text, re.MULTILINE)


def _check(t, path):
    source = files.read(path)
    done = _rustc(t, path)
    errors = [(message, source.splitlines()[int(line) - 1].strip(" ,")) for message, line in _errors(done.err)]
    expected, words = [], []
    for line in re.findall(r"^// Expect: (.*)", source, re.MULTILINE):
        found = AT.match(line)
        expected += [found.groups()] if found else []
        words += [] if found else [line]
    name = os.path.basename(path)
    t.equal((name, [(m if m.startswith("error: dmd") else m.split(":")[0], line) for m, line in errors]), (name, expected))
    for word in words:
        t.check(any(each in done.err for each in word.split("|")), "%s: no %s in\n%s" % (name, word, done.err))


def test_to_compile(t):
    folder = os.path.join(t.srcdir, "tests", "rust", "fails")
    for name in sorted(os.listdir(folder)):
        _check(t, os.path.join(folder, name))


def test_messages_of_later_compilers(t):
    """From Rust 1.78 on the message says what to do."""
    version = re.search(r"1\.(\d+)", commands.run(["rustc", "--version"]).out)
    if int(version.group(1)) < 78:
        raise Skip("rustc is older than 1.78")
    done = _rustc(t, os.path.join(t.srcdir, "tests", "rust", "fails", "unknown_type.rs"))
    t.contains(done.err, "dmd cannot measure `Foreign`")
    t.contains(done.err, "write `#[derive(DmdSizeOf)]` above it")
