/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_options.h"

#include "base/path.h"
#include "base/str.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "show/text/escape.h"

#include <stdlib.h>

extern char **environ;

dmd_options_t g_options;
dmd_native_options_t g_native_options;

/* ---- Parsing ---- */

static void say_wrong(const char *argument, const char *why) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: DMD_OPTIONS: ");
  dmd_escape_append(&line, argument);
  dmd_strbuf_str(&line, ": ");
  dmd_strbuf_str(&line, why);
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

/* Takes one of the engine's options, and records which of them the user gave. */
static bool take_of_engine(const char *argument, bool *is_one, dmd_strbuf_t *why) {
  const dmd_option_t *given = dmd_option_of(&dmd_engine_options, argument);
  const dmd_option_t *option =
      given != NULL ? given : dmd_option_of(&dmd_starter_options, argument);
  *is_one = option != NULL;
  if (option == NULL)
    return true;
  if (!dmd_option_set(option, &g_options, argument, why))
    return false;
  if (given != NULL)
    dmd_options_note(&g_options, argument);
  return true;
}

/* String values point into the argument. */
static bool take(const char *argument) {
  bool is_one;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  bool good = take_of_engine(argument, &is_one, &why);
  if (!is_one)
    good = dmd_native_take(&g_native_options, argument, &is_one, &why);
  if (!good || !is_one)
    say_wrong(argument, is_one ? why.text : "unknown option");
  dmd_strbuf_destroy(&why);
  return good && is_one;
}

static bool take_all(const char *text) {
  dmd_strbuf_t argument;
  bool good = true;
  dmd_strbuf_init(&argument, &g_env);
  while (good && dmd_native_next_option(&text, &argument)) {
    good =
        take(dmd_intern_get_str(&g_options.texts, dmd_intern_str(&g_options.texts, argument.text)));
    dmd_strbuf_cut(&argument, 0);
  }
  dmd_strbuf_destroy(&argument);
  return good;
}

bool pl_options_read(const char *given) {
  dmd_options_init(&g_options, &g_env);
  dmd_options_set_defaults(&dmd_native_option_table, &g_native_options, &g_env);
  if (given != NULL && !take_all(given))
    return false;
  dmd_conflict_t conflict = dmd_native_conflict(&g_options);
  if (conflict.why != NULL)
    say_wrong(conflict.option, conflict.why);
  return conflict.why == NULL;
}

/* ---- Hiding ---- */

static bool is_named(const char *entry, const char *name) {
  size_t n = dmd_str_length(name);
  return dmd_str_begins(entry, name) && entry[n] == '=';
}

/* Whether the first n bytes of a path name this library. */
static bool is_ours(const char *path, size_t n) {
  static const char name[] = "libdmd.so";
  size_t length = sizeof name - 1;
  return n >= length && dmd_mem_equal(path + n - length, name, length) &&
         (n == length || path[n - length - 1] == '/');
}

void pl_options_cut_library(char *list) {
  char *to = list;
  for (const char *at = list; *at != '\0';) {
    size_t n = dmd_str_span_without(at, ": "), gap = dmd_str_span(at + n, ": ");
    if (!is_ours(at, n))
      for (size_t i = 0; i < n + gap; i++)
        *to++ = at[i];
    at += n + gap;
  }
  *to = '\0';
}

void pl_options_hide(void) {
  char **to = environ;
  for (char **entry = environ; *entry != NULL; entry++) {
    bool is_kept = !is_named(*entry, "DMD_OPTIONS");
    if (is_named(*entry, "LD_PRELOAD")) {
      char *list = *entry + sizeof "LD_PRELOAD=" - 1;
      pl_options_cut_library(list);
      is_kept = *list != '\0';
    }
    if (is_kept)
      *to++ = *entry;
  }
  *to = NULL;
}
