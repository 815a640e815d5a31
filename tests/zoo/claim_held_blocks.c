/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A reporter that reports its articles, and adds the lengths of their texts that they keep, without
 * reporting these.
 *
 * Mozilla's DMD: the texts are unreported
 *
 * Expect: claim
 *   num: 1
 *   reporter: explicit/news
 *   claimed: 1180
 *   measured: 240
 *   bytes: 940
 *   reason: held-blocks
 *   at: news_measure @end
 *   allocatedAt: article_new @text
 *   text: Likely reason: it contains the sizes of blocks that were not reported
 *
 * Expect: unreported
 *   blocks: 10
 *   bytes: 1040
 *   holder: explicit/news
 *   allocatedAt: article_new @text
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct article {
  char *text;
  size_t length;
};

DMD_MALLOC_SIZE_OF_FN(news_size_of)

static struct article *article_new(void) {
  struct article *article = malloc(sizeof *article);
  article->length = 94;
  article->text = malloc(article->length); /* @text */
  return article;
}

static void news_measure(struct article *const articles[], int n) {
  DMD_REPORTER_BEGIN("explicit/news");
  size_t size = 0;
  for (int i = 0; i < n; i++) {
    size += news_size_of(articles[i]);
#ifdef FIXED
    size += news_size_of(articles[i]->text);
#else
    size += articles[i]->length;
#endif
  }
  DMD_REPORTER_END(size); /* @end */
}

int main(void) {
  struct article *articles[10];
  for (int i = 0; i < 10; i++)
    articles[i] = article_new();
  news_measure(articles, 10);
  DMD_DUMP("news");
  return 0;
}
