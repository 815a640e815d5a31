/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/checklimits.h"

#include "analyse/waste/findings.h"
#include "base/strbuf.h"
#include "host/process.h"

#include <string.h>

/* --max-growth makes two limits. */
void dmdv_checklimits_init(dmdv_checklimits_t *limits, int argc) {
  *limits = (dmdv_checklimits_t){
      .limits = dmd_env_alloc(&dmdv_env, "dmdv.limits", 2 * (size_t)argc * sizeof *limits->limits)};
}

void dmdv_checklimits_destroy(dmdv_checklimits_t *limits) {
  for (size_t i = 0; i < limits->n; i++)
    dmd_env_free(&dmdv_env, (void *)limits->limits[i].name);
  dmd_env_free(&dmdv_env, limits->limits);
}

static dmd_limit_t *add_limit(dmdv_checklimits_t *o, dmd_what_t what, const char *option,
                              const char *value) {
  dmd_limit_t *limit = &o->limits[o->n++];
  *limit = (dmd_limit_t){.what = what, .option = option, .value = value};
  return limit;
}

/* True without a reason; otherwise appends the reason to why. */
static bool is_good(const char *reason, dmd_strbuf_t *why) {
  if (reason != NULL)
    dmd_strbuf_str(why, reason);
  return reason == NULL;
}

static bool take_share(dmdv_checklimits_t *o, dmd_what_t what, const char *option,
                       const char *value, dmd_strbuf_t *why) {
  dmd_limit_t *limit = add_limit(o, what, option, value);
  const char *reason = dmd_size_parse(value, &limit->size);
  if (reason == NULL && limit->size.has_plus)
    reason = "a + means growth, which --max-growth limits";
  return is_good(reason, why);
}

static bool take_unreported(void *target, const char *value, dmd_strbuf_t *why) {
  return take_share(target, DMD_UNREPORTED, "max-unreported", value, why);
}

static bool take_twice(void *target, const char *value, dmd_strbuf_t *why) {
  return take_share(target, DMD_TWICE, "max-twice-reported", value, why);
}

static bool take_excess(void *target, const char *value, dmd_strbuf_t *why) {
  return take_share(target, DMD_EXCESS, "max-excess", value, why);
}

static bool take_misreports(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_limit_t *limit = add_limit(target, DMD_MISREPORTS, "max-misreports", value);
  bool is_number = *value != '\0' && value[strspn(value, "0123456789")] == '\0';
  return is_good(is_number && dmd_size_parse(value, &limit->size) == NULL
                     ? NULL
                     : "this is not a whole number",
                 why);
}

static bool take_leaked(void *target, const char *value, dmd_strbuf_t *why) {
  return take_share(target, DMD_LEAKED, "max-leaked", value, why);
}

/* SIZE or KIND:SIZE. */
static bool take_waste(void *target, const char *value, dmd_strbuf_t *why) {
  const char *colon = strchr(value, ':');
  dmd_limit_t *limit = add_limit(target, DMD_WASTED, "max-waste", value);
  size_t n = colon != NULL ? (size_t)(colon - value) : 0;
  for (int i = 0; i < DMD_N_WASTE_KINDS && colon != NULL; i++) {
    const char *kind = dmd_waste_kind_name((dmd_waste_kind_t)i);
    if (strlen(kind) == n && memcmp(kind, value, n) == 0)
      limit->name = strcpy(dmd_env_alloc(&dmdv_env, "dmdv.waste", n + 1), kind);
  }
  if (colon != NULL && limit->name == NULL)
    return is_good("this is not KIND:SIZE with a kind of dmdv waste", why);
  const char *reason = dmd_size_parse(colon != NULL ? colon + 1 : value, &limit->size);
  if (reason == NULL && limit->size.has_plus)
    reason = "a + means growth, which --max-growth limits";
  return is_good(reason, why);
}

static bool take_bytes(dmdv_checklimits_t *o, dmd_what_t what, const char *option,
                       const char *value, dmd_strbuf_t *why) {
  dmd_limit_t *limit = add_limit(o, what, option, value);
  const char *reason = dmd_size_parse(value, &limit->size);
  if (reason == NULL && (limit->size.has_plus || limit->size.is_percent))
    reason = "this is not a number of bytes, such as 50M";
  return is_good(reason, why);
}

static bool take_peak(void *target, const char *value, dmd_strbuf_t *why) {
  return take_bytes(target, DMD_AT_PEAK, "max-peak", value, why);
}

static bool take_resident(void *target, const char *value, dmd_strbuf_t *why) {
  return take_bytes(target, DMD_MOST_RESIDENT, "max-peak-resident", value, why);
}

static bool take_growth(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_limit_t *total = add_limit(target, DMD_TOTAL, "max-growth", value);
  total->growth = true;
  const char *reason = dmd_size_parse(value, &total->size);
  dmd_limit_t *unreported = add_limit(target, DMD_UNREPORTED, "max-growth", value);
  *unreported = *total;
  unreported->what = DMD_UNREPORTED;
  return is_good(reason, why);
}

/* A path may contain '='; a size does not. */
static bool take_budget(void *target, const char *value, dmd_strbuf_t *why) {
  const char *equals = strrchr(value, '=');
  if (equals == NULL || equals == value)
    return is_good("this is not PATH=SIZE", why);
  dmd_limit_t *limit = add_limit(target, DMD_NAMED, "budget", value);
  char *name = dmd_env_alloc(&dmdv_env, "dmdv.budget", (size_t)(equals - value) + 1);
  memcpy(name, value, (size_t)(equals - value));
  name[equals - value] = '\0';
  limit->name = name;
  const char *reason = dmd_size_parse(equals + 1, &limit->size);
  limit->growth = limit->size.has_plus || limit->size.is_percent;
  return is_good(reason, why);
}

static const dmd_option_t limit_options[] = {
    {"max-unreported", "SIZE", NULL, "unreported bytes", DMD_OPTION_OWN, .take = take_unreported},
    {"max-twice-reported", "SIZE", NULL, "bytes reported twice or more", DMD_OPTION_OWN,
     .take = take_twice},
    {"max-excess", "SIZE", NULL, "bytes that reports count too often", DMD_OPTION_OWN,
     .take = take_excess},
    {"max-misreports", "N", NULL, "reports and claims that are wrong", DMD_OPTION_OWN,
     .take = take_misreports},
    {"max-leaked", "SIZE", NULL,
     "requested bytes that no variable leads to, by the heap graph of the profile", DMD_OPTION_OWN,
     .take = take_leaked},
    {"max-waste", "[KIND:]SIZE", NULL,
     "bytes that would be saved, as dmdv waste finds them in the heap graph of the profile, "
     "of "
     "all kinds or of one of them: " DMD_WASTE_KIND_LIST "; repeatable",
     DMD_OPTION_OWN, .take = take_waste},
    {"max-peak", "SIZE", NULL,
     "requested bytes of the largest heap up to the dump; not of several files together",
     DMD_OPTION_OWN, .take = take_peak},
    {"max-peak-resident", "SIZE", NULL,
     "bytes of physical memory that the program had at most; not of several files together",
     DMD_OPTION_OWN, .take = take_resident},
    {"max-growth", "SIZE", NULL, "growth over the baseline, of all bytes and of unreported bytes",
     DMD_OPTION_OWN, .take = take_growth},
    {"budget", "PATH=SIZE", NULL,
     "bytes that the reporter PATH and those below it counted, or those with the tag PATH, which "
     "must "
     "exist; with +SIZE or N%, growth over the baseline; repeatable",
     DMD_OPTION_OWN, .take = take_budget},
};
const dmd_option_table_t dmdv_checklimit_table = {limit_options,
                                                  sizeof limit_options / sizeof *limit_options};
