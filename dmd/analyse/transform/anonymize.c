/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/transform/anonymize.h"

#include "analyse/records/allocfns.h"
#include "analyse/transform/merge.h"
#include "analyse/transform/reduce.h"
#include "base/fnname.h"
#include "base/path.h"
#include "base/str.h"

/* ---- Public names. ---- */

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char *const known_functions[] = {
    "main",
    "(below main)",
    "_start",
    "__libc_start_main",
    "start_thread",
    "clone",
    "clone3",
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "memalign",
    "posix_memalign",
    "aligned_alloc",
    "valloc",
    "pvalloc",
    "malloc_usable_size",
    "strdup",
    "strndup",
    "operator new(unsigned long)",
    "operator new[](unsigned long)",
    "operator new(unsigned long, std::nothrow_t const&)",
    "operator new[](unsigned long, std::nothrow_t const&)",
    "operator new(unsigned long, std::align_val_t)",
    "operator new[](unsigned long, std::align_val_t)",
    DMD_SMALLER_RECORDS};

static const char *const known_objects[] = {
    "libc.so.",   "libc-2.",  "libstdc++.so", "libgcc_s.so.", "libm.so.",  "libm-2.",
    "libpthread", "ld-linux", "ld-2.",        "vgpreload",    "libc++.so", "libc++abi.so"};

static const char *const known_parts[] = {"explicit",      "heap-allocated", "heap-unclassified",
                                          "heap-overhead", "resident",       "resident-unique",
                                          "tags"};

static const char *const known_endings[] = {".c",   ".cc", ".cpp", ".cxx", ".C",  ".h",  ".hh",
                                            ".hpp", ".S",  ".tcc", ".rs",  ".go", ".py", ".js"};

static bool is_one_of(const char *const *words, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (dmd_str_equal(words[i], name))
      return true;
  return false;
}

static bool is_known_object(const char *path) {
  if (path == NULL)
    return false;
  const char *base = dmd_path_base(path);
  for (size_t i = 0; i < LENGTH(known_objects); i++)
    if (dmd_str_begins(base, known_objects[i]))
      return true;
  return dmd_is_alloc_object(path);
}

static const char *ending_of(const char *file) {
  const char *dot = dmd_str_find_last_char(file, '.');
  return dot != NULL && is_one_of(known_endings, LENGTH(known_endings), dot) ? dot : "";
}

/* ---- Words. ---- */

/* FNV-1a: equal on every machine, since words of different files must be equal. */
static uint64_t hash_of(const char *s, size_t n) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
  return dmd_hash_u64(h);
}

static void put_word(dmd_strbuf_t *to, const char *prefix, const char *s, size_t n) {
  static const char digits[] = "0123456789abcdef";
  uint64_t h = hash_of(s, n);
  dmd_strbuf_str(to, prefix);
  for (int i = 0; i < 10; i++, h >>= 4)
    dmd_strbuf_bytes(to, &digits[h & 15], 1);
}

static void put_path(dmd_strbuf_t *to, const char *path) {
  while (*path != '\0') {
    size_t n = dmd_str_span_without(path, "/");
    bool is_known = false;
    for (size_t i = 0; i < LENGTH(known_parts); i++)
      is_known |= dmd_str_length(known_parts[i]) == n && dmd_mem_equal(known_parts[i], path, n);
    if (is_known)
      dmd_strbuf_bytes(to, path, n);
    else if (n > 0)
      put_word(to, "part_", path, n);
    path += n;
    if (*path == '/') {
      dmd_strbuf_str(to, "/");
      path++;
    }
  }
}

/* Finds the " (pid N)" at the end of a process's name, which is kept. */
static const char *pid_of(const char *name) {
  const char *pid = dmd_str_find(name, " (pid ");
  if (pid == NULL)
    return name + dmd_str_length(name);
  size_t n = sizeof " (pid " - 1 + dmd_str_span(pid + sizeof " (pid " - 1, "0123456789");
  return dmd_str_equal(pid + n, ")") ? pid : name + dmd_str_length(name);
}

static void put(dmd_strbuf_t *to, dmd_name_kind_t kind, const char *name) {
  static const char *const prefixes[DMD_N_NAME_KINDS] = {"fn_",      "malloc_", "size_",   "file_",
                                                         "lib_",     "",        "tag_",    "label_",
                                                         "process_", "type_",   "member_", "var_"};
  if (kind == DMD_NAME_PATH) {
    put_path(to, name);
    return;
  }
  if (kind == DMD_NAME_TAG && dmd_str_equal(name, "(other tags)")) {
    dmd_strbuf_str(to, name);
    return;
  }
  if (kind == DMD_NAME_OBJECT && is_known_object(name)) {
    dmd_strbuf_str(to, dmd_path_base(name));
    return;
  }
  const char *rest = kind == DMD_NAME_PROCESS ? pid_of(name)
                     : kind == DMD_NAME_FILE  ? ending_of(name)
                                              : "";
  size_t n = kind == DMD_NAME_PROCESS ? (size_t)(rest - name) : dmd_str_length(name);
  put_word(to, prefixes[kind], name, n);
  dmd_strbuf_str(to, rest);
}

void dmd_anonymizer_init(dmd_anonymizer_t *a, const dmd_env_t *env) {
  a->env = env;
  dmd_intern_init(&a->words, env, "dmd.anonymizer");
}

void dmd_anonymizer_destroy(dmd_anonymizer_t *a) {
  dmd_intern_destroy(&a->words);
}

const char *dmd_anonymous(dmd_anonymizer_t *a, dmd_name_kind_t kind, const char *name) {
  if (name == NULL)
    return NULL;
  dmd_strbuf_t word;
  dmd_strbuf_init(&word, a->env);
  put(&word, kind, name);
  uint32_t id = dmd_intern_bytes(&a->words, word.text, word.n);
  dmd_strbuf_destroy(&word);
  return dmd_intern_get_str(&a->words, id);
}

/* ---- Profiles. ---- */

static const char *function_of(dmd_anonymizer_t *a, const dmd_location_t *l,
                               const dmd_frame_view_t *view) {
  if (is_known_object(l->object) ||
      (l->function != NULL && is_one_of(known_functions, LENGTH(known_functions), l->function)))
    return l->function;
  if (dmd_allocates_for_callers(a->env, l, view) != DMD_ALLOCATES_NOT)
    return dmd_anonymous(a, DMD_NAME_ALLOC_FN, l->function);
  bool says_size = l->function != NULL && dmd_fnname_says_size(l->function);
  return dmd_anonymous(a, says_size ? DMD_NAME_SIZE_FN : DMD_NAME_FUNCTION, l->function);
}

static uint32_t read_function(dmd_frames_t *frames, const char *function) {
  dmd_frame_words_t words = {.function = function};
  words.text = dmd_frames_keep_text(frames, function, dmd_str_length(function));
  return dmd_frames_read(frames, &words);
}

static bool is_process(const dmd_profile_t *profile, const char *text) {
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->processes); id++)
    if (dmd_str_equal(dmd_intern_get_str(&profile->processes, id), text))
      return true;
  return false;
}

/* Translates ids of one profile to those of the other, for data that refers to them. */
typedef struct {
  dmd_anonymizer_t *anonymizer;
  dmd_profile_t *to;
  const dmd_profile_t *from;
  dmd_translation_t translation;
} anonymous_ids_t;

/* dmd_translate_fn */
static uint32_t add_frame(void *ctx, uint32_t id) {
  anonymous_ids_t *ids = ctx;
  dmd_frames_t *to = &ids->to->frames;
  const char *text = dmd_frames_text(&ids->from->frames, id);
  if (is_process(ids->from, text))
    return read_function(to, dmd_anonymous(ids->anonymizer, DMD_NAME_PROCESS, text));
  dmd_location_t l = dmd_frames_location(&ids->from->frames, id);
  const char *function = function_of(ids->anonymizer, &l, &ids->from->frame_view);
  /* A frame with neither file nor object consists of a function only, and so does one without any
   * part. */
  if (l.file == NULL && l.object == NULL)
    return read_function(
        to, function != NULL ? function : dmd_anonymous(ids->anonymizer, DMD_NAME_FUNCTION, text));
  l.function = function;
  l.file = l.file == NULL              ? NULL
           : is_known_object(l.object) ? dmd_path_base(l.file)
                                       : dmd_anonymous(ids->anonymizer, DMD_NAME_FILE, l.file);
  l.object = dmd_anonymous(ids->anonymizer, DMD_NAME_OBJECT, l.object);
  l.build_id = NULL;
  return dmd_frames_add(to, &l);
}

/* dmd_translation_t.rename */
static const char *rename_one(void *ctx, const char *name, bool is_tag) {
  anonymous_ids_t *ids = ctx;
  return dmd_anonymous(ids->anonymizer, is_tag ? DMD_NAME_TAG : DMD_NAME_PATH, name);
}

/* The program's name is that of its process; NULL if unknown. */
static const char *program_of(dmd_anonymizer_t *a, const dmd_profile_t *profile) {
  size_t n;
  const char *program = dmd_profile_program(profile, &n);
  if (program == NULL)
    return NULL;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, a->env);
  dmd_strbuf_bytes(&name, program, n);
  const char *word = dmd_anonymous(a, DMD_NAME_PROCESS, dmd_path_base(name.text));
  dmd_strbuf_destroy(&name);
  return word;
}

/* The profile may be written as it is, so no string of the original may enter it. */
static void take_run(dmd_anonymizer_t *a, dmd_profile_t *to, const dmd_profile_t *from) {
  dmd_run_t run = from->run;
  run.folder = run.host = NULL;
  run.command = program_of(a, from);
  run.label = dmd_anonymous(a, DMD_NAME_LABEL, run.label);
  run.replaced_new = dmd_anonymous(a, DMD_NAME_OBJECT, run.replaced_new);
  to->mode = from->mode;
  to->memory = from->memory;
  dmd_profile_set_run(to, &run);
  if (run.command != NULL)
    dmd_profile_add_argument(to, run.command);
}

/* Begins to fill an initialised, empty profile: with the description of the run, and whatever the
 * translation is used for. The caller destroys the translation. Must not move. */
static void begin_anonymous(anonymous_ids_t *ids, dmd_anonymizer_t *a, dmd_profile_t *to,
                            const dmd_profile_t *from) {
  *ids = (anonymous_ids_t){.anonymizer = a, .to = to, .from = from};
  dmd_translation_init_profile(&ids->translation, to, from, add_frame, ids);
  ids->translation.rename = rename_one;
  take_run(a, to, from);
}

static void add_memreports(dmd_anonymizer_t *a, dmd_profile_t *to,
                           const dmd_memreports_t *reports) {
  for (uint32_t id = 1; id <= dmd_memreports_count(reports); id++) {
    dmd_memreport_t report = dmd_memreports_get(reports, id);
    report.stack = DMD_NONE;
    report.description = NULL;
    report.path = dmd_anonymous(a, DMD_NAME_PATH, report.path);
    if (report.process != NULL && report.process[0] != '\0')
      report.process = dmd_anonymous(a, DMD_NAME_PROCESS, report.process);
    dmd_memreports_add(&to->memreports, &report);
  }
}

/* Marks and labels of dumps are renamed alike. */
static void rename_marks(dmd_anonymizer_t *a, dmd_profile_t *to, const dmd_profile_t *from) {
  for (uint32_t id = 1; id <= from->timeline.marks.last; id++) {
    uint32_t text = dmd_timeline_mark(&from->timeline, id)->text;
    if (text != DMD_NONE)
      dmd_timeline_mark(&to->timeline, id)->text = dmd_intern_str(
          &to->names, dmd_anonymous(a, DMD_NAME_LABEL, dmd_intern_get_str(&from->names, text)));
  }
}

void dmd_anonymize_profile(dmd_anonymizer_t *a, dmd_profile_t *to, const dmd_profile_t *from) {
  anonymous_ids_t ids;
  begin_anonymous(&ids, a, to, from);
  for (uint32_t id = 1; id <= dmd_intern_count(&from->processes); id++)
    dmd_profile_add_process(
        to, dmd_anonymous(a, DMD_NAME_PROCESS, dmd_intern_get_str(&from->processes, id)),
        dmd_profile_process_memory(from, id));
  dmd_combine(&ids.translation);
  dmd_translation_add_timeline(&ids.translation, &from->timeline);
  rename_marks(a, to, from);
  dmd_translation_add_faults(&ids.translation, &from->faults);
  dmd_translation_add_hints(&ids.translation, &from->hints);
  dmd_translation_add_runs(&ids.translation, &from->reporter_runs);
  add_memreports(a, to, &from->memreports);
  dmd_translation_add_mapped(&ids.translation, &from->mapped);
  dmd_translation_destroy(&ids.translation);
}

/* ---- Graphs. ---- */

/* ---- The graph's profile, and references to it. ---- */

static void change_frames(dmd_heapgraph_t *heap, dmd_translation_t *ids) {
  for (uint32_t i = 1; i <= heap->code_frames.last; i++) {
    uint32_t *frame = DMD_POOL_AT(&heap->code_frames, uint32_t, i);
    *frame = dmd_translation_frame(ids, *frame);
  }
  for (uint32_t i = 1; i <= heap->stacks.last; i++) {
    dmd_graph_stack_t *stack = DMD_POOL_AT(&heap->stacks, dmd_graph_stack_t, i);
    stack->in_profile = dmd_translation_stack(ids, stack->in_profile);
  }
}

static void change_blocks(dmd_heapgraph_t *heap, dmd_translation_t *ids) {
  for (uint32_t i = 1; i <= heap->blocks.last; i++) {
    dmd_graph_block_t *block = DMD_POOL_AT(&heap->blocks, dmd_graph_block_t, i);
    block->reports = dmd_translation_reports(ids, block->reports);
    block->tag = (uint16_t)dmd_translation_tag(ids, block->tag);
  }
}

static void change_strings(dmd_heapgraph_t *heap, dmd_anonymizer_t *a) {
  dmd_profile_t *profile = &heap->profile;
  for (uint32_t i = 1; i <= heap->objects.last; i++) {
    dmd_graph_object_t *object = DMD_POOL_AT(&heap->objects, dmd_graph_object_t, i);
    object->path = dmd_profile_keep(profile, dmd_anonymous(a, DMD_NAME_OBJECT, object->path));
    object->soname = dmd_profile_keep(profile, dmd_anonymous(a, DMD_NAME_OBJECT, object->soname));
    object->build_id = NULL;
    object->n_build_id = 0;
  }
  for (uint32_t i = 1; i <= heap->roots.last; i++) {
    dmd_graph_root_t *root = DMD_POOL_AT(&heap->roots, dmd_graph_root_t, i);
    root->name = dmd_profile_keep(profile, dmd_anonymous(a, DMD_NAME_VARIABLE, root->name));
  }
}

/* Names in the old profile stay valid until it is destroyed. It is only read, never looked up
 * in. */
static void change_profile(dmd_heapgraph_t *heap, dmd_anonymizer_t *a) {
  dmd_profile_t old = heap->profile;
  anonymous_ids_t ids;
  dmd_profile_init(&heap->profile, old.env);
  begin_anonymous(&ids, a, &heap->profile, &old);
  change_frames(heap, &ids.translation);
  change_blocks(heap, &ids.translation);
  dmd_translation_destroy(&ids.translation);
  change_strings(heap, a);
  dmd_profile_destroy(&old);
}

/* ---- Types. ---- */

/* By name id: the kind of thing it names. DMD_N_NAME_KINDS if it names base types only, and is
 * kept. Some names name nothing here, such as those of namespaces. */
static uint8_t *kinds_of_names(const dmd_types_t *types) {
  size_t szB = dmd_intern_count(&types->names) + (size_t)1;
  uint8_t *kinds = dmd_env_alloc(types->env, "dmd.anonymizer", szB);
  __builtin_memset(kinds, DMD_NAME_MEMBER, szB);
  for (uint32_t id = 1; id <= types->pool.last; id++) {
    const dmd_type_t *type = dmd_type_at(types, id);
    bool is_base = type->kind == DMD_TYPE_BASE || type->kind == DMD_TYPE_CHARACTER;
    if (!is_base)
      kinds[type->name] = DMD_NAME_TYPE;
    else if (kinds[type->name] == DMD_NAME_MEMBER)
      kinds[type->name] = DMD_N_NAME_KINDS;
  }
  for (uint32_t i = 1; i <= types->members.last; i++) {
    uint32_t name = DMD_POOL_AT(&types->members, const dmd_type_member_t, i)->name;
    if (kinds[name] == DMD_N_NAME_KINDS)
      kinds[name] = DMD_NAME_MEMBER;
  }
  return kinds;
}

/* Adds a word for a name; a private one stays recognisable, since proposals leave such members out.
 * In the unlikely case that two names get the same word, makes it unique. */
static void add_name(dmd_intern_t *names, uint32_t id, const char *name, bool is_private) {
  dmd_strbuf_t word;
  dmd_strbuf_init(&word, names->env);
  dmd_strbuf_str(&word, is_private ? "_M_" : "");
  dmd_strbuf_str(&word, name);
  while (dmd_intern_str(names, word.text) != id)
    dmd_strbuf_str(&word, "_");
  dmd_strbuf_destroy(&word);
}

static void change_types(dmd_types_t *types, dmd_anonymizer_t *a) {
  uint8_t *kinds = kinds_of_names(types);
  dmd_intern_t old = types->names;
  dmd_intern_init(&types->names, types->env, "dmd.types");
  for (uint32_t id = 1; id <= dmd_intern_count(&old); id++) {
    const char *name = dmd_intern_get_str(&old, id);
    bool stays = kinds[id] == DMD_N_NAME_KINDS;
    bool is_private = kinds[id] == DMD_NAME_MEMBER && dmd_type_is_private(name);
    add_name(&types->names, id, stays ? name : dmd_anonymous(a, (dmd_name_kind_t)kinds[id], name),
             is_private);
  }
  dmd_intern_destroy(&old);
  dmd_env_free(types->env, kinds);
}

void dmd_anonymize_graph(dmd_anonymizer_t *a, dmd_heapgraph_t *heap, dmd_types_t *types) {
  types->source = (dmd_type_source_t){.read_members = NULL};
  change_profile(heap, a);
  change_types(types, a);
}
