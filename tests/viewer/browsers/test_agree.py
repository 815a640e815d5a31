# SPDX-License-Identifier: GPL-2.0-or-later
"""Page and command line agree on every figure, fixture by fixture."""

import agree_graph
import agree_map
import agree_pictures
import agree_profile
import fixtures

PROFILE = [agree_profile.files, agree_profile.overview, agree_profile.records, agree_profile.by_what, agree_profile.tree,
           agree_profile.faults, agree_pictures.flame, agree_pictures.treemap]
GRAPH = [agree_graph.census, agree_graph.retained, agree_graph.paths, agree_graph.leaks, agree_graph.waste, agree_graph.owners,
         agree_graph.neighbours, agree_map.heap_map]


def agree(t, name, views):
    fixture = fixtures.ALL[name](t)
    page = t.open(*fixture.paths)
    for view in views:
        view(t, page, fixture)
    page.expect_quiet(t)


def test_catalog(t):
    agree(t, "catalog", PROFILE)


def test_catalog_graph(t):
    agree(t, "catalog", GRAPH)


def test_redis(t):
    agree(t, "redis", PROFILE)


def test_redis_graph(t):
    agree(t, "redis", GRAPH)


def test_firefox_profile(t):
    agree(t, "firefox", PROFILE)


def test_diff(t):
    agree(t, "diff", PROFILE + [agree_profile.changes])


def test_series(t):
    agree(t, "series", PROFILE + [agree_profile.changes])


def test_peak(t):
    """What the page opens with, without a word about the moment in its link."""
    agree(t, "peak", [agree_profile.files, agree_profile.overview, agree_profile.records, agree_profile.by_what, agree_profile.tree,
                      agree_profile.faults, agree_pictures.flame_whole, agree_pictures.treemap])


def test_sampled(t):
    agree(t, "sampled", [agree_pictures.flame_whole if view is agree_pictures.flame else view for view in PROFILE])


def test_graph(t):
    agree(t, "graph", GRAPH)
