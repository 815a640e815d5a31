/*
   catalog's index by word: finds products by the words in their descriptions. Two mistakes were
   made in its reporter on purpose.
*/

#include "catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

struct term *words_find(const struct word_index *words, const char *word, size_t length) {
  struct term *term = words->buckets[hash_text(word, length) % TERM_BUCKETS];
  while (term && (strncmp(term->word, word, length) || term->word[length]))
    term = term->next;
  return term;
}

static struct term *term_new(struct word_index *words, const char *word, size_t length) {
  struct term **bucket = &words->buckets[hash_text(word, length) % TERM_BUCKETS];
  struct term *term = checked_calloc(1, sizeof *term);
  term->word = copy_text(word, length);
  term->next = *bucket;
  *bucket = term;
  return term;
}

static void term_add_posting(struct term *term, uint32_t document, uint32_t position) {
  if (term->count == term->capacity) {
    term->capacity = term->capacity ? term->capacity + term->capacity / 2 : 4;
    term->postings = checked_realloc(term->postings, term->capacity * sizeof *term->postings);
  }
  term->postings[term->count++] = (struct posting){document, position};
}

static void words_add_text(struct word_index *words, uint32_t document, const char *text) {
  for (uint32_t position = 0; *text; position++) {
    size_t length = strcspn(text, " ");
    struct term *term = words_find(words, text, length);
    if (!term)
      term = term_new(words, text, length);
    term_add_posting(term, document, position);
    text += length;
    text += strspn(text, " ");
  }
}

void words_load(struct word_index *words, const struct product_list *products) {
  words->buckets = checked_calloc(TERM_BUCKETS, sizeof(struct term *));
  words->texts = checked_malloc(products->count * sizeof *words->texts);
  words->count = products->count;
  for (uint32_t i = 0; i < products->count; i++) {
    words->texts[i] = products->items[i]->description;
    words_add_text(words, i, words->texts[i]);
  }
}

uint32_t words_count_documents(const struct term *term) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < term->count; i++)
    found += !i || term->postings[i].document != term->postings[i - 1].document;
  return found;
}

void words_print_passage(const struct word_index *words, const struct term *term) {
  const struct posting *last = &term->postings[term->count - 1];
  const char *text = words->texts[last->document];
  for (uint32_t i = 0; i < last->position; i++)
    text += strcspn(text, " ") + 1;
  printf("    last in: ... %s\n", text);
}

DMD_MALLOC_SIZE_OF_FN(words_size_of)

size_t words_measure(const struct catalog *catalog) {
  const struct word_index *words = &catalog->words;
  DMD_REPORTER_BEGIN("explicit/catalog/index/words");
  size_t size = words_size_of(words->buckets) + words_size_of(words->texts);
  for (uint32_t i = 0; i < TERM_BUCKETS; i++) {
    for (const struct term *term = words->buckets[i]; term; term = term->next) {
      /* BUG on purpose: the array term->postings is a block as well, and nobody measures it. */
      size += words_size_of(term);
      size += words_size_of(term->word);
    }
  }
  /* BUG on purpose: the texts are only borrowed. They are the products' descriptions, which
     products_measure has measured already. */
  for (uint32_t i = 0; i < words->count; i++)
    size += words_size_of(words->texts[i]);
  DMD_REPORTER_END(size);
  return size;
}

void words_free(struct word_index *words) {
  for (uint32_t i = 0; i < TERM_BUCKETS; i++) {
    for (struct term *term = words->buckets[i], *next; term; term = next) {
      next = term->next;
      free(term->word);
      free(term->postings);
      free(term);
    }
  }
  free(words->buckets);
  free(words->texts);
}
