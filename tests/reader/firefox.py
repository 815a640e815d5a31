# SPDX-License-Identifier: GPL-2.0-or-later
"""Firefox without a window, and scripts that run in it with the browser's own rights.

It speaks the protocol of Marionette: messages [type, id, name or error, content] in JSON, each behind its length in
bytes and a colon.
"""

import json
import os
import socket
import subprocess

from harness import HANG_SECONDS, Failure, browsers


class Firefox:
    """with Firefox(folder) as firefox: firefox.run(script, arguments...)"""

    def __init__(self, folder):
        self.profile = os.path.join(folder, "firefox")
        os.makedirs(self.profile)
        with open(os.path.join(self.profile, "user.js"), "w") as preferences:
            preferences.write('user_pref("marionette.port", 0);\nuser_pref("app.update.enabled", false);\n')
        command = [browsers.program_of("firefox"), "--headless", "--marionette", "--no-remote", "-remote-allow-system-access",
                   "--profile", self.profile]
        self.process = browsers.start(command, self.profile, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def __enter__(self):
        try:
            self.connect()
        except BaseException:
            self.process.kill()
            raise
        return self

    def connect(self):
        listening = browsers.line_of(self.process.stdout, r"Marionette\s+INFO\s+Listening on port (\d+)")
        self.socket = socket.create_connection(("127.0.0.1", int(listening[1])), HANG_SECONDS)
        self.stream, self.number = self.socket.makefile("rb"), 0
        self.receive()
        self.command("WebDriver:NewSession", capabilities={})
        self.command("WebDriver:SetTimeouts", script=HANG_SECONDS * 1000)
        self.command("Marionette:SetContext", value="chrome")

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))

    def command(self, name, **arguments):
        self.number += 1
        message = json.dumps([0, self.number, name, arguments]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.receive()
        if error:
            raise Failure("Firefox: %s: %s" % (error["error"], error["message"]))
        return result

    def run(self, script, *arguments):
        """Returns the result of a function with this body, as JSON has it."""
        return self.command("WebDriver:ExecuteScript", script=script, args=list(arguments), newSandbox=True)["value"]

    def __exit__(self, *exception):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.socket.close()
