/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * optiontable.h: options, each described once.
 *
 * A table has a line for each option: its name, its values and its default as people write them,
 * what it does in a sentence, and where in a struct its value goes. Parsing, defaults, error
 * messages about wrong values, the text of --help and what shells complete all come from it, so
 * that they cannot differ; the documents are tested against that text.
 *
 * The engine's options are such a table (engine/options.h). A host that has options of its own has
 * a second one, and so has each command of dmdv.
 *
 * Concurrency: tables do not change. Options are read before the program runs.
 */
#ifndef DMD_BASE_OPTIONTABLE_H
#define DMD_BASE_OPTIONTABLE_H

#include "base/strbuf.h"

/* What an option's value is. Numbers of words and numbers are stored in an integer, enum or bool.
 */
typedef enum {
  DMD_OPTION_SWITCH,        /* takes no value; stored is 1 */
  DMD_OPTION_WORD,          /* one of `values`, "a|b|c"; stored is its number, from 0 */
  DMD_OPTION_WORD_BIT,      /* the same; the bit of this number is added to the
                             * uint32_t that is stored */
  DMD_OPTION_NUMBER,        /* from `least` to `most` */
  DMD_OPTION_NUMBER_OR_ALL, /* the same, or "all", which is stored as 0 */
  DMD_OPTION_TEXT,          /* anything; stored is the pointer, which has to stay good */
  DMD_OPTION_OWN            /* what `take` makes of it */
} dmd_option_kind_t;

typedef struct dmd_option {
  const char *name;     /* without the dashes */
  const char *values;   /* as --help shows them: "a|b|c", "<number>"; NULL for a switch */
  const char *fallback; /* the value if the option is not given; NULL: none */
  const char *help;     /* what it does; folded into lines */
  dmd_option_kind_t kind;
  size_t place, szB; /* of the value in the struct: see DMD_OPTION_AT */
  int64_t least, most;
  char letter;  /* its short form; '\0': none */
  bool is_file; /* the value is a file's name */
  /* DMD_OPTION_OWN: words that a value is made of, "a|b|c", and what stands between two of them,
   * ',', or behind one, '='; NULL: none. They are for shells to complete. */
  const char *words;
  char joint;
  /* DMD_OPTION_OWN: stores the value in the struct, as a copy if it keeps the text. False, with
   * what is wrong in why, if the value is not acceptable. */
  bool (*take)(void *target, const char *value, dmd_strbuf_t *why);
} dmd_option_t;

#define DMD_OPTION_AT(type, field)                                                                 \
  .place = offsetof(type, field), .szB = sizeof(((type *)NULL)->field)

typedef struct dmd_option_table {
  const dmd_option_t *options;
  size_t n;
} dmd_option_table_t;

/* Gives all options of the struct at target their defaults. */
void dmd_options_set_defaults(const dmd_option_table_t *table, void *target, const dmd_env_t *env);

/* The option that an argument such as "--mode=live" gives a value to, or that "--quiet" or "-q"
 * switches on; NULL if it is not in this table. */
const dmd_option_t *dmd_option_of(const dmd_option_table_t *table, const char *argument);

/* A word that may be the option's value or in it, and its length: the i-th, counted from 0; NULL
 * after the last. It points into the table and is not terminated there. */
const char *dmd_option_word(const dmd_option_t *option, unsigned i, size_t *n);

/* Stores a value; NULL for a switch. False, with what is wrong in why, if the value is not
 * acceptable; the struct is unchanged then. */
bool dmd_option_take(const dmd_option_t *option, void *target, const char *value,
                     dmd_strbuf_t *why);

/* Stores the value that an argument of this option gives. False, with what is wrong in why, if the
 * value is not acceptable; the struct is unchanged then. */
bool dmd_option_set(const dmd_option_t *option, void *target, const char *argument,
                    dmd_strbuf_t *why);

/* The part of --help on these options: lines of at most 80 columns. Columns are counted from 0:
 * names begin at name_column, with a letter ("-o, ") before it where there is one, and what the
 * options do begins at help_column. */
void dmd_options_describe(const dmd_option_table_t *table, size_t name_column, size_t help_column,
                          dmd_strbuf_t *text);

#endif
