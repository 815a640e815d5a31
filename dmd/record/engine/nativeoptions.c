/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/nativeoptions.h"

#include "base/limits.h"
#include "base/mem.h"

#define AT(field) DMD_OPTION_AT(dmd_native_options_t, field)

static const dmd_option_t native_options[] = {
    {"num-callers", "<number>", "12", "frames to record for each stack", DMD_OPTION_NUMBER,
     AT(num_callers), .least = 1, .most = DMD_MAX_FRAMES},
    {"log-file", "<file>", NULL, "write messages to this file; %p is the pid", DMD_OPTION_TEXT,
     AT(log_file), .is_file = true},
    {"quiet", NULL, NULL, "report only errors of dmd itself", DMD_OPTION_SWITCH, AT(quiet),
     .letter = 'q'},
    {"trace-children", "no|yes", "no", "whether to watch programs that the program starts, too",
     DMD_OPTION_WORD, AT(trace_children)},
    {"run-libc-freeres", "no|yes", "yes",
     "free what the C library keeps for itself, before the dump at exit", DMD_OPTION_WORD,
     AT(run_libc_freeres)},
    {"run-cxx-freeres", "no|yes", "yes",
     "free what the C++ library keeps for itself, before the dump at exit", DMD_OPTION_WORD,
     AT(run_cxx_freeres)},
    {"child-silent-after-fork", "no|yes", "no", "whether forked processes log and write nothing",
     DMD_OPTION_WORD, AT(child_silent)},
    {"control", "no|yes", "yes",
     "whether dmdv dump and dmdv status can query the program while it runs", DMD_OPTION_WORD,
     AT(control)},
    {"stats", "no|yes", "no", "log at the end how many stacks were in the unwind cache",
     DMD_OPTION_WORD, AT(stats)},
    {"check-stacks", "no|yes", "no",
     "walk every stack, even a cached one, and end with an error if they differ", DMD_OPTION_WORD,
     AT(check_stacks)},
    {"show-below-main", "no|yes", "no", "whether stacks show the callers of main", DMD_OPTION_WORD,
     AT(show_below_main)},
};

const dmd_option_table_t dmd_native_option_table = {native_options,
                                                    sizeof native_options / sizeof *native_options};

/* What only dmdv gives. */
static const dmd_option_t starter_options[] = {
    {"dmd-channel", "<name>:<token>", NULL, "where dmdv run hands out its channel", DMD_OPTION_TEXT,
     AT(channel)},
    {"dmd-seccomp-filters", "<number>", NULL, "seccomp filters that dmdv run has, too",
     DMD_OPTION_NUMBER, AT(seccomp_filters), .least = 1, .most = UINT32_MAX},
};
static const dmd_option_table_t starter_table = {starter_options,
                                                 sizeof starter_options / sizeof *starter_options};

dmd_conflict_t dmd_native_conflict(const dmd_options_t *options) {
  dmd_conflict_t conflict = dmd_options_conflict(options);
  if (conflict.why == NULL && options->claim_fns.last > 0)
    conflict = (dmd_conflict_t){"--claim-fn", "only under Valgrind are calls of functions seen"};
  if (conflict.why == NULL && options->counts_instructions)
    conflict = (dmd_conflict_t){"--time-unit=i", "only under Valgrind are instructions counted; "
                                                 "use --engine=valgrind"};
  return conflict;
}

bool dmd_native_take(dmd_native_options_t *options, const char *argument, bool *is_one,
                     dmd_strbuf_t *why) {
  const dmd_option_t *option = dmd_option_of(&dmd_native_option_table, argument);
  if (option == NULL)
    option = dmd_option_of(&starter_table, argument);
  *is_one = option != NULL;
  return option == NULL || dmd_option_set(option, options, argument, why);
}

bool dmd_native_next_option(const char **at, dmd_strbuf_t *option) {
  const char *s = *at;
  while (*s == ' ')
    s++;
  bool is_there = *s != '\0';
  for (; *s != '\0' && *s != ' '; s++) {
    if (*s == '\\' && s[1] != '\0')
      s++;
    dmd_strbuf_bytes(option, s, 1);
  }
  *at = s;
  return is_there;
}

void dmd_native_add_option(dmd_strbuf_t *text, const char *option) {
  if (text->n > 0)
    dmd_strbuf_str(text, " ");
  for (; *option != '\0'; option++) {
    if (*option == ' ' || *option == '\\')
      dmd_strbuf_str(text, "\\");
    dmd_strbuf_bytes(text, option, 1);
  }
}
