/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * news.h: a reader of news feeds, without the network and without the reading. Its reporters are
 * written, step by step, in docs/writing-reporters.md.
 */
#ifndef NEWS_H
#define NEWS_H

#include <obstack.h>
#include <regex.h>
#include <stddef.h>

/* A string that grows; always a part of something else. */
struct text {
  char *chars;
  size_t used, room;
};

/* Owned by all who count in refs. */
struct icon {
  int refs;
  unsigned *pixels;
};

struct article {
  struct text title, body;
  struct article *next;
};

struct feed {
  struct text url;
  struct icon *icon;
  struct article *articles;
  struct feed *next;
};

struct slot {
  const char *title; /* in index.titles */
  const struct article *article;
};

struct index {
  struct slot *slots;
  size_t n_slots;
  struct obstack titles;
};

struct window {
  struct icon *tabs[8];
  struct text line;
};

struct news {
  struct feed *feeds;
  struct index index;
  struct window *window;
  regex_t filter;
};

/* memory.c */
void news_measure(const struct news *news);
void *titles_malloc(size_t size);
void titles_free(void *p);

#endif
