// SPDX-License-Identifier: GPL-2.0-or-later
//
// Three shelves in a list, which hold containers of the library. Their reporter measures shelves
// and points, and forgets labels and marks. Four spares are lost; one of them holds another one.
// Between the two graphs the last shelf gets ten more labels. For each type it prints the name, the
// bytes of a block, and the number of blocks in each graph.
#include <cstdio>
#include <list>
#include <map>
#include <vector>

#include <dmd.h>

namespace shop {

struct Point {
  double x, y;
};

struct Label {
  long number;
  char text[40];
};

struct Spare {
  Spare *next;
  char room[120];
};

struct Shelf {
  Shelf *next;
  std::vector<Point> points;
  std::map<long, Label> labels;
  std::list<Point *> marks;
};

static Shelf *shelves;

static void add_labels(Shelf *shelf, long from, long to) {
  for (long i = from; i < to; i++)
    shelf->labels[i] = Label{i, "a label"};
}

static void build_shelf(int n) {
  Shelf *shelf = new Shelf;
  shelf->points = std::vector<Point>(100 * n);
  add_labels(shelf, 0, 5 * n);
  for (int i = 0; i < n; i++)
    shelf->marks.push_back(&shelf->points[10 * i]);
  shelf->next = shelves;
  shelves = shelf;
}

static void lose_spares() {
  Spare *single = new Spare, *first = new Spare, *second = new Spare, *other = new Spare;
  *single = *second = *other = Spare{nullptr, ""};
  *first = Spare{second, ""};
}

static size_t measure_shelf(const Shelf *shelf) {
  size_t size = DMD_REPORT(shelf);
  size += DMD_REPORT(shelf->points.data());
  return size;
}

static void measure_shelves() {
  DMD_REPORTER_BEGIN("explicit/shelves");
  size_t size = 0;
  for (const Shelf *shelf = shelves; shelf; shelf = shelf->next)
    size += measure_shelf(shelf);
  DMD_REPORTER_END(size);
}

} // namespace shop

// Overwrites old pointers below the stack and in registers.
static void forget() {
  char text[8192];
  for (int i = 0; i < 3; i++)
    snprintf(text, sizeof text, "%g %d %d %d %d %8192d", 1.5, i, i, i, i, i);
}

static void first_moment() {
  shop::lose_spares();
  for (int n = 1; n <= 3; n++)
    shop::build_shelf(n);
  shop::measure_shelves();
}

static void second_moment() {
  shop::add_labels(shop::shelves, 100, 110);
}

static void print_types() {
  printf("shop::Shelf %zu 3 3\n", sizeof(shop::Shelf));
  for (int n = 1; n <= 3; n++)
    printf("shop::Point[] %zu 1 1\n", 100 * n * sizeof(shop::Point));
  printf("std::_Rb_tree_node<std::pair<long const, shop::Label>> %zu 30 40\n",
         sizeof(std::_Rb_tree_node<std::pair<const long, shop::Label>>));
  printf("std::_List_node<shop::Point*> %zu 6 6\n", sizeof(std::_List_node<shop::Point *>));
  printf("shop::Spare %zu 4 4\n", sizeof(shop::Spare));
}

int main() {
  first_moment();
  forget();
  DMD_GRAPH("first");
  second_moment();
  forget();
  DMD_GRAPH("second");
  print_types();
  return 0;
}
