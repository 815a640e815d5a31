/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * labels.h: labels that the user gives as NAME=VALUE, for exported and pushed profiles.
 */
#ifndef DMD_DMDV_PUSH_LABELS_H
#define DMD_DMDV_PUSH_LABELS_H

#include "base/strbuf.h"
#include "show/export/export.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  dmd_export_label_t all[DMD_EXPORT_MAX_LABELS];
  size_t n;
} dmdv_labels_t;

/* Whether a label has this name of n bytes. */
bool dmdv_labels_has(const dmdv_labels_t *labels, const char *name, size_t n);

/* Adds a label, whose value stays the caller's. Returns false, with the reason in why, if text has
 * another form or there are too many; form: what names may consist of, e.g. "letters". */
bool dmdv_labels_add(dmdv_labels_t *labels, const char *text, const char *form, dmd_strbuf_t *why);

void dmdv_labels_destroy(dmdv_labels_t *labels);

#endif
