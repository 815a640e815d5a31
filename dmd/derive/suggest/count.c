/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/suggest/count.h"

#include "base/str.h"

/* What a name suggests: a number of elements of the array with this name or of anything, or a
 * capacity, which counts only if there is nothing better. Better ones have higher values. */
enum { NOTHING, ROOM, ROOM_OF_IT, NUMBER, CONSTANT, NUMBER_OF_IT };

static bool is_one_of(const char *word, size_t n, const char *const *words) {
  while (*words != NULL && !(dmd_str_length(*words) == n && dmd_str_equal_n(*words, word, n)))
    words++;
  return *words != NULL;
}

/* True if the name is the array's or its singular: "postings" and "posting". */
static bool is_array(const char *name, size_t n, const char *array) {
  size_t length = dmd_str_length(array);
  if (n == length || (n + 1 == length && array[n] == 's'))
    return n > 0 && dmd_str_equal_n(name, array, n);
  return false;
}

/* Where the last word of a name begins: "postings_count", "postingsCount". */
static size_t last_word(const char *name, size_t n) {
  for (size_t i = n; i-- > 1;)
    if (name[i - 1] == '_' || (name[i] >= 'A' && name[i] <= 'Z'))
      return i;
  return 0;
}

static size_t first_word(const char *name, size_t n) {
  for (size_t i = 1; i < n; i++)
    if (name[i] == '_' || (name[i] >= 'A' && name[i] <= 'Z'))
      return i;
  return n;
}

static bool says(const char *word, size_t n, const char *const *words) {
  char lower[16];
  if (n >= sizeof lower)
    return false;
  for (size_t i = 0; i < n; i++)
    lower[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);
  return is_one_of(lower, n, words);
}

static int judge(const char *name, const char *array) {
  static const char *const numbers[] = {"n",    "num",  "count", "len",    "length",
                                        "size", "used", "nr",    "number", NULL};
  static const char *const rooms[] = {"capacity", "cap", "max", "alloc", "allocated", "room", NULL};
  size_t n = dmd_str_length(name), last = last_word(name, n), first = first_word(name, n);
  size_t end = last > 0 && name[last - 1] == '_' ? last - 1 : last;
  size_t begin = first < n && name[first] == '_' ? first + 1 : first;
  bool of_it = is_array(name, end, array) || is_array(name + begin, n - begin, array);
  bool is_number = says(name + last, n - last, numbers) || says(name, first, numbers);
  if (!is_number && name[0] == 'n' && is_array(name + 1, n - 1, array))
    return NUMBER_OF_IT;
  if (is_number)
    return of_it ? NUMBER_OF_IT : last == 0 ? NUMBER : NOTHING;
  if (says(name + last, n - last, rooms) || says(name, first, rooms))
    return of_it ? ROOM_OF_IT : last == 0 ? ROOM : NOTHING;
  return NOTHING;
}

const char *dmd_derive_guess_count(const dmd_derive_model_t *model,
                                   const dmd_derive_record_t *record,
                                   const dmd_derive_member_t *array, uint64_t least,
                                   uint64_t most) {
  const char *best = NULL;
  int best_judgement = NOTHING;
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next) {
    int judgement =
        member->type->kind == DMD_DERIVE_INTEGER ? judge(member->name, array->name) : NOTHING;
    if (judgement > best_judgement) {
      best = member->name;
      best_judgement = judgement;
    }
  }
  for (const dmd_derive_global_t *constant = model->globals;
       best_judgement < CONSTANT && constant != NULL; constant = constant->next)
    if (constant->is_constant && constant->is_wanted && least == most && constant->value == most &&
        most > 1) {
      best = constant->name;
      best_judgement = CONSTANT;
    }
  return best;
}
