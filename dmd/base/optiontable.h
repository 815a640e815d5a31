/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * optiontable.h: options, each described once.
 *
 * A table has an entry for each option: its name, its values and its default as people write them,
 * its help text, and where in a struct its value goes. Parsing, defaults, error messages about
 * wrong values, --help and shell completion all use the table, so that they cannot differ.
 * docs/options writes the reference's and the man pages' lists of options from --help.
 *
 * The engine has such a table (record/engine/options.h), so has a host with more options, and so
 * has each command of dmdv. Tables are constant.
 */
#ifndef DMD_BASE_OPTIONTABLE_H
#define DMD_BASE_OPTIONTABLE_H

#include "base/strbuf.h"

/* The type of an option's value. Words (by index) and numbers are stored in an integer, enum or
 * bool. */
typedef enum {
  DMD_OPTION_SWITCH,        /* takes no value; stores 1 */
  DMD_OPTION_WORD,          /* one of `values`, "a|b|c"; stores its index, from 0 */
  DMD_OPTION_WORD_BIT,      /* one of `values`; adds the bit with its index to the stored
                             * uint32_t */
  DMD_OPTION_NUMBER,        /* from `least` to `most` */
  DMD_OPTION_NUMBER_OR_ALL, /* like NUMBER, or "all", which is stored as 0 */
  DMD_OPTION_TEXT,          /* any text; stores the pointer, which must stay valid */
  DMD_OPTION_OWN            /* parsed by `take` */
} dmd_option_kind_t;

typedef struct dmd_option {
  const char *name;     /* without the dashes */
  const char *values;   /* as --help shows them: "a|b|c", "<number>"; NULL for a switch */
  const char *fallback; /* the default value; NULL: none */
  const char *help;     /* help text; wrapped to lines */
  dmd_option_kind_t kind;
  size_t place, szB; /* of the value in the struct: see DMD_OPTION_AT */
  int64_t least, most;
  char letter;      /* short form; '\0': none */
  const char *also; /* in commands of dmdv: another name, which help texts mention; NULL: none */
  bool is_file;     /* the value is a file's name */
  /* DMD_OPTION_OWN, for shell completion: words that a value consists of, "a|b|c", and the
   * character between two words, ',', or after one word, '='; NULL: none. */
  const char *words;
  char joint;
  /* DMD_OPTION_OWN: stores the value in the struct, as a copy if it keeps the text. Returns false,
   * with the reason in why, if the value is invalid. */
  bool (*take)(void *target, const char *value, dmd_strbuf_t *why);
} dmd_option_t;

#define DMD_OPTION_AT(type, field)                                                                 \
  .place = offsetof(type, field), .szB = sizeof(((type *)NULL)->field)

typedef struct dmd_option_table {
  const dmd_option_t *options;
  size_t n;
} dmd_option_table_t;

/* Sets all options of the struct at target to their defaults. */
void dmd_options_set_defaults(const dmd_option_table_t *table, void *target, const dmd_env_t *env);

/* The option that an argument such as "--mode=live" sets, or that "--quiet" or "-q" switches on;
 * NULL if it is not in this table. */
const dmd_option_t *dmd_option_of(const dmd_option_table_t *table, const char *argument);

/* The i-th word, counted from 0, that may be the option's value or a part of it, and its length;
 * NULL after the last. It points into the table and is not terminated there. */
const char *dmd_option_word(const dmd_option_t *option, unsigned i, size_t *n);

/* Stores a value; NULL for a switch. Returns false, with the reason in why and the struct
 * unchanged, if the value is invalid. */
bool dmd_option_take(const dmd_option_t *option, void *target, const char *value,
                     dmd_strbuf_t *why);

/* Stores the value in an argument of this option. Returns false, with the reason in why and the
 * struct unchanged, if the value is invalid. */
bool dmd_option_set(const dmd_option_t *option, void *target, const char *argument,
                    dmd_strbuf_t *why);

/* Appends the part of --help on these options, in lines of at most 80 columns. Columns count from
 * 0: names begin at name_column, preceded by the letter ("-o, ") if there is one, help texts at
 * help_column. */
void dmd_options_describe(const dmd_option_table_t *table, size_t name_column, size_t help_column,
                          dmd_strbuf_t *text);

#endif
