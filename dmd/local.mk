# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sources under dmd/, one file per line. `make check` fails if a file is in no list here.

# The core: compiled into the tool and, hosted, into dmdv and the unit tests.
dmd_core_sources = \
  dmd/base/arena.c dmd/base/arena.h \
  dmd/base/bitset.h \
  dmd/base/env.h \
  dmd/base/fail.c dmd/base/fail.h \
  dmd/base/files.c dmd/base/files.h \
  dmd/base/fnname.c dmd/base/fnname.h \
  dmd/base/format.c dmd/base/format.h \
  dmd/base/intern.c dmd/base/intern.h \
  dmd/base/jsonlimit.c dmd/base/jsonlimit.h \
  dmd/base/jsonout.c dmd/base/jsonout.h \
  dmd/base/limits.h \
  dmd/base/machine.h dmd/base/amd64/machine.h dmd/base/arm64/machine.h \
  dmd/base/lock.c dmd/base/lock.h \
  dmd/base/mangled.c dmd/base/mangled.h \
  dmd/base/rustname.c dmd/base/rustname.h \
  dmd/base/map.c dmd/base/map.h \
  dmd/base/mem.h \
  dmd/base/optiontable.c dmd/base/optiontable.h \
  dmd/base/out.c dmd/base/out.h \
  dmd/base/path.c dmd/base/path.h \
  dmd/base/pool.c dmd/base/pool.h \
  dmd/base/random.c dmd/base/random.h \
  dmd/base/sort.c dmd/base/sort.h \
  dmd/base/str.c dmd/base/str.h \
  dmd/base/strbuf.c dmd/base/strbuf.h \
  dmd/base/table.c dmd/base/table.h \
  dmd/base/utf8.c dmd/base/utf8.h \
  dmd/base/wire.c dmd/base/wire.h \
  dmd/model/profile/hint.c dmd/model/profile/hint.h \
  dmd/model/profile/claimblocks.c dmd/model/profile/claimblocks.h \
  dmd/model/profile/fault.c dmd/model/profile/fault.h \
  dmd/model/profile/frame.c dmd/model/profile/frame.h \
  dmd/model/profile/groups.c dmd/model/profile/groups.h \
  dmd/files/profile/profilewriter.c dmd/files/profile/profilewriter.h \
  dmd/files/profile/write_timeline.c \
  dmd/model/profile/mapped.c dmd/model/profile/mapped.h \
  dmd/model/profile/measured.c dmd/model/profile/measured.h \
  dmd/model/profile/profile.c dmd/model/profile/profile.h \
  dmd/model/profile/lifetimes.c dmd/model/profile/lifetimes.h \
  dmd/model/profile/memreports.c dmd/model/profile/memreports.h \
  dmd/model/profile/reports.c dmd/model/profile/reports.h \
  dmd/model/profile/timeline.c dmd/model/profile/timeline.h \
  dmd/model/profile/translate.c dmd/model/profile/translate.h \
  dmd/analyse/records/addresses.c dmd/analyse/records/addresses.h \
  dmd/analyse/records/hintsum.c dmd/analyse/records/hintsum.h \
  dmd/analyse/records/allocfns.c dmd/analyse/records/allocfns.h \
  dmd/analyse/time/growth.c dmd/analyse/time/growth.h \
  dmd/analyse/time/grown.c dmd/analyse/time/grown.h \
  dmd/analyse/time/when.c dmd/analyse/time/when.h \
  dmd/analyse/tree/amounts.c dmd/analyse/tree/amounts.h \
  dmd/analyse/transform/anonymize.c dmd/analyse/transform/anonymize.h \
  dmd/analyse/limits/calibration.c dmd/analyse/limits/calibration.h \
  dmd/analyse/records/changes.c dmd/analyse/records/changes.h \
  dmd/analyse/records/metrics.c dmd/analyse/records/metrics.h \
  dmd/analyse/records/filter.c dmd/analyse/records/filter.h \
  dmd/analyse/limits/gate.c dmd/analyse/limits/gate.h \
  dmd/analyse/history/history.c dmd/analyse/history/history.h \
  dmd/analyse/limits/ignore.c dmd/analyse/limits/ignore.h \
  dmd/analyse/transform/merge.c dmd/analyse/transform/merge.h \
  dmd/analyse/records/allocsite.c dmd/analyse/records/allocsite.h \
  dmd/analyse/records/plain.c dmd/analyse/records/plain.h \
  dmd/analyse/tree/pathsums.c dmd/analyse/tree/pathsums.h \
  dmd/analyse/tree/profile_amounts.c dmd/analyse/tree/profile_amounts.h \
  dmd/analyse/records/record.c dmd/analyse/records/record.h \
  dmd/analyse/history/stackset.c dmd/analyse/history/stackset.h \
  dmd/analyse/transform/reduce.c dmd/analyse/transform/reduce.h \
  dmd/analyse/records/rows.c dmd/analyse/records/rows.h \
  dmd/analyse/limits/size.c dmd/analyse/limits/size.h \
  dmd/analyse/history/changepoints.c dmd/analyse/history/changepoints.h \
  dmd/analyse/history/fits.c dmd/analyse/history/fits.h \
  dmd/analyse/limits/ttest.c dmd/analyse/limits/ttest.h \
  dmd/analyse/limits/wasted.c dmd/analyse/limits/wasted.h \
  dmd/analyse/records/sums.c dmd/analyse/records/sums.h \
  dmd/analyse/tree/tree.c dmd/analyse/tree/tree.h \
  dmd/analyse/tree/treecolumns.c dmd/analyse/tree/treecolumns.h \
  dmd/analyse/claims/claimcases.c dmd/analyse/claims/claimcases.h \
  dmd/analyse/claims/claimdefects.c dmd/analyse/claims/claimdefects.h \
  dmd/analyse/claims/claimgraph.c dmd/analyse/claims/claimgraph.h \
  dmd/analyse/claims/claimrules.c dmd/analyse/claims/claimrules.h \
  dmd/analyse/claims/claimsetparts.c dmd/analyse/claims/claimsetparts.h \
  dmd/analyse/claims/figure.c dmd/analyse/claims/figure.h \
  dmd/analyse/graph/condense.c dmd/analyse/graph/condense.h \
  dmd/analyse/graph/census.c dmd/analyse/graph/census.h \
  dmd/analyse/graph/dominators.c dmd/analyse/graph/dominators.h \
  dmd/analyse/graph/edgemask.c dmd/analyse/graph/edgemask.h \
  dmd/files/graph/graphwriter.c dmd/files/graph/graphwriter.h \
  dmd/model/graph/heapgraph.c dmd/model/graph/heapgraph.h \
  dmd/analyse/graph/kinds.c dmd/analyse/graph/kinds.h \
  dmd/analyse/graph/leaks.c dmd/analyse/graph/leaks.h \
  dmd/analyse/graph/owners.c dmd/analyse/graph/owners.h \
  dmd/model/graph/nesting.c dmd/model/graph/nesting.h \
  dmd/analyse/graph/nodekeys.c dmd/analyse/graph/nodekeys.h \
  dmd/analyse/graph/paths.c dmd/analyse/graph/paths.h \
  dmd/analyse/graph/proposal.c dmd/analyse/graph/proposal.h \
  dmd/model/graph/referrers.c dmd/model/graph/referrers.h \
  dmd/analyse/graph/retained.c dmd/analyse/graph/retained.h \
  dmd/analyse/graph/scangraph.c dmd/analyse/graph/scangraph.h \
  dmd/analyse/graph/select.c dmd/analyse/graph/select.h \
  dmd/analyse/graph/stale.c dmd/analyse/graph/stale.h \
  dmd/model/graph/types.c dmd/model/graph/types.h \
  dmd/analyse/graph/typing.c dmd/analyse/graph/typing.h \
  dmd/analyse/waste/containers.c dmd/analyse/waste/containers.h \
  dmd/analyse/waste/contents.c dmd/analyse/waste/contents.h \
  dmd/analyse/waste/findings.c dmd/analyse/waste/findings.h \
  dmd/analyse/waste/padding.c dmd/analyse/waste/padding.h \
  dmd/analyse/waste/pinned.c dmd/analyse/waste/pinned.h \
  dmd/analyse/waste/waste.c dmd/analyse/waste/waste.h \
  dmd/analyse/findings/findings.c dmd/analyse/findings/findings.h \
  dmd/show/text/escape.c dmd/show/text/escape.h \
  dmd/show/text/gate_output.c \
  dmd/show/text/gate_output.h \
  dmd/show/text/pieces.c dmd/show/text/pieces.h \
  dmd/show/text/print.c dmd/show/text/print.h \
  dmd/show/text/printer.c dmd/show/text/printer.h \
  dmd/show/text/record_json.c dmd/show/text/record_json.h \
  dmd/show/text/text.c dmd/show/text/text.h \
  dmd/show/text/text_hints.c \
  dmd/show/text/text_census.c dmd/show/text/text_graph.h \
  dmd/show/text/text_claims.c dmd/show/text/text_claims.h \
  dmd/show/text/text_figure.c dmd/show/text/text_figure.h \
  dmd/show/text/text_fault.c \
  dmd/show/text/text_findings.c dmd/show/text/text_findings.h \
  dmd/show/text/text_gate.c dmd/show/text/text_gate.h \
  dmd/show/text/text_history.c dmd/show/text/text_history.h \
  dmd/show/text/text_leaks.c \
  dmd/show/text/text_lifetimes.c dmd/show/text/text_lifetimes.h \
  dmd/show/text/text_owners.c \
  dmd/show/text/text_overview.c dmd/show/text/text_overview.h \
  dmd/show/text/text_paths.c \
  dmd/show/text/text_record.c \
  dmd/show/text/text_referrers.c \
  dmd/show/text/text_retained.c \
  dmd/show/text/text_rows.c dmd/show/text/text_rows.h \
  dmd/show/text/text_timeline.c dmd/show/text/text_timeline.h \
  dmd/show/text/text_tree.c dmd/show/text/text_tree.h \
  dmd/show/text/text_waste.c dmd/show/text/text_waste.h \
  dmd/show/text/text_waste_advice.c dmd/show/text/text_waste_advice.h \
  dmd/show/text/tree_json.c dmd/show/text/tree_json.h \
  dmd/show/export/export.h \
  dmd/show/export/export_about_memory.c \
  dmd/show/export/export_callgrind.c \
  dmd/show/export/export_collapsed.c \
  dmd/show/export/dropframes.c dmd/show/export/dropframes.h \
  dmd/show/export/samples.c dmd/show/export/samples.h \
  dmd/show/export/export_dhat.c \
  dmd/show/export/export_fxsnapshot.c dmd/show/export/fxsnapshot.proto \
  dmd/show/export/export_heapsnapshot.c \
  dmd/show/export/export_memory_metrics.c \
  dmd/show/export/export_speedscope.c \
  dmd/show/export/exportmetrics.c dmd/show/export/exportmetrics.h \
  dmd/show/export/heapsnapshot.c dmd/show/export/heapsnapshot.h \
  dmd/files/bundle/bundle.c dmd/files/bundle/bundle.h \
  dmd/files/bundle/bundlecursor.c dmd/files/bundle/bundlecursor.h \
  dmd/files/bundle/bundlegraph.c \
  dmd/files/bundle/bundlehistory.c dmd/files/bundle/bundlehistory.h \
  dmd/files/bundle/bundlenames.c dmd/files/bundle/bundlenames.h \
  dmd/files/bundle/bundletypes.c dmd/files/bundle/bundletypes.h \
  dmd/files/bundle/bundlewriter.c dmd/files/bundle/bundlewriter.h \
  dmd/files/profile/jsondocument.c dmd/files/profile/jsondocument.h \
  dmd/files/graph/graphmember.c dmd/files/graph/graphmember.h \
  dmd/files/graph/graphreaderstate.h \
  dmd/files/graph/graphreaderstate.c \
  dmd/files/profile/profilereader.c dmd/files/profile/profilereader.h \
  dmd/files/profile/read_hints.c \
  dmd/files/profile/read_blocks.c \
  dmd/files/profile/read_frames.c \
  dmd/files/graph/graphreader.c dmd/files/graph/graphreader.h \
  dmd/files/graph/read_graph_names.c \
  dmd/files/graph/read_graph_nodes.c \
  dmd/files/profile/historyreader.c dmd/files/profile/historyreader.h \
  dmd/files/profile/read_lifetimes.c \
  dmd/files/profile/read_run.c \
  dmd/files/profile/read_timeline.c \
  dmd/files/profile/readerstate.c dmd/files/profile/readerstate.h \
  dmd/files/profile/source.h \
  dmd/files/profile/jsonvalue.c dmd/files/profile/jsonvalue.h \
  dmd/show/page/answer.c dmd/show/page/answer.h \
  dmd/show/page/ask_census.c \
  dmd/show/page/ask_claims.c \
  dmd/show/page/ask_curves.c \
  dmd/show/page/ask_faults.c \
  dmd/show/page/ask_files.c \
  dmd/show/page/ask_flame.c \
  dmd/show/page/ask_graph.c \
  dmd/show/page/ask_history.c \
  dmd/show/page/ask_lifetimes.c \
  dmd/show/page/ask_map.c \
  dmd/show/page/ask_overview.c \
  dmd/show/page/ask_record.c \
  dmd/show/page/ask_records.c \
  dmd/show/page/ask_retained.c \
  dmd/show/page/ask_series.c \
  dmd/show/page/ask_text.c \
  dmd/show/page/ask_timeline.c \
  dmd/show/page/ask_tree.c \
  dmd/show/page/ask_treemap.c \
  dmd/show/page/ask_waste.c \
  dmd/show/page/asks.c dmd/show/page/asks.h \
  dmd/show/page/flame.c dmd/show/page/flame.h \
  dmd/show/page/heapmap.c dmd/show/page/heapmap.h \
  dmd/show/page/nest.c dmd/show/page/nest.h \
  dmd/show/page/session.c dmd/show/page/session.h \
  dmd/show/page/picks.c dmd/show/page/picks.h \
  dmd/show/page/pagedata.c dmd/show/page/pagedata.h \
  dmd/show/page/pagegraph.c dmd/show/page/pagegraph.h \
  dmd/show/page/pagehistory.c dmd/show/page/pagehistory.h \
  dmd/show/page/query.c dmd/show/page/query.h \
  dmd/show/page/recordlist.c dmd/show/page/recordlist.h \
  dmd/show/page/view.c dmd/show/page/view.h \
  dmd/model/profile/allocator.c dmd/model/profile/allocator.h \
  dmd/record/heap/block.h \
  dmd/record/heap/blockindex.c dmd/record/heap/blockindex.h \
  dmd/record/heap/blockstarts.c dmd/record/heap/blockstarts.h \
  dmd/record/heap/blocks.c dmd/record/heap/blocks.h \
  dmd/record/heap/capture.c dmd/record/heap/capture.h \
  dmd/record/heap/claim.c dmd/record/heap/claim.h \
  dmd/record/heap/counters.c dmd/record/heap/counters.h \
  dmd/record/heap/fingerprints.c dmd/record/heap/fingerprints.h \
  dmd/record/heap/freed.c dmd/record/heap/freed.h \
  dmd/record/heap/heap.c dmd/record/heap/heap.h \
  dmd/record/heap/blockreferrers.c dmd/record/heap/blockreferrers.h \
  dmd/record/heap/lastreports.c dmd/record/heap/lastreports.h \
  dmd/record/heap/live.c dmd/record/heap/live.h \
  dmd/record/heap/live_report.c \
  dmd/record/heap/interleave.c dmd/record/heap/interleave.h \
  dmd/record/heap/live_scope.c \
  dmd/record/heap/mappings.c dmd/record/heap/mappings.h \
  dmd/record/heap/bloom.c dmd/record/heap/bloom.h \
  dmd/record/heap/mempools.c dmd/record/heap/mempools.h \
  dmd/record/heap/nested.c dmd/record/heap/nested.h \
  dmd/record/heap/pages.c dmd/record/heap/pages.h \
  dmd/record/heap/regions.c dmd/record/heap/regions.h \
  dmd/record/heap/pagewords.c dmd/record/heap/pagewords.h \
  dmd/record/heap/peak.c dmd/record/heap/peak.h \
  dmd/record/heap/timekeeper.c dmd/record/heap/timekeeper.h \
  dmd/record/heap/breakdowns.c dmd/record/heap/breakdowns.h \
  dmd/record/heap/shard.c dmd/record/heap/shard.h \
  dmd/record/heap/fastpath.c dmd/record/heap/fastpath.h \
  dmd/record/heap/sample.c dmd/record/heap/sample.h \
  dmd/record/heap/scope.c dmd/record/heap/scope.h \
  dmd/record/heap/slabmap.c dmd/record/heap/slabmap.h \
  dmd/record/heap/slabs.c dmd/record/heap/slabs.h \
  dmd/record/heap/addressmap.c dmd/record/heap/addressmap.h \
  dmd/record/heap/ages.c dmd/record/heap/ages.h \
  dmd/record/heap/snapshot.c dmd/record/heap/snapshot.h \
  dmd/record/heap/stack.c dmd/record/heap/stack.h \
  dmd/record/engine/allocation.c dmd/record/engine/allocation.h \
  dmd/record/engine/channel.c dmd/record/engine/channel.h \
  dmd/record/unwind/codes.c dmd/record/unwind/codes.h \
  dmd/record/engine/description.c dmd/record/engine/description.h \
  dmd/record/engine/dump.c dmd/record/engine/dump.h \
  dmd/record/engine/dumpfile.c dmd/record/engine/dumpfile.h \
  dmd/record/unwind/ehframe.c dmd/record/unwind/ehframe.h \
  dmd/record/unwind/expression.c dmd/record/unwind/expression.h \
  dmd/record/unwind/elfimage.c dmd/record/unwind/elfimage.h \
  dmd/record/engine/engine.c dmd/record/engine/engine.h \
  dmd/record/engine/filename.c dmd/record/engine/filename.h \
  dmd/record/engine/cgroup.c dmd/record/engine/cgroup.h \
  dmd/record/engine/claimfns.c dmd/record/engine/claimfns.h \
  dmd/record/engine/claimsets.c dmd/record/engine/claimsets.h \
  dmd/record/engine/graphdump.c dmd/record/engine/graphdump.h \
  dmd/record/host.h dmd/record/request.h \
  dmd/record/engine/listing.c dmd/record/engine/listing.h \
  dmd/record/engine/loaded.c dmd/record/engine/loaded.h \
  dmd/record/engine/mapping.c dmd/record/engine/mapping.h \
  dmd/record/engine/mempool.c dmd/record/engine/mempool.h \
  dmd/record/engine/control.c dmd/record/engine/control.h \
  dmd/record/engine/monitor.c dmd/record/engine/monitor.h \
  dmd/record/engine/nativeoptions.c dmd/record/engine/nativeoptions.h \
  dmd/record/engine/observed.c dmd/record/engine/observed.h \
  dmd/record/engine/options.c dmd/record/engine/options.h \
  dmd/record/engine/prefixed.c dmd/record/engine/prefixed.h \
  dmd/record/engine/requests.c dmd/record/engine/requests.h \
  dmd/record/engine/roots.c dmd/record/engine/roots.h \
  dmd/record/engine/rules.c dmd/record/engine/rules.h \
  dmd/record/engine/running.c dmd/record/engine/running.h \
  dmd/record/engine/popsites.c dmd/record/engine/popsites.h \
  dmd/record/engine/heapstats.c dmd/record/engine/heapstats.h \
  dmd/record/unwind/stacktrie.c dmd/record/unwind/stacktrie.h \
  dmd/record/engine/symbols.c dmd/record/engine/symbols.h \
  dmd/record/unwind/unwind.c dmd/record/unwind/unwind.h \
  dmd/record/unwind/unwindcache.c dmd/record/unwind/unwindcache.h

# The core in a browser: linked with the core for WebAssembly.
dmd_wasm_sources = dmd/browser/wasm.c

# The Valgrind shell around the core.
dmd_tool_sources = \
  dmd/valgrind/dm_clientreq.c dmd/valgrind/dm_clientreq.h \
  dmd/valgrind/dm_code.c dmd/valgrind/dm_code.h \
  dmd/valgrind/dm_claims.c dmd/valgrind/dm_claims.h \
  dmd/valgrind/dm_direct.c dmd/valgrind/dm_direct.h \
  dmd/valgrind/dm_env.c dmd/valgrind/dm_env.h \
  dmd/valgrind/dm_files.c dmd/valgrind/dm_files.h \
  dmd/valgrind/dm_gzip.c dmd/valgrind/dm_gzip.h \
  dmd/valgrind/dm_host.c dmd/valgrind/dm_host.h \
  dmd/valgrind/dm_machine.h dmd/valgrind/amd64/dm_machine.h dmd/valgrind/arm64/dm_machine.h dmd/valgrind/x86/dm_machine.h \
  dmd/valgrind/dm_main.c \
  dmd/valgrind/dm_malloc.c dmd/valgrind/dm_malloc.h \
  dmd/valgrind/dm_memory.c dmd/valgrind/dm_memory.h \
  dmd/valgrind/dm_options.c dmd/valgrind/dm_options.h \
  dmd/valgrind/dm_preload.h \
  dmd/valgrind/dm_private.c dmd/valgrind/dm_private.h \
  dmd/valgrind/dm_roots.c dmd/valgrind/dm_roots.h \
  dmd/valgrind/dm_syscall.h \
  dmd/valgrind/dm_unwind.c dmd/valgrind/dm_unwind.h

# Compression, for all shells.
dmd_zip_sources = dmd/base/zip/gzip.c dmd/base/zip/gzip.h

# The native engine's shell around the core: a library that is preloaded into programs.
dmd_native_sources = \
  dmd/native/pl_altstack.c dmd/native/pl_altstack.h \
  dmd/native/pl_attach.c dmd/native/pl_attach.h \
  dmd/native/pl_bindings.c dmd/native/pl_bindings.h \
  dmd/native/pl_channel.c dmd/native/pl_channel.h \
  dmd/native/pl_confined.c dmd/native/pl_confined.h \
  dmd/native/pl_control.c dmd/native/pl_control.h \
  dmd/native/pl_deadly.c dmd/native/pl_deadly.h \
  dmd/native/pl_end.c dmd/native/pl_end.h \
  dmd/native/pl_enter.c dmd/native/pl_enter.h \
  dmd/native/pl_entry.h \
  dmd/native/pl_exec.c dmd/native/pl_exec.h \
  dmd/native/pl_files.c dmd/native/pl_files.h \
  dmd/native/pl_host.c dmd/native/pl_host.h \
  dmd/native/pl_kernel.c dmd/native/pl_kernel.h \
  dmd/native/pl_machine.h \
  dmd/native/pl_main.c dmd/native/pl_main.h \
  dmd/native/pl_malloc.c dmd/native/pl_malloc.h \
  dmd/native/pl_mapping.c \
  dmd/native/pl_memory.c dmd/native/pl_memory.h \
  dmd/native/pl_message.c dmd/native/pl_message.h \
  dmd/native/pl_objects.c dmd/native/pl_objects.h \
  dmd/native/pl_options.c dmd/native/pl_options.h \
  dmd/native/pl_otel.c dmd/native/pl_otel.h \
  dmd/native/pl_patch.h \
  dmd/native/pl_prefixed.c \
  dmd/native/pl_program.c \
  dmd/native/pl_rawexit.h \
  dmd/native/pl_real.c dmd/native/pl_real.h \
  dmd/native/pl_replace.c dmd/native/pl_replace.h \
  dmd/native/pl_request.c dmd/native/pl_request.h \
  dmd/native/pl_roots.c dmd/native/pl_roots.h \
  dmd/native/pl_signal.c dmd/native/pl_signal.h \
  dmd/native/pl_stack.c dmd/native/pl_stack.h \
  dmd/native/pl_state.c dmd/native/pl_state.h \
  dmd/native/pl_stop.c dmd/native/pl_stop.h \
  dmd/native/pl_symbols.c dmd/native/pl_symbols.h \
  dmd/native/pl_thread.c dmd/native/pl_thread.h \
  dmd/native/pl_variants.c \
  dmd/base/posix/posix.c dmd/base/posix/posix.h \
  $(dmd_zip_sources)

# The parts of it that each processor has.
dmd_native_amd64_sources = dmd/native/amd64/pl_machine.c dmd/native/amd64/pl_patch.c dmd/native/amd64/pl_rawexit.c dmd/native/amd64/pl_syscall.c
dmd_native_arm64_sources = dmd/native/arm64/pl_machine.c dmd/native/arm64/pl_patch.c dmd/native/arm64/pl_rawexit.c dmd/native/arm64/pl_syscall.c
if ARM64
dmd_native_machine_sources = $(dmd_native_arm64_sources)
else
dmd_native_machine_sources = $(dmd_native_amd64_sources)
endif

# The library for programs that have memory reporters.
dmd_reporters_sources = dmd/reporters/dmd-reporters.c

# dmdv: its main file, and the rest, which unit tests can link.
dmdv_SOURCES = dmd/dmdv/dmdv.c
dmd_reader_sources = \
  dmd/base/posix/posix.c dmd/base/posix/posix.h \
  $(dmd_zip_sources) \
  dmd/host/process.c dmd/host/process.h \
  dmd/historydb/digest.c dmd/historydb/digest.h \
  dmd/host/http.h \
  dmd/host/output.c dmd/host/output.h \
  dmd/host/progress.c dmd/host/progress.h \
  dmd/host/sourcefiles.c dmd/host/sourcefiles.h \
  dmd/dmdv/input/fleet.c dmd/dmdv/input/fleet.h \
  dmd/dmdv/input/input.c dmd/dmdv/input/input.h \
  dmd/dmdv/input/profilefile.c dmd/dmdv/input/profilefile.h \
  dmd/dmdv/cmd_push.c \
  dmd/dmdv/run/cmd_symbolize.c \
  dmd/dmdv/push/export_otlp.h \
  dmd/dmdv/push/export_pprof.h \
  dmd/dmdv/push/labels.c dmd/dmdv/push/labels.h \
  dmd/dmdv/push/pushoptions.c dmd/dmdv/push/pushoptions.h \
  dmd/dmdv/push/pushrequest.c dmd/dmdv/push/pushrequest.h \
  dmd/debuginfo/flow.c dmd/debuginfo/flow.h dmd/debuginfo/flowstate.c dmd/debuginfo/flowstate.h \
  dmd/debuginfo/flow_amd64.c dmd/debuginfo/flow_arm64.c \
  dmd/debuginfo/instruction.c dmd/debuginfo/instruction.h \
  dmd/debuginfo/names.h \
  dmd/debuginfo/sizefunctions.h \
  dmd/debuginfo/typefinder.h \
  dmd/dmdv/run/runchannel.c dmd/dmdv/run/runchannel.h \
  dmd/host/child.c dmd/host/child.h \
  dmd/dmdv/graph/cmd_census.c \
  dmd/dmdv/graph/claimfaults.c dmd/dmdv/graph/claimfaults.h \
  dmd/dmdv/graph/cmd_claims.c \
  dmd/dmdv/checklimits.c dmd/dmdv/checklimits.h \
  dmd/dmdv/cmd_check.c \
  dmd/dmdv/cmd_diff.c \
  dmd/dmdv/cmd_export.c \
  dmd/dmdv/memory/cmd_dump.c \
  dmd/dmdv/graph/cmd_leaks.c \
  dmd/dmdv/cmd_merge.c \
  dmd/dmdv/graph/cmd_owners.c \
  dmd/dmdv/graph/cmd_paths.c \
  dmd/dmdv/cmd_print.c \
  dmd/dmdv/graph/cmd_referrers.c \
  dmd/dmdv/graph/cmd_retained.c \
  dmd/dmdv/graph/cmd_waste.c \
  dmd/dmdv/run/ask.c dmd/dmdv/run/ask.h \
  dmd/dmdv/run/attach.c dmd/dmdv/run/attach.h \
  dmd/dmdv/run/attached.c dmd/dmdv/run/attached.h \
  dmd/dmdv/run/cmd_run.c \
  dmd/dmdv/run/cmd_status.c \
  dmd/dmdv/cmd_timeline.c \
  dmd/dmdv/cmd_tree.c \
  dmd/dmdv/view/cmd_view.c \
  dmd/dmdv/commandline/commandline.c dmd/dmdv/commandline/commandline.h \
  dmd/dmdv/commandline/commands.h \
  dmd/dmdv/commandline/complete.c dmd/dmdv/commandline/complete.h \
  dmd/dmdv/run/controlled.c dmd/dmdv/run/controlled.h \
  dmd/dmdv/graph/graphbeside.c dmd/dmdv/graph/graphbeside.h \
  dmd/dmdv/graph/graphcommand.c dmd/dmdv/graph/graphcommand.h \
  dmd/dmdv/run/findvalgrind.c dmd/dmdv/run/findvalgrind.h \
  dmd/dmdv/run/leftovers.c dmd/dmdv/run/leftovers.h \
  dmd/dmdv/run/native.c dmd/dmdv/run/native.h \
  dmd/dmdv/run/overview.c dmd/dmdv/run/overview.h \
  dmd/dmdv/commandline/recordoptions.c dmd/dmdv/commandline/recordoptions.h \
  dmd/dmdv/view/htmlpage.c dmd/dmdv/view/htmlpage.h \
  dmd/dmdv/run/preloadable.c dmd/dmdv/run/preloadable.h \
  dmd/dmdv/run/pushing.c dmd/dmdv/run/pushing.h \
  dmd/dmdv/run/received.c dmd/dmdv/run/received.h \
  dmd/dmdv/run/runlog.c dmd/dmdv/run/runlog.h \
  dmd/dmdv/run/rewrite.c dmd/dmdv/run/rewrite.h \
  dmd/dmdv/commandline/sharedoptions.h \
  dmd/dmdv/commandline/shorthelp.c \
  dmd/dmdv/commandline/show.c dmd/dmdv/commandline/show.h \
  dmd/dmdv/view/sourcelines.c dmd/dmdv/view/sourcelines.h \
  dmd/dmdv/graph/typedgraph.c dmd/dmdv/graph/typedgraph.h \
  dmd/dmdv/view/viewfiles.c dmd/dmdv/view/viewfiles.h \
  dmd/dmdv/run/written.c dmd/dmdv/run/written.h \
  dmd/dmdv/memory/askreporters.c dmd/dmdv/memory/askreporters.h \
  dmd/dmdv/memory/cmd_memory.c \
  dmd/dmdv/memory/memoryserver.h \
  dmd/dmdv/memory/systemtrees.c dmd/dmdv/memory/systemtrees.h

# The part of dmdv that needs protobuf-c, which generates code from the .proto files.
dmd_protobuf_sources = \
  dmd/dmdv/push/export_otlp.c dmd/dmdv/push/otlp.proto \
  dmd/dmdv/push/export_pprof.c dmd/dmdv/push/profile.proto

# The part that needs libdw, and its stub.
dmd_types_sources = \
  dmd/debuginfo/breakpad.c dmd/debuginfo/breakpad.h \
  dmd/debuginfo/codeunits.c dmd/debuginfo/codeunits.h \
  dmd/debuginfo/names.c \
  dmd/debuginfo/sizefunctions.c \
  dmd/debuginfo/debugfile.c dmd/debuginfo/debugfile.h \
  dmd/debuginfo/download.c dmd/debuginfo/download.h \
  dmd/debuginfo/dies.c dmd/debuginfo/dies.h \
  dmd/debuginfo/dwarfindex.c dmd/debuginfo/dwarfindex.h \
  dmd/debuginfo/dwarftypes.c dmd/debuginfo/dwarftypes.h \
  dmd/debuginfo/locals.c dmd/debuginfo/locals.h \
  dmd/debuginfo/signature.c dmd/debuginfo/signature.h \
  dmd/debuginfo/site.c dmd/debuginfo/site.h \
  dmd/debuginfo/typefinder.c
dmd_no_types_sources = dmd/debuginfo/names_none.c dmd/debuginfo/typefinder_none.c

# The part that needs SQLite, and its stub.
dmd_history_sources = \
  dmd/historydb/add.c dmd/historydb/add.h \
  dmd/historydb/alarms.c dmd/historydb/alarms.h \
  dmd/historydb/curves.c dmd/historydb/curves.h \
  dmd/historydb/database.c dmd/historydb/database.h \
  dmd/historydb/driver.h dmd/historydb/driver_sqlite.c \
  dmd/historydb/events.c dmd/historydb/events.h \
  dmd/historydb/exporting.c dmd/historydb/exporting.h \
  dmd/historydb/gather.c dmd/historydb/gather.h \
  dmd/historydb/importing.c dmd/historydb/importing.h \
  dmd/historydb/importwriting.c \
  dmd/historydb/origin.c dmd/historydb/origin.h \
  dmd/historydb/prune.c dmd/historydb/prune.h \
  dmd/historydb/storedset.c dmd/historydb/storedset.h \
  dmd/historydb/schema.c dmd/historydb/schema.h \
  dmd/historydb/setsums.c dmd/historydb/setsums.h \
  dmd/historydb/stacks.c dmd/historydb/stacks.h \
  dmd/dmdv/history/cmd_history.c \
  dmd/dmdv/history/historyadd.c \
  dmd/dmdv/history/historycheck.c \
  dmd/dmdv/history/historycommands.h \
  dmd/dmdv/history/historyexport.c \
  dmd/dmdv/history/historyimport.c \
  dmd/dmdv/history/historyreport.c dmd/dmdv/history/historyreport.h \
  dmd/dmdv/history/historyreport_ci.c \
  dmd/dmdv/history/historyreport_markdown.c \
  dmd/dmdv/history/historypage.c \
  dmd/dmdv/history/historyprune.c \
  dmd/dmdv/history/historyshow.c
dmd_postgresql_sources = dmd/historydb/driver_postgresql.c
dmd_no_postgresql_sources = dmd/historydb/driver_postgresql_none.c
dmd_microhttpd_sources = dmd/dmdv/memory/memoryserver.c
dmd_no_microhttpd_sources = dmd/dmdv/memory/memoryserver_none.c
dmd_curl_sources = dmd/host/http.c
dmd_no_curl_sources = dmd/host/http_none.c
dmd_no_history_sources = dmd/dmdv/history/cmd_history_none.c

# The page that dmdv view writes, if it was built, and its stub.
dmd_page_sources = dmd/dmdv/view/htmlpage_built.c
dmd_no_page_sources = dmd/dmdv/view/htmlpage_none.c

# dmd-derive: its core, which is freestanding like the tool's, and the program around it.
dmd_derive_core_sources = \
  dmd/derive/check.c dmd/derive/check.h \
  dmd/derive/model.c dmd/derive/model.h \
  dmd/derive/reach.c dmd/derive/reach.h \
  dmd/derive/suggest/evidence.c dmd/derive/suggest/evidence.h \
  dmd/derive/suggest/suggest.c dmd/derive/suggest/suggest.h \
  dmd/derive/write.c dmd/derive/write.h \
  dmd/derive/writemember.c dmd/derive/writemember.h
dmd_derive_program_sources = \
  dmd/derive/program/main.c \
  dmd/derive/program/deriveoptions.c dmd/derive/program/deriveoptions.h \
  dmd/derive/program/read.c dmd/derive/program/read.h \
  dmd/derive/program/records.c dmd/derive/program/records.h


# Our own part of the library that is preloaded into programs, beside Valgrind's malloc replacement.
dmd_preload_sources = dmd/valgrind/dm_preload.c dmd/valgrind/dm_preload.h

# Headers that are installed in $(includedir)/valgrind.
vgincludedir = $(includedir)/valgrind
vginclude_HEADERS = dmd/include/valgrind/dmd.h dmd/include/valgrind/dmd-annotations.h dmd/include/valgrind/dmd-derived.h dmd/include/valgrind/dmd-reporters.h dmd/include/valgrind/measure.hpp dmd/include/valgrind/measure_list.hpp dmd/include/valgrind/measure_std.hpp
