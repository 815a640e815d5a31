# SPDX-License-Identifier: GPL-2.0-or-later
"""Groups words by their hashes, which Python makes anew in each process."""
import collections
import json
import os

words = ["word%d" % (i * i % 7001) for i in range(6000)]
index = {}
for word in words:
    index.setdefault(frozenset([word, word[:5]]), set()).add(word)
groups = collections.defaultdict(set)
for word in words:
    groups[hash(word) % 997].add(word)
tree = json.loads(json.dumps([{"word": word, "beside": sorted(groups[hash(word) % 997])} for word in words[:1500]]))
os._exit(0)
