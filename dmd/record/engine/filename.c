/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/filename.h"

#include "base/str.h"

/* Appends the variable of a %q, whose "{VAR}" is at *s, and advances *s past it. */
static bool add_variable(dmd_strbuf_t *name, const char **s, const dmd_engine_host_t *host,
                         dmd_strbuf_t *why) {
  const char *end = **s == '{' ? dmd_str_find_char(*s, '}') : NULL;
  if (end == NULL) {
    dmd_strbuf_str(why, "%q must be followed by {VARIABLE}");
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

/* Appends the expansion of the letters at *s, after a percent sign, and advances *s past them. */
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
    dmd_strbuf_str(why, "% must be followed by p, q{VARIABLE} or another %");
    return false;
  }
}

/* Appends the folder that makes the name absolute. */
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

bool dmd_filename_fill_in(dmd_strbuf_t *name, const char *pattern, const dmd_engine_host_t *host,
                          dmd_strbuf_t *why) {
  if (pattern[0] == '~') {
    dmd_strbuf_str(why, "the shell did not expand the '~' at the start here: "
                        "use $HOME instead");
    return false;
  }
  return add_all(name, pattern, host, why);
}

bool dmd_filename_expand(dmd_strbuf_t *name, const char *pattern, const dmd_engine_host_t *host,
                         dmd_strbuf_t *why) {
  dmd_strbuf_t expanded;
  dmd_strbuf_init(&expanded, name->env);
  bool good = dmd_filename_fill_in(&expanded, pattern, host, why) &&
              (expanded.text[0] == '/' || add_folder(name, host, why));
  dmd_strbuf_str(name, expanded.text);
  dmd_strbuf_destroy(&expanded);
  return good;
}

/* ---- The other way round. ---- */

/* What a name has to look like: text, in which this byte stands for anything without a slash. A
 * pattern that has it matches nothing. */
enum { ANYTHING = 1 };
static const char anything[] = {ANYTHING, '\0'};

static bool add_variable_or_anything(dmd_strbuf_t *to, const char **s,
                                     const dmd_engine_host_t *host) {
  const char *end = **s == '{' ? dmd_str_find_char(*s, '}') : NULL;
  if (end == NULL)
    return false;
  dmd_strbuf_t variable;
  dmd_strbuf_init(&variable, to->env);
  dmd_strbuf_bytes(&variable, *s + 1, (size_t)(end - *s - 1));
  *s = end + 1;
  const char *value = host->environment(host->ctx, variable.text);
  bool has_slash = value != NULL && dmd_str_find_char(value, '/') != NULL;
  dmd_strbuf_str(to, has_slash ? value : anything);
  dmd_strbuf_destroy(&variable);
  return !has_slash || dmd_str_find_char(value, ANYTHING) == NULL;
}

static bool make_shape(dmd_strbuf_t *shape, const char *pattern, const dmd_engine_host_t *host) {
  if (dmd_str_find_char(pattern, ANYTHING) != NULL)
    return false;
  while (*pattern != '\0') {
    size_t n = dmd_str_span_without(pattern, "%");
    dmd_strbuf_bytes(shape, pattern, n);
    pattern += n;
    if (*pattern == '\0')
      break;
    char letter = pattern[1];
    pattern += letter == '\0' ? 1 : 2;
    if (letter == 'p')
      dmd_strbuf_u64(shape, host->pid(host->ctx));
    else if (letter == '%')
      dmd_strbuf_str(shape, "%");
    else if (letter != 'q' || !add_variable_or_anything(shape, &pattern, host))
      return false;
  }
  return true;
}

/* As shells match `*`: only the last one that was passed is ever tried with more. */
static bool has_shape(const char *name, const char *shape) {
  const char *any = NULL, *tried = NULL;
  while (*name != '\0') {
    if (*shape == ANYTHING) {
      any = ++shape;
      tried = name;
    } else if (*shape == *name) {
      shape++;
      name++;
    } else if (any != NULL && *tried != '/') {
      name = ++tried;
      shape = any;
    } else {
      return false;
    }
  }
  while (*shape == ANYTHING)
    shape++;
  return *shape == '\0';
}

/* Its parts that lead upwards. */
static unsigned n_dots(const char *path) {
  unsigned n = 0;
  while (*path != '\0') {
    size_t part = dmd_str_span_without(path, "/");
    n += part == 2 && path[0] == '.' && path[1] == '.';
    path += part;
    path += *path == '/';
  }
  return n;
}

bool dmd_filename_matches(const char *name, const char *pattern, const dmd_engine_host_t *host,
                          const dmd_env_t *env) {
  dmd_strbuf_t shape;
  dmd_strbuf_init(&shape, env);
  bool good = make_shape(&shape, pattern, host) && has_shape(name, shape.text) &&
              n_dots(name) == n_dots(shape.text) && (name[0] == '/') == (shape.text[0] == '/');
  dmd_strbuf_destroy(&shape);
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

/* Cuts the ending off the name, and returns it. */
static const char *cut_ending(dmd_strbuf_t *name) {
  static const char *const endings[] = {".json.gz", ".json", ".gz", ""};
  size_t i = 0;
  while (!dmd_str_ends(name->text, name->n, endings[i]))
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
