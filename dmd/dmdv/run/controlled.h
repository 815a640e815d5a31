/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * controlled.h: queries the native engine in another process (record/engine/control.h).
 *
 * dmdv listens on a socket of its own and sends the process a signal. The signal would kill a
 * process that does not expect it, so dmdv first checks in /proc that the process has a handler.
 * Both sides verify the other one's identity.
 */
#ifndef DMD_DMDV_RUN_CONTROLLED_H
#define DMD_DMDV_RUN_CONTROLLED_H

#include "base/out.h"
#include "base/strbuf.h"
#include "files/profile/jsonvalue.h"
#include "record/engine/control.h"

#include <stdbool.h>

/* Exit statuses of commands that query a process, beside 0 for success, 1 if the process could not
 * do it, and 2 as in every command. */
enum {
  DMDV_NOT_ASKED = 3, /* the process does not exist, or cannot be queried */
  DMDV_NO_ANSWER = 4  /* it did not answer in time */
};

/* What a process answered. */
typedef struct dmdv_answer {
  dmd_strbuf_t text; /* as received */
  dmd_jsonvalues_t values;
  const dmd_jsonvalue_t *object;
} dmdv_answer_t;

/* Destroy it in any case. */
void dmdv_answer_init(dmdv_answer_t *answer);
void dmdv_answer_destroy(dmdv_answer_t *answer);

/* The process id that a command line gives; 0, after a line on stderr, if it is not a number. */
uint32_t dmdv_read_pid(const char *command, const char *text);

/* Whether the process has the native engine in it. */
bool dmdv_has_engine(uint32_t pid);

/* Whether the process uses the GNU C library. */
bool dmdv_has_libc(uint32_t pid);

/* Whether the engine could be loaded into the process now (attach.h), as far as its state, its user
 * and what it runs under are concerned. If not, reports why on stderr. */
bool dmdv_can_be_entered(const char *command, uint32_t pid);

/* If dmdv runs as root and the process belongs to another user, becomes that user, for good.
 * Returns 0, or the exit status after a line on stderr. */
int dmdv_become_user_of(const char *command, uint32_t pid);

/* Queries process pid, as the process's user, and waits up to so many seconds for
 * the answer. dmdv keeps that user. Returns 0, or the exit status after a line on stderr. */
int dmdv_ask_process(const char *command, uint32_t pid, const dmd_control_t *request,
                     uint32_t seconds, dmdv_answer_t *answer);

/* Lets a program that dmdv run runs dump, with this label, and gets the dump's number. is_sent: the
 * profile comes through the channel, and no file is written. False, after a line on stderr that
 * names the option, if the program does not dump. */
bool dmdv_ask_for_dump(const char *option, uint32_t pid, const char *label, bool is_sent,
                       uint32_t seconds, uint64_t *number);

/* For dmdv_output_print: writes a dmdv_answer_t as JSON, safe for terminals. */
void dmdv_answer_write(void *answer, dmd_out_t *out);

/* Members of the answer: a text, NULL if missing; a number, 0 if missing. */
const char *dmdv_answer_text(const dmd_jsonvalue_t *object, const char *key);
double dmdv_answer_number(const dmd_jsonvalue_t *object, const char *key);

#endif
