/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/jsondocument.h"

#include "base/str.h"

typedef struct {
  dmd_jsoncutter_t *cutter;
  const dmd_jsondocument_format_t *const *formats;
  int n;
  void *ctx;
  const dmd_jsondocument_format_t *format; /* NULL: not known yet */
  unsigned seen;                           /* one bit for each of its parts that was read */
  bool has_version, version_is_number;
  double version;
  uint64_t line, byte; /* the place of the version */
} document_t;

/* ---- The version, which may come before the format is known. ---- */

static bool check_version(const document_t *d) {
  dmd_jsoncutter_t *cutter = d->cutter;
  if (cutter->failed || !d->has_version || d->format == NULL ||
      (d->version_is_number && d->version == d->format->version))
    return !cutter->failed;
  dmd_jsoncutter_reject(cutter, "%s", d->format->wrong_version);
  cutter->fail.line = d->line;
  cutter->fail.byte = d->byte;
  return false;
}

static bool load_version(document_t *d) {
  if (d->has_version)
    return dmd_jsoncutter_reject(d->cutter, "\"version\" comes twice");
  const dmd_jsonvalue_t *version = dmd_jsoncutter_value(d->cutter);
  d->has_version = true;
  d->version_is_number = dmd_jsonvalue_is(version, DMD_JSONVALUE_NUMBER);
  d->version = d->version_is_number ? version->number : 0;
  dmd_jsoncutter_place(d->cutter, &d->line, &d->byte);
  return check_version(d);
}

/* ---- Parts. ---- */

/* The index of the format's part with this key; -1 if not found. */
static int part_of(const dmd_jsondocument_format_t *format, const char *key) {
  for (int i = 0; i < format->n; i++)
    if (dmd_str_equal(key, format->parts[i].key))
      return i;
  return -1;
}

static bool load_part(document_t *d, const char *key) {
  if (dmd_str_equal(key, "version"))
    return load_version(d);
  for (int i = 0; i < d->n && d->format == NULL; i++)
    if (part_of(d->formats[i], key) >= 0)
      d->format = d->formats[i];
  int i = d->format != NULL ? part_of(d->format, key) : -1;
  if (i < 0)
    return dmd_jsoncutter_skip(d->cutter);
  if (!check_version(d))
    return false;
  if (d->seen & 1u << i)
    return dmd_jsoncutter_reject(d->cutter, "\"%s\" comes twice", key);
  d->seen |= 1u << i;
  return d->format->parts[i].load(d->ctx);
}

static bool is_complete(const document_t *d, const char *none) {
  if (d->format == NULL)
    return dmd_jsoncutter_reject(d->cutter, "%s", none);
  if (!d->has_version)
    return dmd_jsoncutter_reject(d->cutter, "\"version\" is missing");
  for (int i = 0; i < d->format->n; i++)
    if (d->format->parts[i].required && !(d->seen & 1u << i))
      return dmd_jsoncutter_reject(d->cutter, "\"%s\" is missing", d->format->parts[i].key);
  return true;
}

const dmd_jsondocument_format_t *
dmd_jsondocument_load(dmd_jsoncutter_t *cutter, const dmd_jsondocument_format_t *const *formats,
                      int n, const char *none, void *ctx) {
  document_t d = {.cutter = cutter, .formats = formats, .n = n, .ctx = ctx};
  if (n == 1)
    d.format = formats[0];
  const char *key;
  dmd_jsoncutter_enter(cutter, '{');
  while (dmd_jsoncutter_next_key(cutter, &key))
    load_part(&d, key);
  return dmd_jsoncutter_finish(cutter) && is_complete(&d, none) ? d.format : NULL;
}
