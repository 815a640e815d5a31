/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/asks.h"

#include "base/str.h"

/* clang-format off: one line each */
const dmd_ask_t dmd_asks[] = {
    {"census", dmd_ask_census},
    {"curve", dmd_ask_curve},
    {"curves", dmd_ask_curves},
    {"faults", dmd_ask_faults},
    {"files", dmd_ask_files},
    {"flame", dmd_ask_flame},
    {"history", dmd_ask_history},
    {"leaks", dmd_ask_leaks},
    {"map", dmd_ask_map},
    {"neighbours", dmd_ask_neighbours},
    {"overview", dmd_ask_overview},
    {"owners", dmd_ask_owners},
    {"paths", dmd_ask_paths},
    {"record", dmd_ask_record},
    {"records", dmd_ask_records},
    {"retained", dmd_ask_retained},
    {"series", dmd_ask_series},
    {"text", dmd_ask_text},
    {"tree", dmd_ask_tree},
    {"treemap", dmd_ask_treemap},
    {NULL, NULL},
};
/* clang-format on */

const dmd_ask_t *dmd_ask_find(const char *name) {
  for (const dmd_ask_t *ask = dmd_asks; ask->name != NULL; ask++)
    if (dmd_str_equal(ask->name, name))
      return ask;
  return NULL;
}
