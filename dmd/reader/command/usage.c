/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/usage.h"

#include "reader/host/message.h"

#include <stdlib.h>
#include <string.h>

/* How many letters must be put in, left out or changed to make b of a (Levenshtein); words are
 * shorter than 32 letters. */
static unsigned distance(const char *a, const char *b) {
  enum { MAX = 32 };
  unsigned row[MAX + 1];
  size_t n = strlen(b);
  if (n > MAX || strlen(a) > MAX)
    return MAX;
  for (size_t j = 0; j <= n; j++)
    row[j] = (unsigned)j;
  for (size_t i = 0; a[i] != '\0'; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i + 1;
    for (size_t j = 0; j < n; j++) {
      unsigned change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      unsigned least = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
      row[j + 1] = change < least ? change : least;
    }
  }
  return row[n];
}

const char *dmdv_nearest(const char *word, const char *const *words, int n) {
  const char *nearest = NULL;
  unsigned least = 4;
  for (int i = 0; i < n; i++) {
    unsigned d = distance(word, words[i]);
    if (d < least && d < strlen(words[i])) {
      least = d;
      nearest = words[i];
    }
  }
  return nearest;
}

bool dmdv_unknown_option(const char *command, const char *arg, const struct option *options) {
  enum { MAX_OPTIONS = 64 };
  const char *names[MAX_OPTIONS];
  int n = 0;
  for (; n < MAX_OPTIONS && options[n].name != NULL; n++)
    names[n] = options[n].name;
  char word[64] = "";
  if (strncmp(arg, "--", 2) == 0) {
    size_t length = strcspn(arg + 2, "=");
    memcpy(word, arg + 2, length < sizeof word - 1 ? length : sizeof word - 1);
  }
  const char *nearest = dmdv_nearest(word, names, n);
  if (nearest != NULL)
    return dmdv_error("%s: there is no option %s; did you mean --%s?", command, arg, nearest);
  return dmdv_error("%s: there is no option %s; see dmdv %s --help", command, arg, command);
}

int dmdv_next_option(int argc, char **argv, const char *letters, const struct option *options) {
  opterr = 0;
  int opt = getopt_long(argc, argv, letters, options, NULL);
  if (opt == ':')
    dmdv_error("%s: %s needs a value", argv[0], argv[optind - 1]);
  else if (opt == '?')
    dmdv_unknown_option(argv[0], argv[optind - 1], options);
  return opt == ':' ? '?' : opt;
}

bool dmdv_parse_count(const char *what, const char *value, uint32_t *count) {
  char *end;
  unsigned long n = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || n < 1 || n > 1000000000)
    return dmdv_error("--%s=%s: the value is not a number from 1 to 1000000000", what, value);
  *count = (uint32_t)n;
  return true;
}
