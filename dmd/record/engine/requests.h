/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * requests.h: requests that the program makes through dmd.h.
 *
 * Numbers, flags and structures are those of dmd.h, which is an ABI. They are repeated here since
 * dmd.h belongs to programs: it needs a libc, and how its requests reach an engine is the host's
 * business. A host that includes both headers asserts that they agree.
 *
 * Input is not trusted: an address is only looked up, never dereferenced, and a string is read
 * through the host as far as it can be read, up to DMD_MAX_NAME bytes.
 */
#ifndef DMD_RECORD_ENGINE_REQUESTS_H
#define DMD_RECORD_ENGINE_REQUESTS_H

#include "record/engine/engine.h"

/* In the order of dmd.h, which describes the return values. */
typedef enum {
  DMD_REQUEST_RUNNING = 0x444d0000, /* 'D' and 'M', by Valgrind's convention */
  DMD_REQUEST_REPORT,
  DMD_REQUEST_REPORT_ON_ALLOC,
  DMD_REQUEST_UNREPORT,
  DMD_REQUEST_CLEAR_REPORTS,
  DMD_REQUEST_DUMP,
  DMD_REQUEST_REPORTER_BEGIN,
  DMD_REQUEST_REPORTER_END,
  DMD_REQUEST_TAG_PUSH,
  DMD_REQUEST_TAG_POP,
  DMD_REQUEST_REPORT_NAMED,
  DMD_REQUEST_REPORT_SHARED,
  DMD_REQUEST_SET_TAG,
  DMD_REQUEST_CLEAR_TAG,
  DMD_REQUEST_TAG_BYTES,
  DMD_REQUEST_TAG_BLOCKS,
  DMD_REQUEST_MEMORY_REPORT,
  DMD_REQUEST_REPORTER_HANDLE,
  DMD_REQUEST_REPORTER_JOIN,
  DMD_REQUEST_REPORTER_LEAVE,
  DMD_REQUEST_GRAPH,
  DMD_REQUEST_END /* not a request; one past the last */
} dmd_request_number_t;

/* Flags of a reporter's begin and of its end. */
enum { DMD_REQUEST_EXCLUSIVE = 1, DMD_REQUEST_ABANDONED = 1 };

/* dmd.h's struct dmd_memory_report. */
typedef struct dmd_request_memreport {
  const char *process, *path;
  int kind, units;
  long long amount;
  const char *description;
} dmd_request_memreport_t;

typedef struct dmd_request {
  uint64_t number;
  uint64_t arg[3]; /* as passed by the program, whatever their types */
  uint32_t thread;
} dmd_request_t;

/* True if a request measures the block at its first argument. */
static inline bool dmd_request_measures(uint64_t number) {
  return (number >= DMD_REQUEST_REPORT && number <= DMD_REQUEST_UNREPORT) ||
         number == DMD_REQUEST_REPORT_NAMED || number == DMD_REQUEST_REPORT_SHARED;
}

/* True if a request measures a block that was certainly not sampled: the request is then left
 * unanswered, so that the program asks its allocator (dmd.h). Needs no lock. */
static inline bool dmd_request_is_passed_over(const dmd_engine_t *engine, uint64_t number,
                                              uint64_t addr) {
  return dmd_live_passed_over(&engine->live, addr) && dmd_request_measures(number);
}

/* Executes a request and stores its result in *answer. Returns false, and does nothing, if the
 * request is unknown or measures a block that was not sampled. Reports without a name read none of
 * the program's memory. */
bool dmd_engine_request(dmd_engine_t *engine, const dmd_request_t *request, uint64_t *answer);

#endif
