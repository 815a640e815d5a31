/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Wastes memory in one way, or does the same without wasting any:
 *   waste KIND wasteful|thrifty
 * Prints how many bytes it wasted. Nothing is freed.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <malloc.h>

namespace {

enum { N = 20000, MANY = 1000 };

bool is_thrifty;
unsigned long wasted;

/* ---- slop: requests just above what a chunk of glibc holds. ---- */

void *buffers[N];

void slop() {
  for (int i = 0; i < N; i++) {
    size_t szB = is_thrifty ? 1016 : 1017;
    buffers[i] = malloc(szB);
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

/* One array has a quarter of them. */
void padding() {
  for (int i = 0; i < N; i++)
    if (is_thrifty)
      ordereds[i] = new ordered();
    else
      sessions[i] = new session();
  if (is_thrifty) {
    ordered_array = new ordered[N / 4]();
    return;
  }
  session_array = new session[N / 4]();
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
    array = static_cast<node *>(calloc(N, sizeof(node)));
  for (int i = 0; i < N && !is_thrifty; i++) {
    node *added = static_cast<node *>(malloc(sizeof(node)));
    *added = {list, i};
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
      one.push_back(i);
    wasted += (one.capacity() - one.size()) * sizeof(int);
  }
}

struct way {
  const char *name;
  void (*run)();
};

const way ways[] = {{"slop", slop},
                    {"padding", padding},
                    {"small", small},
                    {"lost", lost},
                    {"container", container}};

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
