# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of dmdv view, and the images in them (dmd/files/bundle/bundle.h)."""

import base64
import gzip
import json
import re
import struct

STUB = ('<!DOCTYPE html>\n<html><head><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        'connect-src \'none\'"><title>dmd</title></head>\n<body><p>text \u00e4</p>'
        '<script type="text/plain" id="dmd-image"></script></body></html>\n')
ELEMENT = '<script type="text/plain" id="dmd-image">'

FILES, SETTINGS, PROFILE, GRAPH = 1, 2, 3, 4
FIRST, TARGET, OFFSET, SIZE, BLOCKS = 5, 6, 7, 8, 9
SOURCES = 13
HISTORY, HISTORY_RECORDS = 15, 16
IS_PROFILE, IS_GRAPH = 0, 1
ALONE = (1 << 32) - 1


class Numbers:
    """Numbers of 7 bits a byte, and strings with their length in front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def string(self):
        if not self.number():
            return None
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].decode()


class Image:
    def __init__(self, data):
        assert data[:8] == b"dmdimage" and data[-4:] == b"dmdi", "no image"
        assert struct.unpack_from("<II", data, 8) == (1, 0)
        table, count = struct.unpack("<QI", data[-16:-4])
        assert table + 24 * count == len(data) - 16
        self.data, self.sections = data, {}
        for i in range(count):
            kind, index, offset, size = struct.unpack_from("<IIQQ", data, table + 24 * i)
            assert offset % 8 == 0 and offset + size <= table
            assert (kind, index) not in self.sections, "a section is there twice"
            self.sections[kind, index] = data[offset:offset + size]

    def profiles(self):
        return [json.loads(self.sections[key]) for key in sorted(self.sections) if key[0] == PROFILE]

    def n_graphs(self):
        return sum(kind == GRAPH for kind, _ in self.sections)

    def column(self, kind, index, letter):
        """The numbers of a graph's column; the letter is the type as struct names it."""
        data = self.sections[kind, index]
        return list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(letter), letter), data))

    def files(self):
        """A dictionary for each."""
        read = Numbers(self.sections[FILES, 0])
        files = []
        for _ in range(read.number()):
            files.append({"name": read.string(), "kind": read.number(), "index": read.number(), "beside": read.number(),
                          "records": read.number(), "bytes": read.number(), "nodes": read.number()})
        assert read.at == len(read.data)
        return files

    def settings(self):
        """(max_frames, full_names, patterns of alloc_fns)"""
        read = Numbers(self.sections[SETTINGS, 0])
        return read.number(), read.number(), [read.string() for _ in range(read.number())]

    def sources(self):
        """{file: {line: text}}"""
        read, sources = Numbers(self.sections[SOURCES, 0]), {}
        while (name := read.string()) is not None:
            lines = sources[name] = {}
            for _ in range(read.number()):
                line, length = read.number(), read.number()
                lines[line] = read.data[read.at:read.at + length].decode()
                read.at += length
        assert read.at == len(read.data)
        return sources


def image_of(page):
    """The image in the text of a page."""
    text = page.split(ELEMENT)[1].split("</script>")[0]
    assert re.fullmatch(r"(?:[A-Za-z0-9+/]{4096}\n)*[A-Za-z0-9+/]*={0,2}", text), "not base64 in lines"
    return Image(gzip.decompress(base64.b64decode(text)))
