/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * request.h: the requests that programs make through dmd.h, as hosts and the engine pass them on.
 *
 * Numbers, flags and structures are those of dmd.h, which is an ABI. They are repeated here since
 * dmd.h belongs to programs: it needs a libc, and how its requests reach an engine is the host's
 * business. A host that includes both headers asserts that they agree.
 */
#ifndef DMD_RECORD_REQUEST_H
#define DMD_RECORD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

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
  DMD_REQUEST_MARK,
  DMD_REQUEST_REPORT_ENCLOSING,
  DMD_REQUEST_REPORT_MAPPED,
  DMD_REQUEST_END /* not a request; one past the last */
} dmd_request_number_t;

/* Flags of a reporter's begin and of its end. */
enum { DMD_REQUEST_EXCLUSIVE = 1, DMD_REQUEST_IGNORED = 2, DMD_REQUEST_ABANDONED = 1 };

/* Flag of DMD_REQUEST_REPORT_ENCLOSING: the block has several owners. */
enum { DMD_REQUEST_SHARED = 1 };

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

/* True if a request measures the block that starts at its first argument. */
static inline bool dmd_request_measures(uint64_t number) {
  return (number >= DMD_REQUEST_REPORT && number <= DMD_REQUEST_UNREPORT) ||
         number == DMD_REQUEST_REPORT_NAMED || number == DMD_REQUEST_REPORT_SHARED;
}

#endif
