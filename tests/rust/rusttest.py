# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the programs of rust/tests with cargo, without a network, and runs them under both engines."""

import os
import shutil

from harness import commands, native
from harness.expect import Failure, Skip

ENGINES = ("valgrind", "native")
PROGRAMS = ("containers", "faults", "other_trait", "requests")


class Bench(native.Bench):
    def __init__(self, place):
        super().__init__(place, os.path.join(place.srcdir, "rust"))
        self.place = place
        self.built = {}

    def target(self):
        return os.path.join(self.place.scratch, "target")

    def cargo(self, word, *words):
        """Runs cargo. The tree may be one that nobody may write to."""
        cargo = shutil.which("cargo")
        if cargo is None or shutil.which("rustc") is None:
            raise Skip("cargo and rustc are not installed")
        environment = dict(os.environ, CARGO_TARGET_DIR=self.target(), CARGO_NET_OFFLINE="true", CARGO_TERM_COLOR="never")
        command = [cargo, word, "--locked", "--manifest-path", os.path.join(self.place.srcdir, "rust", "Cargo.toml"), *words]
        return commands.run(command, self.place.scratch, environment, status=None)

    def example(self, name):
        """Builds an example of the crate; returns its path."""
        done = self.cargo("build", "--package", "dmd", "--example", name)
        if done.status != 0:
            raise Failure(done.describe())
        return os.path.join(self.target(), "debug", "examples", name)

    def registered(self):
        """Builds the program with registered reporters; returns its path."""
        done = self.cargo("rustc", "--package", "dmd-tests", "--features", "registered", "--bin", "registered", "--", "-L",
                          "native=" + os.path.abspath(self.place.builddir))
        if done.status != 0:
            raise Failure(done.describe())
        return os.path.join(self.target(), "debug", "registered")

    def programs_of(self, *flags):
        """Builds all programs once; returns the folder that has them."""
        if flags not in self.built:
            folder = os.path.join(self.place.scratch, "bin" + "".join(flags).replace("/", "-"))
            done = self.cargo("build", *flags)
            if done.status == 0:
                built = os.path.join(self.target(), "release" if "--release" in flags else "debug")
                os.mkdir(folder)
                for name in PROGRAMS:
                    shutil.copy(os.path.join(built, name), folder)
            self.built[flags] = folder, done
        folder, done = self.built[flags]
        if done.status != 0:
            raise Failure(done.describe())
        return folder


class RustTest(native.NativeTest):
    """A test of the crate."""

    def rust_program(self, name, *flags):
        return os.path.join(self.bench.programs_of(*flags), name)

    def run_under(self, engine, command, options=(), status=0):
        """Runs a command under this engine."""
        if engine == "native":
            return self.run(command, options)
        folder = self.new_folder()
        done = commands.run([*self.bench.valgrind("dmd", options), *command], folder,
                            commands.plain_environment(folder), status=None, text=False)
        run = native.Run(folder, done, self.bench.validator)
        self.equal((run.status, engine), (status, engine))
        return run

    def run_natively_with_dmdv(self, *command):
        """A run with the native engine whose profile dmdv gives names."""
        folder = self.new_folder()
        watched = [self.place.dmdv(), "run", "--engine=native", "--num-callers=40", "--log-file=log.%p", "--", *command]
        done = commands.run(watched, folder, commands.plain_environment(folder), status=None, text=False)
        return native.NamedRun(folder, done, self.bench.validator)

    def elsewhere(self, *command):
        """What the program prints without dmd."""
        return commands.run(list(command)).out
