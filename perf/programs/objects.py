# SPDX-License-Identifier: GPL-2.0-or-later
"""A small interpreter's day: parse JSON, build objects, join strings, sort, drop half of it."""
import json


class Node:
    def __init__(self, key, value):
        self.key, self.value, self.children = key, value, []


def build(n):
    nodes = [Node(f"node-{i}", {"n": i, "text": "x" * (i % 50)}) for i in range(n)]
    for i, node in enumerate(nodes[1:], 1):
        nodes[i // 2].children.append(node)
    return nodes


def main():
    for _ in range(3):
        nodes = build(5000)
        text = json.dumps([node.value for node in nodes])
        rows = json.loads(text)
        rows.sort(key=lambda row: (len(row["text"]), -row["n"]))
        words = " ".join(row["text"] for row in rows).split()
        print(len(text), len(words), len(set(words)))


main()
