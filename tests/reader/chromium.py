# SPDX-License-Identifier: GPL-2.0-or-later
"""Chromium without a window, and scripts that run in a page of its developer tools.

It speaks Chrome's DevTools protocol through a pipe: messages in JSON, each terminated by a NUL. Chromium
contains the pages of the developer tools, and serves them itself at the port that it names.
"""

import json
import os
import select
import subprocess

from harness import HANG_SECONDS, Failure, Skip, browsers


# The developer tools' library that reads heap snapshots.
LIBRARY = "devtools/entrypoints/heap_snapshot_worker/heap_snapshot_worker.js"


class Chromium:
    """with Chromium(folder) as chromium: chromium.run(script, arguments...)"""

    def __init__(self, folder):
        self.profile = os.path.join(folder, "chromium")
        os.makedirs(self.profile)
        to_read, self.to_write = os.pipe()
        self.to_hear, to_answer = os.pipe()
        command = ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_read, to_answer), "sh", browsers.program_of("chromium"),
                   "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--log-level=3",
                   "--remote-debugging-pipe", "--remote-debugging-port=0", "--user-data-dir=" + self.profile]
        self.process = browsers.start(command, self.profile, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      pass_fds=(to_read, to_answer))
        os.close(to_read)
        os.close(to_answer)
        self.rest, self.number, self.session = b"", 0, None

    def __enter__(self):
        try:
            self.open()
        except BaseException:
            self.process.kill()
            raise
        return self

    def open(self):
        """A page of the developer tools' own address, so that scripts may load the tools' modules."""
        listening = browsers.line_of(self.process.stderr, r"DevTools listening on ws://([^/]+)/")
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.command("Page.enable")
        self.command("Page.navigate", url="http://%s/%s" % (listening[1], LIBRARY))
        while self.receive().get("method") != "Page.loadEventFired":
            pass
        if "HeapSnapshotLoader" not in self.run("return document.body.innerText"):
            raise Skip("this Chromium has no developer tools, or has them elsewhere: there is no /%s" % LIBRARY)

    def __exit__(self, failed, *_):
        self.session = None
        if failed is None:
            self.command("Browser.close")
        else:
            self.process.kill()
        self.process.communicate()
        for end in (self.to_write, self.to_hear):
            os.close(end)

    def receive(self):
        while b"\0" not in self.rest:
            readable, _, _ = select.select([self.to_hear], [], [], HANG_SECONDS)
            more = os.read(self.to_hear, 1 << 16) if readable else b""
            if not more:
                raise Failure("Chromium does not answer")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def command(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def run(self, script, *arguments):
        """Returns the result of the script, the body of an async function of these arguments."""
        expression = "(async function () {%s}).apply(null, %s)" % (script, json.dumps(arguments))
        answer = self.command("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failure("in Chromium: %s" % json.dumps(answer["exceptionDetails"])[:1500])
        return answer["result"].get("value")
