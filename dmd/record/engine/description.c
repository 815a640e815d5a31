/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/description.h"

#include "base/format.h"
#include "base/path.h"
#include "base/str.h"

/* ---- The operator new that never runs. ---- */

/* True if a function's source file belongs to a C++ library: new_op.cc and similar in GNU's, the
 * others in LLVM's. */
static bool is_library_source(const char *file) {
  const char *base = dmd_path_base(file);
  return dmd_str_begins(base, "new_op") || dmd_str_equal(base, "new.cpp") ||
         dmd_str_equal(base, "stdlib_new_delete.cpp");
}

static void note_source(void *visitor, const dmd_function_t *function) {
  bool *is_programs = visitor;
  *is_programs = function->file != NULL && !is_library_source(function->file);
}

/* True if debug information shows that the program itself defines the operator. */
static bool has_other_source(const dmd_engine_host_t *host, dmd_code_t code) {
  bool is_programs = false;
  host->functions(host->ctx, code, note_source, &is_programs);
  return is_programs;
}

/* True if the objects with this soname define this replaced operator themselves. */
static bool has_own(const dmd_engine_host_t *host, const char *soname, const char *operator,
                    dmd_code_t * code) {
  return host->replaced(host->ctx, soname, operator, code) &&
         !host->defines(host->ctx, soname, "realloc", true) &&
         (!host->defines(host->ctx, soname, "__cxa_allocate_exception", true) ||
          has_other_source(host, *code));
}

typedef struct {
  const dmd_engine_host_t *host;
  dmd_profile_t *profile;
  const char *kept; /* path of the object found, owned by the profile */
} search_t;

static void look_in(search_t *search, const char *soname) {
  const dmd_engine_host_t *host = search->host;
  bool is_64 = host->word_szB == 8;
  const char *const operators[] = {is_64 ? "_Znwm" : "_Znwj", is_64 ? "_Znam" : "_Znaj"};
  dmd_code_t code;
  dmd_object_t object;
  for (int i = 0; i < 2 && search->kept == NULL; i++)
    if (has_own(host, soname, operators[i], &code) && host->object(host->ctx, code, &object))
      search->kept = dmd_profile_keep(search->profile, object.path);
}

/* Objects without a soname were searched with the program. */
static void look_at(void *visitor, const char *path, const char *soname) {
  (void)path;
  if (soname[0] != '\0')
    look_in(visitor, soname);
}

const char *dmd_engine_find_replaced_new(const dmd_engine_host_t *host, dmd_profile_t *profile) {
  search_t search = {.host = host, .profile = profile};
  look_in(&search, NULL);
  host->objects(host->ctx, look_at, &search);
  return search.kept;
}

/* ---- The run. ---- */

/* Adds the arguments, and their text for people: joined by blanks as they are. */
static void describe_command(const dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_engine_host_t *host = engine->host;
  const char *argument;
  dmd_strbuf_t command;
  dmd_strbuf_init(&command, engine->env);
  for (uint32_t i = 0; (argument = host->argument(host->ctx, i)) != NULL; i++) {
    dmd_profile_add_argument(profile, argument);
    dmd_strbuf_str(&command, i > 0 ? " " : "");
    dmd_strbuf_str(&command, argument);
  }
  profile->run.command = dmd_profile_keep(profile, command.text);
  dmd_strbuf_destroy(&command);
}

static void describe_time(const dmd_engine_t *engine, dmd_profile_t *profile) {
  char text[DMD_FORMAT_MAX];
  uint64_t seconds = engine->host->time(engine->host->ctx);
  dmd_format_time(text, seconds);
  profile->run.time = dmd_profile_keep(profile, seconds > 0 ? text : NULL);
}

static void describe_attach(const dmd_engine_t *engine, dmd_attach_t *attach) {
  const dmd_attached_t *attached = &engine->attached;
  if (!attached->is_attached)
    return;
  bool is_counted = engine->options->sample_interval == 0;
  char time[DMD_FORMAT_MAX];
  if (dmd_format_time(time, attached->time) < sizeof attach->time)
    dmd_format_str(attach->time, time);
  attach->older_blocks = is_counted ? attached->older_blocks : DMD_MEMORY_UNKNOWN;
  attach->older_szB = is_counted ? attached->older_szB : DMD_MEMORY_UNKNOWN;
}

void dmd_describe_run(const dmd_engine_t *engine, dmd_profile_t *profile, dmd_trigger_t trigger,
                      const char *label) {
  static const char *const triggers[] = {"exit", "request", "monitor", "automatic", "detach"};
  const dmd_engine_host_t *host = engine->host;
  const dmd_strbuf_t *given = &engine->options->given;
  profile->options = given->n == 0 ? NULL : dmd_profile_keep(profile, given->text);
  profile->run.version = host->version;
  profile->run.valgrind_version = host->valgrind_version;
  describe_command(engine, profile);
  describe_time(engine, profile);
  describe_attach(engine, &profile->run.attach);
  profile->run.folder = dmd_profile_keep(profile, host->start_folder(host->ctx));
  profile->run.host = dmd_profile_keep(profile, host->host_name(host->ctx));
  profile->run.replaced_new = dmd_engine_find_replaced_new(host, profile);
  profile->run.label = dmd_profile_keep(profile, label);
  profile->run.trigger = triggers[trigger];
  profile->run.pid = host->pid(host->ctx);
  profile->run.dump_number = engine->n_dumps;
}
