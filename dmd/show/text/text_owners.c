/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_graph.h"

#include "base/jsonout.h"
#include "base/str.h"
#include "show/text/print.h"
#include "show/text/record_json.h"

static const dmd_section_records_t *unreported(const dmd_owners_t *owners) {
  return &owners->records->section[DMD_SECTION_UNREPORTED];
}

static const char *name_of(const dmd_owners_t *owners, uint32_t kind) {
  return dmd_kinds_name(owners->kinds, kind);
}

/* ---- Text. ---- */

/* `explicit/jars`, or the place of the report. */
static void print_reporter(dmd_out_t *out, const dmd_owners_t *owners, const dmd_ownership_t *o) {
  const dmd_profile_t *profile = &owners->graph->profile;
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, o->stack, &n);
  if (o->reporter != DMD_NONE) {
    dmd_out_safe(out, dmd_intern_get_str(&profile->names, o->reporter));
  } else if (n > 0) {
    dmd_out_str(out, "reported at ");
    dmd_print_frame_text(out, profile, frames[0]);
  } else {
    dmd_out_str(out, "(no stack)");
  }
}

static void print_holding(dmd_out_t *out, const dmd_owners_t *owners, const dmd_ownership_t *o) {
  if (o->way != DMD_NONE) {
    dmd_print_kind(out, owners->kinds, o->way);
    dmd_out_str(out, " of ");
  }
  dmd_print_kind(out, owners->kinds, o->kind);
  if (o->through != DMD_NONE) {
    dmd_out_str(out, ", through ");
    dmd_print_kind(out, owners->kinds, o->through);
  }
}

/* "held by pages[].text", "held by catalog.words in main": the path already contains the variable's
 * name; the rest of the root's name says where the variable is. */
static void print_root(dmd_out_t *out, const dmd_owners_t *owners, const dmd_ownership_t *o) {
  const char *name = dmd_heapgraph_root(owners->graph, o->referrer)->name;
  const char *kind = name_of(owners, o->kind);
  dmd_out_str(out, "held by ");
  if (o->way == DMD_NONE || name == NULL || !dmd_str_begins(kind, name)) {
    print_holding(out, owners, o);
    return;
  }
  dmd_print_kind(out, owners->kinds, o->way);
  dmd_out_safe(out, kind + dmd_str_length(name));
  if (o->through != DMD_NONE) {
    dmd_out_str(out, ", through ");
    dmd_print_kind(out, owners->kinds, o->through);
  }
}

static void print_owner(dmd_out_t *out, const dmd_owners_t *owners, const dmd_ownership_t *o) {
  switch ((dmd_owned_t)o->owned) {
  case DMD_OWNED_BY_DOMINANCE:
  case DMD_OWNED_BY_POINTER:
    dmd_out_str(out, o->owned == DMD_OWNED_BY_DOMINANCE ? "  Owner: " : "  Perhaps owned by: ");
    print_reporter(out, owners, o);
    dmd_out_str(out, ", by ");
    print_holding(out, owners, o);
    break;
  case DMD_OWNED_BY_ROOT:
    dmd_out_str(out, "  No reported block leads to it; ");
    print_root(out, owners, o);
    break;
  case DMD_OWNED_BY_SEVERAL:
    dmd_out_str(out, "  No reported block leads to it; held in several places");
    break;
  case DMD_POSSIBLY_LOST:
    dmd_out_str(out, "  Possibly lost: only pointers into the middle of blocks lead to it, from ");
    dmd_print_kind(out, owners->kinds, o->kind);
    break;
  case DMD_LOST:
    dmd_out_str(out, "  Lost: no variable leads to it");
    break;
  }
}

static void print_proposal(dmd_out_t *out, const dmd_owners_view_t *view,
                           const dmd_ownership_t *o) {
  dmd_proposal_t proposal;
  dmd_proposal_init(&proposal, view->owners, o, view->namer);
  if (proposal.frame != DMD_NONE) {
    dmd_out_str(out, "  Proposal: ");
    dmd_out_safe(out, proposal.line.text);
    dmd_out_str(out, "\n    in ");
    dmd_print_frame_text(out, &view->owners->graph->profile, proposal.frame);
    dmd_out_char(out, '\n');
  }
  dmd_proposal_destroy(&proposal);
}

/* Prints the part of such a paragraph after the stack: `  Owner: ...`, and the proposal. */
static void owners_print_hint(dmd_out_t *out, const dmd_owners_view_t *view,
                              const dmd_record_t *record) {
  const dmd_ownership_t *o = dmd_owners_of(view->owners, record);
  if (o == NULL)
    return;
  print_owner(out, view->owners, o);
  if (o->bytes < (uint64_t)record->usable) {
    dmd_out_str(out, " (");
    dmd_print_bytes(out, o->bytes);
    dmd_out_str(out, " of these)");
  }
  dmd_out_char(out, '\n');
  print_proposal(out, view, o);
}

static void print_record(dmd_out_t *out, const dmd_owners_view_t *view, uint32_t i) {
  const dmd_owners_t *owners = view->owners;
  const dmd_section_records_t *section = unreported(owners);
  const dmd_record_t *record = dmd_records_at(owners->records, section->ids[i]);
  const dmd_ownership_t *o = dmd_owners_of(owners, record);
  size_t n;
  const uint32_t *frames = dmd_records_frames(owners->records, record->stack, &n);
  dmd_out_str(out, "Unreported {\n  ");
  dmd_print_count(out, record->num, false, "block", "blocks");
  dmd_out_str(out, " in record ");
  dmd_out_u64(out, i + 1ul);
  dmd_out_str(out, " of ");
  dmd_out_u64(out, section->n);
  dmd_out_str(out, ": ");
  if (o != NULL)
    dmd_print_kind(out, owners->kinds, owners->kinds->of[o->block]);
  dmd_out_str(out, "\n  ");
  dmd_print_bytes(out, (uint64_t)record->usable);
  dmd_out_char(out, '\n');
  dmd_print_stack_opening(out, "Allocated");
  dmd_print_frames(out, "    ", owners->records->profile, frames, 0, n);
  dmd_out_str(out, "  }\n");
  owners_print_hint(out, view, record);
  dmd_out_str(out, "}\n\n");
}

void dmd_owners_print(dmd_out_t *out, const dmd_owners_view_t *view) {
  const dmd_section_records_t *section = unreported(view->owners);
  uint32_t n =
      view->max_records != 0 && view->max_records < section->n ? view->max_records : section->n;
  for (uint32_t i = 0; i < n; i++)
    print_record(out, view, i);
  dmd_print_left_out(out, section->n, n, " more record", " more records");
  dmd_out_str(out, "Unreported: ");
  dmd_print_bytes(out, (uint64_t)section->sum.bytes);
  dmd_out_str(out, " in ");
  dmd_print_count(out, section->sum.blocks, false, "block", "blocks");
  dmd_out_char(out, '\n');
}

/* ---- Records of another profile. ---- */

static void append_stack(dmd_strbuf_t *to, const dmd_records_t *records, const dmd_record_t *r) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, r->stack, &n);
  for (size_t i = 0; i < n; i++) {
    dmd_strbuf_str(to, dmd_frames_text(&records->profile->frames, frames[i]));
    dmd_strbuf_str(to, "\n");
  }
}

void dmd_owner_hint_init(dmd_owner_hint_t *hint, const dmd_owners_view_t *view) {
  const dmd_env_t *env = view->owners->graph->env;
  const dmd_section_records_t *section = unreported(view->owners);
  dmd_strbuf_t stack;
  *hint = (dmd_owner_hint_t){.view = view};
  dmd_intern_init(&hint->stacks, env, "dmd.owners.advice");
  dmd_pool_init(&hint->records, env, "dmd.owners.advice", sizeof(uint32_t));
  dmd_strbuf_init(&stack, env);
  for (uint32_t i = 0; i < section->n; i++) {
    dmd_strbuf_cut(&stack, 0);
    append_stack(&stack, view->owners->records,
                 dmd_records_at(view->owners->records, section->ids[i]));
    uint32_t id = dmd_intern_str(&hint->stacks, stack.text);
    dmd_pool_reach(&hint->records, id);
    *DMD_POOL_AT(&hint->records, uint32_t, id) = section->ids[i];
  }
  dmd_strbuf_destroy(&stack);
}

void dmd_owner_hint_destroy(dmd_owner_hint_t *hint) {
  dmd_pool_destroy(&hint->records);
  dmd_intern_destroy(&hint->stacks);
}

bool dmd_owner_hint_print(dmd_out_t *out, const dmd_owner_hint_t *hint,
                          const dmd_records_t *records, const dmd_record_t *record) {
  dmd_strbuf_t stack;
  dmd_strbuf_init(&stack, records->profile->env);
  append_stack(&stack, records, record);
  uint32_t id = dmd_intern_find_str(&hint->stacks, stack.text);
  dmd_strbuf_destroy(&stack);
  if (id == DMD_NONE)
    return false;
  uint32_t of_graph = *DMD_POOL_AT(&hint->records, const uint32_t, id);
  owners_print_hint(out, hint->view, dmd_records_at(hint->view->owners->records, of_graph));
  return true;
}

/* ---- JSON. ---- */

static void write_frames_of(dmd_jsonout_t *j, const char *key, const dmd_profile_t *profile,
                            const uint32_t *frames, size_t n) {
  dmd_jsonout_key(j, key);
  dmd_json_write_frames(j, profile, frames, n);
}

static void write_owner(dmd_jsonout_t *j, const dmd_owners_t *owners, const dmd_ownership_t *o) {
  static const char *const words[] = {"dominance", "pointer",       "root",
                                      "several",   "possibly-lost", "lost"};
  const dmd_profile_t *profile = &owners->graph->profile;
  dmd_jsonout_key(j, "owner");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "owned", words[o->owned]);
  dmd_jsonout_key_u64(j, "blocks", o->blocks);
  dmd_jsonout_key_u64(j, "bytes", o->bytes);
  if (o->reporter != DMD_NONE)
    dmd_jsonout_key_str(j, "reporter", dmd_intern_get_str(&profile->names, o->reporter));
  if (o->owned <= DMD_OWNED_BY_POINTER) {
    size_t n;
    const uint32_t *frames = dmd_profile_frames(profile, o->stack, &n);
    write_frames_of(j, "reportedAt", profile, frames, n);
    dmd_jsonout_key_str(j, "type", name_of(owners, o->kind));
  } else if (o->owned == DMD_OWNED_BY_ROOT || o->owned == DMD_POSSIBLY_LOST) {
    dmd_jsonout_key_str(j, "root", name_of(owners, o->kind));
  }
  if (o->way != DMD_NONE)
    dmd_jsonout_key_str(j, "member", name_of(owners, o->way));
  if (o->through != DMD_NONE)
    dmd_jsonout_key_str(j, "through", name_of(owners, o->through));
  dmd_jsonout_end(j);
}

static void write_proposal(dmd_jsonout_t *j, const dmd_owners_view_t *view,
                           const dmd_ownership_t *o) {
  dmd_proposal_t proposal;
  dmd_proposal_init(&proposal, view->owners, o, view->namer);
  if (proposal.frame != DMD_NONE) {
    dmd_location_t at = dmd_frames_location(&view->owners->graph->profile.frames, proposal.frame);
    dmd_jsonout_key(j, "proposal");
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "line", proposal.line.text);
    if (at.function != NULL)
      dmd_jsonout_key_str(j, "function", at.function);
    if (at.file != NULL) {
      dmd_jsonout_key_str(j, "file", at.file);
      dmd_jsonout_key_u64(j, "at", at.line);
    }
    dmd_jsonout_end(j);
  }
  dmd_proposal_destroy(&proposal);
}

static void write_record(dmd_jsonout_t *j, const dmd_owners_view_t *view, uint32_t i) {
  const dmd_owners_t *owners = view->owners;
  const dmd_record_t *record = dmd_records_at(owners->records, unreported(owners)->ids[i]);
  const dmd_ownership_t *o = dmd_owners_of(owners, record);
  size_t n;
  const uint32_t *frames = dmd_records_frames(owners->records, record->stack, &n);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "record", i + 1ul);
  if (o != NULL) {
    uint32_t kind = owners->kinds->of[o->block];
    dmd_jsonout_key_str(j, "type", name_of(owners, kind));
    dmd_jsonout_key_str(j, "evidence", dmd_kinds_evidence(owners->kinds, kind));
  }
  dmd_jsonout_key_u64(j, "blocks", (uint64_t)record->num);
  dmd_jsonout_key_u64(j, "bytes", (uint64_t)record->usable);
  write_frames_of(j, "allocatedAt", owners->records->profile, frames, n);
  if (o != NULL) {
    write_owner(j, owners, o);
    write_proposal(j, view, o);
  }
  dmd_jsonout_end(j);
}

void dmd_owners_write_sum(dmd_jsonout_t *j, const dmd_owners_view_t *view) {
  const dmd_section_records_t *section = unreported(view->owners);
  dmd_jsonout_key(j, "unreported");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "blocks", (uint64_t)section->sum.blocks);
  dmd_jsonout_key_u64(j, "bytes", (uint64_t)section->sum.bytes);
  dmd_jsonout_end(j);
}

void dmd_owners_write_rows(dmd_jsonout_t *j, const dmd_owners_view_t *view, uint32_t first,
                           uint32_t end) {
  dmd_jsonout_key(j, "rows");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = first; i < end; i++)
    write_record(j, view, i);
  dmd_jsonout_end(j);
}

void dmd_owners_json(dmd_out_t *out, const dmd_owners_view_t *view) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_owners_write_sum(&j, view);
  dmd_owners_write_rows(&j, view, 0, unreported(view->owners)->n);
  dmd_jsonout_end(&j);
}
