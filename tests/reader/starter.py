# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts programs for tests that measure time and memory. The kernel counts the memory of the process that
starts a program as the program's; this process stays small, whatever earlier tests took.

Reads one line of JSON for each program, {"command", "out", "err", "environment", "seconds"}, and answers with
one when the program has ended, {"status", "seconds", "memory"}; memory is the peak, in bytes.
"""

import json
import os
import resource
import subprocess
import sys


def start(wanted):
    with open(wanted["out"], "wb") as out, open(wanted["err"], "wb") as err:
        child = subprocess.Popen(wanted["command"], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 env=wanted["environment"])
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (wanted["seconds"], wanted["seconds"]))
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return {"status": child.returncode, "seconds": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss << 10}


class Starter:
    """A starter process, which begins with the first program."""

    def __init__(self):
        self.process = None

    def run(self, **wanted):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
        self.process.stdin.write(json.dumps(wanted).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print(json.dumps(start(json.loads(line))), flush=True)
