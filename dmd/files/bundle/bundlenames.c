/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundlenames.h"

#include "base/str.h"
#include "base/utf8.h"

/* ---- The run. ---- */

static const size_t run_numbers[] = {
    offsetof(dmd_run_t, pid),        offsetof(dmd_run_t, dump_number),
    offsetof(dmd_run_t, word_szB),   offsetof(dmd_run_t, sample_below),
    offsetof(dmd_run_t, seed),       offsetof(dmd_run_t, n_allocs),
    offsetof(dmd_run_t, n_frees),    offsetof(dmd_run_t, alloc_szB),
    offsetof(dmd_run_t, in_use_szB), offsetof(dmd_run_t, in_use_blocks),
    offsetof(dmd_run_t, nested_szB), offsetof(dmd_run_t, freed_reported),
};
static const size_t run_switches[] = {
    offsetof(dmd_run_t, is_known),
    offsetof(dmd_run_t, partial_stacks),
    offsetof(dmd_run_t, partial_hint),
};

enum {
  N_NUMBERS = sizeof run_numbers / sizeof *run_numbers,
  N_SWITCHES = sizeof run_switches / sizeof *run_switches
};

static void *at(dmd_run_t *run, size_t place) {
  return (char *)run + place;
}

static void write_run(dmd_bundlewriter_t *w, const dmd_profile_t *profile) {
  dmd_run_t run = profile->run;
  dmd_bundlewriter_number(w, profile->mode);
  for (size_t i = 0; i < DMD_N_RUN_STRINGS; i++)
    dmd_bundlewriter_string(w, *dmd_run_string(&run, i));
  for (size_t i = 0; i < N_NUMBERS; i++)
    dmd_bundlewriter_number(w, *(uint64_t *)at(&run, run_numbers[i]));
  for (size_t i = 0; i < N_SWITCHES; i++)
    dmd_bundlewriter_number(w, *(bool *)at(&run, run_switches[i]));
  dmd_bundlewriter_number(w, dmd_profile_n_arguments(profile));
  for (uint32_t i = 0; i < dmd_profile_n_arguments(profile); i++)
    dmd_bundlewriter_number(w, *DMD_POOL_AT(&profile->arguments, uint32_t, i + 1));
}

static void read_run(dmd_bundlecursor_t *c, dmd_profile_t *profile) {
  dmd_run_t *run = &profile->run;
  uint32_t n_names = dmd_intern_count(&profile->names);
  profile->mode = (dmd_mode_t)dmd_bundlecursor_up_to(c, DMD_MODE_SCAN);
  for (size_t i = 0; i < DMD_N_RUN_STRINGS; i++) {
    uint32_t id = dmd_bundlecursor_string(c, &profile->names, false);
    if (id != DMD_NONE)
      *dmd_run_string(run, i) = dmd_intern_get_str(&profile->names, id);
  }
  for (size_t i = 0; i < N_NUMBERS; i++)
    *(uint64_t *)at(run, run_numbers[i]) = dmd_bundlecursor_number(c);
  for (size_t i = 0; i < N_SWITCHES; i++)
    *(bool *)at(run, run_switches[i]) = dmd_bundlecursor_up_to(c, 1) != 0;
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint32_t name = dmd_bundlecursor_id(c, n_names);
    if (name == DMD_NONE)
      dmd_bundlecursor_fail(c);
    else
      dmd_profile_add_argument(profile, dmd_intern_get_str(&profile->names, name));
  }
}

/* ---- Frames and stacks. ---- */

static void write_frames(dmd_bundlewriter_t *w, const dmd_frames_t *frames) {
  dmd_bundlewriter_interned(w, &frames->texts);
  dmd_bundlewriter_interned(w, &frames->strings);
  dmd_bundlewriter_interned(w, &frames->objects);
  dmd_bundlewriter_number(w, dmd_frames_count(frames));
  for (uint32_t id = 1; id <= dmd_frames_count(frames); id++) {
    const dmd_frame_t *frame = dmd_frames_at(frames, id);
    dmd_bundlewriter_number(w, frame->text);
    dmd_bundlewriter_number(w, frame->function);
    dmd_bundlewriter_number(w, frame->file);
    dmd_bundlewriter_number(w, frame->object);
    dmd_bundlewriter_number(w, frame->line);
    dmd_bundlewriter_number(w, frame->offset + 1); /* 0: unknown */
  }
}

/* Checks that an object is a path and a build id. */
static void check_object(dmd_bundlecursor_t *c, const dmd_frames_t *frames, uint32_t object) {
  size_t n;
  const char *path = dmd_intern_get(&frames->objects, object, &n);
  const char *build_id = dmd_frames_build_id(frames, object);
  bool good = build_id == NULL ||
              (dmd_is_build_id(build_id) && build_id + dmd_str_length(build_id) == path + n);
  if (!good || !dmd_utf8_is_valid(path))
    dmd_bundlecursor_fail(c);
}

static void read_frames(dmd_bundlecursor_t *c, dmd_frames_t *frames) {
  dmd_bundlecursor_interned(c, &frames->texts, true);
  dmd_bundlecursor_interned(c, &frames->strings, true);
  dmd_bundlecursor_interned(c, &frames->objects, false);
  for (uint32_t object = 1; object <= dmd_intern_count(&frames->objects) && !c->failed; object++)
    check_object(c, frames, object);
  uint32_t n = dmd_bundlecursor_count(c);
  for (uint32_t i = 1; i <= n && !c->failed; i++) {
    dmd_frame_t frame = {.text = dmd_bundlecursor_id(c, dmd_intern_count(&frames->texts)),
                         .function = dmd_bundlecursor_id(c, dmd_intern_count(&frames->strings)),
                         .file = dmd_bundlecursor_id(c, dmd_intern_count(&frames->strings)),
                         .object = dmd_bundlecursor_id(c, dmd_intern_count(&frames->objects)),
                         .line = dmd_bundlecursor_number(c),
                         .offset = dmd_bundlecursor_number(c) - 1};
    if (frame.text == DMD_NONE || dmd_frames_restore(frames, &frame) != i)
      dmd_bundlecursor_fail(c);
  }
}

static void write_stacks(dmd_bundlewriter_t *w, const dmd_profile_t *profile) {
  uint32_t n_stacks = dmd_intern_count(&profile->stacks);
  dmd_bundlewriter_number(w, n_stacks);
  for (uint32_t stack = 1; stack <= n_stacks; stack++) {
    size_t n;
    const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
    dmd_bundlewriter_number(w, n);
    for (size_t i = 0; i < n; i++)
      dmd_bundlewriter_number(w, frames[i]);
  }
}

static uint32_t read_stack(dmd_bundlecursor_t *c, dmd_profile_t *profile) {
  uint32_t n_frames = dmd_frames_count(&profile->frames), n = dmd_bundlecursor_count(c);
  uint32_t *frames = dmd_env_alloc(profile->env, "dmd.image", (n + 1) * sizeof *frames);
  for (uint32_t i = 0; i < n; i++) {
    frames[i] = dmd_bundlecursor_id(c, n_frames);
    if (frames[i] == DMD_NONE)
      dmd_bundlecursor_fail(c);
  }
  uint32_t stack = c->failed ? DMD_NONE : dmd_profile_stack(profile, frames, n);
  dmd_env_free(profile->env, frames);
  return stack;
}

static void read_stacks(dmd_bundlecursor_t *c, dmd_profile_t *profile) {
  uint32_t n = dmd_bundlecursor_count(c);
  for (uint32_t i = 1; i <= n && !c->failed; i++)
    if (read_stack(c, profile) != i)
      dmd_bundlecursor_fail(c);
}

/* ---- Report sets. A shared one is written as what it adds to an older one. ---- */

static void write_report(dmd_bundlewriter_t *w, const dmd_report_t *report) {
  dmd_bundlewriter_number(w, report->stack);
  dmd_bundlewriter_number(w, report->reporter);
}

static void write_set(dmd_bundlewriter_t *w, const dmd_reports_t *reports, uint32_t id) {
  const dmd_report_set_t *set = dmd_reports_at(reports, id);
  bool is_shared = dmd_reports_are_shared(reports, id);
  dmd_bundlewriter_number(w, is_shared);
  if (is_shared) {
    dmd_bundlewriter_number(w, set->older);
    write_report(w, &set->report[set->older != DMD_NONE]);
    return;
  }
  dmd_bundlewriter_number(w, set->count);
  for (uint32_t i = 0; i < set->count && i < DMD_REPORTS_KEPT; i++) {
    write_report(w, &set->report[i]);
    dmd_bundlewriter_number(w, set->report[i].flags);
  }
}

static void write_sets(dmd_bundlewriter_t *w, const dmd_reports_t *reports) {
  dmd_bundlewriter_number(w, dmd_reports_count(reports));
  for (uint32_t id = 1; id <= dmd_reports_count(reports); id++)
    write_set(w, reports, id);
}

static dmd_report_t read_report(dmd_bundlecursor_t *c, const dmd_profile_t *profile) {
  return (dmd_report_t){.stack = dmd_bundlecursor_id(c, dmd_intern_count(&profile->stacks)),
                        .reporter = dmd_bundlecursor_id(c, dmd_intern_count(&profile->names))};
}

static dmd_report_set_t read_shared(dmd_bundlecursor_t *c, const dmd_profile_t *profile) {
  const dmd_reports_t *reports = &profile->reports;
  dmd_report_set_t set = {.count = 1, .older = dmd_bundlecursor_id(c, dmd_reports_count(reports))};
  dmd_report_t report = read_report(c, profile);
  report.flags = DMD_REPORT_SHARED;
  if (set.older != DMD_NONE && dmd_reports_are_shared(reports, set.older)) {
    const dmd_report_set_t *older = dmd_reports_at(reports, set.older);
    set.count = older->count + 1;
    set.report[0] = older->report[0];
    set.report[1] = report;
  } else if (set.older != DMD_NONE) {
    dmd_bundlecursor_fail(c);
  } else {
    set.report[0] = report;
  }
  return set;
}

static dmd_report_set_t read_plain(dmd_bundlecursor_t *c, const dmd_profile_t *profile) {
  dmd_report_set_t set = {.count = dmd_bundlecursor_id(c, DMD_REPORTS_COUNTED)};
  for (uint32_t i = 0; i < set.count && i < DMD_REPORTS_KEPT; i++) {
    set.report[i] = read_report(c, profile);
    set.report[i].flags = dmd_bundlecursor_id(c, DMD_REPORT_ON_ALLOC);
  }
  if (set.count == 0)
    dmd_bundlecursor_fail(c);
  return set;
}

static void read_sets(dmd_bundlecursor_t *c, dmd_profile_t *profile) {
  uint32_t n = dmd_bundlecursor_count(c);
  for (uint32_t i = 1; i <= n && !c->failed; i++) {
    bool is_shared = dmd_bundlecursor_up_to(c, 1) != 0;
    dmd_report_set_t set = is_shared ? read_shared(c, profile) : read_plain(c, profile);
    if (!c->failed && dmd_reports_intern(&profile->reports, &set) != i)
      dmd_bundlecursor_fail(c);
  }
}

/* ---- All names. ---- */

void dmd_imagenames_write(dmd_bundlewriter_t *w, const dmd_profile_t *profile) {
  dmd_bundlewriter_interned(w, &profile->names);
  dmd_bundlewriter_interned(w, &profile->tags);
  write_run(w, profile);
  write_frames(w, &profile->frames);
  write_stacks(w, profile);
  write_sets(w, &profile->reports);
}

void dmd_imagenames_read(dmd_bundlecursor_t *c, dmd_profile_t *profile) {
  dmd_bundlecursor_interned(c, &profile->names, false);
  dmd_bundlecursor_interned(c, &profile->tags, true);
  read_run(c, profile);
  read_frames(c, &profile->frames);
  read_stacks(c, profile);
  read_sets(c, profile);
}

/* ---- Objects, codes, stacks and roots. ---- */

/* ---- Objects. ---- */

static void write_objects(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_number(w, heap->objects.last);
  for (uint32_t id = 1; id <= heap->objects.last; id++) {
    const dmd_graph_object_t *object = dmd_heapgraph_object(heap, id);
    dmd_bundlewriter_string(w, object->path);
    dmd_bundlewriter_string(w, object->soname);
    dmd_bundlewriter_bytes(w, object->build_id, object->n_build_id);
    dmd_bundlewriter_number(w, object->bias);
    dmd_bundlewriter_number(w, object->start);
    dmd_bundlewriter_number(w, object->szB);
  }
}

static const char *read_name(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  dmd_intern_t *names = &heap->profile.names;
  uint32_t id = dmd_bundlecursor_string(c, names, false);
  return id == DMD_NONE ? NULL : dmd_intern_get_str(names, id);
}

static void read_objects(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    dmd_graph_object_t object = {.path = read_name(c, heap), .soname = read_name(c, heap)};
    object.build_id = dmd_bundlecursor_bytes(c, &object.n_build_id);
    object.bias = dmd_bundlecursor_number(c);
    object.start = dmd_bundlecursor_number(c);
    object.szB = dmd_bundlecursor_number(c);
    dmd_heapgraph_add_object(heap, &object);
  }
}

/* ---- Codes and stacks. ---- */

static void write_codes(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_number(w, heap->codes.last);
  for (uint32_t id = 1; id <= heap->codes.last; id++) {
    const dmd_graph_code_t *code = dmd_heapgraph_code(heap, id);
    dmd_bundlewriter_number(w, code->object);
    dmd_bundlewriter_number(w, code->addr);
    dmd_bundlewriter_number(w, code->n_frames);
    for (uint32_t i = 0; i < code->n_frames; i++)
      dmd_bundlewriter_number(w, dmd_heapgraph_code_frame(heap, id, i));
  }
}

/* A list of *n ids, each from 1 to most. The caller frees it. */
static uint32_t *read_ids(dmd_bundlecursor_t *c, const dmd_env_t *env, uint32_t most, uint32_t *n) {
  *n = dmd_bundlecursor_count(c);
  uint32_t *ids = dmd_env_alloc(env, "dmd.image", (*n + (size_t)1) * sizeof *ids);
  for (uint32_t i = 0; i < *n; i++) {
    ids[i] = dmd_bundlecursor_id(c, most);
    if (ids[i] == DMD_NONE)
      dmd_bundlecursor_fail(c);
  }
  return ids;
}

static void read_codes(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint32_t object = dmd_bundlecursor_id(c, heap->objects.last), n_frames;
    uint64_t addr = dmd_bundlecursor_number(c);
    uint32_t *frames = read_ids(c, heap->env, dmd_frames_count(&heap->profile.frames), &n_frames);
    if (!c->failed)
      dmd_heapgraph_add_code(heap, object, addr, frames, n_frames);
    dmd_env_free(heap->env, frames);
  }
}

static void write_code_stacks(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_number(w, heap->stacks.last);
  for (uint32_t id = 1; id <= heap->stacks.last; id++) {
    uint32_t n = dmd_heapgraph_n_codes(heap, id);
    dmd_bundlewriter_number(w, n);
    for (uint32_t i = 0; i < n; i++)
      dmd_bundlewriter_number(w, dmd_heapgraph_stack_code(heap, id, i));
  }
}

/* A code may have any number of frames and be in all stacks, so a small file could describe huge
 * stacks. Limits the frames of a stack to more than any unwinder records. */
static bool is_reasonable(const dmd_heapgraph_t *heap, const uint32_t *codes, uint32_t n) {
  enum { MAX_STACK = 1 << 16 };
  uint64_t n_frames = 0;
  for (uint32_t i = 0; i < n; i++)
    n_frames += dmd_heapgraph_code(heap, codes[i])->n_frames;
  return n_frames <= MAX_STACK;
}

static void read_code_stacks(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  uint32_t n_known = dmd_intern_count(&heap->profile.stacks);
  for (uint32_t n = dmd_bundlecursor_count(c); n > 0 && !c->failed; n--) {
    uint32_t n_codes;
    uint32_t *codes = read_ids(c, heap->env, heap->codes.last, &n_codes);
    if (!c->failed && is_reasonable(heap, codes, n_codes))
      dmd_heapgraph_add_stack(heap, codes, n_codes);
    else
      dmd_bundlecursor_fail(c);
    dmd_env_free(heap->env, codes);
    /* The profile already has all stacks; a new one is an error. */
    if (dmd_intern_count(&heap->profile.stacks) != n_known)
      dmd_bundlecursor_fail(c);
  }
}

/* ---- Roots. ---- */

static void write_roots(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  for (uint32_t node = 1; node <= heap->n_roots; node++) {
    const dmd_graph_root_t *root = dmd_heapgraph_root(heap, node);
    dmd_bundlewriter_number(w, root->kind);
    dmd_bundlewriter_number(w, root->object);
    dmd_bundlewriter_number(w, root->thread);
    dmd_bundlewriter_number(w, root->code);
    dmd_bundlewriter_number(w, root->addr);
    dmd_bundlewriter_number(w, root->origin);
    dmd_bundlewriter_number(
        w, root->name == NULL ? DMD_NONE : dmd_intern_find_str(&heap->profile.names, root->name));
  }
}

static void read_roots(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  const dmd_intern_t *names = &heap->profile.names;
  for (uint32_t node = 1; node <= heap->n_roots && !c->failed; node++) {
    dmd_graph_root_t root = {.szB = heap->graph.size[node]};
    root.kind = (dmd_root_kind_t)dmd_bundlecursor_up_to(c, DMD_N_ROOT_KINDS - 1);
    root.object = dmd_bundlecursor_id(c, heap->objects.last);
    root.thread = dmd_bundlecursor_id(c, UINT32_MAX);
    root.code = dmd_bundlecursor_id(c, heap->codes.last);
    root.addr = dmd_bundlecursor_number(c);
    root.origin = dmd_bundlecursor_number(c);
    uint32_t name = dmd_bundlecursor_id(c, dmd_intern_count(names));
    root.name = name == DMD_NONE ? NULL : dmd_intern_get_str(names, name);
    if (root.addr + root.szB < root.addr)
      dmd_bundlecursor_fail(c);
    dmd_heapgraph_add_root(heap, &root);
  }
}

/* ---- All of these. ---- */

void dmd_imageplaces_write(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap) {
  write_objects(w, heap);
  write_codes(w, heap);
  write_code_stacks(w, heap);
  write_roots(w, heap);
}

void dmd_imageplaces_read(dmd_bundlecursor_t *c, dmd_heapgraph_t *heap) {
  read_objects(c, heap);
  read_codes(c, heap);
  read_code_stacks(c, heap);
  read_roots(c, heap);
}
