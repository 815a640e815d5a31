# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sources under dmd/, one line a file. A file that is in no list here fails `make check`.

# The core: compiled into the tool and, hosted, into dmdv and the unit tests.
dmd_core_sources = \
  dmd/base/env.h \
  dmd/base/fnname.c dmd/base/fnname.h \
  dmd/base/format.c dmd/base/format.h \
  dmd/base/intern.c dmd/base/intern.h \
  dmd/base/jsonout.c dmd/base/jsonout.h \
  dmd/base/map.c dmd/base/map.h \
  dmd/base/mem.h \
  dmd/base/out.c dmd/base/out.h \
  dmd/base/path.c dmd/base/path.h \
  dmd/base/pool.c dmd/base/pool.h \
  dmd/base/sort.c dmd/base/sort.h \
  dmd/base/table.c dmd/base/table.h \
  dmd/profile/advice.c dmd/profile/advice.h \
  dmd/profile/advicetext.c dmd/profile/advicetext.h \
  dmd/profile/fault.c dmd/profile/fault.h \
  dmd/profile/groups.c dmd/profile/groups.h \
  dmd/profile/json.c dmd/profile/json.h \
  dmd/profile/measured.c dmd/profile/measured.h \
  dmd/profile/printer.c dmd/profile/printer.h \
  dmd/profile/profile.c dmd/profile/profile.h \
  dmd/profile/published.c dmd/profile/published.h \
  dmd/profile/record.c dmd/profile/record.h \
  dmd/profile/reports.c dmd/profile/reports.h \
  dmd/profile/text.c dmd/profile/text.h \
  dmd/profile/text_fault.c \
  dmd/profile/text_share.c \
  dmd/live/allocator.c dmd/live/allocator.h \
  dmd/live/block.h \
  dmd/live/blockindex.c dmd/live/blockindex.h \
  dmd/live/claim.c dmd/live/claim.h \
  dmd/live/freed.c dmd/live/freed.h \
  dmd/live/heap.c dmd/live/heap.h \
  dmd/live/holders.c dmd/live/holders.h \
  dmd/live/live.c dmd/live/live.h \
  dmd/live/live_report.c \
  dmd/live/live_scope.c \
  dmd/live/sample.c dmd/live/sample.h \
  dmd/live/scope.c dmd/live/scope.h \
  dmd/live/slabmap.c dmd/live/slabmap.h \
  dmd/live/slabs.c dmd/live/slabs.h \
  dmd/live/slots.c dmd/live/slots.h \
  dmd/live/snapshot.c dmd/live/snapshot.h \
  dmd/live/stack.c dmd/live/stack.h

# The Valgrind shell around it.
dmd_tool_sources = \
  dmd/tool/dm_address.c dmd/tool/dm_address.h \
  dmd/tool/dm_allocator.c dmd/tool/dm_allocator.h \
  dmd/tool/dm_arena.c dmd/tool/dm_arena.h \
  dmd/tool/dm_clientreq.c dmd/tool/dm_clientreq.h \
  dmd/tool/dm_direct.c dmd/tool/dm_direct.h \
  dmd/tool/dm_dump.c dmd/tool/dm_dump.h \
  dmd/tool/dm_env.c dmd/tool/dm_env.h \
  dmd/tool/dm_gzip.c dmd/tool/dm_gzip.h \
  dmd/tool/dm_inlined.c dmd/tool/dm_inlined.h \
  dmd/tool/dm_main.c \
  dmd/tool/dm_malloc.c dmd/tool/dm_malloc.h \
  dmd/tool/dm_memory.c dmd/tool/dm_memory.h \
  dmd/tool/dm_monitor.c dmd/tool/dm_monitor.h \
  dmd/tool/dm_options.c dmd/tool/dm_options.h \
  dmd/tool/dm_outfile.c dmd/tool/dm_outfile.h \
  dmd/tool/dm_place.c dmd/tool/dm_place.h \
  dmd/tool/dm_resident.c dmd/tool/dm_resident.h \
  dmd/tool/dm_rules.c dmd/tool/dm_rules.h \
  dmd/tool/dm_symbols.c dmd/tool/dm_symbols.h \
  dmd/tool/dm_unwind.c dmd/tool/dm_unwind.h

# dmdv: its main file, and the rest, which unit tests can be linked with.
dmdv_SOURCES = dmd/reader/dmdv.c
dmd_reader_sources = \
  dmd/reader/allocfns.c dmd/reader/allocfns.h \
  dmd/reader/by.c dmd/reader/by.h \
  dmd/reader/calibrate.c dmd/reader/calibrate.h \
  dmd/reader/causes.c dmd/reader/causes.h \
  dmd/reader/child.c dmd/reader/child.h \
  dmd/reader/cmd_check.c \
  dmd/reader/causal.c dmd/reader/causal.h \
  dmd/reader/cmd_diff.c \
  dmd/reader/cmd_export.c \
  dmd/reader/cmd_merge.c \
  dmd/reader/cmd_print.c \
  dmd/reader/cmd_run.c \
  dmd/reader/cmd_tree.c \
  dmd/reader/combine.c dmd/reader/combine.h \
  dmd/reader/commands.h \
  dmd/reader/cutter.c dmd/reader/cutter.h \
  dmd/reader/export.h \
  dmd/reader/export_about_memory.c \
  dmd/reader/export_collapsed.c \
  dmd/reader/export_dhat.c \
  dmd/reader/export_speedscope.c \
  dmd/reader/document.c dmd/reader/document.h \
  dmd/reader/fail.c dmd/reader/fail.h \
  dmd/reader/frame.c dmd/reader/frame.h \
  dmd/reader/gate.c dmd/reader/gate.h \
  dmd/reader/gate_output.c dmd/reader/gate_output.h \
  dmd/reader/gate_text.c dmd/reader/gate_text.h \
  dmd/reader/host.c dmd/reader/host.h \
  dmd/reader/ignorefile.c dmd/reader/ignorefile.h \
  dmd/reader/input.c dmd/reader/input.h \
  dmd/reader/load.c dmd/reader/load.h \
  dmd/reader/load_run.c \
  dmd/reader/loader.c dmd/reader/loader.h \
  dmd/reader/location.c dmd/reader/location.h \
  dmd/reader/memreports.c dmd/reader/memreports.h \
  dmd/reader/normalize.c dmd/reader/normalize.h \
  dmd/reader/options.c dmd/reader/options.h \
  dmd/reader/outfile.c dmd/reader/outfile.h \
  dmd/reader/progress.c dmd/reader/progress.h \
  dmd/reader/records_json.c dmd/reader/records_json.h \
  dmd/reader/show.c dmd/reader/show.h \
  dmd/reader/source_memory.c \
  dmd/reader/source_profile.c \
  dmd/reader/sources.h \
  dmd/reader/sums.c dmd/reader/sums.h \
  dmd/reader/tree.c dmd/reader/tree.h \
  dmd/reader/tree_text.c dmd/reader/tree_text.h \
  dmd/reader/size.c dmd/reader/size.h \
  dmd/reader/usage.c dmd/reader/usage.h \
  dmd/reader/written.c dmd/reader/written.h

# What of it needs protobuf-c, which makes more from the .proto.
dmd_pprof_sources = dmd/reader/export_pprof.c dmd/reader/profile.proto

# Our own part of the library that is preloaded into programs, beside Valgrind's malloc replacement.
dmd_preload_sources =

# Headers that are installed to $(includedir)/valgrind.
vgincludedir = $(includedir)/valgrind
vginclude_HEADERS = dmd/dmd.h
