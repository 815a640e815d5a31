/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundlevariables.h"

void dmd_imagevariables_write(dmd_bundlewriter_t *w, uint32_t graph,
                              const dmd_knownvariables_t *known) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_VARIABLES, graph);
  dmd_bundlewriter_number(w, dmd_knownvariables_count(known));
  for (uint32_t i = 1; i <= dmd_knownvariables_count(known); i++) {
    const dmd_known_variable_t *variable = dmd_knownvariables_at(known, i);
    dmd_bundlewriter_number(w, variable->object);
    dmd_bundlewriter_number(w, variable->addr);
    dmd_bundlewriter_number(w, variable->type);
    dmd_bundlewriter_string(w, dmd_intern_get_str(&known->names, variable->name));
  }
  dmd_bundlewriter_end_section(w);
}

void dmd_imagevariables_read(dmd_bundlecursor_t *c, dmd_knownvariables_t *known, uint32_t n_objects,
                             uint32_t n_types) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint32_t object = dmd_bundlecursor_id(c, n_objects);
    uint64_t addr = dmd_bundlecursor_number(c);
    uint32_t type = dmd_bundlecursor_id(c, n_types);
    uint32_t name = dmd_bundlecursor_string(c, &known->names, true);
    if (name == DMD_NONE)
      dmd_bundlecursor_fail(c);
    if (!c->failed)
      dmd_knownvariables_add(known, object, addr, type, dmd_intern_get_str(&known->names, name));
  }
}
