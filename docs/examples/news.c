/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * news.c: fills the structures of news.h, then has them measured by memory.c, which is in
 * docs/writing-reporters.md.
 */
#include "news.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static void text_add(struct text *text, const char *chars) {
  size_t n = strlen(chars);
  if (text->used + n >= text->room)
    text->chars = realloc(text->chars, text->room = text->used + 2 * n);
  memcpy(text->chars + text->used, chars, n + 1);
  text->used += n;
}

static struct icon *icon_new(void) {
  struct icon *icon = malloc(sizeof *icon);
  icon->refs = 1;
  icon->pixels = calloc(32 * 32, sizeof *icon->pixels);
  return icon;
}

static void article_add(struct feed *feed, int number) {
  struct article *article = calloc(1, sizeof *article);
  char title[40];
  snprintf(title, sizeof title, "News number %d", number);
  text_add(&article->title, title);
  for (int i = 0; i <= number; i++)
    text_add(&article->body, "Nothing happened today. ");
  article->next = feed->articles;
  feed->articles = article;
}

static void feed_add(struct news *news, const char *url) {
  struct feed *feed = calloc(1, sizeof *feed);
  text_add(&feed->url, url);
  feed->icon = icon_new();
  for (int i = 0; i < 40; i++)
    article_add(feed, i);
  feed->next = news->feeds;
  news->feeds = feed;
}

static void index_build(struct index *index, const struct feed *feed) {
  size_t i = 0;
  index->n_slots = 512;
  index->slots = calloc(index->n_slots, sizeof *index->slots);
  obstack_init(&index->titles);
  for (; feed != NULL; feed = feed->next)
    for (const struct article *a = feed->articles; a != NULL; a = a->next)
      index->slots[i++] =
          (struct slot){obstack_copy(&index->titles, a->title.chars, a->title.used + 1), a};
}

static struct window *window_open(const struct feed *feed) {
  struct window *window = calloc(1, sizeof *window);
  text_add(&window->line, "120 articles");
  for (int i = 0; feed != NULL; feed = feed->next, i++) {
    window->tabs[i] = feed->icon;
    feed->icon->refs++;
  }
  return window;
}

int main(void) {
  static const char *const urls[] = {"https://example.org/daily", "https://example.com/sport",
                                     "https://example.net/weather"};
  static struct news news;
  for (int i = 0; i < 3; i++)
    feed_add(&news, urls[i]);
  index_build(&news.index, news.feeds);
  news.window = window_open(news.feeds);
  regcomp(&news.filter, "(foot|base|basket)ball", REG_EXTENDED);
  news_measure(&news);
  return 0;
}
