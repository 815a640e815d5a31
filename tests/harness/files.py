# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading files back and writing them. Files that end in .gz are gzipped."""

import gzip
import json
import os


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def read_json(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def write(path, content):
    """Writes text or bytes unchanged; returns the path."""
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return path


def write_program(path, script):
    """Writes an executable script; returns the path."""
    write(path, script)
    os.chmod(path, 0o755)
    return path
