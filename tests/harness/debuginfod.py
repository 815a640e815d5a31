# SPDX-License-Identifier: GPL-2.0-or-later
"""A debuginfod server for the tests, from Debian's package, on a local port."""

import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

from harness import commands
from harness.expect import Failure, Skip
from harness.prometheus import free_port


class Debuginfod:
    """Runs for a `with`; serves the debug information in the folder `files`. `log` is the file with its requests."""

    def __init__(self, folder, files):
        if shutil.which("debuginfod") is None:
            raise Skip("no debuginfod: install debuginfod")
        self.folder, self.files, self.port = folder, files, free_port()
        self.url = "http://127.0.0.1:%d" % self.port
        self.log = os.path.join(folder, "debuginfod.log")

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["debuginfod", "-v", "-p", str(self.port), "-d", ":memory:", "-F", self.files], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=commands.plain_environment(self.folder))
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def wait_for(self, build_id):
        """Waits until it serves the debug information of this build."""
        deadline = time.monotonic() + commands.HANG_SECONDS
        while True:
            try:
                with urllib.request.urlopen("%s/buildid/%s/debuginfo" % (self.url, build_id)):
                    return
            except (urllib.error.URLError, OSError):
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failure("debuginfod does not serve %s, its status is %s: see %s" % (build_id, self.process.poll(), self.log))
            time.sleep(0.05)  # between two tries
