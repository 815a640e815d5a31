# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of make install, and programs that are built against it."""

import fnmatch
import os
import re

import installed
from harness import Skip, commands, files
from harness.compiler import compiler_for

# The programs, headers and pages that are installed; documents and examples are all those of docs/.
INSTALLED = {
    "bin": {"dmd-derive", "dmdv"},
    "include/valgrind": {"dmd.h", "dmd-annotations.h", "dmd-derived.h", "dmd-reporters.h", "measure.hpp", "measure_list.hpp", "measure_std.hpp"},
    "share/bash-completion/completions": {"dmd-derive.bash", "dmdv.bash"},
    "share/cmake/dmd": {"dmd-config.cmake", "dmd-config-version.cmake"},
    "share/fish/vendor_completions.d": {"dmd-derive.fish", "dmdv.fish"},
    "share/fish/vendor_conf.d": {"valgrind-dmd.fish"},
    "share/fish/vendor_functions.d": {"__dmdv_complete.fish"},
    "share/zsh/site-functions": {"_dmd-derive", "_dmdv"},
    "share/man/man1": {"dmd-derive.1", "dmdv.1", "valgrind-dmd.1"},
    "share/pkgconfig": {"dmd.pc"},
}
DOCUMENTS = "share/doc/valgrind-dmd"


def _files(folder):
    """{folder: {file, ...}} of everything below, with paths from there."""
    found = {}
    for path, _, names in os.walk(folder):
        if names:
            found[os.path.relpath(path, folder)] = set(names)
    return found


def names(t):
    """Only the files listed above, and none with the name of Debian's D compiler, dmd."""
    root, prefix, tools = installed.folders(t)
    found = _files(root)
    platform = installed.variable(t, "VALGRIND_PLATFORM")
    t.equal(found.pop(os.path.relpath(tools, root)),
            {"dmd-" + platform, "vgpreload_dmd-%s.so" % platform}, "the tool's files")
    found = {os.path.relpath(os.path.join(root, path), prefix): names for path, names in found.items()}
    documents = {path: found.pop(path) for path in sorted(found) if (path + "/").startswith(DOCUMENTS + "/")}
    libraries = os.path.relpath(installed.variable(t, "nativedir"), installed.variable(t, "prefix"))
    native = {libraries: {"libdmd.so"}} if installed.variable(t, "native_PROGRAMS") else {}
    public = os.path.relpath(installed.variable(t, "libdir"), installed.variable(t, "prefix"))
    reporters = {public: {"libdmd-reporters.a", "libdmd-reporters.so", "libdmd-reporters.so.0"}, public + "/pkgconfig": {"dmd-reporters.pc"}}
    t.equal(found, {**INSTALLED, **native, **reporters})
    t.equal(sorted(documents), [DOCUMENTS + folder for folder in ("", "/examples", "/guides", "/pictures", "/reference")])
    t.check({"README.md", "NEWS", "manual.md", "format.md", "dmd-profile.schema.json"} <= documents[DOCUMENTS],
           "the documents are there: %s" % documents[DOCUMENTS])
    t.check({"README.md", "catalog.c", "catalog-derived.diff", "news.h"} <= documents[DOCUMENTS + "/examples"], "the examples are there")


def no_symbols_in_the_tool(t):
    """Valgrind would read them at every start. An option of configure keeps them."""
    tool = os.path.join(t.builddir, "dmd-" + installed.variable(t, "VALGRIND_PLATFORM"))
    headers = commands.run(["readelf", "--section-headers", "--wide", tool]).out
    t.equal(".symtab" in headers, installed.variable(t, "TOOL_STRIP") == "")


def man_pages(t):
    """A page's name is that of its file, and so are its references."""
    _, prefix, _ = installed.folders(t)
    folder = os.path.join(prefix, "share", "man", "man1")
    for page in sorted(os.listdir(folder)):
        text = files.read(os.path.join(folder, page)).replace("\\-", "-")
        name = page[:-2]
        t.contains(text, '.TH %s 1 ' % name.upper())
        t.contains(text, ".SH NAME\n%s - " % name)
        t.equal(re.findall(r"^\.BR dmd \(1\)", text, re.MULTILINE), [], page)


def man_pages_without_warnings(t):
    """As for a package: no line is too long for a terminal."""
    _, prefix, _ = installed.folders(t)
    folder = os.path.join(prefix, "share", "man", "man1")
    man = [t.need("man"), "--warnings=w", "--local-file"]
    for page in sorted(os.listdir(folder)):
        run = commands.run([*man, os.path.join(folder, page)], env=dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8"))
        t.equal(run.err, "", page)
        t.check(len(run.out.splitlines()) > 20, page)


# Where a release says which it is.
VERSIONS = (("NEWS", r"^(\d\S*) "), ("debian/changelog", r"^valgrind-dmd \((.*?)\)"),
            ("docs/dmdv.1", r'^\.TH .*"dmd (\d\S*)"'), ("docs/manual.md", r"describes dmd (\d[\d.]*\d)"),
            ("docs/valgrind-dmd.1", r'^\.TH .*"dmd (\d\S*)"'), ("packaging/valgrind-dmd.spec", r"^Version: *(\S+)"))


def one_version(t):
    version = installed.variable(t, "VERSION")
    for name, pattern in VERSIONS:
        found = re.search(pattern, files.read(os.path.join(t.srcdir, name)), re.MULTILINE)
        t.equal(found and found.group(1), version, name)


def spec_file(t):
    """The files of the RPM package are those that are installed, in the folders that a package has."""
    root, prefix, tools = installed.folders(t)
    spec = os.path.join(t.srcdir, "packaging", "valgrind-dmd.spec")
    text = commands.run([t.need("rpmspec"), "--parse", spec]).out
    section = text.partition("\n%files\n")[2].partition("\n%changelog\n")[0]
    listed = {line.split()[-1] for line in section.splitlines()} - {"COPYING", "LICENSES/BSD-3-Clause.txt", "/usr/include/valgrind"}
    found = {os.path.join(root, folder, name) for folder, names in _files(root).items() for name in names}
    libraries = commands.run(["rpmspec", "--eval", "%{_libdir}"]).out.strip()
    for here, there in ((tools, "/usr/libexec/valgrind"), (root + installed.variable(t, "libdir"), libraries), (prefix, "/usr")):
        found = {path.replace(here, there) for path in found}
    matches = {entry: {path for path in found if fnmatch.fnmatch(path, entry) or path.startswith(entry + "/")}
               for entry in listed}
    t.equal(sorted(found - set().union(*matches.values())), [], "installed, but not in the spec file")
    t.equal(sorted(entry for entry in listed if not matches[entry]), [], "in the spec file, but not installed")


def _configure_for(t, arch, system):
    """What configure says of a Valgrind for this platform."""
    folder = t.new_folder()
    os.makedirs(os.path.join(folder, "lib", "pkgconfig"))
    files.write(os.path.join(folder, "lib", "pkgconfig", "valgrind.pc"),
                "prefix=/usr\narch=%s\nos=%s\nplatform=%s-%s\nName: Valgrind\nDescription: Valgrind\nVersion: 3.24.0\n"
                % (arch, system, arch, system))
    return commands.run([os.path.join(t.srcdir, "configure"), "--with-valgrind=" + folder], folder,
                        env=installed.without_make(os.environ), status=1)


def other_platforms(t):
    """configure names what would have to be written for another processor, or another system."""
    if os.path.exists(os.path.join(t.srcdir, "config.status")):
        raise Skip("the sources are configured, so that no other folder can be")
    known = "dmd knows amd64-linux, x86-linux and arm64-linux; for %s it lacks:"
    for arch, system, lacks in (("riscv64", "linux", {"dmd/base/riscv64/machine.h", "dmd/native/riscv64/pl_machine.c",
                                                      "dmd/valgrind/riscv64/dm_machine.h"}),
                                ("amd64", "freebsd", {"system calls of freebsd"})):
        error = _configure_for(t, arch, system).err
        t.contains(error, known % ("%s-%s" % (arch, system)))
        t.equal([name for name in sorted(lacks) if name not in error], [], error)
    done = _configure_for(t, "arm64", "linux")
    t.contains(done.out, "whether dmd knows Valgrind's platform... arm64-linux\n")
    t.contains(done.err, "libcoregrind-arm64-linux.a not found: install valgrind")


# ---- Programs that are built against what was installed, as the documents say. ----


def _jar(t, kind, name):
    """A folder with the documents' jar.c, and its block of this kind and name."""
    folder = t.new_folder()
    installed.from_documents(t, "c", "jar.c", folder)
    if name != "jar.c":
        installed.from_documents(t, kind, name, folder)
    return folder


def _expect_jar(t, program):
    """The labels are the blocks that the documents' program forgets to measure."""
    profile = t.run_command([program]).profile
    t.equal([b for b in profile.at("main") if "reported" not in b], ["1000+0"])


def _expect_header(t, build):
    """The compiler gets the path of the installed header."""
    _, prefix, _ = installed.folders(t)
    t.contains(files.read(os.path.join(build, "compile_commands.json")), os.path.join(prefix, "include"))


def pkg_config(t):
    _, prefix, _ = installed.folders(t)
    environment = installed.environment(t)
    flags = commands.run([t.need("pkg-config"), "--cflags", "dmd >= 0.1"], env=environment).out.split()
    t.check("-I" + os.path.join(prefix, "include") in flags, "the header's folder is in %s" % flags)
    t.equal(commands.run(["pkg-config", "--modversion", "dmd"], env=environment).out.strip(), installed.variable(t, "VERSION"))
    folder = _jar(t, "c", "jar.c")
    program = os.path.join(folder, "jar")
    commands.run([*compiler_for(".c"), "-g", "-O1", *flags, "jar.c", "-o", program], folder)
    _expect_jar(t, program)


CMAKE_OF_SHELVES = """cmake_minimum_required(VERSION 3.13)
project(shelves C)
find_package(dmd REQUIRED)
add_executable(shelves shelves.c)
target_link_libraries(shelves dmd::dmd dmd::reporters)
"""


MESON_OF_SHOP = """project('shop', 'c', default_options: ['c_std=gnu11'])
executable('shop', 'shop.c', dependencies: [dependency('dmd'), dependency('dmd-reporters')])
"""


def library_of_reporters(t):
    """The documents' program with the installed library: shared and static by pkg-config, and by CMake."""
    environment = installed.environment(t)
    root, _, _ = installed.folders(t)
    libraries = root + installed.variable(t, "libdir")
    flags = commands.run([t.need("pkg-config"), "--cflags", "--libs", "dmd", "dmd-reporters"], env=environment).out.split()
    folder = t.new_folder()
    installed.from_documents(t, "c", "shelves.c", folder)
    environment = {**environment, "LD_LIBRARY_PATH": libraries}
    for name, linked in (("shared", flags), ("static", [os.path.join(libraries, "libdmd-reporters.a")
                                                       if flag == "-ldmd-reporters" else flag for flag in flags])):
        commands.run([*compiler_for(".c"), "shelves.c", "-o", name, *linked, "-L" + libraries], folder)
        commands.run(["./" + name], folder, env=environment, stdin=b"a request\n")
        needed = "libdmd-reporters.so.0" in commands.run(["readelf", "-d", name], folder).out
        t.equal(needed, name == "shared")
    files.write(os.path.join(folder, "CMakeLists.txt"), CMAKE_OF_SHELVES)
    build = os.path.join(folder, "build")
    commands.run([t.need("cmake"), "-S", folder, "-B", build], env=environment)
    commands.run(["cmake", "--build", build], env=environment)
    commands.run([os.path.join(build, "shelves")], env=environment, stdin=b"a request\n")


def example_of_reporters(t):
    """docs/examples/shop.c, a server with child processes, built by Meson and by CMake."""
    root, _, _ = installed.folders(t)
    environment = {**installed.environment(t), "LIBRARY_PATH": root + installed.variable(t, "libdir")}
    folder = t.new_folder()
    files.write(os.path.join(folder, "shop.c"), files.read(os.path.join(t.srcdir, "docs/examples/shop.c")))
    files.write(os.path.join(folder, "meson.build"), MESON_OF_SHOP)
    files.write(os.path.join(folder, "CMakeLists.txt"), CMAKE_OF_SHELVES.replace("shelves", "shop"))
    for build, commands_of in (("meson", (["meson", "setup", "meson"], ["meson", "compile", "-C", "meson"])),
                               ("cmake", (["cmake", "-S", ".", "-B", "cmake"], ["cmake", "--build", "cmake"]))):
        t.need(build)
        for command in commands_of:
            commands.run(command, folder, env=environment)
        done = commands.run([os.path.join(folder, build, "shop"), "none/socket", "1"], folder, status=1,
                            env={**environment, "LD_LIBRARY_PATH": environment["LIBRARY_PATH"]})
        t.contains(done.err, "none/socket: No such file or directory")


def cmake(t):
    command = t.need("cmake")
    folder = _jar(t, "cmake", "CMakeLists.txt")
    build = os.path.join(folder, "build")
    environment = installed.environment(t)
    commands.run([command, "-S", folder, "-B", build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], env=environment)
    commands.run([command, "--build", build], env=environment)
    _expect_header(t, build)
    _expect_jar(t, os.path.join(build, "jar"))
    text = files.read(os.path.join(folder, "CMakeLists.txt")).replace("dmd 0.1 ", "dmd 99 ")
    files.write(os.path.join(folder, "CMakeLists.txt"), text)
    refused = commands.run([command, "-S", folder, "-B", build], env=environment, status=1)
    t.contains(refused.err, "dmd-config.cmake, version: " + installed.variable(t, "VERSION"))


def meson(t):
    command = t.need("meson")
    folder = _jar(t, "meson", "meson.build")
    build = os.path.join(folder, "build")
    commands.run([command, "setup", build, folder], env=installed.environment(t))
    commands.run([command, "compile", "-C", build], env=installed.environment(t))
    _expect_header(t, build)
    _expect_jar(t, os.path.join(build, "jar"))
