/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/requests.h"

#include "base/limits.h"
#include "record/engine/dump.h"
#include "record/engine/graphdump.h"
#include "record/engine/mapping.h"

/* Version of the requests, returned for DMD_REQUEST_RUNNING; dmd.h describes it. */
enum { ABI_VERSION = 1 };

typedef struct {
  char text[DMD_MAX_NAME + 1];
} name_t;

/* ---- Reading the program's memory. ---- */

/* How many of the n bytes at addr are in its page. */
static size_t within_page(uint64_t addr, size_t n) {
  size_t left = DMD_PAGE_SZB - addr % DMD_PAGE_SZB;
  return n < left ? n : left;
}

/* Bytes before the first NUL, at most max. */
static size_t length_of(const char *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n] != '\0')
    n++;
  return n;
}

/* Reads the program's string at addr, as far as possible. Reads in small pieces, since names are
 * short and their length is unknown. */
static const char *read_name(const dmd_engine_host_t *host, name_t *name, uint64_t addr) {
  enum { AT_ONCE = 64 };
  size_t n = 0;
  host->memory_begin(host->ctx);
  while (n < DMD_MAX_NAME) {
    size_t left = DMD_MAX_NAME - n;
    size_t part = within_page(addr + n, left < AT_ONCE ? left : AT_ONCE);
    size_t got = host->memory_read(host->ctx, addr + n, name->text + n, part);
    size_t length = length_of(name->text + n, got);
    n += length;
    if (length < part)
      break;
  }
  host->memory_end(host->ctx);
  name->text[n] = '\0';
  return name->text;
}

/* Returns false if not all of it can be read. */
static bool read_struct(const dmd_engine_host_t *host, void *to, size_t szB, uint64_t addr) {
  size_t n = 0;
  host->memory_begin(host->ctx);
  while (n < szB) {
    size_t part = within_page(addr + n, szB - n);
    if (host->memory_read(host->ctx, addr + n, (char *)to + n, part) < part)
      break;
    n += part;
  }
  host->memory_end(host->ctx);
  return n == szB;
}

/* A scope needs some name. */
static const char *read_scope_name(const dmd_engine_host_t *host, name_t *name, uint64_t addr) {
  const char *text = read_name(host, name, addr);
  return text[0] == '\0' ? "(no name)" : text;
}

/* ---- Reports. ---- */

static uint64_t running(dmd_engine_t *engine, const dmd_request_t *request) {
  (void)engine, (void)request;
  return ABI_VERSION;
}

/* A report of nothing, or one that is not kept, needs no stack. */
static uint64_t report_with(dmd_engine_t *engine, const dmd_request_t *request, uint32_t flags) {
  uint64_t addr = request->arg[0];
  uint32_t stack = DMD_NONE;
  if (addr != 0 && dmd_live_keeps_reports(&engine->live))
    stack = dmd_engine_capture(engine, request->thread);
  return dmd_live_report(&engine->live, request->thread, addr, stack, flags, DMD_NONE);
}

static uint64_t report(dmd_engine_t *engine, const dmd_request_t *request) {
  return report_with(engine, request, 0);
}

static uint64_t report_on_alloc(dmd_engine_t *engine, const dmd_request_t *request) {
  return report_with(engine, request, DMD_REPORT_ON_ALLOC);
}

static uint64_t report_shared(dmd_engine_t *engine, const dmd_request_t *request) {
  return report_with(engine, request, DMD_REPORT_SHARED);
}

/* A report of the block that contains an address. Blocks that were not sampled are unknown, so that
 * an address in none is not a fault then. */
static uint64_t report_enclosing(dmd_engine_t *engine, const dmd_request_t *request) {
  const dmd_live_t *live = &engine->live;
  uint64_t addr = request->arg[0], start = addr;
  if (addr != 0 && dmd_live_find(live, addr) == NULL &&
      dmd_blocks_find_containing(live->blocks, addr, &start) == NULL &&
      live->config.sample_interval > 0)
    return 0;
  dmd_request_t at_start = *request;
  at_start.arg[0] = start;
  return report_with(engine, &at_start,
                     request->arg[1] & DMD_REQUEST_SHARED ? DMD_REPORT_SHARED : 0);
}

/* The original DMD's report: with a reporter's name, and a length, which is checked. */
static uint64_t report_named(dmd_engine_t *engine, const dmd_request_t *request) {
  uint64_t addr = request->arg[0], length = request->arg[1];
  dmd_live_t *live = &engine->live;
  name_t name;
  uint32_t reporter = DMD_NONE;
  if (read_name(engine->host, &name, request->arg[2])[0] != '\0')
    reporter = dmd_intern_text(&live->reporter_names, name.text);
  if (addr == 0 || !dmd_live_keeps_reports(live))
    return dmd_live_usable_at(live, addr);
  uint32_t stack = dmd_engine_capture(engine, request->thread);
  dmd_live_check_length(live, addr, length, stack, reporter);
  return dmd_live_report(live, request->thread, addr, stack, 0, reporter);
}

/* Captures the stack only if there is a fault: counting allocators withdraw the report of every
 * block. */
static uint64_t unreport(dmd_engine_t *engine, const dmd_request_t *request) {
  uint64_t addr = request->arg[0];
  bool wrong = addr != 0 && dmd_live_find(&engine->live, addr) == NULL &&
               dmd_live_keeps_reports(&engine->live);
  uint32_t stack = wrong ? dmd_engine_capture(engine, request->thread) : DMD_NONE;
  return dmd_live_unreport(&engine->live, request->thread, addr, stack);
}

static uint64_t clear_reports(dmd_engine_t *engine, const dmd_request_t *request) {
  (void)request;
  dmd_live_clear_reports(&engine->live);
  return 0;
}

static uint64_t dump(dmd_engine_t *engine, const dmd_request_t *request) {
  uint64_t label_at = request->arg[0];
  name_t label;
  dmd_live_check_open(&engine->live, request->thread, dmd_engine_capture(engine, request->thread));
  uint64_t number =
      dmd_engine_dump(engine, DMD_TRIGGER_REQUEST,
                      label_at == 0 ? NULL : read_name(engine->host, &label, label_at));
  dmd_live_clear_reports(&engine->live);
  return number;
}

static uint64_t graph(dmd_engine_t *engine, const dmd_request_t *request) {
  uint64_t label_at = request->arg[0];
  name_t label;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, engine->env);
  uint64_t number =
      dmd_engine_graph(engine, DMD_TRIGGER_REQUEST,
                       label_at == 0 ? NULL : read_name(engine->host, &label, label_at), &name);
  dmd_strbuf_destroy(&name);
  return number;
}

static uint64_t mark(dmd_engine_t *engine, const dmd_request_t *request) {
  name_t text;
  dmd_blocks_mark(engine->live.blocks, read_name(engine->host, &text, request->arg[0]), 0);
  return 0;
}

/* ---- Scopes. ---- */

/* Where the thread is: behind the request, in the function that made it. */
static dmd_place_t place_of(const dmd_engine_t *engine, uint32_t thread) {
  return engine->host->place(engine->host->ctx, thread);
}

/* The place at which a scope begins. guard: the guard's address, or 0. */
static dmd_place_t begin_at(dmd_engine_t *engine, uint32_t thread, uint64_t guard) {
  dmd_place_t place = place_of(engine, thread);
  place.guard = guard;
  place.stack = dmd_engine_capture(engine, thread);
  place.in_coroutine = guard != 0 && dmd_running_in_coroutine(&engine->running, place.stack);
  return place;
}

static dmd_scope_end_t end_at(const dmd_engine_t *engine, uint32_t thread, uint64_t depth,
                              uint64_t guard) {
  dmd_scope_end_t end = {.place = place_of(engine, thread), .depth = depth};
  end.place.guard = guard;
  return end;
}

static uint64_t begin_reporter(dmd_engine_t *engine, const dmd_request_t *request) {
  name_t path;
  const char *text = read_scope_name(engine->host, &path, request->arg[0]);
  bool exclusive = (request->arg[1] & DMD_REQUEST_EXCLUSIVE) != 0;
  uint32_t depth = dmd_live_begin_reporter(&engine->live, request->thread, text, exclusive,
                                           begin_at(engine, request->thread, request->arg[2]));
  if (request->arg[1] & DMD_REQUEST_IGNORED)
    dmd_live_ignore_reporter(&engine->live, request->thread);
  return depth;
}

/* The second argument is 0 or, for a guard, twice the depth at which it began, plus
 * DMD_REQUEST_ABANDONED. The third is the guard's address, or 0. */
static uint64_t end_reporter(dmd_engine_t *engine, const dmd_request_t *request) {
  uint64_t claimed = request->arg[0], how = request->arg[1];
  uint32_t thread = request->thread;
  dmd_live_t *live = &engine->live;
  uint32_t stack = dmd_engine_capture(engine, thread);
  dmd_scope_end_t end = end_at(engine, thread, how / 2, request->arg[2]);
  end.place.in_coroutine =
      end.place.guard != 0 && dmd_running_in_coroutine(&engine->running, stack);
  bool was_open = how & DMD_REQUEST_ABANDONED
                      ? dmd_live_abandon_reporter(live, thread, end)
                      : dmd_live_end_reporter(live, thread, claimed, stack, end);
  if (!was_open)
    dmd_live_fault(live, DMD_FAULT_SCOPE_UNDERFLOW, thread, stack);
  return dmd_scopes_depth(&live->reporters, thread);
}

static uint64_t reporter_handle(dmd_engine_t *engine, const dmd_request_t *request) {
  return dmd_live_reporter_handle(&engine->live, request->thread);
}

static uint64_t join_reporter(dmd_engine_t *engine, const dmd_request_t *request) {
  uint32_t thread = request->thread;
  dmd_place_t place = begin_at(engine, thread, 0);
  if (!dmd_live_join_reporter(&engine->live, thread, request->arg[0], place))
    dmd_live_fault(&engine->live, DMD_FAULT_SCOPE_JOIN, thread, place.stack);
  return dmd_scopes_depth(&engine->live.reporters, thread);
}

static uint64_t leave_reporter(dmd_engine_t *engine, const dmd_request_t *request) {
  uint32_t thread = request->thread;
  if (!dmd_live_leave_reporter(&engine->live, thread, end_at(engine, thread, 0, 0)))
    dmd_live_fault(&engine->live, DMD_FAULT_SCOPE_UNDERFLOW, thread,
                   dmd_engine_capture(engine, thread));
  return dmd_scopes_depth(&engine->live.reporters, thread);
}

static uint64_t push_tag(dmd_engine_t *engine, const dmd_request_t *request) {
  name_t name;
  const char *text = read_scope_name(engine->host, &name, request->arg[0]);
  dmd_engine_look_for_left_tag(engine, request->thread, false);
  return dmd_live_push_tag(&engine->live, request->thread, text,
                           begin_at(engine, request->thread, request->arg[2]));
}

static uint64_t pop_tag(dmd_engine_t *engine, const dmd_request_t *request) {
  uint32_t thread = request->thread;
  dmd_engine_look_for_left_tag(engine, thread, false);
  if (!dmd_live_pop_tag(&engine->live, thread,
                        end_at(engine, thread, request->arg[0], request->arg[2])))
    dmd_live_fault(&engine->live, DMD_FAULT_SCOPE_UNDERFLOW, thread,
                   dmd_engine_capture(engine, thread));
  return dmd_scopes_depth(&engine->live.tags, thread);
}

static uint64_t set_tag(dmd_engine_t *engine, const dmd_request_t *request) {
  name_t name;
  dmd_engine_look_for_left_tag(engine, request->thread, false);
  return dmd_live_set_tag(&engine->live, request->thread,
                          read_scope_name(engine->host, &name, request->arg[0]));
}

static uint64_t clear_tag(dmd_engine_t *engine, const dmd_request_t *request) {
  dmd_live_clear_tag(&engine->live, request->thread);
  return dmd_scopes_depth(&engine->live.tags, request->thread);
}

static uint64_t tag_bytes(dmd_engine_t *engine, const dmd_request_t *request) {
  name_t name;
  return dmd_live_tag_bytes(&engine->live, request->thread,
                            read_scope_name(engine->host, &name, request->arg[0]));
}

static uint64_t tag_blocks(dmd_engine_t *engine, const dmd_request_t *request) {
  name_t name;
  const char *text = read_scope_name(engine->host, &name, request->arg[0]);
  return dmd_live_tag_sum(&engine->live, text).n_blocks;
}

static uint64_t report_mapped(dmd_engine_t *engine, const dmd_request_t *request) {
  return dmd_engine_report_mapped(engine, request->thread, request->arg[0], request->arg[1]);
}

/* ---- Memory reports. ---- */

static bool keep_memory_report(dmd_engine_t *engine, const dmd_request_t *request) {
  const dmd_engine_host_t *host = engine->host;
  dmd_request_memreport_t report;
  name_t process, path, description;
  if (!read_struct(host, &report, sizeof report, request->arg[0]))
    return false;
  dmd_memreport_t value = {.process = read_name(host, &process, (uintptr_t)report.process),
                           .path = read_name(host, &path, (uintptr_t)report.path),
                           .description =
                               read_name(host, &description, (uintptr_t)report.description),
                           .amount = report.amount,
                           .times = 1,
                           .stack = dmd_engine_capture(engine, request->thread),
                           .kind = report.kind,
                           .units = report.units};
  return dmd_live_publish(&engine->live, request->thread, &value);
}

static uint64_t memory_report(dmd_engine_t *engine, const dmd_request_t *request) {
  if (!keep_memory_report(engine, request))
    dmd_live_fault(&engine->live, DMD_FAULT_MEMORY_REPORT_REFUSED, request->thread,
                   dmd_engine_capture(engine, request->thread));
  return dmd_memreports_count(&engine->live.memreports);
}

/* ---- Dispatch. ---- */

#define HANDLER(number) [DMD_REQUEST_##number - DMD_REQUEST_RUNNING]

static uint64_t (*const handlers[])(dmd_engine_t *engine, const dmd_request_t *request) = {
    HANDLER(RUNNING) = running,
    HANDLER(REPORT) = report,
    HANDLER(REPORT_ON_ALLOC) = report_on_alloc,
    HANDLER(UNREPORT) = unreport,
    HANDLER(CLEAR_REPORTS) = clear_reports,
    HANDLER(DUMP) = dump,
    HANDLER(REPORTER_BEGIN) = begin_reporter,
    HANDLER(REPORTER_END) = end_reporter,
    HANDLER(TAG_PUSH) = push_tag,
    HANDLER(TAG_POP) = pop_tag,
    HANDLER(REPORT_NAMED) = report_named,
    HANDLER(REPORT_SHARED) = report_shared,
    HANDLER(SET_TAG) = set_tag,
    HANDLER(CLEAR_TAG) = clear_tag,
    HANDLER(TAG_BYTES) = tag_bytes,
    HANDLER(TAG_BLOCKS) = tag_blocks,
    HANDLER(MEMORY_REPORT) = memory_report,
    HANDLER(REPORTER_HANDLE) = reporter_handle,
    HANDLER(REPORTER_JOIN) = join_reporter,
    HANDLER(REPORTER_LEAVE) = leave_reporter,
    HANDLER(GRAPH) = graph,
    HANDLER(MARK) = mark,
    HANDLER(REPORT_ENCLOSING) = report_enclosing,
    HANDLER(REPORT_MAPPED) = report_mapped,
};
_Static_assert(sizeof handlers / sizeof *handlers == DMD_REQUEST_END - DMD_REQUEST_RUNNING,
               "each request has its function");

/* If blocks are sampled, an address without a known block is not a fault. */
static bool is_passed_over(const dmd_engine_t *engine, const dmd_request_t *request) {
  return engine->live.config.sample_interval > 0 && dmd_request_measures(request->number) &&
         dmd_live_find(&engine->live, request->arg[0]) == NULL;
}

bool dmd_engine_request(dmd_engine_t *engine, const dmd_request_t *request, uint64_t *answer) {
  if (request->number < DMD_REQUEST_RUNNING || request->number >= DMD_REQUEST_END ||
      is_passed_over(engine, request))
    return false;
  *answer = handlers[request->number - DMD_REQUEST_RUNNING](engine, request);
  return true;
}
