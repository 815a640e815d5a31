# SPDX-License-Identifier: GPL-2.0-or-later
"""A Prometheus server for the tests, from Debian's package, on a local port."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request

from harness import commands
from harness.expect import Failure, Skip


def need():
    for program in ("prometheus", "promtool"):
        if shutil.which(program) is None:
            raise Skip("no %s: install prometheus" % program)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Prometheus:
    """Runs for a `with`; scrapes the addresses in targets, and serves the data in the folder `data`."""

    def __init__(self, folder, data, targets=()):
        need()
        self.folder, self.data, self.port = folder, data, free_port()
        self.config = os.path.join(folder, "prometheus.yml")
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({"scrape_configs": [{"job_name": "dmd", "scrape_interval": "1s", "honor_labels": True,
                                           "static_configs": [{"targets": list(targets)}]}]}, file)

    def __enter__(self):
        self.log = open(os.path.join(self.folder, "prometheus.log"), "wb")
        self.process = subprocess.Popen(
            ["prometheus", "--config.file=" + self.config, "--storage.tsdb.path=" + self.data,
             "--storage.tsdb.retention.time=100y", "--web.listen-address=127.0.0.1:%d" % self.port],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()

    def ask(self, query, at=None):
        """The result of a query, each series as (labels, value or values); None if it does not answer yet."""
        words = {"query": query, **({"time": at} if at is not None else {})}
        url = "http://127.0.0.1:%d/api/v1/query?%s" % (self.port, urllib.parse.urlencode(words))
        try:
            with urllib.request.urlopen(url) as answer:
                result = json.load(answer)["data"]["result"]
        except OSError:
            return None
        return [(series["metric"], series.get("value", series.get("values"))) for series in result]

    def wait_for(self, query, at=None):
        """Waits for a result of the query that is not empty; returns it."""
        deadline = time.monotonic() + commands.HANG_SECONDS
        while not (result := self.ask(query, at)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failure("Prometheus does not know %s, its status is %s: see %s"
                              % (query, self.process.poll(), self.log.name))
            time.sleep(0.05)  # between two tries
        return result
