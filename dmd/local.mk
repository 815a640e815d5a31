# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sources under dmd/, one line a file. A file that is in no list here fails `make check`.

# The core: compiled into the tool and, hosted, into dmdv and the unit tests.
dmd_core_sources = \
  dmd/base/arena.c dmd/base/arena.h \
  dmd/base/base64.c dmd/base/base64.h \
  dmd/base/bitset.h \
  dmd/base/env.h \
  dmd/base/fail.c dmd/base/fail.h \
  dmd/base/fnname.c dmd/base/fnname.h \
  dmd/base/typename.c dmd/base/typename.h \
  dmd/base/format.c dmd/base/format.h \
  dmd/base/glob.c dmd/base/glob.h \
  dmd/base/intern.c dmd/base/intern.h \
  dmd/base/jsonout.c dmd/base/jsonout.h \
  dmd/base/limits.h \
  dmd/base/lock.c dmd/base/lock.h \
  dmd/base/mangled.c dmd/base/mangled.h \
  dmd/base/map.c dmd/base/map.h \
  dmd/base/mem.h \
  dmd/base/noise.c dmd/base/noise.h \
  dmd/base/numbering.c dmd/base/numbering.h \
  dmd/base/optiontable.c dmd/base/optiontable.h \
  dmd/base/out.c dmd/base/out.h \
  dmd/base/outfile.c dmd/base/outfile.h \
  dmd/base/path.c dmd/base/path.h \
  dmd/base/pool.c dmd/base/pool.h \
  dmd/base/random.c dmd/base/random.h \
  dmd/base/search.h \
  dmd/base/sort.c dmd/base/sort.h \
  dmd/base/str.c dmd/base/str.h \
  dmd/base/strbuf.c dmd/base/strbuf.h \
  dmd/base/table.c dmd/base/table.h \
  dmd/base/utf8.c dmd/base/utf8.h \
  dmd/base/wire.c dmd/base/wire.h \
  dmd/base/wireread.c dmd/base/wireread.h \
  dmd/profile/advice.c dmd/profile/advice.h \
  dmd/profile/claimblocks.c dmd/profile/claimblocks.h \
  dmd/profile/fault.c dmd/profile/fault.h \
  dmd/profile/faultnames.c dmd/profile/faultnames.h \
  dmd/profile/frame.c dmd/profile/frame.h \
  dmd/profile/naming.c dmd/profile/naming.h \
  dmd/profile/groups.c dmd/profile/groups.h \
  dmd/profile/json.c dmd/profile/json.h \
  dmd/profile/measured.c dmd/profile/measured.h \
  dmd/profile/profile.c dmd/profile/profile.h \
  dmd/profile/memreports.c dmd/profile/memreports.h \
  dmd/profile/reporterruns.c dmd/profile/reporterruns.h \
  dmd/profile/reports.c dmd/profile/reports.h \
  dmd/profile/sampled.c dmd/profile/sampled.h \
  dmd/profile/scanned.c dmd/profile/scanned.h \
  dmd/profile/translate.c dmd/profile/translate.h \
  dmd/analysis/addresses.c dmd/analysis/addresses.h \
  dmd/analysis/advicesum.c dmd/analysis/advicesum.h \
  dmd/analysis/alarm.c dmd/analysis/alarm.h \
  dmd/analysis/allocfns.c dmd/analysis/allocfns.h \
  dmd/analysis/amounts.c dmd/analysis/amounts.h \
  dmd/analysis/anonymize.c dmd/analysis/anonymize.h \
  dmd/analysis/calibration.c dmd/analysis/calibration.h \
  dmd/analysis/causes.c dmd/analysis/causes.h \
  dmd/analysis/changes.c dmd/analysis/changes.h \
  dmd/analysis/clamp.c dmd/analysis/clamp.h \
  dmd/analysis/combine.c dmd/analysis/combine.h \
  dmd/analysis/figures.c dmd/analysis/figures.h \
  dmd/analysis/filter.c dmd/analysis/filter.h \
  dmd/analysis/gate.c dmd/analysis/gate.h \
  dmd/analysis/heapsum.c dmd/analysis/heapsum.h \
  dmd/analysis/history.c dmd/analysis/history.h \
  dmd/analysis/historyprofile.c dmd/analysis/historyprofile.h \
  dmd/analysis/ignore.c dmd/analysis/ignore.h \
  dmd/analysis/grouptypes.h \
  dmd/analysis/known.c dmd/analysis/known.h \
  dmd/analysis/measurefns.c dmd/analysis/measurefns.h \
  dmd/analysis/merge.c dmd/analysis/merge.h \
  dmd/analysis/normalize.c dmd/analysis/normalize.h \
  dmd/analysis/owner.c dmd/analysis/owner.h \
  dmd/analysis/places.c dmd/analysis/places.h \
  dmd/analysis/plain.c dmd/analysis/plain.h \
  dmd/analysis/processes.c dmd/analysis/processes.h \
  dmd/analysis/processtrees.c dmd/analysis/processtrees.h \
  dmd/analysis/profile_amounts.c dmd/analysis/profile_amounts.h \
  dmd/analysis/record.c dmd/analysis/record.h \
  dmd/analysis/recordfields.c dmd/analysis/recordfields.h \
  dmd/analysis/recordset.c dmd/analysis/recordset.h \
  dmd/analysis/reduce.c dmd/analysis/reduce.h \
  dmd/analysis/rownames.c dmd/analysis/rownames.h \
  dmd/analysis/rows.c dmd/analysis/rows.h \
  dmd/analysis/size.c dmd/analysis/size.h \
  dmd/analysis/sizescatter.c dmd/analysis/sizescatter.h \
  dmd/analysis/steps.c dmd/analysis/steps.h \
  dmd/analysis/student.c dmd/analysis/student.h \
  dmd/analysis/sums.c dmd/analysis/sums.h \
  dmd/analysis/tally.h \
  dmd/analysis/tree.c dmd/analysis/tree.h \
  dmd/analysis/treecolumns.c dmd/analysis/treecolumns.h \
  dmd/analysis/verdict.c dmd/analysis/verdict.h \
  dmd/graph/anonymousgraph.c dmd/graph/anonymousgraph.h \
  dmd/graph/backedges.c dmd/graph/backedges.h \
  dmd/graph/condense.c dmd/graph/condense.h \
  dmd/graph/census.c dmd/graph/census.h \
  dmd/graph/dominance.c dmd/graph/dominance.h \
  dmd/graph/dominators.c dmd/graph/dominators.h \
  dmd/graph/edgemask.c dmd/graph/edgemask.h \
  dmd/graph/edgename.c dmd/graph/edgename.h \
  dmd/graph/graph.c dmd/graph/graph.h \
  dmd/graph/graphfile.c dmd/graph/graphfile.h \
  dmd/graph/heapgraph.c dmd/graph/heapgraph.h \
  dmd/graph/heldby.c dmd/graph/heldby.h \
  dmd/graph/kinds.c dmd/graph/kinds.h \
  dmd/graph/knownvariables.c dmd/graph/knownvariables.h \
  dmd/graph/leakrows.c dmd/graph/leakrows.h \
  dmd/graph/leaks.c dmd/graph/leaks.h \
  dmd/graph/lost.c dmd/graph/lost.h \
  dmd/graph/owners.c dmd/graph/owners.h \
  dmd/graph/nearest.c dmd/graph/nearest.h \
  dmd/graph/lostprofile.c dmd/graph/lostprofile.h \
  dmd/graph/nesting.c dmd/graph/nesting.h \
  dmd/graph/nodefilter.c dmd/graph/nodefilter.h \
  dmd/graph/nodekeys.c dmd/graph/nodekeys.h \
  dmd/graph/paths.c dmd/graph/paths.h \
  dmd/graph/proposal.c dmd/graph/proposal.h \
  dmd/graph/referrers.c dmd/graph/referrers.h \
  dmd/graph/retained.c dmd/graph/retained.h \
  dmd/graph/retainedrows.c dmd/graph/retainedrows.h \
  dmd/graph/propagate.c dmd/graph/propagate.h \
  dmd/graph/rootname.c dmd/graph/rootname.h \
  dmd/graph/scangraph.c dmd/graph/scangraph.h \
  dmd/graph/select.c dmd/graph/select.h \
  dmd/graph/typedgroups.c dmd/graph/typedgroups.h \
  dmd/graph/types.c dmd/graph/types.h \
  dmd/graph/typing.c dmd/graph/typing.h \
  dmd/graph/variables.c dmd/graph/variables.h \
  dmd/text/amount.c dmd/text/amount.h \
  dmd/text/escape.c dmd/text/escape.h \
  dmd/text/gate_escape.c dmd/text/gate_escape.h \
  dmd/text/gate_github.c \
  dmd/text/gate_each.c dmd/text/gate_each.h \
  dmd/text/gate_json.c \
  dmd/text/gate_junit.c \
  dmd/text/gate_output.h \
  dmd/text/pieces.c dmd/text/pieces.h \
  dmd/text/print.c dmd/text/print.h \
  dmd/text/printer.c dmd/text/printer.h \
  dmd/text/record_json.c dmd/text/record_json.h \
  dmd/text/records_json.c dmd/text/records_json.h \
  dmd/text/text.c dmd/text/text.h \
  dmd/text/text_advice.c \
  dmd/text/text_census.c dmd/text/text_census.h \
  dmd/text/text_calibration.c dmd/text/text_calibration.h \
  dmd/text/text_changes.c dmd/text/text_changes.h \
  dmd/text/text_dump.c dmd/text/text_dump.h \
  dmd/text/text_fault.c \
  dmd/text/text_gate.c dmd/text/text_gate.h \
  dmd/text/text_history.c dmd/text/text_history.h \
  dmd/text/text_leaks.c dmd/text/text_leaks.h \
  dmd/text/text_owners.c dmd/text/text_owners.h \
  dmd/text/text_paths.c dmd/text/text_paths.h \
  dmd/text/text_record.c \
  dmd/text/text_referrers.c dmd/text/text_referrers.h \
  dmd/text/text_retained.c dmd/text/text_retained.h \
  dmd/text/text_rows.c dmd/text/text_rows.h \
  dmd/text/text_run.c \
  dmd/text/text_share.c \
  dmd/text/text_tree.c dmd/text/text_tree.h \
  dmd/text/tree_json.c dmd/text/tree_json.h \
  dmd/export/calltree.c dmd/export/calltree.h \
  dmd/export/export.h \
  dmd/export/export_about_memory.c \
  dmd/export/export_collapsed.c \
  dmd/export/dropframes.c dmd/export/dropframes.h \
  dmd/export/export_dhat.c \
  dmd/export/export_fxsnapshot.c dmd/export/fxsnapshot.proto \
  dmd/export/export_heapsnapshot.c \
  dmd/export/export_speedscope.c \
  dmd/export/exportfigures.c dmd/export/exportfigures.h \
  dmd/export/openmetrics.c dmd/export/openmetrics.h \
  dmd/export/heapsnapshot.c dmd/export/heapsnapshot.h \
  dmd/image/image.c dmd/image/image.h \
  dmd/image/imagecheck.c dmd/image/imagecheck.h \
  dmd/image/imagecursor.c dmd/image/imagecursor.h \
  dmd/image/imagegraph.c \
  dmd/image/imagehistory.c dmd/image/imagehistory.h \
  dmd/image/imagenames.c dmd/image/imagenames.h \
  dmd/image/imageplaces.c dmd/image/imageplaces.h \
  dmd/image/imagesection.h \
  dmd/image/imagesource.c dmd/image/imagesource.h \
  dmd/image/imagetypes.c dmd/image/imagetypes.h \
  dmd/image/imagevariables.c dmd/image/imagevariables.h \
  dmd/image/imagewriter.c dmd/image/imagewriter.h \
  dmd/image/imagewriter_graph.c \
  dmd/load/cutter.c dmd/load/cutter.h \
  dmd/load/document.c dmd/load/document.h \
  dmd/load/graphloader.h \
  dmd/load/graphmessages.c dmd/load/graphmessages.h \
  dmd/load/graphparts.c dmd/load/graphparts.h \
  dmd/load/ids.c dmd/load/ids.h \
  dmd/load/load.c dmd/load/load.h \
  dmd/load/load_advices.c \
  dmd/load/load_blocks.c \
  dmd/load/load_frames.c \
  dmd/load/load_graph.c dmd/load/load_graph.h \
  dmd/load/load_graph_names.c \
  dmd/load/load_graph_nodes.c \
  dmd/load/load_history.c dmd/load/load_history.h \
  dmd/load/load_reports.c \
  dmd/load/load_run.c \
  dmd/load/load_traces.c \
  dmd/load/loader.c dmd/load/loader.h \
  dmd/load/scan.c dmd/load/scan.h \
  dmd/load/source.h \
  dmd/load/value.c dmd/load/value.h \
  dmd/page/answer.c dmd/page/answer.h \
  dmd/page/answer_history.c \
  dmd/page/ask_census.c \
  dmd/page/ask_curve.c \
  dmd/page/ask_curves.c \
  dmd/page/ask_faults.c \
  dmd/page/ask_files.c \
  dmd/page/ask_flame.c \
  dmd/page/ask_history.c \
  dmd/page/ask_leaks.c \
  dmd/page/ask_map.c \
  dmd/page/ask_neighbours.c \
  dmd/page/ask_overview.c \
  dmd/page/ask_owners.c \
  dmd/page/ask_paths.c \
  dmd/page/ask_record.c \
  dmd/page/ask_records.c \
  dmd/page/ask_retained.c \
  dmd/page/ask_series.c \
  dmd/page/ask_text.c \
  dmd/page/ask_tree.c \
  dmd/page/ask_treemap.c \
  dmd/page/asks.c dmd/page/asks.h \
  dmd/page/flame.c dmd/page/flame.h \
  dmd/page/heapmap.c dmd/page/heapmap.h \
  dmd/page/nest.c dmd/page/nest.h \
  dmd/page/page.c dmd/page/page.h \
  dmd/page/picks.c dmd/page/picks.h \
  dmd/page/pagedata.c dmd/page/pagedata.h \
  dmd/page/pagegraph.c dmd/page/pagegraph.h \
  dmd/page/pagehistory.c dmd/page/pagehistory.h \
  dmd/page/query.c dmd/page/query.h \
  dmd/page/recordlist.c dmd/page/recordlist.h \
  dmd/page/rowlist.c dmd/page/rowlist.h \
  dmd/page/view.c dmd/page/view.h \
  dmd/live/allocator.c dmd/live/allocator.h \
  dmd/live/block.h \
  dmd/live/blockindex.c dmd/live/blockindex.h \
  dmd/live/blockstarts.c dmd/live/blockstarts.h \
  dmd/live/blocks.c dmd/live/blocks.h \
  dmd/live/capture.c dmd/live/capture.h \
  dmd/live/claim.c dmd/live/claim.h \
  dmd/live/contents.c dmd/live/contents.h \
  dmd/live/countdown.c dmd/live/countdown.h \
  dmd/live/counters.c dmd/live/counters.h \
  dmd/live/freed.c dmd/live/freed.h \
  dmd/live/heap.c dmd/live/heap.h \
  dmd/live/holders.c dmd/live/holders.h \
  dmd/live/lasttime.c dmd/live/lasttime.h \
  dmd/live/live.c dmd/live/live.h \
  dmd/live/live_report.c \
  dmd/live/interleave.c dmd/live/interleave.h \
  dmd/live/live_scope.c \
  dmd/live/mappings.c dmd/live/mappings.h \
  dmd/live/marks.c dmd/live/marks.h \
  dmd/live/memory.h \
  dmd/live/mempools.c dmd/live/mempools.h \
  dmd/live/nested.c dmd/live/nested.h \
  dmd/live/pages.c dmd/live/pages.h \
  dmd/live/pagewords.c dmd/live/pagewords.h \
  dmd/live/part.c dmd/live/part.h \
  dmd/live/quick.c dmd/live/quick.h \
  dmd/live/published.c dmd/live/published.h \
  dmd/live/sample.c dmd/live/sample.h \
  dmd/live/scope.c dmd/live/scope.h \
  dmd/live/slabmap.c dmd/live/slabmap.h \
  dmd/live/slabrecords.h \
  dmd/live/slabs.c dmd/live/slabs.h \
  dmd/live/slots.c dmd/live/slots.h \
  dmd/live/snapshot.c dmd/live/snapshot.h \
  dmd/live/stack.c dmd/live/stack.h \
  dmd/engine/allocation.c dmd/engine/allocation.h \
  dmd/engine/codes.c dmd/engine/codes.h \
  dmd/engine/description.c dmd/engine/description.h \
  dmd/engine/dump.c dmd/engine/dump.h \
  dmd/engine/dumpfile.c dmd/engine/dumpfile.h \
  dmd/engine/bytes.c dmd/engine/bytes.h \
  dmd/engine/ehframe.c dmd/engine/ehframe.h \
  dmd/engine/expression.c dmd/engine/expression.h \
  dmd/engine/elfimage.c dmd/engine/elfimage.h \
  dmd/engine/engine.c dmd/engine/engine.h \
  dmd/engine/errortext.c dmd/engine/errortext.h \
  dmd/engine/filename.c dmd/engine/filename.h \
  dmd/engine/graphdump.c dmd/engine/graphdump.h \
  dmd/engine/host.h \
  dmd/engine/jemalloc.c dmd/engine/jemalloc.h \
  dmd/engine/listing.c dmd/engine/listing.h \
  dmd/engine/loaded.c dmd/engine/loaded.h \
  dmd/engine/mempool.c dmd/engine/mempool.h \
  dmd/engine/control.c dmd/engine/control.h \
  dmd/engine/monitor.c dmd/engine/monitor.h \
  dmd/engine/nativeoptions.c dmd/engine/nativeoptions.h \
  dmd/engine/observed.c dmd/engine/observed.h \
  dmd/engine/oldheader.c dmd/engine/oldheader.h \
  dmd/engine/options.c dmd/engine/options.h \
  dmd/engine/replacednew.c dmd/engine/replacednew.h \
  dmd/engine/requests.c dmd/engine/requests.h \
  dmd/engine/roots.c dmd/engine/roots.h \
  dmd/engine/rules.c dmd/engine/rules.h \
  dmd/engine/running.c dmd/engine/running.h \
  dmd/engine/stacktable.c dmd/engine/stacktable.h \
  dmd/engine/symbols.c dmd/engine/symbols.h \
  dmd/engine/unwind.c dmd/engine/unwind.h \
  dmd/engine/walks.c dmd/engine/walks.h

# The core in a browser: what is linked with the core for WebAssembly.
dmd_wasm_sources = dmd/wasm/wasm.c

# The Valgrind shell around it.
dmd_tool_sources = \
  dmd/tool/dm_address.c dmd/tool/dm_address.h \
  dmd/tool/dm_clientreq.c dmd/tool/dm_clientreq.h \
  dmd/tool/dm_code.c dmd/tool/dm_code.h \
  dmd/tool/dm_direct.c dmd/tool/dm_direct.h \
  dmd/tool/dm_entry.c dmd/tool/dm_entry.h \
  dmd/tool/dm_env.c dmd/tool/dm_env.h \
  dmd/tool/dm_files.c dmd/tool/dm_files.h \
  dmd/tool/dm_gzip.c dmd/tool/dm_gzip.h \
  dmd/tool/dm_host.c dmd/tool/dm_host.h \
  dmd/tool/dm_inlined.c dmd/tool/dm_inlined.h \
  dmd/tool/dm_main.c \
  dmd/tool/dm_malloc.c dmd/tool/dm_malloc.h \
  dmd/tool/dm_match.c dmd/tool/dm_match.h \
  dmd/tool/dm_memory.c dmd/tool/dm_memory.h \
  dmd/tool/dm_options.c dmd/tool/dm_options.h \
  dmd/tool/dm_pagemap.c dmd/tool/dm_pagemap.h \
  dmd/tool/dm_preload.h \
  dmd/tool/dm_private.c dmd/tool/dm_private.h \
  dmd/tool/dm_registers.c dmd/tool/dm_registers.h \
  dmd/tool/dm_resident.c dmd/tool/dm_resident.h \
  dmd/tool/dm_roots.c dmd/tool/dm_roots.h \
  dmd/tool/dm_segments.c dmd/tool/dm_segments.h \
  dmd/tool/dm_trace.c dmd/tool/dm_trace.h \
  dmd/tool/dm_unwind.c dmd/tool/dm_unwind.h

# What compresses in all shells.
dmd_zip_sources = dmd/zip/gzip.c dmd/zip/gzip.h

# The native engine's shell around it: a library that is preloaded into programs.
dmd_native_sources = \
  dmd/preload/pl_altstack.c dmd/preload/pl_altstack.h \
  dmd/preload/pl_aside.c dmd/preload/pl_aside.h \
  dmd/preload/pl_context.c dmd/preload/pl_context.h \
  dmd/preload/pl_control.c dmd/preload/pl_control.h \
  dmd/preload/pl_deadly.c dmd/preload/pl_deadly.h \
  dmd/preload/pl_entry.h \
  dmd/preload/pl_event.c dmd/preload/pl_event.h \
  dmd/posix/files.c dmd/posix/files.h \
  dmd/preload/pl_files.c dmd/preload/pl_files.h \
  $(dmd_zip_sources) \
  dmd/preload/pl_heap.c dmd/preload/pl_heap.h \
  dmd/preload/pl_host.c dmd/preload/pl_host.h \
  dmd/preload/pl_jemalloc.c dmd/preload/pl_jemalloc.h \
  dmd/preload/pl_libcnames.c dmd/preload/pl_libcnames.h \
  dmd/preload/pl_lines.c dmd/preload/pl_lines.h \
  dmd/preload/pl_lock.c dmd/preload/pl_lock.h \
  dmd/preload/pl_main.c dmd/preload/pl_main.h \
  dmd/preload/pl_malloc.c dmd/preload/pl_malloc.h \
  dmd/preload/pl_memory.c dmd/preload/pl_memory.h \
  dmd/preload/pl_message.c dmd/preload/pl_message.h \
  dmd/preload/pl_new.c dmd/preload/pl_new.h \
  dmd/preload/pl_notes.c dmd/preload/pl_notes.h \
  dmd/preload/pl_objects.c dmd/preload/pl_objects.h \
  dmd/preload/pl_oldheader.c dmd/preload/pl_oldheader.h \
  dmd/preload/pl_options.c dmd/preload/pl_options.h \
  dmd/preload/pl_place.c dmd/preload/pl_place.h \
  dmd/preload/pl_real.c dmd/preload/pl_real.h \
  dmd/preload/pl_request.c dmd/preload/pl_request.h \
  dmd/preload/pl_resident.c dmd/preload/pl_resident.h \
  dmd/preload/pl_roots.c dmd/preload/pl_roots.h \
  dmd/preload/pl_signal.c dmd/preload/pl_signal.h \
  dmd/preload/pl_slots.c dmd/preload/pl_slots.h \
  dmd/preload/pl_stack.c dmd/preload/pl_stack.h \
  dmd/preload/pl_stop.c dmd/preload/pl_stop.h \
  dmd/preload/pl_symbols.c dmd/preload/pl_symbols.h \
  dmd/preload/pl_thread.c dmd/preload/pl_thread.h \
  dmd/preload/pl_write.c dmd/preload/pl_write.h

# dmdv: its main file, and the rest, which unit tests can be linked with.
dmdv_SOURCES = dmd/reader/command/dmdv.c
dmd_reader_sources = \
  dmd/reader/host/message.c dmd/reader/host/message.h \
  dmd/posix/files.c dmd/posix/files.h \
  dmd/reader/host/files.c dmd/reader/host/files.h \
  $(dmd_zip_sources) \
  dmd/reader/host/host.c dmd/reader/host/host.h \
  dmd/reader/host/memory.c dmd/reader/host/memory.h \
  dmd/reader/host/outfile.c dmd/reader/host/outfile.h \
  dmd/reader/host/pager.c dmd/reader/host/pager.h \
  dmd/reader/host/progress.c dmd/reader/host/progress.h \
  dmd/reader/host/sourcefiles.c dmd/reader/host/sourcefiles.h \
  dmd/reader/host/times.c dmd/reader/host/times.h \
  dmd/reader/input/fleet.c dmd/reader/input/fleet.h \
  dmd/reader/input/ignorefile.c dmd/reader/input/ignorefile.h \
  dmd/reader/input/input.c dmd/reader/input/input.h \
  dmd/reader/input/load.c dmd/reader/input/load.h \
  dmd/reader/input/load_scan.c dmd/reader/input/load_scan.h \
  dmd/reader/export/export_pprof.h \
  dmd/reader/types/flow.c dmd/reader/types/flow.h \
  dmd/reader/types/instruction.c dmd/reader/types/instruction.h \
  dmd/reader/names/names.h \
  dmd/reader/types/typefinder.h \
  dmd/reader/command/child.c dmd/reader/command/child.h \
  dmd/reader/command/choose.c dmd/reader/command/choose.h \
  dmd/reader/command/cmd_census.c \
  dmd/reader/command/cmd_check.c \
  dmd/reader/command/cmd_diff.c \
  dmd/reader/command/cmd_export.c \
  dmd/reader/command/exportgraph.c dmd/reader/command/exportgraph.h \
  dmd/reader/command/cmd_dump.c \
  dmd/reader/command/cmd_leaks.c \
  dmd/reader/command/cmd_merge.c \
  dmd/reader/command/cmd_owners.c \
  dmd/reader/command/cmd_paths.c \
  dmd/reader/command/cmd_print.c \
  dmd/reader/command/cmd_referrers.c \
  dmd/reader/command/cmd_retained.c \
  dmd/reader/command/cmd_run.c \
  dmd/reader/command/cmd_status.c \
  dmd/reader/command/cmd_tree.c \
  dmd/reader/command/cmd_view.c \
  dmd/reader/command/commandline.c dmd/reader/command/commandline.h \
  dmd/reader/command/commands.h \
  dmd/reader/command/complete.c dmd/reader/command/complete.h \
  dmd/reader/command/controlled.c dmd/reader/command/controlled.h \
  dmd/reader/command/graphcensus.c dmd/reader/command/graphcensus.h \
  dmd/reader/command/graphbeside.c dmd/reader/command/graphbeside.h \
  dmd/reader/command/graphcommand.c dmd/reader/command/graphcommand.h \
  dmd/reader/command/ignoring.c dmd/reader/command/ignoring.h \
  dmd/reader/command/leakcheck.c dmd/reader/command/leakcheck.h \
  dmd/reader/command/lostblocks.c dmd/reader/command/lostblocks.h \
  dmd/reader/command/naming.c dmd/reader/command/naming.h \
  dmd/reader/command/native.c dmd/reader/command/native.h \
  dmd/reader/command/options.c dmd/reader/command/options.h \
  dmd/reader/command/ownersbeside.c dmd/reader/command/ownersbeside.h \
  dmd/reader/command/page.c dmd/reader/command/page.h \
  dmd/reader/command/preloadable.c dmd/reader/command/preloadable.h \
  dmd/reader/command/show.c dmd/reader/command/show.h \
  dmd/reader/command/sourcelines.c dmd/reader/command/sourcelines.h \
  dmd/reader/command/typedgraph.c dmd/reader/command/typedgraph.h \
  dmd/reader/command/viewfiles.c dmd/reader/command/viewfiles.h \
  dmd/reader/command/written.c dmd/reader/command/written.h

# What of it needs protobuf-c, which makes more from the .proto file.
dmd_protobuf_sources = dmd/reader/export/export_pprof.c dmd/reader/export/profile.proto

# What of it needs libdw, and what stands in for that.
dmd_types_sources = \
  dmd/reader/names/codeunits.c dmd/reader/names/codeunits.h \
  dmd/reader/names/names.c \
  dmd/reader/names/symboltable.c dmd/reader/names/symboltable.h \
  dmd/reader/types/classname.c dmd/reader/types/classname.h \
  dmd/reader/types/debugfile.c dmd/reader/types/debugfile.h \
  dmd/reader/types/dies.c dmd/reader/types/dies.h \
  dmd/reader/types/dwarfindex.c dmd/reader/types/dwarfindex.h \
  dmd/reader/types/dwarftypes.c dmd/reader/types/dwarftypes.h \
  dmd/reader/types/frame.c dmd/reader/types/frame.h \
  dmd/reader/types/locals.c dmd/reader/types/locals.h \
  dmd/reader/types/site.c dmd/reader/types/site.h \
  dmd/reader/types/typefinder.c
dmd_no_types_sources = dmd/reader/names/names_none.c dmd/reader/types/typefinder_none.c

# What of it needs SQLite, and what stands in for that.
dmd_history_sources = \
  dmd/reader/history/add.c dmd/reader/history/add.h \
  dmd/reader/history/alarms.c dmd/reader/history/alarms.h \
  dmd/reader/history/checkout.c dmd/reader/history/checkout.h \
  dmd/reader/history/curves.c dmd/reader/history/curves.h \
  dmd/reader/history/database.c dmd/reader/history/database.h \
  dmd/reader/history/driver.h dmd/reader/history/driver_sqlite.c \
  dmd/reader/history/events.c dmd/reader/history/events.h \
  dmd/reader/history/exporting.c dmd/reader/history/exporting.h \
  dmd/reader/history/gather.c dmd/reader/history/gather.h \
  dmd/reader/history/importedrun.c dmd/reader/history/importedrun.h \
  dmd/reader/history/importing.c dmd/reader/history/importing.h \
  dmd/reader/history/importwriting.c \
  dmd/reader/history/lines.c dmd/reader/history/lines.h \
  dmd/reader/history/origin.c dmd/reader/history/origin.h \
  dmd/reader/history/prune.c dmd/reader/history/prune.h \
  dmd/reader/history/recordset.c dmd/reader/history/recordset.h \
  dmd/reader/history/rows.c dmd/reader/history/rows.h \
  dmd/reader/history/runs.c dmd/reader/history/runs.h \
  dmd/reader/history/schema.c dmd/reader/history/schema.h \
  dmd/reader/history/setsums.c dmd/reader/history/setsums.h \
  dmd/reader/history/stacks.c dmd/reader/history/stacks.h \
  dmd/reader/command/cmd_history.c \
  dmd/reader/command/historyadd.c \
  dmd/reader/command/historycheck.c \
  dmd/reader/command/historycommands.h \
  dmd/reader/command/historyexport.c \
  dmd/reader/command/historyimport.c \
  dmd/reader/command/historyreport.c dmd/reader/command/historyreport.h \
  dmd/reader/command/historyreport_ci.c \
  dmd/reader/command/historyreport_markdown.c \
  dmd/reader/command/historypage.c \
  dmd/reader/command/historyprune.c \
  dmd/reader/command/historyshow.c
dmd_postgresql_sources = dmd/reader/history/driver_postgresql.c
dmd_no_postgresql_sources = dmd/reader/history/driver_postgresql_none.c
dmd_no_history_sources = dmd/reader/command/cmd_history_none.c

# The page that dmdv view writes, where it was built, and what stands in for it.
dmd_page_sources = dmd/reader/command/page_built.c
dmd_no_page_sources = dmd/reader/command/page_none.c

# dmd-derive: its core, which is freestanding as the tool's is, and what is around that.
dmd_derive_core_sources = \
  dmd/derive/cast.c dmd/derive/cast.h \
  dmd/derive/check.c dmd/derive/check.h \
  dmd/derive/model.c dmd/derive/model.h \
  dmd/derive/reach.c dmd/derive/reach.h \
  dmd/derive/scope.c dmd/derive/scope.h \
  dmd/derive/suggest/count.c dmd/derive/suggest/count.h \
  dmd/derive/suggest/evidence.c dmd/derive/suggest/evidence.h \
  dmd/derive/suggest/owner.c dmd/derive/suggest/owner.h \
  dmd/derive/suggest/slots.c dmd/derive/suggest/slots.h \
  dmd/derive/suggest/suggest.c dmd/derive/suggest/suggest.h \
  dmd/derive/write.c dmd/derive/write.h \
  dmd/derive/writemember.c dmd/derive/writemember.h
dmd_derive_program_sources = \
  dmd/derive/program/database.c dmd/derive/program/database.h \
  dmd/derive/program/main.c \
  dmd/derive/program/options.c dmd/derive/program/options.h \
  dmd/derive/program/outputs.c dmd/derive/program/outputs.h \
  dmd/derive/program/read.c dmd/derive/program/read.h \
  dmd/derive/program/records.c dmd/derive/program/records.h \
  dmd/derive/program/suggest.c dmd/derive/program/suggest.h

# Our own part of the library that is preloaded into programs, beside Valgrind's malloc replacement.
dmd_preload_sources = dmd/tool/dm_preload.c dmd/tool/dm_preload.h

# Headers that are installed to $(includedir)/valgrind.
vgincludedir = $(includedir)/valgrind
vginclude_HEADERS = dmd/dmd.h dmd/dmd-annotations.h dmd/dmd-derived.h dmd/measure.hpp dmd/measure_list.hpp dmd/measure_std.hpp
