# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of make install, installed once for all tests, and what builds of other programs need to find
it."""

import os
import re

from harness import commands, files


def make(t, *arguments, **more):
    """make in the build folder, without the settings of a make that runs these tests."""
    return commands.run(["make", "-C", t.builddir, *arguments], env=without_make(os.environ), **more)


def without_make(environment):
    """The environment without the variables that a make sets for its children."""
    return {name: value for name, value in environment.items() if not name.startswith(("MAKE", "MFLAGS"))}


def variable(t, name):
    """A variable of the build's Makefile, with others in it resolved."""
    rule = "print-variable:\n\t@echo '$(%s)'\n" % name
    return make(t, "-s", "-f", "Makefile", "-f", "-", "print-variable", stdin=rule.encode()).out.strip()


def folders(t):
    """The folder that everything was installed below, and in it the prefix and the tool's folder."""
    root = os.path.join(t.place.scratch, "installed")
    if not os.path.exists(root):
        make(t, "install", "DESTDIR=" + root)
    return root, root + variable(t, "prefix"), root + variable(t, "vgtooldir")


def environment(t):
    """The environment of a program's build; pkg-config finds the installed tree and takes it for a root file
    system."""
    root, prefix, _ = folders(t)
    return dict(without_make(os.environ), CFLAGS="-g -O1", PKG_CONFIG_PATH=os.path.join(prefix, "share", "pkgconfig"),
                PKG_CONFIG_SYSROOT_DIR=root, CMAKE_PREFIX_PATH=prefix, PATH=os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"])


def from_manual(t, kind, first_line, folder):
    """Writes the manual's block of this kind that begins with these words, the first of which is the file's
    name, into the folder."""
    manual = files.read(os.path.join(t.srcdir, "docs", "manual.md"))
    block = re.search(r"^```%s\n((?:# |/\* )%s(?: \*/)?\n.*?)^```" % (kind, re.escape(first_line)), manual, re.M | re.S)
    t.check(block, "the manual has %s" % first_line)
    return files.write(os.path.join(folder, first_line.split()[0]), block.group(1))
