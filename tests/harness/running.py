# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that run with the native engine, and are queried meanwhile by dmdv dump and dmdv status."""

import contextlib
import json
import subprocess

from harness import commands, files
from harness.expect import Failure
from harness.native import NativeGraph, NativeProfile

try:
    import jsonschema
except ImportError:
    jsonschema = None

HANG_SECONDS = 120 * commands.SLOWNESS


class Running:
    """A program that runs until its standard input ends. Its first line is `ready`."""

    def __init__(self, t, command, options=(), with_engine=True):
        self.t, self.folder = t, t.new_folder()
        environment = commands.plain_environment(self.folder)
        if with_engine:
            environment.update(t.environment(["--dump-at-exit=no", *options]))
        self.process = subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.process.pid
        if self.process.stdout.readline() != b"ready\n":
            raise Failure("the program did not begin")

    def ask(self, command, *options, status=0):
        return commands.run([self.t.builddir + "/dmdv", command, *options, str(self.pid)], self.folder,
                            commands.plain_environment(self.folder), status=status)

    def ask_json(self, command, *options):
        answer = json.loads(self.ask(command, "--json", *options).out)
        if jsonschema is not None:
            schema = files.read_json(self.t.srcdir + "/docs/dmdv-control.schema.json")
            jsonschema.Draft202012Validator(schema).validate(answer)
        return answer

    def profile(self, path):
        return NativeProfile(path, self.t.bench.validator)

    def dump_graph(self):
        """The path of a profile with the graph of the same moment after it."""
        path, = self.ask("dump", "--graph").out.splitlines()
        return path

    @staticmethod
    def graph(path):
        return NativeGraph(path)

    def log(self):
        return files.read("%s/log.%d" % (self.folder, self.pid))

    def end(self):
        """Its standard output, from `ready` on; it must end well."""
        out, err = self.process.communicate(timeout=HANG_SECONDS)
        if self.process.returncode != 0:
            raise Failure("the program ended with %d\n%s" % (self.process.returncode, err.decode()))
        return out.decode()


@contextlib.contextmanager
def running(t, command, **more):
    program = Running(t, command, **more)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.process.kill()
        program.process.wait()
