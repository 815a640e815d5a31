/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * received.h: handles the packets that the processes of a run send (record/engine/channel.h).
 *
 * Lines go to the log. dmdv writes the files itself, in its own name and folder. A process only
 * chooses among the names that --dmd-out-file can produce for it; other names are refused
 * (dmd_filename_matches). Files that a process wrote itself are added to the list of files.
 *
 * Files that dmdv cannot write are refused, so that their process reports or writes them itself.
 *
 * The profile of the main program is kept until the end, when its frames get names, and written
 * once. The profiles of other processes are written as they arrive, and again with names at the
 * end, so that they exist even if dmdv is killed.
 *
 * Nothing in a packet is trusted, see docs/internals.md.
 */
#ifndef DMD_DMDV_RUN_RECEIVED_H
#define DMD_DMDV_RUN_RECEIVED_H

#include "dmdv/run/native.h"
#include "dmdv/run/runlog.h"
#include "dmdv/run/written.h"
#include "record/engine/channel.h"

typedef struct dmdv_received dmdv_received_t;

/* All three must outlive the result. The log's pattern is the one of native. */
dmdv_received_t *dmdv_received_new(dmdv_native_t *native, dmdv_runlog_t *log,
                                   dmdv_written_t *written);
void dmdv_received_free(dmdv_received_t *received);

/* A dmdv_packet_fn; ctx is a dmdv_received_t. */
bool dmdv_received_take(void *ctx, const dmd_packet_t *packet, const char *payload);

/* Takes the program's complete profile of its n-th dump out of those that are kept. Returns a
 * descriptor of its bytes; -1: there is none. */
int dmdv_received_take_out(dmdv_received_t *received, uint64_t n);

/* Whether a file is still being received. ctx is a dmdv_received_t. */
bool dmdv_received_is_waiting(const void *ctx);

/* After the last packet: adds names to frames, writes the kept files, and reports files that were
 * given up. */
void dmdv_received_finish(dmdv_received_t *received);

/* Facts about the run, to explain why there is no profile. */
typedef struct dmdv_run_facts {
  uint32_t n_started;    /* processes in which an engine started */
  uint32_t n_unfinished; /* files that were begun and not completed */
  uint32_t n_refused;    /* files with names that were refused */
  bool has_ended;        /* whether the engine saw the end of the last process with this number */
} dmdv_run_facts_t;

dmdv_run_facts_t dmdv_received_facts(const dmdv_received_t *received, uint64_t pid);

#endif
