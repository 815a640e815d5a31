/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/filename.h"

#include "base/str.h"

/* Adds the variable of a %q, whose "{VAR}" is at *s, and moves *s behind that. */
static bool add_variable(dmd_strbuf_t *name, const char **s, const dmd_engine_host_t *host,
                         dmd_strbuf_t *why) {
  const char *end = **s == '{' ? dmd_str_find_char(*s, '}') : NULL;
  if (end == NULL) {
    dmd_strbuf_str(why, "there is no {VARIABLE} after %q");
    return false;
  }
  dmd_strbuf_t variable;
  dmd_strbuf_init(&variable, name->env);
  dmd_strbuf_bytes(&variable, *s + 1, (size_t)(end - *s - 1));
  *s = end + 1;
  const char *value = host->environment(host->ctx, variable.text);
  if (value != NULL) {
    dmd_strbuf_str(name, value);
  } else {
    dmd_strbuf_str(why, "the environment variable '");
    dmd_strbuf_str(why, variable.text);
    dmd_strbuf_str(why, "' is not set");
  }
  dmd_strbuf_destroy(&variable);
  return value != NULL;
}

/* Adds what the letters at *s, behind a percent sign, stand for, and moves *s behind them. */
static bool add_special(dmd_strbuf_t *name, const char **s, const dmd_engine_host_t *host,
                        dmd_strbuf_t *why) {
  char letter = **s;
  if (letter != '\0')
    ++*s;
  switch (letter) {
  case '%':
    dmd_strbuf_str(name, "%");
    return true;
  case 'p':
    dmd_strbuf_u64(name, host->pid(host->ctx));
    return true;
  case 'q':
    return add_variable(name, s, host, why);
  default:
    dmd_strbuf_str(why, "after % there must be p, q{VARIABLE} or another %");
    return false;
  }
}

/* What makes the name absolute. */
static bool add_folder(dmd_strbuf_t *name, const dmd_engine_host_t *host, dmd_strbuf_t *why) {
  const char *folder = host->start_folder(host->ctx);
  if (folder == NULL) {
    dmd_strbuf_str(why, "the current folder does not exist: the name must begin with '/'");
    return false;
  }
  dmd_strbuf_str(name, folder);
  dmd_strbuf_str(name, "/");
  return true;
}

static bool add_all(dmd_strbuf_t *name, const char *pattern, const dmd_engine_host_t *host,
                    dmd_strbuf_t *why) {
  while (*pattern != '\0') {
    size_t n = dmd_str_span_without(pattern, "%");
    dmd_strbuf_bytes(name, pattern, n);
    pattern += n;
    if (*pattern == '%') {
      pattern++;
      if (!add_special(name, &pattern, host, why))
        return false;
    }
  }
  return true;
}

bool dmd_filename_expand(dmd_strbuf_t *name, const char *pattern, const dmd_engine_host_t *host,
                         dmd_strbuf_t *why) {
  if (pattern[0] == '~') {
    dmd_strbuf_str(why, "a '~' at the start is for the shell, which did not expand it here: "
                        "$HOME may help");
    return false;
  }
  dmd_strbuf_t expanded;
  dmd_strbuf_init(&expanded, name->env);
  bool good = add_all(&expanded, pattern, host, why) &&
              (expanded.text[0] == '/' || add_folder(name, host, why));
  dmd_strbuf_str(name, expanded.text);
  dmd_strbuf_destroy(&expanded);
  return good;
}

bool dmd_filename_check(const char *pattern, const dmd_env_t *env, const dmd_engine_host_t *host,
                        dmd_strbuf_t *why) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, env);
  bool good = dmd_filename_expand(&name, pattern, host, why);
  dmd_strbuf_destroy(&name);
  return good;
}

bool dmd_filename_ends_with(const dmd_strbuf_t *name, const char *ending) {
  size_t n = dmd_str_length(ending);
  return name->n >= n && dmd_str_equal(name->text + name->n - n, ending);
}

/* Cuts off the ending of the name, and returns it. */
static const char *cut_ending(dmd_strbuf_t *name) {
  static const char *const endings[] = {".json.gz", ".json", ".gz", ""};
  size_t i = 0;
  while (!dmd_filename_ends_with(name, endings[i]))
    i++;
  dmd_strbuf_cut(name, name->n - dmd_str_length(endings[i]));
  return endings[i];
}

void dmd_filename_number(dmd_strbuf_t *name, uint64_t number) {
  const char *ending = cut_ending(name);
  dmd_strbuf_str(name, ".");
  dmd_strbuf_u64(name, number);
  dmd_strbuf_str(name, ending);
}

void dmd_filename_make_graph(dmd_strbuf_t *name) {
  cut_ending(name);
  dmd_strbuf_str(name, ".graph.gz");
}
