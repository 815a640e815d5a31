/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * requests.h: what the program asks of the engine through dmd.h.
 *
 * Numbers, flags and structures are those of dmd.h, which is an ABI. They stand here once more
 * since dmd.h is the programs': it needs a libc, and how its requests get to an engine is the
 * host's business. A host that includes both asserts that they agree.
 *
 * Nothing that comes in is trusted: an address is only looked up, never followed, and a string is
 * read through the host as far as that can read it, and up to DMD_MAX_NAME bytes.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_REQUESTS_H
#define DMD_ENGINE_REQUESTS_H

#include "engine/engine.h"

/* In the order of dmd.h; what each answers is said there. */
typedef enum {
  DMD_REQUEST_RUNNING = 0x444d0000, /* 'D' and 'M', as Valgrind has it */
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
  DMD_REQUEST_END /* none: behind the last */
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
  uint64_t arg[3]; /* as the program passed them, whatever their types */
  uint32_t thread;
} dmd_request_t;

/* Whether a request measures the block that starts at its first argument. */
static inline bool dmd_request_measures(uint64_t number) {
  return (number >= DMD_REQUEST_REPORT && number <= DMD_REQUEST_UNREPORT) ||
         number == DMD_REQUEST_REPORT_NAMED || number == DMD_REQUEST_REPORT_SHARED;
}

/* Whether a request measures a block that sampling passed over for certain: then nobody answers it,
 * so that the program asks its allocator (dmd.h). Needs no lock. */
static inline bool dmd_request_is_passed_over(const dmd_engine_t *engine, uint64_t number,
                                              uint64_t addr) {
  return dmd_live_passed_over(&engine->live, addr) && dmd_request_measures(number);
}

/* Does what a request asks for, and says in *answer what it returns. False, and nothing is done,
 * where there is no such request, or it measures a block that sampling passed over. Those of
 * reports without a name read none of the program's memory.
 */
bool dmd_engine_request(dmd_engine_t *engine, const dmd_request_t *request, uint64_t *answer);

#endif
