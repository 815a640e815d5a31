/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads files that about:memory saved.
 */
#include "files/profile/readerstate.h"

/* ---- Reports. ---- */

/* A member that is a whole number from least to most. */
static double get_number(dmd_readerstate_t *l, const dmd_jsonvalue_t *report, const char *key,
                         double least, double most) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(report, key);
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_NUMBER)) {
    double v = item->number;
    if (v >= least && v <= most && v == (double)(int64_t)v)
      return v;
  }
  dmd_jsoncutter_reject(&l->cutter, "a report's \"%s\" is not a whole number from %.0f to %.0f",
                        key, least, most);
  return 0;
}

static const char *get_string(dmd_readerstate_t *l, const dmd_jsonvalue_t *report,
                              const char *key) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(report, key);
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_STRING))
    return item->string;
  dmd_jsoncutter_reject(&l->cutter, "a report's \"%s\" is not a string", key);
  return "";
}

static bool load_report(dmd_readerstate_t *l, const dmd_jsonvalue_t *report) {
  if (!dmd_jsonvalue_is(report, DMD_JSONVALUE_OBJECT))
    return dmd_jsoncutter_reject(&l->cutter, "an element of \"reports\" is not an object");
  dmd_memreport_t r = {
      .process = get_string(l, report, "process"),
      .path = get_string(l, report, "path"),
      .times = 1,
      .kind = (uint32_t)get_number(l, report, "kind", 0, DMD_MEMREPORT_N_KINDS - 1),
      .units = (uint32_t)get_number(l, report, "units", 0, DMD_MEMREPORT_N_UNITS - 1),
      .amount =
          (int64_t)get_number(l, report, "amount", -DMD_LOAD_MAX_NUMBER, DMD_LOAD_MAX_NUMBER)};
  if (dmd_jsonvalue_get(report, "description") != NULL)
    r.description = get_string(l, report, "description");
  if (dmd_jsoncutter_failed(&l->cutter))
    return false;
  if (r.path[0] == '\0')
    return dmd_jsoncutter_reject(&l->cutter, "a report's \"path\" is empty");
  const char *why = dmd_amounts_add(l->amounts, &r, 0);
  return why == NULL || dmd_jsoncutter_reject(&l->cutter, "a report %s", why);
}

static bool load_reports(void *ctx) {
  dmd_readerstate_t *l = ctx;
  dmd_jsoncutter_enter(&l->cutter, '[');
  while (dmd_jsoncutter_next_element(&l->cutter)) {
    const dmd_jsonvalue_t *report = dmd_jsoncutter_value(&l->cutter);
    if (report != NULL)
      load_report(l, report);
  }
  return !dmd_jsoncutter_failed(&l->cutter);
}

/* ---- The document. ---- */

static bool load_flag(void *ctx) {
  dmd_readerstate_t *l = ctx;
  const dmd_jsonvalue_t *flag = dmd_jsoncutter_value(&l->cutter);
  if (flag != NULL && !dmd_jsonvalue_is(flag, DMD_JSONVALUE_TRUE) &&
      !dmd_jsonvalue_is(flag, DMD_JSONVALUE_FALSE))
    dmd_jsoncutter_reject(&l->cutter, "\"hasMozMallocUsableSize\" is neither true nor false");
  return !dmd_jsoncutter_failed(&l->cutter);
}

static const dmd_jsondocument_part_t parts[] = {{"hasMozMallocUsableSize", load_flag, true},
                                                {"reports", load_reports, true}};

const dmd_jsondocument_format_t dmd_reports_format = {
    1, "\"version\" of the memory reports is not 1", parts, sizeof parts / sizeof parts[0]};
