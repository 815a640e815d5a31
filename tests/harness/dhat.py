# SPDX-License-Identifier: GPL-2.0-or-later
"""What DHAT, Valgrind's own profiler of blocks, says of a program."""

import json

from harness import files

ALLOCATORS = ("malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign")


def without_allocator(stack):
    """The names of a stack's functions without the one that allocates, which later versions of DHAT leave out."""
    return tuple(stack[1:] if stack[0] in ALLOCATORS else stack)


def points(path):
    """[(the functions of a stack, without_allocator; the figures of its blocks), ...] of a file that DHAT wrote."""
    doc = json.loads(files.read(path))
    names = [frame.split(": ", 1)[-1].rsplit(" (", 1)[0] for frame in doc["ftbl"]]
    return [(without_allocator([names[i] for i in point["fs"]]), point) for point in doc["pps"]]
