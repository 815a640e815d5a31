/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everything in the file that is not a node or an edge: run, objects, codes, stacks, reports.
 */
#include "base/limits.h"
#include "files/graph/graphreader.h"
#include "files/graph/graphreaderstate.h"

/* Copies bytes to a buffer as a string, which ends at the first NUL; NULL if there are no bytes. */
static const char *text_of(dmd_strbuf_t *buf, dmd_wire_span_t bytes) {
  dmd_strbuf_cut(buf, 0);
  dmd_strbuf_bytes(buf, (const char *)bytes.at, bytes.n);
  return bytes.n > 0 ? buf->text : NULL;
}

/* A copy that lives as long as the graph; NULL if the string is missing or empty. */
static const char *keep(dmd_graphreaderstate_t *l, dmd_wire_span_t bytes) {
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, l->env);
  const char *text = text_of(&buf, bytes);
  const char *kept =
      dmd_profile_keep(&l->graph->profile, text != NULL && text[0] != '\0' ? text : NULL);
  dmd_strbuf_destroy(&buf);
  return kept;
}

static bool is_text(dmd_wire_span_t bytes, const char *text) {
  size_t n = dmd_str_length(text);
  return bytes.n == n && dmd_mem_equal(bytes.at, text, n);
}

/* ---- The run. ---- */

static int mode_of(dmd_wire_span_t name) {
  int mode = 0;
  while (mode <= DMD_MODE_SCAN && !is_text(name, dmd_mode_name(mode)))
    mode++;
  return mode;
}

bool dmd_graph_check_header(dmd_graphreaderstate_t *l, const dmd_graphheader_t *header) {
  if (!is_text(header->format, "dmd-graph"))
    return dmd_graph_reject(l, "the format is not dmd-graph");
  if (header->version != 1)
    return dmd_graph_reject(l, "the format's version is %llu, and not 1, the one that dmdv reads",
                            dmd_graph_llu(header->version));
  if (header->word_szB != 4 && header->word_szB != 8)
    return dmd_graph_reject(l, "words have %llu bytes, and not 4 or 8",
                            dmd_graph_llu(header->word_szB));
  if (mode_of(header->mode) > DMD_MODE_SCAN)
    return dmd_graph_reject(l, "the mode is not one of dark-matter, live, cumulative, scan");
  if (header->fill > UINT8_MAX)
    return dmd_graph_reject(l, "new blocks were filled with %llu, which is not a byte",
                            dmd_graph_llu(header->fill));
  l->word_szB = header->word_szB;
  l->preview->mode = mode_of(header->mode);
  l->preview->run =
      (dmd_run_t){.is_known = true, .pid = header->pid, .dump_number = header->dump_number};
  return true;
}

static void load_arguments(dmd_graphreaderstate_t *l, const dmd_graphheader_t *header) {
  dmd_profile_t *profile = &l->graph->profile;
  dmd_wire_list_t arguments = header->arguments;
  dmd_wire_span_t bytes;
  dmd_strbuf_t argument, command;
  dmd_strbuf_init(&argument, l->env);
  dmd_strbuf_init(&command, l->env);
  for (size_t i = 0; dmd_wire_list_next(&arguments, &bytes); i++) {
    text_of(&argument, bytes);
    dmd_profile_add_argument(profile, argument.text);
    dmd_strbuf_str(&command, i > 0 ? " " : "");
    dmd_strbuf_str(&command, argument.text);
  }
  if (header->arguments.n > 0)
    profile->run.command = dmd_profile_keep(profile, command.text);
  dmd_strbuf_destroy(&command);
  dmd_strbuf_destroy(&argument);
}

bool dmd_graph_load_run(dmd_graphreaderstate_t *l, const dmd_graphheader_t *header) {
  dmd_profile_t *profile = &l->graph->profile;
  if (!dmd_graph_check_header(l, header))
    return false;
  profile->mode = mode_of(header->mode);
  profile->run = (dmd_run_t){.is_known = true,
                             .version = keep(l, header->dmd_version),
                             .valgrind_version = keep(l, header->valgrind_version),
                             .folder = keep(l, header->folder),
                             .host = keep(l, header->host),
                             .time = keep(l, header->time),
                             .label = keep(l, header->label),
                             .trigger = keep(l, header->trigger),
                             .allocator = keep(l, header->allocator),
                             .pid = header->pid,
                             .dump_number = header->dump_number,
                             .word_szB = (uint32_t)header->word_szB};
  l->graph->has_contents = header->has_contents != 0;
  l->graph->fill = (uint8_t)header->fill;
  l->graph->peak_szB = header->peak_szB;
  load_arguments(l, header);
  return true;
}

/* ---- Objects. ---- */

bool dmd_graph_look_at_objects(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  const dmd_data_cutter_t *cutter = l->options->cutter;
  dmd_wire_list_t objects = part->objects;
  dmd_wire_span_t message;
  dmd_graphobject_t object;
  dmd_strbuf_t path, soname;
  bool good = true;
  dmd_strbuf_init(&path, l->env);
  dmd_strbuf_init(&soname, l->env);
  while (good && dmd_wire_list_next(&objects, &message)) {
    good = dmd_graphobject_read(message, &object) || dmd_graph_damaged(l);
    if (!good)
      break;
    uint32_t id = dmd_pool_add(&l->objects);
    dmd_graph_object_t *known = DMD_POOL_AT(&l->objects, dmd_graph_object_t, id);
    *known = (dmd_graph_object_t){.bias = object.bias};
    if (cutter != NULL)
      cutter->add_object(cutter->ctx, id,
                         &(dmd_graph_object_t){.path = text_of(&path, object.path),
                                               .soname = text_of(&soname, object.soname),
                                               .build_id = (const char *)object.build_id.at,
                                               .n_build_id = object.build_id.n,
                                               .bias = object.bias,
                                               .start = object.start,
                                               .szB = object.szB});
  }
  dmd_strbuf_destroy(&soname);
  dmd_strbuf_destroy(&path);
  return good;
}

bool dmd_graph_load_objects(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_wire_list_t objects = part->objects;
  dmd_wire_span_t message;
  dmd_graphobject_t object;
  while (dmd_wire_list_next(&objects, &message)) {
    if (!dmd_graphobject_read(message, &object))
      return dmd_graph_damaged(l);
    dmd_graph_object_t kept = {.path = keep(l, object.path),
                               .soname = keep(l, object.soname),
                               .build_id = (const char *)object.build_id.at,
                               .n_build_id = object.build_id.n,
                               .bias = object.bias,
                               .start = object.start,
                               .szB = object.szB};
    dmd_heapgraph_add_object(l->graph, &kept);
  }
  return true;
}

/* ---- Codes and stacks. ---- */

/* The frames of a code. */
typedef struct {
  dmd_graphreaderstate_t *l;
  const dmd_graphcode_t *code;
  dmd_location_t at; /* the code's place in its object */
  dmd_code_kind_t kind;
  dmd_strbuf_t frames; /* their ids */
} frames_t;

/* dmd_function_fn */
static void add_frame(void *ctx, const dmd_function_t *function) {
  frames_t *f = ctx;
  uint32_t id = dmd_frames_add_function(&f->l->graph->profile.frames, function, &f->at);
  dmd_strbuf_bytes(&f->frames, (const char *)&id, sizeof id);
}

/* Adds the frames in the file. Always adds at least one, even if nothing is known about it. */
static bool add_known(frames_t *f) {
  dmd_wire_list_t functions = f->code->functions;
  dmd_wire_span_t message;
  dmd_graphfunction_t known;
  dmd_strbuf_t name, file;
  bool good = true;
  dmd_strbuf_init(&name, f->l->env);
  dmd_strbuf_init(&file, f->l->env);
  if (functions.n == 0)
    add_frame(f, &(dmd_function_t){.name = ""});
  for (size_t i = 1; good && dmd_wire_list_next(&functions, &message); i++) {
    good = dmd_graphfunction_read(message, &known) || dmd_graph_damaged(f->l);
    if (!good)
      break;
    text_of(&name, known.name);
    add_frame(f,
              &(dmd_function_t){.name = name.text,
                                .file = text_of(&file, known.file),
                                .line = known.line < UINT32_MAX ? (uint32_t)known.line : UINT32_MAX,
                                .is_inlined = i < f->code->functions.n});
  }
  dmd_strbuf_destroy(&file);
  dmd_strbuf_destroy(&name);
  return good;
}

static bool is_nameless(const dmd_graphcode_t *code) {
  dmd_wire_list_t functions = code->functions;
  dmd_wire_span_t message;
  dmd_graphfunction_t function;
  if (!dmd_wire_list_next(&functions, &message))
    return true;
  return code->functions.n == 1 && dmd_graphfunction_read(message, &function) &&
         function.name.n == 0 && function.file.n == 0;
}

/* True if there is a namer and it has names for the code. */
static bool is_named(frames_t *f, const dmd_graph_object_t *object) {
  const dmd_namer_t *namer = f->l->options->namer;
  if (namer == NULL || f->at.object == NULL || !is_nameless(f->code))
    return false;
  dmd_location_t at = f->at;
  dmd_strbuf_t build_id;
  dmd_strbuf_init(&build_id, f->l->env);
  if (object->n_build_id <= DMD_MAX_BUILD_ID_TEXT / 2)
    dmd_build_id_text(&build_id, object->build_id, object->n_build_id);
  at.build_id = build_id.text;
  bool good = namer->functions(namer->ctx, &at, add_frame, f, &f->kind);
  dmd_strbuf_destroy(&build_id);
  return good;
}

bool dmd_graph_load_code(dmd_graphreaderstate_t *l, dmd_wire_span_t message, uint32_t *id) {
  dmd_graphcode_t code;
  if (!dmd_graphcode_read(message, &code))
    return dmd_graph_damaged(l);
  if (!dmd_graph_check_id(l, "object", code.object, l->graph->objects.last))
    return false;
  frames_t f = {.l = l, .code = &code, .at = {.offset = code.addr}};
  const dmd_graph_object_t *object = NULL;
  if (code.object != DMD_NONE) {
    object = dmd_heapgraph_object(l->graph, (uint32_t)code.object);
    f.at.object = object->path;
  }
  dmd_strbuf_init(&f.frames, l->env);
  bool good = is_named(&f, object) || add_known(&f);
  if (good)
    *id = dmd_heapgraph_add_code(l->graph, (uint32_t)code.object, code.addr,
                                 (const uint32_t *)(const void *)f.frames.text,
                                 (uint32_t)(f.frames.n / sizeof(uint32_t)));
  dmd_strbuf_destroy(&f.frames);
  if (good && f.kind != DMD_CODE_OTHER) {
    dmd_pool_reach(&l->code_kinds, *id);
    *DMD_POOL_AT(&l->code_kinds, dmd_code_kind_t, *id) = f.kind;
  }
  return good;
}

/* A stack whose frames below main are to be cut off. */
typedef struct {
  const dmd_graphreaderstate_t *l;
  const uint32_t *codes;
} cut_t;

static dmd_code_kind_t kind_of(const void *ctx, uint32_t i) {
  const cut_t *cut = ctx;
  return cut->codes[i] <= cut->l->code_kinds.last
             ? *DMD_POOL_AT(&cut->l->code_kinds, const dmd_code_kind_t, cut->codes[i])
             : DMD_CODE_OTHER;
}

/* The next code of a stack. In the graph, the file's codes come after those added for roots. */
static bool next_code(dmd_graphreaderstate_t *l, dmd_wire_list_t *codes, uint32_t *id) {
  uint64_t code = dmd_wire_column_next(codes);
  if (code == 0)
    return dmd_graph_reject(l, "a stack has a code 0");
  *id = (uint32_t)code + l->n_root_codes;
  return dmd_graph_check_id(l, "code", code, l->graph->codes.last - l->n_root_codes);
}

static bool load_stack(dmd_graphreaderstate_t *l, dmd_wire_span_t message) {
  dmd_graphstack_t stack;
  if (!dmd_graphstack_read(message, &stack))
    return dmd_graph_damaged(l);
  size_t n = stack.codes.n;
  uint32_t *codes = dmd_env_alloc(l->env, "dmd.load.graph", (n + 1) * sizeof *codes);
  bool good = true;
  for (size_t i = 0; i < n && good; i++)
    good = next_code(l, &stack.codes, &codes[i]);
  uint32_t n_shown = (uint32_t)n;
  if (good && l->code_kinds.last > 0 && !l->options->namer->shows_below_main)
    n_shown = dmd_stack_shown(n_shown, kind_of, &(cut_t){l, codes});
  if (good)
    dmd_heapgraph_add_stack(l->graph, codes, n_shown);
  dmd_env_free(l->env, codes);
  return good;
}

/* ---- Reports. ---- */

static void load_texts(dmd_graphreaderstate_t *l, dmd_wire_list_t texts, dmd_intern_t *in,
                       dmd_pool_t *ids) {
  dmd_wire_span_t bytes;
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, l->env);
  while (dmd_wire_list_next(&texts, &bytes)) {
    text_of(&text, bytes);
    dmd_graph_note(ids, dmd_intern_text(in, text.text));
  }
  dmd_strbuf_destroy(&text);
}

/* The next report of a set. */
static bool load_report(dmd_graphreaderstate_t *l, dmd_graphreports_t *set, dmd_report_t *report) {
  uint64_t stack = dmd_wire_column_next(&set->stacks);
  uint64_t reporter = dmd_wire_column_next(&set->reporters);
  if (!dmd_graph_check_id(l, "stack", stack, l->graph->stacks.last) ||
      !dmd_graph_check_id(l, "name", reporter, l->names.last))
    return false;
  *report = (dmd_report_t){.stack = dmd_heapgraph_profile_stack(l->graph, (uint32_t)stack),
                           .flags = set->is_shared ? DMD_REPORT_SHARED : 0};
  if (reporter != DMD_NONE)
    report->reporter = *DMD_POOL_AT(&l->names, uint32_t, (uint32_t)reporter);
  return true;
}

static bool load_sharers(dmd_graphreaderstate_t *l, dmd_graphreports_t *set) {
  size_t n = set->stacks.n;
  dmd_report_t *sharers = dmd_env_alloc(l->env, "dmd.load.graph", n * sizeof *sharers);
  bool good = true;
  for (size_t i = 0; i < n && good; i++)
    good = load_report(l, set, &sharers[i]);
  if (good)
    dmd_graph_note(&l->report_sets,
                   dmd_reports_intern_sharers(&l->graph->profile.reports, sharers, (uint32_t)n));
  dmd_env_free(l->env, sharers);
  return good;
}

static bool load_report_set(dmd_graphreaderstate_t *l, dmd_wire_span_t message) {
  dmd_graphreports_t set;
  if (!dmd_graphreports_read(message, &set))
    return dmd_graph_damaged(l);
  uint64_t n_kept = set.is_shared || set.count < DMD_REPORTS_KEPT ? set.count : DMD_REPORTS_KEPT;
  if (set.count == 0 || set.stacks.n != n_kept || set.reporters.n > set.stacks.n)
    return dmd_graph_reject(l, "a set of %llu reports has the stacks of %zu",
                            dmd_graph_llu(set.count), set.stacks.n);
  if (set.is_shared)
    return load_sharers(l, &set);
  dmd_report_set_t plain = {.count = set.count < DMD_REPORTS_COUNTED ? (uint32_t)set.count
                                                                     : DMD_REPORTS_COUNTED};
  for (uint64_t i = 0; i < n_kept; i++)
    if (!load_report(l, &set, &plain.report[i]))
      return false;
  dmd_graph_note(&l->report_sets, dmd_reports_intern(&l->graph->profile.reports, &plain));
  return true;
}

/* A count of 0 stands for one that is missing. */
static bool load_claim(dmd_graphreaderstate_t *l, dmd_wire_span_t message) {
  dmd_graphclaim_t claim;
  if (!dmd_graphclaim_read(message, &claim))
    return dmd_graph_damaged(l);
  if (claim.function == 0)
    return dmd_graph_reject(l, "a claim has no function");
  if (!dmd_graph_check_id(l, "function of claims", claim.function, l->claim_functions.last) ||
      !dmd_graph_check_id(l, "set of claims", claim.set, l->claim_functions.last) ||
      !dmd_graph_check_id(l, "stack", claim.stack, l->graph->stacks.last))
    return false;
  dmd_graph_claim_t kept = {
      .argument = claim.argument,
      .value = claim.value,
      .function = *DMD_POOL_AT(&l->claim_functions, uint32_t, (uint32_t)claim.function),
      .stack = (uint32_t)claim.stack,
      .count = claim.count == 0 ? 1 : claim.count,
      .is_outdated = claim.is_outdated != 0,
      .set = claim.set == 0 ? DMD_NONE
                            : *DMD_POOL_AT(&l->claim_functions, uint32_t, (uint32_t)claim.set),
      .sum = {.blocks = claim.blocks, .req = claim.req, .usable = claim.usable}};
  dmd_heapgraph_add_claim(l->graph, &kept);
  return true;
}

bool dmd_graph_load_names(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_wire_list_t codes = part->codes, stacks = part->stacks, report_sets = part->report_sets;
  dmd_wire_list_t claims = part->claims;
  dmd_wire_span_t message;
  uint32_t id;
  while (dmd_wire_list_next(&codes, &message))
    if (!dmd_graph_load_code(l, message, &id))
      return false;
  while (dmd_wire_list_next(&stacks, &message))
    if (!load_stack(l, message))
      return false;
  load_texts(l, part->names, &l->graph->profile.names, &l->names);
  load_texts(l, part->tags, &l->graph->profile.tags, &l->tags);
  while (dmd_wire_list_next(&report_sets, &message))
    if (!load_report_set(l, message))
      return false;
  load_texts(l, part->claim_functions, &l->graph->claim_functions, &l->claim_functions);
  while (dmd_wire_list_next(&claims, &message))
    if (!load_claim(l, message))
      return false;
  return true;
}
