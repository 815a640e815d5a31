/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files that about:memory saves.
 */
#include "reader/input/loader.h"

/* ---- Reports. ---- */

/* The member's whole number between least and most. */
static double get_number(dmdv_loader_t *l, const cJSON *report, const char *key, double least,
                         double most) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(report, key);
  if (cJSON_IsNumber(item)) {
    double v = item->valuedouble;
    if (v >= least && v <= most && v == (double)(int64_t)v)
      return v;
  }
  dmdv_cutter_reject(&l->cutter, "a report's \"%s\" is not a whole number from %.0f to %.0f", key,
                     least, most);
  return 0;
}

static const char *get_string(dmdv_loader_t *l, const cJSON *report, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(report, key);
  if (cJSON_IsString(item))
    return item->valuestring;
  dmdv_cutter_reject(&l->cutter, "a report's \"%s\" is not a string", key);
  return "";
}

static bool load_report(dmdv_loader_t *l, const cJSON *report) {
  if (!cJSON_IsObject(report))
    return dmdv_cutter_reject(&l->cutter, "an element of \"reports\" is not an object");
  dmd_memreport_t r = {
      .process = get_string(l, report, "process"),
      .path = get_string(l, report, "path"),
      .times = 1,
      .kind = (uint32_t)get_number(l, report, "kind", 0, DMD_MEMREPORT_N_KINDS - 1),
      .units = (uint32_t)get_number(l, report, "units", 0, DMD_MEMREPORT_N_UNITS - 1),
      .amount =
          (int64_t)get_number(l, report, "amount", -DMDV_LOAD_MAX_NUMBER, DMDV_LOAD_MAX_NUMBER)};
  if (cJSON_GetObjectItemCaseSensitive(report, "description") != NULL)
    r.description = get_string(l, report, "description");
  if (dmdv_cutter_failed(&l->cutter))
    return false;
  if (r.path[0] == '\0')
    return dmdv_cutter_reject(&l->cutter, "a report's \"path\" is empty");
  const char *why = dmd_amounts_add(l->amounts, &r, 0);
  return why == NULL || dmdv_cutter_reject(&l->cutter, "a report %s", why);
}

static bool load_reports(void *ctx) {
  dmdv_loader_t *l = ctx;
  dmdv_cutter_enter(&l->cutter, '[');
  while (dmdv_cutter_next_element(&l->cutter)) {
    cJSON *report = dmdv_cutter_value(&l->cutter);
    if (report != NULL)
      load_report(l, report);
    cJSON_Delete(report);
  }
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- The document. ---- */

static bool load_flag(void *ctx) {
  dmdv_loader_t *l = ctx;
  cJSON *flag = dmdv_cutter_value(&l->cutter);
  if (flag != NULL && !cJSON_IsBool(flag))
    dmdv_cutter_reject(&l->cutter, "\"hasMozMallocUsableSize\" is neither true nor false");
  cJSON_Delete(flag);
  return !dmdv_cutter_failed(&l->cutter);
}

static const dmdv_part_t parts[] = {{"hasMozMallocUsableSize", load_flag, true},
                                    {"reports", load_reports, true}};

const dmdv_format_t dmdv_reports_format = {1, "\"version\" of the memory reports is not 1", parts,
                                           sizeof parts / sizeof parts[0]};
