# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of make install, installed once for all tests, and what builds of other programs need to find
it."""

import glob
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
    described = [os.path.join(folder, "pkgconfig") for folder in (prefix + "/share", root + variable(t, "libdir"))]
    return dict(without_make(os.environ), CFLAGS="-g -O1", PKG_CONFIG_PATH=os.pathsep.join(described),
                PKG_CONFIG_SYSROOT_DIR=root, CMAKE_PREFIX_PATH=prefix, PATH=os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"])


def from_documents(t, kind, first_line, folder):
    """Writes the block of this kind that begins with these words, the first of which is the file's name, into the
    folder. Looks for it in the guides, the reference and docs/writing-reporters.md."""
    pages = [path for pattern in ("guides/*.md", "reference/*.md", "writing-reporters.md")
             for path in sorted(glob.glob(os.path.join(t.srcdir, "docs", pattern)))]
    text = "".join(map(files.read, pages))
    block = re.search(r"^```%s\n((?:# |/\* )%s(?: \*/)?\n.*?)^```" % (kind, re.escape(first_line)), text, re.M | re.S)
    t.check(block, "a document has %s" % first_line)
    return files.write(os.path.join(folder, first_line.split()[0]), block.group(1))
