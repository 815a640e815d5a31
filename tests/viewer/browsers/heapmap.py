# SPDX-License-Identifier: GPL-2.0-or-later
"""The heap map of a graph, by definition (dmd/show/page/heapmap.h): byte by byte, in the simplest way."""

import collections

PAGE = 4096
GAP = 1 << 20  # a gap of this size between blocks ends a region

Cell = collections.namedtuple("Cell", "address used values")  # values: bytes by value


class HeapMap:
    """graph: as harness.graphfile reads it; value_of: the value under which a block is counted."""

    def __init__(self, graph, value_of):
        # A block in another one belongs to that one. A block of zero bytes is invisible, but counted.
        self.blocks = sorted((block.address, block.address + block.requested + block.slop, value_of(block))
                             for block in graph.blocks if not block.outer)
        self.regions, self.gaps = [], []
        end = None
        for start, stop, _ in self.blocks:
            if end is None or start - end >= GAP:
                self.regions.append([start // PAGE * PAGE, stop])
            elif start > end:
                self.gaps.append((start - end, end))
            end = max(stop, end or 0)
            self.regions[-1][1] = end
        for region in self.regions:
            region[1] = -(-region[1] // PAGE) * PAGE
        self.size = sum(stop - start for start, stop in self.regions)

    def address(self, place):
        """The address at an offset in the map, in which regions follow each other without gaps."""
        for start, stop in self.regions:
            if place < stop - start:
                return start + place
            place -= stop - start
        raise IndexError(place)

    def _place(self, address):
        before = 0
        for start, stop in self.regions:
            if start <= address <= stop:
                return before + address - start
            before += stop - start
        raise IndexError(address)

    def cells(self, begin, end, most):
        """The part [begin, end) in at most so many cells; and the size of each."""
        size = max(1, -(-(end - begin) // most))
        cells = [Cell(self.address(place), [0], collections.Counter()) for place in range(begin, end, size)]
        for start, stop, value in self.blocks:
            first, last = self._place(start) - begin, self._place(stop) - begin
            for i in range(max(0, first // size), min(len(cells), -(-last // size))):
                part = min(last, (i + 1) * size) - max(first, i * size)
                cells[i].used[0] += part
                cells[i].values[value] += part
        return [cell._replace(used=cell.used[0]) for cell in cells], size

    def figures(self):
        pages = set()
        for start, stop, _ in self.blocks:
            pages.update(range(start // PAGE, -(-stop // PAGE)))
        used = sum(stop - start for start, stop, _ in self.blocks)
        return {"blocks": len(self.blocks), "bytes": used, "pages": len(pages), "free": len(pages) * PAGE - used,
                "holes": len(self.gaps), "hole bytes": sum(size for size, _ in self.gaps),
                "largest": max(self.gaps, key=lambda gap: (gap[0], -gap[1]), default=(0, 0))}
