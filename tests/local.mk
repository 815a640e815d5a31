# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests that `make check` runs, all of which print TAP. `make check` fails if a test under tests/unit/ is not listed
# here.

# Unit tests: tests/unit/test_NAME.c is the program tests/unit/test_NAME, a cmocka program with one group, linked with
# the hosted core and unit_support_sources. To add one, add its line.
unit_tests = \
  tests/unit/model/profile/test_hint \
  tests/unit/record/engine/test_allocation \
  tests/unit/record/engine/test_allocation_realloc \
  tests/unit/model/profile/test_allocator \
  tests/unit/analyse/records/test_allocfns \
  tests/unit/analyse/transform/test_anonymize \
  tests/unit/base/test_arena \
  tests/unit/base/test_out_base64 \
  tests/unit/record/heap/test_ages \
  tests/unit/record/heap/test_blocks \
  tests/unit/record/heap/test_peak \
  tests/unit/record/heap/test_timekeeper \
  tests/unit/record/heap/test_blocks_locks \
  tests/unit/record/heap/test_blocks_shards \
  tests/unit/record/heap/test_blockstarts \
  tests/unit/analyse/limits/test_calibration \
  tests/unit/analyse/claims/test_claimrules \
  tests/unit/analyse/graph/test_census \
  tests/unit/record/heap/test_capture \
  tests/unit/record/heap/test_capture_random \
  tests/unit/analyse/records/test_changes \
  tests/unit/record/engine/test_channel \
  tests/unit/record/heap/test_claim \
  tests/unit/model/profile/test_claimblocks \
  tests/unit/analyse/transform/test_reduce_clamp \
  tests/unit/analyse/transform/test_merge_combine \
  tests/unit/analyse/graph/test_condense \
  tests/unit/record/engine/test_control \
  tests/unit/record/heap/test_counters \
  tests/unit/record/engine/test_dump \
  tests/unit/record/unwind/test_ehframe \
  tests/unit/show/export/test_export \
  tests/unit/show/export/test_exportmetrics \
  tests/unit/derive/test_derive \
  tests/unit/analyse/graph/test_dominators \
  tests/unit/base/test_fail \
  tests/unit/model/profile/test_fault \
  tests/unit/model/profile/test_fault_names \
  tests/unit/record/engine/test_cgroup \
  tests/unit/record/engine/test_filename \
  tests/unit/analyse/records/test_metrics \
  tests/unit/analyse/records/test_filter \
  tests/unit/debuginfo/test_flow \
  tests/unit/base/test_fnname \
  tests/unit/base/test_format \
  tests/unit/model/profile/test_frame \
  tests/unit/record/heap/test_fingerprints \
  tests/unit/record/heap/test_freed \
  tests/unit/analyse/limits/test_gate \
  tests/unit/base/test_str_glob \
  tests/unit/record/engine/test_graphdump \
  tests/unit/model/profile/test_groups \
  tests/unit/record/engine/test_handover \
  tests/unit/record/heap/test_heap \
  tests/unit/record/heap/test_heap_chunks \
  tests/unit/record/heap/test_heap_slabs \
  tests/unit/analyse/graph/test_nodekeys \
  tests/unit/record/heap/test_blockreferrers \
  tests/unit/record/heap/test_blockreferrers_random \
  tests/unit/model/graph/test_heapgraph \
  tests/unit/show/page/test_heapmap \
  tests/unit/show/export/test_heapsnapshot \
  tests/unit/files/profile/test_readerstate \
  tests/unit/analyse/limits/test_ignore \
  tests/unit/files/bundle/test_bundle \
  tests/unit/base/test_intern \
  tests/unit/record/engine/test_jemalloc \
  tests/unit/files/profile/test_profilewriter \
  tests/unit/base/test_jsonlimit \
  tests/unit/base/test_jsonout \
  tests/unit/record/engine/test_listing \
  tests/unit/analyse/graph/test_kinds \
  tests/unit/analyse/graph/test_proposal \
  tests/unit/record/heap/test_lastreports \
  tests/unit/analyse/graph/test_leaks \
  tests/unit/record/heap/test_live \
  tests/unit/record/heap/test_live_claim \
  tests/unit/record/heap/test_live_interleave tests/unit/record/heap/test_live_join \
  tests/unit/record/heap/test_live_left_open \
  tests/unit/record/heap/test_live_report \
  tests/unit/record/heap/test_live_sample \
  tests/unit/record/heap/test_live_scope \
  tests/unit/dmdv/input/test_profilefile \
  tests/unit/files/profile/test_read_hints \
  tests/unit/files/graph/test_graphmember \
  tests/unit/files/graph/test_graphreader \
  tests/unit/dmdv/input/test_profilefile_oom \
  tests/unit/record/engine/test_loaded \
  tests/unit/record/engine/test_prefixed \
  tests/unit/base/test_mangled \
  tests/unit/base/test_rustname \
  tests/unit/base/test_map \
  tests/unit/record/heap/test_bloom \
  tests/unit/model/profile/test_measured \
  tests/unit/analyse/records/test_record_measurefns \
  tests/unit/base/test_mem \
  tests/unit/record/engine/test_mempool \
  tests/unit/model/profile/test_memreports \
  tests/unit/analyse/transform/test_merge \
  tests/unit/record/engine/test_monitor \
  tests/unit/record/engine/test_nativeoptions \
  tests/unit/model/profile/test_frame_naming \
  tests/unit/model/graph/test_nesting_nearest \
  tests/unit/record/heap/test_nested \
  tests/unit/model/graph/test_nesting \
  tests/unit/base/zip/test_gzip \
  tests/unit/base/test_pool_numbering \
  tests/unit/record/engine/test_observed \
  tests/unit/record/engine/test_options \
  tests/unit/base/test_optiontable \
  tests/unit/base/test_out \
  tests/unit/base/test_files_outfile \
  tests/unit/analyse/graph/test_owners \
  tests/unit/analyse/graph/test_paths \
  tests/unit/show/page/test_session \
  tests/unit/show/page/test_pagedata \
  tests/unit/show/page/test_session_flame \
  tests/unit/show/page/test_session_graph \
  tests/unit/show/page/test_session_history \
  tests/unit/show/page/test_session_picks \
  tests/unit/show/page/test_session_records \
  tests/unit/show/page/test_session_views \
  tests/unit/show/text/test_peer_conformance \
  tests/unit/show/text/test_pieces \
  tests/unit/base/test_pool \
  tests/unit/analyse/tree/test_profile_amounts_processes \
  tests/unit/model/profile/test_profile \
  tests/unit/host/test_progress \
  tests/unit/historydb/test_digest \
  tests/unit/analyse/tree/test_profile_amounts \
  tests/unit/analyse/graph/test_typing_propagate \
  tests/unit/record/heap/test_published \
  tests/unit/record/heap/test_fastpath \
  tests/unit/show/page/test_query \
  tests/unit/base/test_random \
  tests/unit/analyse/records/test_record \
  tests/unit/analyse/records/test_record_fields \
  tests/unit/model/graph/test_referrers \
  tests/unit/analyse/history/test_stackset \
  tests/unit/analyse/transform/test_reduce \
  tests/unit/record/engine/test_replacednew \
  tests/unit/model/profile/test_profile_reporterruns \
  tests/unit/reporters/test_reporters \
  tests/unit/model/profile/test_reports \
  tests/unit/record/engine/test_requests \
  tests/unit/record/engine/test_requests_sampled \
  tests/unit/analyse/graph/test_retained \
  tests/unit/analyse/graph/test_stale \
  tests/unit/record/engine/test_roots \
  tests/unit/files/profile/test_roundtrip \
  tests/unit/analyse/records/test_rows \
  tests/unit/record/engine/test_rules \
  tests/unit/record/engine/test_running \
  tests/unit/record/heap/test_regions \
  tests/unit/record/heap/test_sample \
  tests/unit/model/profile/test_profile_sampled \
  tests/unit/files/profile/test_jsonvalue_jsonscan \
  tests/unit/model/profile/test_profile_scanned \
  tests/unit/analyse/graph/test_scangraph \
  tests/unit/record/heap/test_scope \
  tests/unit/base/test_sort_search \
  tests/unit/analyse/graph/test_select \
  tests/unit/analyse/limits/test_size \
  tests/unit/analyse/limits/test_calibration_sizescatter \
  tests/unit/record/heap/test_slabmap \
  tests/unit/record/heap/test_slabs \
  tests/unit/record/heap/test_snapshot \
  tests/unit/record/heap/test_snapshot_random \
  tests/unit/base/test_sort \
  tests/unit/record/heap/test_stack \
  tests/unit/record/unwind/test_stacktrie \
  tests/unit/analyse/history/test_changepoints \
  tests/unit/base/test_str \
  tests/unit/base/test_strbuf \
  tests/unit/analyse/limits/test_ttest \
  tests/unit/derive/suggest/test_suggest \
  tests/unit/record/engine/test_symbols \
  tests/unit/base/test_table \
  tests/unit/show/text/test_text \
  tests/unit/show/text/test_text_fault \
  tests/unit/show/text/test_text_leaks \
  tests/unit/show/text/test_text_record \
  tests/unit/show/text/test_text_retained \
  tests/unit/model/profile/test_translate \
  tests/unit/analyse/time/test_growth \
  tests/unit/analyse/tree/test_pathsums \
  tests/unit/analyse/tree/test_tree \
  tests/unit/model/graph/test_types \
  tests/unit/base/test_fnname_typename \
  tests/unit/analyse/graph/test_typing \
  tests/unit/analyse/findings/test_findings \
  tests/unit/analyse/waste/test_padding \
  tests/unit/analyse/waste/test_waste \
  tests/unit/record/unwind/test_unwind \
  tests/unit/record/unwind/test_unwind_frames \
  tests/unit/base/test_utf8 \
  tests/unit/files/profile/test_jsonvalue \
  tests/unit/model/graph/test_types_variables \
  tests/unit/analyse/limits/test_gate_verdict \
  tests/unit/base/test_files \
  tests/unit/record/unwind/test_unwindcache \
  tests/unit/base/test_wire

# Tests with threads, built with ThreadSanitizer, and the part of the core that they use, which is rebuilt for them. To
# add one, add its line; if it does not link, add the sources that it lacks.
thread_tests = \
  tests/threads/test_fleet \
  tests/threads/test_reporters \
  tests/threads/test_stacktrie \
  tests/threads/test_threads
thread_support_sources = \
  tests/threads/together.c tests/threads/together.h
thread_core_sources = \
  dmd/base/format.c dmd/base/intern.c dmd/base/lock.c dmd/base/map.c dmd/base/path.c dmd/base/pool.c dmd/base/random.c \
  dmd/base/sort.c dmd/base/str.c dmd/base/strbuf.c dmd/base/table.c dmd/base/utf8.c dmd/record/unwind/stacktrie.c \
  dmd/model/profile/allocator.c \
  dmd/record/heap/blockindex.c dmd/record/heap/blocks.c dmd/record/heap/claim.c dmd/record/heap/counters.c dmd/record/heap/freed.c \
  dmd/record/heap/heap.c dmd/record/heap/blockreferrers.c dmd/record/heap/interleave.c dmd/record/heap/lastreports.c dmd/record/heap/live.c dmd/record/heap/bloom.c \
  dmd/record/heap/live_report.c dmd/record/heap/live_scope.c dmd/record/heap/nested.c dmd/record/heap/pages.c dmd/record/heap/regions.c dmd/record/heap/peak.c dmd/record/heap/timekeeper.c dmd/record/heap/breakdowns.c dmd/record/heap/shard.c \
  dmd/record/heap/fastpath.c dmd/record/heap/sample.c dmd/record/heap/scope.c dmd/record/heap/slabmap.c dmd/record/heap/slabs.c \
  dmd/record/heap/addressmap.c dmd/record/heap/ages.c dmd/record/heap/snapshot.c dmd/record/heap/stack.c dmd/model/profile/hint.c dmd/model/profile/claimblocks.c \
  dmd/model/profile/fault.c dmd/model/profile/frame.c dmd/model/profile/groups.c dmd/model/profile/measured.c \
  dmd/model/profile/lifetimes.c dmd/model/profile/mapped.c dmd/model/profile/memreports.c dmd/model/profile/profile.c dmd/model/profile/reports.c \
  dmd/model/profile/timeline.c dmd/model/profile/translate.c
# Further sources for the test of dmdv's threads.
thread_reader_sources = \
  dmd/analyse/records/allocfns.c dmd/analyse/tree/amounts.c dmd/analyse/history/stackset.c \
  dmd/base/fail.c dmd/base/fnname.c dmd/base/jsonout.c dmd/base/out.c \
  dmd/base/wire.c dmd/files/graph/graphmember.c dmd/files/graph/graphwriter.c dmd/model/graph/heapgraph.c \
  dmd/model/graph/nesting.c dmd/files/profile/jsondocument.c dmd/files/graph/graphreaderstate.c \
  dmd/files/profile/profilereader.c dmd/files/profile/read_hints.c dmd/files/profile/read_blocks.c dmd/files/profile/read_frames.c dmd/files/graph/graphreader.c \
  dmd/files/graph/read_graph_names.c dmd/files/graph/read_graph_nodes.c dmd/files/profile/historyreader.c \
  dmd/files/profile/read_lifetimes.c \
  dmd/files/profile/read_run.c \
  dmd/files/profile/read_timeline.c \
  dmd/files/profile/readerstate.c dmd/files/profile/jsonvalue.c \
  dmd/host/process.c dmd/host/progress.c dmd/dmdv/input/fleet.c \
  dmd/dmdv/input/input.c dmd/dmdv/input/profilefile.c

# What unit tests share (a hosted env, a failing allocator, naive models).
unit_support_sources = \
  tests/unit/allocation_fixture.c tests/unit/allocation_fixture.h \
  tests/unit/census_fixture.c tests/unit/census_fixture.h \
  tests/unit/capture_fixture.c tests/unit/capture_fixture.h \
  tests/unit/engine_fixture.c tests/unit/engine_fixture.h \
  tests/unit/disk.h \
  tests/unit/enginehost.c tests/unit/enginehost_disk.c tests/unit/enginehost.h \
  tests/unit/fixture.c tests/unit/fixture.h \
  tests/unit/live_fixture.c tests/unit/live_fixture.h \
  tests/unit/heap_model.c tests/unit/heap_model.h tests/unit/slab_memory.h \
  tests/unit/heap_matrix.c tests/unit/heap_matrix.h \
  tests/unit/referrers_fixture.c tests/unit/referrers_fixture.h \
  tests/unit/shelf_fixture.c tests/unit/shelf_fixture.h \
  tests/unit/snapshot_fixture.c tests/unit/snapshot_fixture.h \
  tests/unit/process.c tests/unit/process.h tests/unit/not_here.h \
  tests/unit/page_fixture.c tests/unit/page_fixture.h \
  tests/unit/types_fixture.c tests/unit/types_fixture.h \
  tests/unit/host.c tests/unit/host.h

# Profiles for unit tests and fuzz targets. Nothing here needs cmocka.
profile_support_sources = \
  tests/profiles/analyses.c tests/profiles/analyses.h \
  tests/profiles/build.c tests/profiles/build.h \
  tests/profiles/random.c tests/profiles/random.h \
  tests/profiles/randomgraph.c tests/profiles/randomgraph.h \
  tests/profiles/spell.c tests/profiles/spell.h \
  tests/profiles/spellgraph.c \
  tests/profiles/writegraph.c

# Fuzz targets: tests/fuzz/fuzz_NAME.c is the program tests/fuzz/fuzz_NAME, which here runs the target on each file of
# tests/fuzz/corpus/fuzz_NAME/. `make fuzz` builds programs from them that search for new inputs.
fuzz_targets = \
  tests/fuzz/fuzz_channel \
  tests/fuzz/fuzz_control \
  tests/fuzz/fuzz_export \
  tests/fuzz/fuzz_filter \
  tests/fuzz/fuzz_graph \
  tests/fuzz/fuzz_graph_export \
  tests/fuzz/fuzz_history \
  tests/fuzz/fuzz_ignorefile \
  tests/fuzz/fuzz_bundle \
  tests/fuzz/fuzz_load \
  tests/fuzz/fuzz_memory_answer \
  tests/fuzz/fuzz_memory_reports \
  tests/fuzz/fuzz_page \
  tests/fuzz/fuzz_roundtrip \
  tests/fuzz/fuzz_size \
  tests/fuzz/fuzz_tree_path
fuzz_support_sources = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
fuzz_replay_sources = tests/fuzz/replay.c

# Scripts: the rules about sources, and the tests of documents, dmdv, tool and zoo, which have lists of their own. The
# longest come first, so that no processor is idle at the end while another runs a long test.
script_tests = \
  tests/tool/run \
  tests/native/tool \
  tests/reader/history \
  tests/reader/run \
  tests/viewer/browsers/run \
  tests/docs/run \
  tests/native/run \
  tests/rust/run \
  tests/zoo/run \
  tests/native/zoo \
  tests/viewer/run \
  tests/valgrind/run \
  tests/perf/run \
  build-aux/check-freestanding \
  build-aux/check-layering \
  build-aux/check-lists \
  build-aux/check-sizes
