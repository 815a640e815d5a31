/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/replacednew.h"

#include "base/path.h"
#include "base/str.h"

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
