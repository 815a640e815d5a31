# SPDX-License-Identifier: GPL-2.0-or-later
"""A profile and its heap graph in one file (docs/format.md), put together and taken apart without dmd's code."""

import struct

HEADER, EMPTY = bytes.fromhex("1f8b08040000000000ff"), bytes.fromhex("03000000000000000000")


def member(kind, piece):
    field = b"D" + kind + struct.pack("<H", len(piece)) + piece
    return HEADER + struct.pack("<H", len(field)) + field + EMPTY


def join(profile, graph, size=0xfffb):
    """The file with both, which are gzipped, in pieces of this size."""
    members = b"".join(member(b"G", graph[i:i + size]) for i in range(0, len(graph), size))
    return profile + members + member(b"E", struct.pack("<Q", len(members)))


def parts(file):
    """(profile, graph), both gzipped; the graph is None if the file has only a profile."""
    last = len(file) - 34
    if last < 0 or file[last:last + 16] != member(b"E", bytes(8))[:16]:
        return file, None
    distance, = struct.unpack("<Q", file[last + 16:last + 24])
    at, pieces = last - distance, []
    while at < last:
        n, = struct.unpack("<H", file[at + 14:at + 16])
        pieces.append(file[at + 16:at + 16 + n])
        assert file[at:at + 26 + n] == member(b"G", pieces[-1]), "a broken member at %d" % at
        at += 26 + n
    return file[:last - distance], b"".join(pieces)
