/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pushoptions.h: the options that say to which store profiles are sent, and how.
 *
 * dmdv push has them by these names, dmdv run with "push-" before each.
 */
#ifndef DMD_DMDV_PUSH_PUSHOPTIONS_H
#define DMD_DMDV_PUSH_PUSHOPTIONS_H

#include "base/optiontable.h"
#include "dmdv/push/labels.h"
#include "dmdv/push/pushrequest.h"

enum { DMDV_MAX_PUSH_HEADERS = 32 };

typedef struct dmdv_push_options {
  const char *url; /* NULL: not given */
  unsigned store;  /* a dmdv_store_t; DMDV_N_STORES: not given */
  const char *name;
  dmdv_labels_t labels;
  char *headers[DMDV_MAX_PUSH_HEADERS];
  size_t n_headers;
  const char *token_file, *ca_file;
  unsigned time_limit; /* seconds */
} dmdv_push_options_t;

/* Entries of an option table; field: a dmdv_push_options_t. take_label and take_header call the
 * functions below. */
#define DMDV_PUSH_OPTIONS(type, field, prefix, to, limit, take_label, take_header)                 \
  {prefix "to", "URL", NULL, to, DMD_OPTION_TEXT, DMD_OPTION_AT(type, field.url)},                 \
      {prefix "store",                                                                             \
       DMDV_STORES,                                                                                \
       NULL,                                                                                       \
       "kind of store: Grafana Pyroscope, Parca, or an OpenTelemetry collector; not needed if "    \
       "the URL ends in /ingest, /profiles/writeraw or /v1development/profiles",                   \
       DMD_OPTION_WORD,                                                                            \
       DMD_OPTION_AT(type, field.store)},                                                          \
      {prefix "name",                                                                              \
       "NAME",                                                                                     \
       NULL,                                                                                       \
       "name of the program in the store; default: that of its file",                              \
       DMD_OPTION_TEXT,                                                                            \
       DMD_OPTION_AT(type, field.name)},                                                           \
      {prefix "label", "NAME=VALUE",                                                               \
       NULL,           "a label of the profiles; may be given several times",                      \
       DMD_OPTION_OWN, .take = take_label},                                                        \
      {prefix "header",                                                                            \
       "HEADER|@FILE",                                                                             \
       NULL,                                                                                       \
       "add this header, such as NAME: VALUE, or all in FILE, one a line, which other users do "   \
       "not see in the list of processes; may be given several times",                             \
       DMD_OPTION_OWN,                                                                             \
       .take = take_header},                                                                       \
      {prefix "token-file",                                                                        \
       "FILE",                                                                                     \
       NULL,                                                                                       \
       "send the token in FILE as Authorization: Bearer; without it, that in the environment "     \
       "variable DMD_PUSH_TOKEN, if it is set",                                                    \
       DMD_OPTION_TEXT,                                                                            \
       DMD_OPTION_AT(type, field.token_file),                                                      \
       .is_file = true},                                                                           \
      {prefix "ca",                                                                                \
       "FILE",                                                                                     \
       NULL,                                                                                       \
       "trust the authorities in FILE, in PEM, instead of the system's",                           \
       DMD_OPTION_TEXT,                                                                            \
       DMD_OPTION_AT(type, field.ca_file),                                                         \
       .is_file = true},                                                                           \
  {                                                                                                \
    prefix "timeout", "SECONDS", "60", limit, DMD_OPTION_NUMBER,                                   \
        DMD_OPTION_AT(type, field.time_limit), .least = 1, .most = 86400                           \
  }

/* Before the defaults of the table are set. */
static inline dmdv_push_options_t dmdv_push_options_none(void) {
  return (dmdv_push_options_t){.store = DMDV_N_STORES};
}

bool dmdv_push_take_label(dmdv_push_options_t *o, const char *value, dmd_strbuf_t *why);
bool dmdv_push_take_header(dmdv_push_options_t *o, const char *value, dmd_strbuf_t *why);

/* Checks the options of a command, whose names begin with this prefix, and reads the token. False,
 * after a line on stderr, if something is wrong. */
bool dmdv_push_check(dmdv_push_options_t *o, const char *command, const char *prefix);

/* Sends the profile of a file. False, after a line on stderr, if the store does not take it. */
bool dmdv_push_send(const dmdv_push_options_t *o, const char *command, const char *file,
                    const dmd_profile_t *profile);

/* Tells the user that something, such as a file, was sent. */
void dmdv_push_note_sent(const dmdv_push_options_t *o, const char *what);

void dmdv_push_options_destroy(dmdv_push_options_t *o);

#endif
