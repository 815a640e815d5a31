/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Wastes memory in one way, or does the same without wasting any:
 *   waste KIND wasteful|thrifty
 * Prints how many bytes it wasted. Nothing is freed.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include <malloc.h>

namespace {

enum { N = 20000, MANY = 1000 };

bool is_thrifty;
unsigned long wasted;

/* Numbers without a pattern. */
unsigned next_number() {
  static unsigned number = 1;
  number = number * 1664525 + 1013904223;
  return number >> 16;
}

/* Blocks are full of different bytes, save where they waste by what they contain. */
void fill(void *block, size_t szB) {
  unsigned char *bytes = static_cast<unsigned char *>(block);
  for (size_t i = 0; i < szB; i++)
    bytes[i] = static_cast<unsigned char>(next_number() | 1);
}

/* ---- slop: requests just above what a chunk of glibc holds. ---- */

void *buffers[N];

void slop() {
  for (int i = 0; i < N; i++) {
    size_t szB = is_thrifty ? 1016 : 1017;
    buffers[i] = malloc(szB);
    fill(buffers[i], szB);
    wasted += malloc_usable_size(buffers[i]) - szB;
  }
}

/* ---- padding. ---- */

struct session {
  char state;
  double rate;
  char kind;
  session *next;
  short id;
  double more[2];
};

struct ordered {
  double rate;
  ordered *next;
  double more[2];
  short id;
  char state;
  char kind;
};

session *sessions[N], *session_array;
ordered *ordereds[N], *ordered_array;

template <typename T> T *filled(T *values, size_t n) {
  fill(static_cast<void *>(values), n * sizeof(T));
  return values;
}

/* One array has a quarter of them. */
void padding() {
  for (int i = 0; i < N; i++)
    if (is_thrifty)
      ordereds[i] = filled(new ordered, 1);
    else
      sessions[i] = filled(new session, 1);
  if (is_thrifty) {
    ordered_array = filled(new ordered[N / 4], N / 4);
    return;
  }
  session_array = filled(new session[N / 4], N / 4);
  wasted = (sizeof(session) - sizeof(ordered)) * (N + N / 4);
}

/* ---- small: a list of nodes, and one array of them. ---- */

struct node {
  node *next;
  long value;
};

node *list, *array;

void small() {
  if (is_thrifty)
    array = filled(static_cast<node *>(malloc(N * sizeof(node))), N);
  for (int i = 0; i < N && !is_thrifty; i++) {
    node *added = static_cast<node *>(malloc(sizeof(node)));
    *added = {list, static_cast<long>(next_number())};
    list = added;
    wasted += malloc_usable_size(added) + sizeof(size_t) - sizeof(node);
  }
}

/* ---- lost: texts, and records that have one each. ---- */

struct record {
  char *text;
  char more[500];
};

__attribute__((noinline)) void use_record() {
  record *made = static_cast<record *>(malloc(sizeof(record)));
  made->text = static_cast<char *>(malloc(300));
  strcpy(made->text, "a text");
  strcpy(made->more, made->text);
  if (is_thrifty) {
    free(made->text);
    free(made);
    return;
  }
  wasted += malloc_usable_size(made) + malloc_usable_size(made->text);
  made->text[0] = 'A';
}

void lost() {
  for (int i = 0; i < MANY; i++)
    use_record();
}

/* ---- container: vectors that reserve more than they need. ---- */

std::vector<std::vector<int>> *vectors;

void container() {
  vectors = new std::vector<std::vector<int>>(MANY);
  for (auto &one : *vectors) {
    one.reserve(is_thrifty ? 302 : 1000);
    for (int i = 0; i < 302; i++)
      one.push_back(static_cast<int>(next_number() * 65537 | 0x1000000));
    wasted += (one.capacity() - one.size()) * sizeof(int);
  }
}

/* ---- buckets: hash tables that reserve more than they need. ---- */

struct wide {
  unsigned numbers[10];
};

typedef std::unordered_map<int, wide> table;

std::vector<table> *tables;

void buckets() {
  enum { ELEMENTS = 50 };
  tables = new std::vector<table>(100);
  for (auto &one : *tables) {
    one.reserve(is_thrifty ? ELEMENTS : 10000);
    for (int i = 0; i < ELEMENTS; i++)
      fill(&one[977 * i], sizeof(wide));
    if (!is_thrifty)
      wasted += (one.bucket_count() - one.size()) * sizeof(void *);
  }
}

/* ---- text: strings that reserve more than they need. ---- */

std::vector<std::string> *texts;

void text() {
  enum { LENGTH = 495 };
  texts = new std::vector<std::string>(400);
  for (auto &one : *texts) {
    if (!is_thrifty)
      one.reserve(4000);
    for (int i = 0; i < LENGTH; i++)
      one.push_back(static_cast<char>(next_number() % 94 + '!'));
    if (is_thrifty)
      one.shrink_to_fit();
    else
      wasted += one.capacity() - one.size();
  }
}

/* ---- deque: few elements in memory for many. ---- */

std::deque<int> *deques[400];

void deque() {
  enum { FEW = 2, FULL = 512 / sizeof(int) };
  for (auto &one : deques) {
    one = new std::deque<int>;
    for (unsigned i = 0; i < (is_thrifty ? FULL - 1 : FEW); i++)
      one->push_back(static_cast<int>(next_number() * 65537 | 0x1000000));
    if (!is_thrifty)
      wasted += (FULL - FEW) * sizeof(int);
  }
}

void *blocks[N];

/* ---- duplicate: a hundred contents, many times each. ---- */

void duplicate() {
  enum { DIFFERENT = 100, SIZE = 200 };
  for (int i = 0; i < N; i++) {
    blocks[i] = malloc(SIZE);
    if (i < DIFFERENT || is_thrifty) {
      fill(blocks[i], SIZE);
      continue;
    }
    memcpy(blocks[i], blocks[i % DIFFERENT], SIZE);
    wasted += malloc_usable_size(blocks[i]);
  }
}

/* ---- constant: buffers that nobody used. ---- */

void constant() {
  enum { SIZE = 1016 };
  for (int i = 0; i < MANY; i++) {
    blocks[i] = malloc(SIZE);
    if (is_thrifty) {
      fill(blocks[i], SIZE);
      continue;
    }
    memset(blocks[i], 0xee, SIZE);
    wasted += malloc_usable_size(blocks[i]);
  }
}

/* ---- untouched: buffers of which only the start is used. ---- */

void untouched() {
  enum { SIZE = 4088, USED = 1000 };
  for (int i = 0; i < MANY; i++) {
    blocks[i] = calloc(1, SIZE);
    fill(blocks[i], is_thrifty ? SIZE : USED);
    if (!is_thrifty)
      wasted += SIZE - USED;
  }
}

/* ---- the same with blocks of malloc, whose ends are zero if they were written. ---- */

/* The last byte is no part of a pattern. */
void fill_start(void *block, size_t szB) {
  fill(block, szB);
  static_cast<unsigned char *>(block)[szB - 1] = 1;
}

void unwritten() {
  enum { SIZE = 4088, USED = 1000 };
  for (int i = 0; i < MANY; i++) {
    blocks[i] = malloc(SIZE);
    fill_start(blocks[i], USED);
    if (is_thrifty)
      memset(static_cast<char *>(blocks[i]) + USED, 0, SIZE - USED);
    else
      wasted += SIZE - USED;
  }
}

/* ---- blocks that grow, and whose last part is not used. ---- */

void grown() {
  enum { SIZE = 8184, USED = 1000 };
  for (int i = 0; i < MANY; i++) {
    blocks[i] = malloc(USED);
    fill_start(blocks[i], USED);
    blocks[i] = realloc(blocks[i], SIZE);
    if (is_thrifty)
      fill(static_cast<char *>(blocks[i]) + USED, SIZE - USED);
    else
      wasted += SIZE - USED;
  }
}

/* ---- blocks of operator new that are not used at all. ---- */

void unused() {
  for (int i = 0; i < MANY; i++) {
    blocks[i] = operator new(1016);
    if (is_thrifty)
      fill(blocks[i], 1016);
    else
      wasted += malloc_usable_size(blocks[i]);
  }
}

struct way {
  const char *name;
  void (*run)();
};

const way ways[] = {{"slop", slop},           {"padding", padding},
                    {"small", small},         {"lost", lost},
                    {"container", container}, {"duplicate", duplicate},
                    {"constant", constant},   {"untouched", untouched},
                    {"unwritten", unwritten}, {"grown", grown},
                    {"unused", unused},       {"buckets", buckets},
                    {"deque", deque},         {"text", text}};

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  is_thrifty = strcmp(argv[2], "thrifty") == 0;
  for (const way &each : ways)
    if (strcmp(argv[1], each.name) == 0)
      each.run();
  printf("%lu\n", wasted);
  fflush(stdout);
  return 0;
}
