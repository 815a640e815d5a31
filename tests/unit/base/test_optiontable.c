/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/optiontable.h"
#include "host.h"

#include <stdio.h>

typedef enum { RED, GREEN, BLUE } colour_t;

typedef struct {
  colour_t colour;
  bool loud;
  uint64_t seed;
  uint32_t most;
  char name[8];
  uint32_t tastes;
  bool quick;
  const char *text;
} values_t;

static bool take_name(void *target, const char *value, dmd_strbuf_t *why) {
  values_t *values = target;
  if (strlen(value) >= sizeof values->name) {
    dmd_strbuf_str(why, "too long");
    return false;
  }
  strcpy(values->name, value);
  return true;
}

static const dmd_option_t options[] = {
    {"colour", "red|green|blue", "green", "what it looks like", DMD_OPTION_WORD,
     DMD_OPTION_AT(values_t, colour)},
    {"loud", "no|yes", "yes", "what it sounds like", DMD_OPTION_WORD,
     DMD_OPTION_AT(values_t, loud)},
    {"seed", "<number>", "-1", "any number", DMD_OPTION_NUMBER, DMD_OPTION_AT(values_t, seed),
     .least = INT64_MIN, .most = INT64_MAX},
    {"most", "<number>|all", "3", "how many", DMD_OPTION_NUMBER_OR_ALL,
     DMD_OPTION_AT(values_t, most), .least = 1, .most = 1000},
    {"name", "<text>", NULL, "who it is", DMD_OPTION_OWN, .take = take_name, .words = "Dr|Ms",
     .joint = ','},
    {"taste", "sweet|sour|bitter", NULL, "of which it has one or more", DMD_OPTION_WORD_BIT,
     DMD_OPTION_AT(values_t, tastes)},
    {"quick", NULL, NULL, "whether it is", DMD_OPTION_SWITCH, DMD_OPTION_AT(values_t, quick),
     .letter = 'k'},
    {"text", "<text>", NULL, "what it says", DMD_OPTION_TEXT, DMD_OPTION_AT(values_t, text)},
};
static const dmd_option_table_t table = {options, COUNT_OF(options)};

typedef struct {
  host_t host;
  values_t values;
  dmd_strbuf_t why;
} fixture_t;

static void begin(fixture_t *f) {
  memset(f, 0, sizeof *f);
  host_init(&f->host);
  dmd_strbuf_init(&f->why, &f->host.env);
  dmd_options_set_defaults(&table, &f->values, &f->host.env);
}

static void end(fixture_t *f) {
  dmd_strbuf_destroy(&f->why);
  host_done(&f->host);
}

static bool set(fixture_t *f, const char *argument) {
  const dmd_option_t *option = dmd_option_of(&table, argument);
  assert_non_null(option);
  dmd_strbuf_cut(&f->why, 0);
  return dmd_option_set(option, &f->values, argument, &f->why);
}

static void defaults(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  assert_int_equal(f.values.colour, GREEN);
  assert_true(f.values.loud);
  assert_true(f.values.seed == UINT64_MAX);
  assert_int_equal(f.values.most, 3);
  assert_string_equal(f.values.name, "");
  end(&f);
}

static void values_are_stored(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  assert_true(set(&f, "--colour=blue"));
  assert_true(set(&f, "--loud=no"));
  assert_true(set(&f, "--seed=-9223372036854775808"));
  assert_true(set(&f, "--most=1000"));
  assert_true(set(&f, "--name=Ann"));
  assert_int_equal(f.values.colour, BLUE);
  assert_false(f.values.loud);
  assert_true(f.values.seed == UINT64_C(1) << 63);
  assert_int_equal(f.values.most, 1000);
  assert_string_equal(f.values.name, "Ann");
  assert_true(set(&f, "--most=all"));
  assert_int_equal(f.values.most, 0);
  assert_true(set(&f, "--seed=9223372036854775807"));
  assert_true(f.values.seed == INT64_MAX);
  assert_true(set(&f, "--taste=bitter"));
  assert_true(set(&f, "--taste=sweet"));
  assert_int_equal(f.values.tastes, 1 << 2 | 1 << 0);
  assert_true(set(&f, "--text=a b=c"));
  assert_string_equal(f.values.text, "a b=c");
  assert_false(f.values.quick);
  assert_true(dmd_option_take(&options[6], &f.values, NULL, &f.why));
  assert_true(f.values.quick);
  static const char *const switches[] = {"--quick", "-k"};
  for (size_t i = 0; i < COUNT_OF(switches); i++) {
    f.values.quick = false;
    assert_true(set(&f, switches[i]));
    assert_true(f.values.quick);
  }
  assert_true(set(&f, "--name=")); /* that it is empty is for the option to judge */
  end(&f);
}

/* The possible values of the option with this argument, each followed by a blank. */
static void words_of(const char *argument, const char *expected) {
  const dmd_option_t *option = dmd_option_of(&table, argument);
  char all[64] = "";
  const char *word;
  size_t n;
  for (unsigned i = 0; (word = dmd_option_word(option, i, &n)) != NULL; i++) {
    strncat(all, word, n);
    strcat(all, " ");
  }
  assert_string_equal(all, expected);
}

static void words(void **state) {
  (void)state;
  words_of("--colour=", "red green blue ");
  words_of("--taste=", "sweet sour bitter ");
  words_of("--most=", "all ");
  words_of("--seed=", "");
  words_of("--text=", "");
  words_of("--name=", "Dr Ms ");
}

static void other_arguments_are_left_alone(void **state) {
  (void)state;
  static const char *const others[] = {
      "",    "--",          "--colour", "--colou=red", "-colour=red", "colour=red", "--colours=red",
      "--=", "--unknown=x", "--quick=", "--quic",      "-kk",         "-k="};
  for (size_t i = 0; i < COUNT_OF(others); i++)
    assert_null(dmd_option_of(&table, others[i]));
}

static void wrong_values_change_nothing(void **state) {
  (void)state;
  static const struct {
    const char *argument, *why;
  } cases[] = {
      {"--colour=pink", "'pink' is not one of red|green|blue"},
      {"--colour=", "'' is not one of red|green|blue"},
      {"--colour=re", "'re' is not one of red|green|blue"},
      {"--colour=redd", "'redd' is not one of red|green|blue"},
      {"--colour=red|green", "'red|green' is not one of red|green|blue"},
      {"--loud=1", "'1' is not one of no|yes"},
      {"--seed=", "'' is not a number from -9223372036854775808 to 9223372036854775807"},
      {"--seed=-", "'-' is not a number from -9223372036854775808 to 9223372036854775807"},
      {"--seed=9223372036854775808",
       "'9223372036854775808' is not a number from -9223372036854775808 to 9223372036854775807"},
      {"--seed=-9223372036854775809",
       "'-9223372036854775809' is not a number from -9223372036854775808 to 9223372036854775807"},
      {"--seed=1x", "'1x' is not a number from -9223372036854775808 to 9223372036854775807"},
      {"--seed= 1", "' 1' is not a number from -9223372036854775808 to 9223372036854775807"},
      {"--most=0", "'0' is neither a number from 1 to 1000 nor 'all'"},
      {"--most=1001", "'1001' is neither a number from 1 to 1000 nor 'all'"},
      {"--most=-1", "'-1' is neither a number from 1 to 1000 nor 'all'"},
      {"--most=99999999999999999999999", "'99999999999999999999999' is neither a number from 1 to "
                                         "1000 nor 'all'"},
      {"--most=alle", "'alle' is neither a number from 1 to 1000 nor 'all'"},
      {"--name=too long a name", "too long"},
      {"--taste=salty", "'salty' is not one of sweet|sour|bitter"},
  };
  fixture_t f;
  begin(&f);
  values_t before = f.values;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_false(set(&f, cases[i].argument));
    assert_string_equal(f.why.text, cases[i].why);
    assert_memory_equal(&f.values, &before, sizeof before);
  }
  end(&f);
}

/* Every number that there is room for in the middle of the range, against the C library. */
static void random_numbers(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dice_t dice = {11};
  for (int i = 0; i < 5000; i++) {
    int64_t v = (int64_t)dice_any_size(&dice);
    char argument[40];
    snprintf(argument, sizeof argument, "--seed=%lld", (long long)v);
    assert_true(set(&f, argument));
    assert_true((int64_t)f.values.seed == v);
    snprintf(argument, sizeof argument, "--most=%lld", (long long)v);
    assert_int_equal(set(&f, argument), v >= 1 && v <= 1000);
  }
  end(&f);
}

static void help(void **state) {
  (void)state;
  static const dmd_option_t described[] = {
      {"a", "<b>", "c", "short", DMD_OPTION_OWN, .take = take_name},
      {"an-option", "with|so|many|values|that", NULL, "the help goes below", DMD_OPTION_OWN,
       .take = take_name},
      /* Up to column 36 it stands beside, which leaves a blank in between. */
      {"beside-it", "12345678901234567890", NULL, "x", DMD_OPTION_OWN, .take = take_name},
      {"below-it-", "123456789012345678901", NULL, "y", DMD_OPTION_OWN, .take = take_name},
      /* 43 columns are left; the default does not fit any more. */
      {"n", "<x>", "def", "exactly forty-three columns of help in one.", DMD_OPTION_OWN,
       .take = take_name},
  };
  static const dmd_option_table_t help_table = {described, COUNT_OF(described)};
  host_t host;
  host_init(&host);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &host.env);
  dmd_options_describe(&help_table, 4, 37, &text);
  assert_text_equal(
      text.text,
      "    --a=<b>                          short [c]\n"
      "    --an-option=with|so|many|values|that\n"
      "                                     the help goes below\n"
      "    --beside-it=12345678901234567890 x\n"
      "    --below-it-=123456789012345678901\n"
      "                                     y\n"
      "    --n=<x>                          exactly forty-three columns of help in one.\n"
      "                                     [def]\n");
  dmd_strbuf_destroy(&text);
  host_done(&host);
}

static void help_with_letters(void **state) {
  (void)state;
  static const dmd_option_t described[] = {
      {"output", "FILE", NULL, "where to", DMD_OPTION_TEXT, DMD_OPTION_AT(values_t, text),
       .letter = 'o'},
      {"json", NULL, NULL, "as JSON", DMD_OPTION_SWITCH, DMD_OPTION_AT(values_t, quick)},
  };
  static const dmd_option_table_t help_table = {described, COUNT_OF(described)};
  host_t host;
  host_init(&host);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &host.env);
  dmd_options_describe(&help_table, 6, 20, &text);
  assert_text_equal(text.text, "  -o, --output=FILE where to\n"
                               "      --json        as JSON\n");
  dmd_strbuf_destroy(&text);
  host_done(&host);
}

static void set_all(host_t *host, void *arg) {
  (void)arg;
  values_t values;
  dmd_strbuf_t text;
  dmd_options_set_defaults(&table, &values, &host->env);
  dmd_strbuf_init(&text, &host->env);
  dmd_options_describe(&table, 4, 37, &text);
  dmd_strbuf_destroy(&text);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(set_all, NULL) > 2);
}

static void wrong_default(host_t *host, void *arg) {
  (void)arg;
  static const dmd_option_t wrong[] = {
      {"colour", "red|green|blue", "pink", "", DMD_OPTION_WORD, DMD_OPTION_AT(values_t, colour)}};
  static const dmd_option_table_t wrong_table = {wrong, 1};
  values_t values;
  dmd_options_set_defaults(&wrong_table, &values, &host->env);
}

static void a_default_must_be_a_value(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  assert_int_equal(host_run(&host, wrong_default, NULL), HOST_PANICKED);
  host_free_all(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(values_are_stored),
      cmocka_unit_test(words),
      cmocka_unit_test(other_arguments_are_left_alone),
      cmocka_unit_test(wrong_values_change_nothing),
      cmocka_unit_test(random_numbers),
      cmocka_unit_test(help),
      cmocka_unit_test(help_with_letters),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(a_default_must_be_a_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
