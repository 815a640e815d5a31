/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/push/labels.h"

#include "host/process.h"

#include <string.h>

static bool is_name(const char *name, size_t n) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789";
  return n > 0 && strchr(".0123456789", name[0]) == NULL && strspn(name, letters) >= n;
}

bool dmdv_labels_has(const dmdv_labels_t *labels, const char *name, size_t n) {
  for (size_t i = 0; i < labels->n; i++)
    if (strlen(labels->all[i].key) == n && strncmp(labels->all[i].key, name, n) == 0)
      return true;
  return false;
}

bool dmdv_labels_add(dmdv_labels_t *labels, const char *text, const char *form, dmd_strbuf_t *why) {
  size_t n = strcspn(text, "=");
  if (text[n] != '=' || !is_name(text, n)) {
    dmd_strbuf_str(why, "give NAME=VALUE, where NAME has ");
    dmd_strbuf_str(why, form);
    return false;
  }
  if (labels->n == DMD_EXPORT_MAX_LABELS) {
    dmd_strbuf_str(why, "there are too many labels");
    return false;
  }
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_bytes(&key, text, n);
  labels->all[labels->n++] = (dmd_export_label_t){dmd_strbuf_take(&key), text + n + 1};
  return true;
}

void dmdv_labels_destroy(dmdv_labels_t *labels) {
  for (size_t i = 0; i < labels->n; i++)
    dmd_env_free(&dmdv_env, (void *)labels->all[i].key);
}
