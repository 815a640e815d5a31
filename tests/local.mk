# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests that `make check` runs, all of which print TAP. A test under tests/unit/ that is not listed here fails it.

# Unit tests: tests/unit/test_NAME.c is the program tests/unit/test_NAME, a cmocka program of one group, linked with
# the hosted core and with what is in unit_support_sources. To add one, add its line.
unit_tests = \
  tests/unit/test_advice \
  tests/unit/test_allocation \
  tests/unit/test_allocation_realloc \
  tests/unit/test_allocator \
  tests/unit/test_allocfns \
  tests/unit/test_anonymize \
  tests/unit/test_arena \
  tests/unit/test_base64 \
  tests/unit/test_blocks \
  tests/unit/test_blocks_locks \
  tests/unit/test_blocks_parts \
  tests/unit/test_blockstarts \
  tests/unit/test_calibration \
  tests/unit/test_census \
  tests/unit/test_capture \
  tests/unit/test_capture_random \
  tests/unit/test_changes \
  tests/unit/test_claim \
  tests/unit/test_claimblocks \
  tests/unit/test_clamp \
  tests/unit/test_combine \
  tests/unit/test_condense \
  tests/unit/test_control \
  tests/unit/test_counters \
  tests/unit/test_dump \
  tests/unit/test_ehframe \
  tests/unit/test_export \
  tests/unit/test_exportfigures \
  tests/unit/test_derive \
  tests/unit/test_dominators \
  tests/unit/test_fail \
  tests/unit/test_fault \
  tests/unit/test_faultnames \
  tests/unit/test_filename \
  tests/unit/test_figures \
  tests/unit/test_filter \
  tests/unit/test_flow \
  tests/unit/test_fnname \
  tests/unit/test_format \
  tests/unit/test_frame \
  tests/unit/test_freed \
  tests/unit/test_gate \
  tests/unit/test_glob \
  tests/unit/test_graphdump \
  tests/unit/test_groups \
  tests/unit/test_heap \
  tests/unit/test_heap_chunks \
  tests/unit/test_heap_slabs \
  tests/unit/test_heldby \
  tests/unit/test_holders \
  tests/unit/test_holders_random \
  tests/unit/test_heapgraph \
  tests/unit/test_heapmap \
  tests/unit/test_heapsnapshot \
  tests/unit/test_ids \
  tests/unit/test_ignore \
  tests/unit/test_image \
  tests/unit/test_intern \
  tests/unit/test_jemalloc \
  tests/unit/test_json \
  tests/unit/test_jsonout \
  tests/unit/test_listing \
  tests/unit/test_kinds \
  tests/unit/test_knownvariables \
  tests/unit/test_lasttime \
  tests/unit/test_leaks \
  tests/unit/test_live \
  tests/unit/test_live_claim \
  tests/unit/test_live_interleave tests/unit/test_live_join \
  tests/unit/test_live_left_open \
  tests/unit/test_live_report \
  tests/unit/test_live_sample \
  tests/unit/test_live_scope \
  tests/unit/test_load \
  tests/unit/test_load_advices \
  tests/unit/test_load_graph \
  tests/unit/test_load_oom \
  tests/unit/test_loaded \
  tests/unit/test_mangled \
  tests/unit/test_map \
  tests/unit/test_marks \
  tests/unit/test_measured \
  tests/unit/test_measurefns \
  tests/unit/test_mem \
  tests/unit/test_mempool \
  tests/unit/test_memreports \
  tests/unit/test_merge \
  tests/unit/test_monitor \
  tests/unit/test_nativeoptions \
  tests/unit/test_naming \
  tests/unit/test_nearest \
  tests/unit/test_nested \
  tests/unit/test_nesting \
  tests/unit/test_noise \
  tests/unit/test_numbering \
  tests/unit/test_oldheader \
  tests/unit/test_observed \
  tests/unit/test_options \
  tests/unit/test_optiontable \
  tests/unit/test_out \
  tests/unit/test_outfile \
  tests/unit/test_owners \
  tests/unit/test_paths \
  tests/unit/test_page \
  tests/unit/test_pagedata \
  tests/unit/test_page_flame \
  tests/unit/test_page_graph \
  tests/unit/test_page_history \
  tests/unit/test_page_picks \
  tests/unit/test_page_records \
  tests/unit/test_page_views \
  tests/unit/test_peer_conformance \
  tests/unit/test_pieces \
  tests/unit/test_pool \
  tests/unit/test_processes \
  tests/unit/test_profile \
  tests/unit/test_progress \
  tests/unit/test_profile_amounts \
  tests/unit/test_propagate \
  tests/unit/test_published \
  tests/unit/test_quick \
  tests/unit/test_query \
  tests/unit/test_random \
  tests/unit/test_record \
  tests/unit/test_recordfields \
  tests/unit/test_referrers \
  tests/unit/test_recordset \
  tests/unit/test_reduce \
  tests/unit/test_replacednew \
  tests/unit/test_reporterruns \
  tests/unit/test_reports \
  tests/unit/test_requests \
  tests/unit/test_requests_sampled \
  tests/unit/test_retained \
  tests/unit/test_roots \
  tests/unit/test_roundtrip \
  tests/unit/test_rows \
  tests/unit/test_rules \
  tests/unit/test_running \
  tests/unit/test_sample \
  tests/unit/test_sampled \
  tests/unit/test_scan \
  tests/unit/test_scanned \
  tests/unit/test_scangraph \
  tests/unit/test_scope \
  tests/unit/test_search \
  tests/unit/test_select \
  tests/unit/test_size \
  tests/unit/test_sizescatter \
  tests/unit/test_slabmap \
  tests/unit/test_slabs \
  tests/unit/test_snapshot \
  tests/unit/test_snapshot_random \
  tests/unit/test_sort \
  tests/unit/test_stack \
  tests/unit/test_stacktable \
  tests/unit/test_steps \
  tests/unit/test_str \
  tests/unit/test_strbuf \
  tests/unit/test_student \
  tests/unit/test_suggest \
  tests/unit/test_symbols \
  tests/unit/test_table \
  tests/unit/test_text \
  tests/unit/test_text_fault \
  tests/unit/test_text_leaks \
  tests/unit/test_text_record \
  tests/unit/test_text_retained \
  tests/unit/test_translate \
  tests/unit/test_tree \
  tests/unit/test_types \
  tests/unit/test_typename \
  tests/unit/test_typing \
  tests/unit/test_unwind \
  tests/unit/test_unwind_frames \
  tests/unit/test_utf8 \
  tests/unit/test_value \
  tests/unit/test_variables \
  tests/unit/test_verdict \
  tests/unit/test_walks \
  tests/unit/test_wireread

# Tests with threads, built with ThreadSanitizer, and the part of the core that they use, which is built anew for them.
# To add one, add its line; if it does not link, add what it lacks.
thread_tests = \
  tests/threads/test_fleet \
  tests/threads/test_stacktable \
  tests/threads/test_threads
thread_support_sources = \
  tests/threads/together.c tests/threads/together.h
thread_core_sources = \
  dmd/base/format.c dmd/base/intern.c dmd/base/lock.c dmd/base/map.c dmd/base/path.c dmd/base/pool.c dmd/base/random.c \
  dmd/base/sort.c dmd/base/str.c dmd/base/strbuf.c dmd/base/table.c dmd/base/utf8.c dmd/engine/stacktable.c \
  dmd/live/allocator.c \
  dmd/live/blockindex.c dmd/live/blocks.c dmd/live/claim.c dmd/live/contents.c dmd/live/counters.c dmd/live/freed.c \
  dmd/live/heap.c dmd/live/holders.c dmd/live/interleave.c dmd/live/lasttime.c dmd/live/live.c dmd/live/marks.c \
  dmd/live/live_report.c dmd/live/live_scope.c dmd/live/nested.c dmd/live/pages.c dmd/live/part.c \
  dmd/live/published.c dmd/live/quick.c dmd/live/sample.c dmd/live/scope.c dmd/live/slabmap.c dmd/live/slabs.c \
  dmd/live/slots.c dmd/live/snapshot.c dmd/live/stack.c dmd/profile/advice.c dmd/profile/claimblocks.c \
  dmd/profile/fault.c dmd/profile/faultnames.c dmd/profile/frame.c dmd/profile/groups.c dmd/profile/measured.c \
  dmd/profile/memreports.c dmd/profile/profile.c dmd/profile/reporterruns.c dmd/profile/reports.c dmd/profile/sampled.c \
  dmd/profile/scanned.c dmd/profile/translate.c
# What the test of dmdv's threads needs besides.
thread_reader_sources = \
  dmd/analysis/allocfns.c dmd/analysis/amounts.c dmd/analysis/normalize.c dmd/analysis/recordset.c \
  dmd/base/fail.c dmd/base/fnname.c dmd/base/out.c \
  dmd/base/glob.c dmd/base/wire.c dmd/base/wireread.c dmd/graph/graph.c dmd/graph/graphfile.c dmd/graph/heapgraph.c \
  dmd/graph/nesting.c dmd/load/cutter.c dmd/load/document.c dmd/load/graphmessages.c dmd/load/graphparts.c \
  dmd/load/ids.c dmd/load/load.c dmd/load/load_advices.c dmd/load/load_blocks.c dmd/load/load_frames.c dmd/load/load_graph.c \
  dmd/load/load_graph_names.c dmd/load/load_graph_nodes.c dmd/load/load_history.c dmd/load/load_reports.c \
  dmd/load/load_run.c \
  dmd/load/load_traces.c dmd/load/loader.c dmd/load/scan.c dmd/load/value.c dmd/profile/naming.c \
  dmd/reader/host/host.c dmd/reader/host/memory.c dmd/reader/host/message.c dmd/reader/host/progress.c dmd/reader/input/fleet.c \
  dmd/reader/input/input.c dmd/reader/input/load.c

# What unit tests share (a hosted env, a failing allocator, naive models).
unit_support_sources = \
  tests/unit/allocation_fixture.c tests/unit/allocation_fixture.h \
  tests/unit/census_fixture.c tests/unit/census_fixture.h \
  tests/unit/capture_fixture.c tests/unit/capture_fixture.h \
  tests/unit/engine_fixture.c tests/unit/engine_fixture.h \
  tests/unit/enginehost.c tests/unit/enginehost.h \
  tests/unit/fixture.c tests/unit/fixture.h \
  tests/unit/live_fixture.c tests/unit/live_fixture.h \
  tests/unit/heap_model.c tests/unit/heap_model.h tests/unit/slab_memory.h \
  tests/unit/heap_matrix.c tests/unit/heap_matrix.h \
  tests/unit/holders_fixture.c tests/unit/holders_fixture.h \
  tests/unit/shelf_fixture.c tests/unit/shelf_fixture.h \
  tests/unit/snapshot_fixture.c tests/unit/snapshot_fixture.h \
  tests/unit/process.c tests/unit/process.h tests/unit/not_here.h \
  tests/unit/page_fixture.c tests/unit/page_fixture.h \
  tests/unit/types_fixture.c tests/unit/types_fixture.h \
  tests/unit/host.c tests/unit/host.h

# Profiles to try things with, for unit tests and fuzz targets. Nothing here needs cmocka.
profile_support_sources = \
  tests/profiles/analyses.c tests/profiles/analyses.h \
  tests/profiles/build.c tests/profiles/build.h \
  tests/profiles/random.c tests/profiles/random.h \
  tests/profiles/randomgraph.c tests/profiles/randomgraph.h \
  tests/profiles/spell.c tests/profiles/spell.h \
  tests/profiles/spellgraph.c \
  tests/profiles/writegraph.c

# Fuzz targets: tests/fuzz/fuzz_NAME.c is the program tests/fuzz/fuzz_NAME, which here calls the target with each file
# of tests/fuzz/corpus/fuzz_NAME/. `make fuzz` makes programs of them that look for more.
fuzz_targets = \
  tests/fuzz/fuzz_control \
  tests/fuzz/fuzz_export \
  tests/fuzz/fuzz_filter \
  tests/fuzz/fuzz_graph \
  tests/fuzz/fuzz_graph_export \
  tests/fuzz/fuzz_history \
  tests/fuzz/fuzz_ignorefile \
  tests/fuzz/fuzz_image \
  tests/fuzz/fuzz_load \
  tests/fuzz/fuzz_memory_reports \
  tests/fuzz/fuzz_page \
  tests/fuzz/fuzz_roundtrip \
  tests/fuzz/fuzz_size \
  tests/fuzz/fuzz_tree_path
fuzz_support_sources = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
fuzz_replay_sources = tests/fuzz/replay.c

# Scripts: the rules about sources, and the tests of documents, dmdv, tool and zoo, which have lists of their own. Those
# that take longest come first, so that at the end no processor waits long for another.
script_tests = \
  tests/tool/run \
  tests/native/tool \
  tests/reader/run \
  tests/viewer/browsers/run \
  tests/docs/run \
  tests/native/run \
  tests/zoo/run \
  tests/native/zoo \
  tests/viewer/run \
  tests/valgrind/run \
  tests/perf/run \
  build-aux/check-freestanding \
  build-aux/check-layering \
  build-aux/check-lists \
  build-aux/check-sizes
