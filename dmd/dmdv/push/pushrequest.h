/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pushrequest.h: the requests by which stores of profiles take a profile.
 *
 * Pyroscope takes pprof's format at /ingest, with name, labels and time in the query; Parca takes
 * it in JSON at /profiles/writeraw; collectors of OpenTelemetry take its format at
 * /v1development/profiles, gzipped.
 */
#ifndef DMD_DMDV_PUSH_PUSHREQUEST_H
#define DMD_DMDV_PUSH_PUSHREQUEST_H

#include "show/export/export.h"

typedef enum { DMDV_PYROSCOPE, DMDV_PARCA, DMDV_OTLP, DMDV_N_STORES } dmdv_store_t;

/* Their names, in the same order. */
#define DMDV_STORES "pyroscope|parca|otlp"

typedef struct dmdv_push {
  dmdv_store_t store;
  const char *url;  /* with or without the store's path */
  const char *name; /* of the program; NULL: that of its file */
  const dmd_export_label_t *labels;
  size_t n_labels;
  const char *const *headers; /* besides those of the format */
  size_t n_headers;
  const char *ca_file;
  unsigned time_limit; /* seconds */
  const char *for_what;
} dmdv_push_t;

/* The store whose path the URL ends in, or DMDV_N_STORES. */
dmdv_store_t dmdv_store_of_url(const char *url);

/* Appends the URL without user, password and query, for messages. */
void dmdv_show_url(dmd_strbuf_t *text, const char *url);

/* Sends the profile. False, with the reason in *why, if the store does not take it. */
bool dmdv_push(const dmdv_push_t *push, const dmd_profile_t *profile, dmd_strbuf_t *why);

#endif
