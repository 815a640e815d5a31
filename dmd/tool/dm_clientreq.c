/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

/* Only its enum is wanted here, not what it takes from a libc. */
#define DMD_NATIVE_USABLE_SIZE(p) ((void)(p), 0)
#include "dmd.h"
#include "engine/dump.h"
#include "tool/dm_clientreq.h"
#include "tool/dm_env.h"
#include "tool/dm_malloc.h"
#include "tool/dm_memory.h"
#include "tool/dm_monitor.h"

/* The version of the requests that VG_USERREQ__DMD_RUNNING answers; dmd.h says what it means. */
enum { ABI_VERSION = 1 };

typedef struct {
  HChar text[DMD_MAX_NAME + 1];
} name_t;

/* The bytes before the first NUL, or max. */
static SizeT length_of(const HChar *s, SizeT max) {
  SizeT n = 0;
  while (n < max && s[n] != '\0')
    n++;
  return n;
}

/* The program's string at a, as far as it can be read. Names are short, and where they end is not
 * known before they are copied. */
static const HChar *read_name(name_t *name, Addr a) {
  enum { AT_ONCE = 64 };
  SizeT n = 0;
  dm_memory_begin(NULL);
  while (n < DMD_MAX_NAME) {
    SizeT part = VG_MIN(DMD_MAX_NAME - n, DM_PAGE_SZB - (a + n) % DM_PAGE_SZB);
    part = VG_MIN(part, AT_ONCE);
    SizeT got = dm_memory_read(NULL, a + n, name->text + n, part);
    SizeT length = length_of(name->text + n, got);
    n += length;
    if (length < part)
      break;
  }
  dm_memory_end(NULL);
  name->text[n] = '\0';
  return name->text;
}

/* False where not all of it can be read. */
static Bool read_struct(void *to, SizeT szB, Addr a) {
  SizeT n = 0;
  dm_memory_begin(NULL);
  while (n < szB) {
    SizeT part = VG_MIN(szB - n, DM_PAGE_SZB - (a + n) % DM_PAGE_SZB);
    if (dm_memory_read(NULL, a + n, (HChar *)to + n, part) < part)
      break;
    n += part;
  }
  dm_memory_end(NULL);
  return n == szB;
}

/* A scope must have some name. */
static const HChar *read_scope_name(name_t *name, Addr a) {
  const HChar *text = read_name(name, a);
  return text[0] == '\0' ? "(no name)" : text;
}

/* Where the thread is: after the request, in the function that made it. */
static dmd_place_t place_of(ThreadId tid) {
  return (dmd_place_t){.ip = VG_(get_IP)(tid), .sp = VG_(get_SP)(tid)};
}

/* The same of a scope that begins. */
static dmd_place_t begin_at(ThreadId tid) {
  dmd_place_t place = place_of(tid);
  place.stack = dm_capture_stack(tid);
  return place;
}

static UWord report(ThreadId tid, Addr p, UInt flags) {
  UInt stack = DMD_NONE;
  if (p != 0 && dmd_live_keeps_reports(&g_engine.live))
    stack = dm_capture_stack(tid);
  return dmd_live_report(&g_engine.live, tid, p, stack, flags, DMD_NONE);
}

/* Its stack is captured only where there is something to say of it: an allocator that counts takes
 * back the report of each block. */
static UWord unreport(ThreadId tid, Addr p) {
  bool wrong =
      p != 0 && dmd_live_find(&g_engine.live, p) == NULL && dmd_live_keeps_reports(&g_engine.live);
  return dmd_live_unreport(&g_engine.live, tid, p, wrong ? dm_capture_stack(tid) : DMD_NONE);
}

/* The first DMD's report: with a name of its own, and with a length, which is checked. */
static UWord report_named(ThreadId tid, Addr p, SizeT length, Addr name_at) {
  name_t name;
  UInt reporter = DMD_NONE;
  if (read_name(&name, name_at)[0] != '\0')
    reporter = dmd_intern_text(&g_engine.live.reporter_names, name.text);
  if (p == 0 || !dmd_live_keeps_reports(&g_engine.live))
    return dmd_live_usable_at(&g_engine.live, p);
  UInt stack = dm_capture_stack(tid);
  dmd_live_check_length(&g_engine.live, p, length, stack, reporter);
  return dmd_live_report(&g_engine.live, tid, p, stack, 0, reporter);
}

static UWord dump(ThreadId tid, Addr label_at) {
  name_t label;
  dmd_live_tell_open(&g_engine.live, tid);
  UWord number = dmd_engine_dump(&g_engine, DMD_TRIGGER_REQUEST,
                                 label_at == 0 ? NULL : read_name(&label, label_at));
  dmd_live_clear_reports(&g_engine.live);
  return number;
}

static UWord push_tag(ThreadId tid, Addr name_at) {
  name_t name;
  const HChar *text = read_scope_name(&name, name_at);
  return dmd_live_push_tag(&g_engine.live, tid, text, begin_at(tid));
}

static dmd_scope_end_t end_at(ThreadId tid, UWord depth) {
  return (dmd_scope_end_t){.place = place_of(tid), .depth = depth};
}

static UWord pop_tag(ThreadId tid, UWord depth) {
  if (!dmd_live_pop_tag(&g_engine.live, tid, end_at(tid, depth)))
    dmd_live_fault(&g_engine.live, DMD_FAULT_SCOPE_UNDERFLOW, tid, dm_capture_stack(tid));
  return dmd_scopes_depth(&g_engine.live.tags, tid);
}

static UWord set_tag(ThreadId tid, Addr name_at) {
  name_t name;
  return dmd_live_set_tag(&g_engine.live, tid, read_scope_name(&name, name_at));
}

static UWord clear_tag(ThreadId tid) {
  dmd_live_clear_tag(&g_engine.live, tid);
  return dmd_scopes_depth(&g_engine.live.tags, tid);
}

static UWord tag_bytes(ThreadId tid, Addr name_at) {
  name_t name;
  return dmd_live_tag_bytes(&g_engine.live, tid, read_scope_name(&name, name_at));
}

static UWord tag_blocks(Addr name_at) {
  name_t name;
  return dmd_live_tag_sum(&g_engine.live, read_scope_name(&name, name_at)).n_blocks;
}

static UWord begin_reporter(ThreadId tid, Addr path_at, UWord flags) {
  name_t path;
  const HChar *text = read_scope_name(&path, path_at);
  Bool exclusive = (flags & DMD_REPORTER_EXCLUSIVE) != 0;
  return dmd_live_begin_reporter(&g_engine.live, tid, text, exclusive, begin_at(tid));
}

/* how: 0, or of a guard twice the depth that it began at, plus DMD_REPORTER_ABANDONED_. */
static UWord end_reporter(ThreadId tid, SizeT claimed, UWord how) {
  UInt stack = dm_capture_stack(tid);
  dmd_scope_end_t end = end_at(tid, how / 2);
  Bool was_open = how & DMD_REPORTER_ABANDONED_
                      ? dmd_live_abandon_reporter(&g_engine.live, tid, end)
                      : dmd_live_end_reporter(&g_engine.live, tid, claimed, stack, end);
  if (!was_open)
    dmd_live_fault(&g_engine.live, DMD_FAULT_SCOPE_UNDERFLOW, tid, stack);
  return dmd_scopes_depth(&g_engine.live.reporters, tid);
}

_Static_assert((int)DMD_KIND_NONHEAP == DMD_MEMREPORT_NONHEAP &&
                   (int)DMD_KIND_HEAP == DMD_MEMREPORT_HEAP &&
                   (int)DMD_KIND_OTHER == DMD_MEMREPORT_OTHER &&
                   (int)DMD_UNITS_BYTES == DMD_MEMREPORT_BYTES &&
                   (int)DMD_UNITS_COUNT == DMD_MEMREPORT_COUNT &&
                   (int)DMD_UNITS_COUNT_CUMULATIVE == DMD_MEMREPORT_CUMULATIVE &&
                   (int)DMD_UNITS_PERCENTAGE == DMD_MEMREPORT_PERCENTAGE,
               "the core and dmd.h number memory reports differently");

static Bool keep_memory_report(ThreadId tid, Addr at) {
  struct dmd_memory_report report;
  name_t process, path, description;
  if (!read_struct(&report, sizeof report, at))
    return False;
  dmd_memreport_t value = {.process = read_name(&process, (Addr)report.process),
                           .path = read_name(&path, (Addr)report.path),
                           .description = read_name(&description, (Addr)report.description),
                           .amount = report.amount,
                           .times = 1,
                           .stack = dm_capture_stack(tid),
                           .kind = report.kind,
                           .units = report.units};
  return dmd_memreports_add(&g_engine.live.memreports, &value);
}

static UWord memory_report(ThreadId tid, Addr at) {
  if (!keep_memory_report(tid, at))
    dmd_live_fault(&g_engine.live, DMD_FAULT_MEMORY_REPORT_REFUSED, tid, dm_capture_stack(tid));
  return dmd_memreports_count(&g_engine.live.memreports);
}

/* The requests of dmd.h. */
static Bool handle_own(ThreadId tid, const UWord *arg, UWord *ret) {
  switch (arg[0]) {
  case VG_USERREQ__DMD_RUNNING:
    *ret = ABI_VERSION;
    return True;
  case VG_USERREQ__DMD_REPORT:
    *ret = report(tid, arg[1], 0);
    return True;
  case VG_USERREQ__DMD_REPORT_ON_ALLOC:
    *ret = report(tid, arg[1], DMD_REPORT_ON_ALLOC);
    return True;
  case VG_USERREQ__DMD_REPORT_SHARED:
    *ret = report(tid, arg[1], DMD_REPORT_SHARED);
    return True;
  case VG_USERREQ__DMD_REPORT_NAMED:
    *ret = report_named(tid, arg[1], arg[2], arg[3]);
    return True;
  case VG_USERREQ__DMD_UNREPORT:
    *ret = unreport(tid, arg[1]);
    return True;
  case VG_USERREQ__DMD_CLEAR_REPORTS:
    dmd_live_clear_reports(&g_engine.live);
    *ret = 0;
    return True;
  case VG_USERREQ__DMD_DUMP:
    *ret = dump(tid, arg[1]);
    return True;
  case VG_USERREQ__DMD_REPORTER_BEGIN:
    *ret = begin_reporter(tid, arg[1], arg[2]);
    return True;
  case VG_USERREQ__DMD_REPORTER_END:
    *ret = end_reporter(tid, arg[1], arg[2]);
    return True;
  case VG_USERREQ__DMD_TAG_PUSH:
    *ret = push_tag(tid, arg[1]);
    return True;
  case VG_USERREQ__DMD_TAG_POP:
    *ret = pop_tag(tid, arg[1]);
    return True;
  case VG_USERREQ__DMD_SET_HEAP_BLOCK_TAG:
    *ret = set_tag(tid, arg[1]);
    return True;
  case VG_USERREQ__DMD_CLEAR_HEAP_BLOCK_TAG:
    *ret = clear_tag(tid);
    return True;
  case VG_USERREQ__DMD_TAG_BYTES:
    *ret = tag_bytes(tid, arg[1]);
    return True;
  case VG_USERREQ__DMD_TAG_BLOCKS:
    *ret = tag_blocks(arg[1]);
    return True;
  case VG_USERREQ__DMD_MEMORY_REPORT:
    *ret = memory_report(tid, arg[1]);
    return True;
  default:
    return False;
  }
}

Bool dm_handle_client_request(ThreadId tid, UWord *arg, UWord *ret) {
  if (VG_IS_TOOL_USERREQ('D', 'M', arg[0]))
    return handle_own(tid, arg, ret);
  *ret = 0;
  switch (arg[0]) {
  case VG_USERREQ__MALLOCLIKE_BLOCK:
    dm_announce_block(tid, arg[1], arg[2]);
    return True;
  case VG_USERREQ__RESIZEINPLACE_BLOCK:
    dm_announced_block_resized(tid, arg[1], arg[2], arg[3]);
    return True;
  case VG_USERREQ__FREELIKE_BLOCK:
    dm_announced_block_freed(tid, arg[1]);
    return True;
  case VG_USERREQ__GDB_MONITOR_COMMAND:
    *ret = dm_handle_monitor_command((const HChar *)arg[1]);
    return *ret != 0;
  default:
    return False;
  }
}

Bool dm_answer_frequent_request(ThreadId tid, UWord *arg, UWord *ret) {
  switch (arg[0]) {
  case VG_USERREQ__DMD_REPORT:
  case VG_USERREQ__DMD_REPORT_ON_ALLOC:
  case VG_USERREQ__DMD_REPORT_SHARED:
  case VG_USERREQ__DMD_UNREPORT:
    return handle_own(tid, arg, ret);
  case VG_USERREQ__MALLOCLIKE_BLOCK:
  case VG_USERREQ__FREELIKE_BLOCK:
    /* Those of address 0 do not reach a tool. */
    return arg[1] != 0 && dm_handle_client_request(tid, arg, ret);
  default:
    return False;
  }
}
