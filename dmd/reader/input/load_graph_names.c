/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whatever is not a node: the run, objects, codes, stacks, and by whom blocks were reported.
 */
#include "base/limits.h"
#include "base/strbuf.h"
#include "reader/host/host.h"
#include "reader/input/graphloader.h"

#include <inttypes.h>
#include <string.h>

/* Bytes as a string, in a buffer; NULL where there are none. What follows a NUL is lost. */
static const char *text_of(dmd_strbuf_t *buf, const ProtobufCBinaryData *bytes) {
  dmd_strbuf_cut(buf, 0);
  dmd_strbuf_bytes(buf, (const char *)bytes->data, bytes->len);
  return bytes->len > 0 ? buf->text : NULL;
}

/* A string that lives as long as the graph. */
static const char *keep_bytes(dmdv_graphloader_t *l, const ProtobufCBinaryData *bytes) {
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, &dmdv_env);
  const char *kept = dmd_profile_keep(&l->graph->profile, text_of(&buf, bytes));
  dmd_strbuf_destroy(&buf);
  return kept;
}

static const char *keep(dmdv_graphloader_t *l, const char *s) {
  return dmd_profile_keep(&l->graph->profile, s != NULL && s[0] != '\0' ? s : NULL);
}

/* ---- The run. ---- */

static int mode_of(const char *name) {
  int mode = 0;
  while (mode <= DMD_MODE_SCAN && strcmp(dmd_mode_name(mode), name) != 0)
    mode++;
  return mode;
}

bool dmdv_graph_check_header(dmdv_graphloader_t *l, const Dmd__Graph__Header *header) {
  const char *mode = header->mode != NULL ? header->mode : "";
  if (header->format == NULL || strcmp(header->format, "dmd-graph") != 0)
    return dmdv_graph_reject(l, "the format is not dmd-graph");
  if (header->version != 1)
    return dmdv_graph_reject(l,
                             "the format's version is %" PRIu32 ", and not 1, the one that dmdv "
                             "reads",
                             header->version);
  if (header->word_size != 4 && header->word_size != 8)
    return dmdv_graph_reject(l, "words have %" PRIu32 " bytes, and not 4 or 8", header->word_size);
  if (mode_of(mode) > DMD_MODE_SCAN)
    return dmdv_graph_reject(l, "the mode is not one of dark-matter, live, cumulative, scan");
  l->word_szB = header->word_size;
  return true;
}

static void load_arguments(dmdv_graphloader_t *l, const Dmd__Graph__Header *header) {
  dmd_profile_t *profile = &l->graph->profile;
  dmd_strbuf_t argument, command;
  dmd_strbuf_init(&argument, &dmdv_env);
  dmd_strbuf_init(&command, &dmdv_env);
  for (size_t i = 0; i < header->n_arguments; i++) {
    text_of(&argument, &header->arguments[i]);
    dmd_profile_add_argument(profile, argument.text);
    dmd_strbuf_str(&command, i > 0 ? " " : "");
    dmd_strbuf_str(&command, argument.text);
  }
  if (header->n_arguments > 0)
    profile->run.command = dmd_profile_keep(profile, command.text);
  dmd_strbuf_destroy(&command);
  dmd_strbuf_destroy(&argument);
}

bool dmdv_graph_load_run(dmdv_graphloader_t *l, const Dmd__Graph__Header *header) {
  dmd_profile_t *profile = &l->graph->profile;
  if (!dmdv_graph_check_header(l, header))
    return false;
  profile->mode = mode_of(header->mode);
  profile->run = (dmd_run_t){.is_known = true,
                             .version = keep(l, header->dmd_version),
                             .valgrind_version = keep(l, header->valgrind_version),
                             .folder = keep_bytes(l, &header->folder),
                             .host = keep_bytes(l, &header->host),
                             .time = keep(l, header->time),
                             .label = keep_bytes(l, &header->label),
                             .trigger = keep(l, header->trigger),
                             .allocator = keep(l, header->allocator),
                             .pid = header->pid,
                             .dump_number = header->dump_number,
                             .word_szB = header->word_size};
  load_arguments(l, header);
  return true;
}

/* ---- Objects. ---- */

bool dmdv_graph_look_at_objects(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  const dmdv_data_cutter_t *cutter = l->options->cutter;
  dmd_strbuf_t path, soname;
  dmd_strbuf_init(&path, &dmdv_env);
  dmd_strbuf_init(&soname, &dmdv_env);
  for (size_t i = 0; i < part->n_objects; i++) {
    const Dmd__Graph__Object *object = part->objects[i];
    uint32_t id = dmd_pool_add(&l->objects);
    dmd_graph_object_t *known = DMD_POOL_AT(&l->objects, dmd_graph_object_t, id);
    *known = (dmd_graph_object_t){.bias = object->bias};
    if (cutter != NULL)
      cutter->add_object(cutter->ctx, id,
                         &(dmd_graph_object_t){.path = text_of(&path, &object->path),
                                               .soname = text_of(&soname, &object->soname),
                                               .build_id = (const char *)object->build_id.data,
                                               .n_build_id = object->build_id.len,
                                               .bias = object->bias,
                                               .start = object->start,
                                               .szB = object->size});
  }
  dmd_strbuf_destroy(&soname);
  dmd_strbuf_destroy(&path);
  return true;
}

bool dmdv_graph_load_objects(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  for (size_t i = 0; i < part->n_objects; i++) {
    const Dmd__Graph__Object *object = part->objects[i];
    dmd_graph_object_t kept = {.path = keep_bytes(l, &object->path),
                               .soname = keep_bytes(l, &object->soname),
                               .build_id = (const char *)object->build_id.data,
                               .n_build_id = object->build_id.len,
                               .bias = object->bias,
                               .start = object->start,
                               .szB = object->size};
    dmd_heapgraph_add_object(l->graph, &kept);
  }
  return true;
}

/* ---- Codes and stacks. ---- */

/* As the engine has it: an inlined call has no place of its own in the object, but where nothing
 * else is known of it. */
static uint32_t frame_of(dmdv_graphloader_t *l, const Dmd__Graph__Code *code, size_t i,
                         dmd_strbuf_t *name, dmd_strbuf_t *file) {
  dmd_location_t location = {.offset = DMD_OFFSET_UNKNOWN};
  if (i < code->n_functions) {
    location.function = text_of(name, &code->functions[i]->name);
    location.file = text_of(file, &code->functions[i]->file);
    location.line = code->functions[i]->line;
  }
  if (code->object != DMD_NONE)
    location.object = dmd_heapgraph_object(l->graph, code->object)->path;
  if (location.object != NULL && (i + 1 >= code->n_functions || location.file == NULL))
    location.offset = code->address;
  return dmd_frames_add(&l->graph->profile.frames, &location);
}

bool dmdv_graph_load_code(dmdv_graphloader_t *l, const Dmd__Graph__Code *code, uint32_t *id) {
  if (!dmdv_graph_check_id(l, "object", code->object, l->graph->objects.last))
    return false;
  size_t n = code->n_functions > 0 ? code->n_functions : 1;
  uint32_t *frames = dmd_env_alloc(&dmdv_env, "dmdv.graph", n * sizeof *frames);
  dmd_strbuf_t name, file;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_init(&file, &dmdv_env);
  for (size_t i = 0; i < n; i++)
    frames[i] = frame_of(l, code, i, &name, &file);
  *id = dmd_heapgraph_add_code(l->graph, code->object, code->address, frames, (uint32_t)n);
  dmd_strbuf_destroy(&file);
  dmd_strbuf_destroy(&name);
  dmd_env_free(&dmdv_env, frames);
  return true;
}

static bool load_codes(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  uint32_t id;
  for (size_t i = 0; i < part->n_codes; i++)
    if (!dmdv_graph_load_code(l, part->codes[i], &id))
      return false;
  return true;
}

/* Codes of the file come after those that roots brought. */
static bool load_stack(dmdv_graphloader_t *l, const Dmd__Graph__Stack *stack) {
  uint32_t n_codes = l->graph->codes.last - l->n_root_codes;
  for (size_t i = 0; i < stack->n_codes; i++) {
    if (stack->codes[i] == 0)
      return dmdv_graph_reject(l, "a stack has a code 0");
    if (!dmdv_graph_check_id(l, "code", stack->codes[i], n_codes))
      return false;
    stack->codes[i] += l->n_root_codes;
  }
  dmd_heapgraph_add_stack(l->graph, stack->codes, (uint32_t)stack->n_codes);
  return true;
}

/* ---- By whom. ---- */

static void load_texts(const ProtobufCBinaryData *texts, size_t n, dmd_intern_t *in,
                       dmd_pool_t *ids) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  for (size_t i = 0; i < n; i++) {
    text_of(&text, &texts[i]);
    dmdv_graph_note(ids, dmd_intern_text(in, text.text));
  }
  dmd_strbuf_destroy(&text);
}

/* The i-th report of a set. */
static bool load_report(dmdv_graphloader_t *l, const Dmd__Graph__ReportSet *set, size_t i,
                        dmd_report_t *report) {
  uint32_t reporter = i < set->n_reporters ? set->reporters[i] : DMD_NONE;
  if (!dmdv_graph_check_id(l, "stack", set->stacks[i], l->graph->stacks.last) ||
      !dmdv_graph_check_id(l, "name", reporter, l->names.last))
    return false;
  *report = (dmd_report_t){.stack = dmd_heapgraph_profile_stack(l->graph, set->stacks[i]),
                           .flags = set->shared ? DMD_REPORT_SHARED : 0};
  if (reporter != DMD_NONE)
    report->reporter = *DMD_POOL_AT(&l->names, uint32_t, reporter);
  return true;
}

static bool load_sharers(dmdv_graphloader_t *l, const Dmd__Graph__ReportSet *set) {
  dmd_report_t *sharers = dmd_env_alloc(&dmdv_env, "dmdv.graph", set->n_stacks * sizeof *sharers);
  bool good = true;
  for (size_t i = 0; i < set->n_stacks && good; i++)
    good = load_report(l, set, i, &sharers[i]);
  if (good)
    dmdv_graph_note(&l->report_sets, dmd_reports_intern_sharers(&l->graph->profile.reports, sharers,
                                                                (uint32_t)set->n_stacks));
  dmd_env_free(&dmdv_env, sharers);
  return good;
}

static bool load_report_set(dmdv_graphloader_t *l, const Dmd__Graph__ReportSet *set) {
  uint32_t n_kept = set->shared || set->count < DMD_REPORTS_KEPT ? set->count : DMD_REPORTS_KEPT;
  if (set->count == 0 || set->n_stacks != n_kept || set->n_reporters > set->n_stacks)
    return dmdv_graph_reject(l, "a set of %" PRIu32 " reports has the stacks of %zu", set->count,
                             set->n_stacks);
  if (set->shared)
    return load_sharers(l, set);
  dmd_report_set_t plain = {.count = set->count < DMD_REPORTS_COUNTED ? set->count
                                                                      : DMD_REPORTS_COUNTED};
  for (uint32_t i = 0; i < n_kept; i++)
    if (!load_report(l, set, i, &plain.report[i]))
      return false;
  dmdv_graph_note(&l->report_sets, dmd_reports_intern(&l->graph->profile.reports, &plain));
  return true;
}

bool dmdv_graph_load_names(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  if (!load_codes(l, part))
    return false;
  for (size_t i = 0; i < part->n_stacks; i++)
    if (!load_stack(l, part->stacks[i]))
      return false;
  load_texts(part->names, part->n_names, &l->graph->profile.names, &l->names);
  load_texts(part->tags, part->n_tags, &l->graph->profile.tags, &l->tags);
  for (size_t i = 0; i < part->n_report_sets; i++)
    if (!load_report_set(l, part->report_sets[i]))
      return false;
  return true;
}
