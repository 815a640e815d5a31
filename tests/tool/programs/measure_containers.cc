// SPDX-License-Identifier: GPL-2.0-or-later
//
// One object of each type that measure.hpp knows, with random contents, each measured by a reporter
// of its own. Prints the place of each: "NAME ADDRESS SIZE". Then dumps, and deletes what it can.
#include <cstdint>
#include <cstdio>
#include <random>

#include <valgrind/measure.hpp>

using std::string;
using std::vector;

static std::mt19937 dice;

static size_t below(size_t n) {
  return dice() % n;
}

// ---- Random contents ----

static void fill(int &x) {
  x = static_cast<int>(below(1000));
}
static void fill(char &x) {
  x = static_cast<char>('a' + below(26));
}
static void fill(string &x) {
  x = string(below(3) == 0 ? below(16) : below(200), 'x');
}

template <class A, class B> void fill(std::pair<A, B> &x);
template <class C> auto fill(C &x) -> decltype(x.push_back(typename C::value_type()), void());
template <class C>
auto fill(C &x) -> decltype(x.insert(std::declval<typename C::value_type>()), x.key_comp(), void());
template <class C>
auto fill(C &x)
    -> decltype(x.insert(std::declval<typename C::value_type>()), x.hash_function(), void());

template <class A, class B> void fill(std::pair<A, B> &x) {
  fill(const_cast<std::remove_const_t<A> &>(x.first));
  fill(x.second);
}
template <class T> struct Plain { using type = T; };
template <class A, class B> struct Plain<std::pair<const A, B>> { using type = std::pair<A, B>; };
template <class C> typename Plain<typename C::value_type>::type element() {
  typename Plain<typename C::value_type>::type value{};
  fill(value);
  return value;
}
template <class C> auto fill(C &x) -> decltype(x.push_back(typename C::value_type()), void()) {
  for (size_t n = below(60); n > 0; n--)
    x.push_back(element<C>());
}
template <class C>
auto fill(C &x)
    -> decltype(x.insert(std::declval<typename C::value_type>()), x.key_comp(), void()) {
  for (size_t n = below(60); n > 0; n--)
    x.insert(element<C>());
}
template <class C>
auto fill(C &x)
    -> decltype(x.insert(std::declval<typename C::value_type>()), x.hash_function(), void()) {
  for (size_t n = below(60); n > 0; n--)
    x.insert(element<C>());
}
static void fill(vector<bool> &x) {
  x.resize(below(1000));
}
static void fill(std::forward_list<string> &x) {
  for (size_t n = below(60); n > 0; n--)
    x.push_front(string(below(50), 'x'));
}
template <class Q> auto fill(Q &x) -> decltype(x.push(typename Q::value_type()), void(x.pop())) {
  for (size_t n = below(60); n > 0; n--)
    x.push(element<Q>());
}

// ---- Classes with lists ----

class Private {
  char small_ = 'x';
  string name_ = string(below(100), 'n');
  bool is_there_ = true;
  vector<string> more_ = vector<string>(below(20), string(40, 'm'));
  void *back_ = this;

  DMD_MEASURE(Private, small_, name_, is_there_, more_,
              DMD_IGNORE(back_, "points to where it came from"))
};

struct Animal {
  virtual ~Animal() {}
  string name = string(50, 'a');
  DMD_MEASURE_VIRTUAL(Animal, name)
};
struct Legs {
  int n = 4;
  string which = string(30, 'l');
  DMD_MEASURE(Legs, n, which)
};
struct Dog : Legs, Animal { // the block does not start where Animal does
  vector<int> bones = vector<int>(below(40) + 1);
  DMD_MEASURE(Dog, DMD_BASE(Legs), DMD_BASE(Animal), bones)
};
struct Cat final : Animal {
  char colour = 'c';
  std::unique_ptr<string> sound = std::make_unique<string>(60, 'm');
  DMD_MEASURE(Cat, DMD_BASE(Animal), colour, sound)
};

struct Tree {
  int key = 0;
  std::unique_ptr<Tree> left, right;
  DMD_MEASURE(Tree, key, left, right)
};
static std::unique_ptr<Tree> grow(size_t n) {
  auto root = std::make_unique<Tree>();
  for (; n > 1; n--)
    for (Tree *at = root.get(); at != nullptr;) {
      std::unique_ptr<Tree> &side = below(2) ? at->left : at->right;
      at = side.get();
      if (at == nullptr)
        side = std::make_unique<Tree>();
    }
  return root;
}
struct Folder {
  string name;
  vector<Folder> folders;
  DMD_MEASURE(Folder, name, folders)
};
static Folder nest(size_t depth) {
  Folder folder{string(below(40), 'f'), {}};
  for (size_t n = depth > 0 ? below(5) : 0; n > 0; n--)
    folder.folders.push_back(nest(depth - 1));
  return folder;
}

template <class T> struct Link {
  T value;
  Link *next;
  DMD_MEASURE(Link, value, DMD_OWNED(next))
};
struct Raw {
  Link<string> *links = nullptr;
  unsigned n : 20, is_odd : 1;
  string *texts; // from malloc, by placement new
  string *array; // from new[]
  int *numbers;
  vector<string *> each;
  std::map<int, Private *> by_number;
  Raw *self = this;

  Raw()
      : n(below(20) & 0xfffff), is_odd(n & 1), array(new string[below(10) + 1]),
        numbers(new int[100]) {
    texts = static_cast<string *>(malloc((n + 1) * sizeof *texts));
    for (unsigned i = 0; i < n; i++)
      new (texts + i) string(20 + i, 't');
    for (size_t i = below(30); i > 0; i--)
      links = new Link<string>{string(below(60), 'l'), links};
    for (int i = 0; i < 7; i++) {
      each.push_back(i % 3 ? new string(static_cast<size_t>(i) * 10, 'e') : nullptr);
      by_number[i] = new Private;
    }
  }

  DMD_MEASURE(Raw, DMD_OWNED(links), DMD_GAP(texts, "bit fields"), DMD_OWNED_ARRAY(texts, n),
              DMD_OWNED_NEW_ARRAY(array), DMD_OWNED_ARRAY(numbers, 100), DMD_OWNED_EACH(each),
              DMD_OWNED_EACH(by_number), DMD_IGNORE(self, "that is this object"))
};

struct Wide {
  char c = 'w';
  alignas(64) char text[64] = {};
  int &number;
  string name = string(70, 'w');
  explicit Wide(int &n) : number(n) {}
  DMD_MEASURE(Wide, c, DMD_GAP(text, "padding"), text, DMD_GAP(name, "a reference"), name,
              DMD_GAP_AT_END("padding"))
};

struct Salted { // a hash that is not empty
  size_t salt = 3;
  size_t operator()(int n) const { return static_cast<size_t>(n) * salt; }
};
template <class T> struct Own { // an allocator that the header does not know
  using value_type = T;
  Own() {}
  template <class U> Own(const Own<U> &) {}
  T *allocate(size_t n) { return static_cast<T *>(malloc(n * sizeof(T))); }
  void deallocate(T *p, size_t) { free(p); }
  bool operator==(const Own &) const { return true; }
  bool operator!=(const Own &) const { return false; }
};
template <class T> constexpr bool dmd::is_of_heap<Own<T>> = true;
struct Large {
  char bytes[100];
  int operator()() const { return bytes[0]; }
};

// ---- What is measured ----

template <class T> struct Root {
  T value{};
  DMD_MEASURE(Root, value)
};

static vector<const void *> roots;

template <class T> Root<T> *measure(const char *name, Root<T> *root) {
  roots.push_back(root);
  dmd::ReporterScope scope(name);
  const size_t size = scope.claim(dmd::size_of_including(root));
  printf("%s %p %zu\n", name, static_cast<void *>(root), size);
  return root;
}
template <class T> void random(const char *name) {
  auto *root = new Root<T>;
  fill(root->value);
  measure(name, root);
  measure((string(name) + ", empty").c_str(), new Root<T>);
}
template <class T> void given(const char *name, T value) {
  measure(name, new Root<T>{std::move(value)});
}

static void measure_containers() {
  random<string>("string");
  random<vector<int>>("vector of numbers");
  random<vector<bool>>("vector of bits");
  random<vector<string>>("vector of strings");
  random<vector<vector<string>>>("vector of vectors");
  random<std::deque<string>>("deque");
  random<std::deque<char>>("deque of letters");
  random<std::list<string>>("list");
  random<std::forward_list<string>>("forward_list");
  random<std::map<string, string>>("map");
  random<std::multimap<int, vector<string>>>("multimap");
  random<std::set<string>>("set");
  random<std::multiset<string>>("multiset");
  random<std::unordered_map<string, std::list<string>>>("unordered_map");
  random<std::unordered_multimap<int, string>>("unordered_multimap");
  random<std::unordered_set<string>>("unordered_set");
  random<std::unordered_multiset<int>>("unordered_multiset");
  random<std::unordered_map<int, string, Salted>>("unordered_map with a salt");
  random<std::vector<int, Own<int>>>("vector with another allocator");
  random<std::stack<string>>("stack");
  random<std::queue<string>>("queue");
  random<std::priority_queue<string>>("priority_queue");
}

static void measure_values() {
  given("pair", std::make_pair(string(30, 'p'), 3));
  given("tuple", std::make_tuple(string(30, 'p'), 3, vector<int>(4)));
  given("array", std::array<string, 3>{string(30, 'a'), "", string(90, 'c')});
  given("valarray", std::valarray<string>(string(30, 'v'), below(9) + 1));
  given("path of one part", std::filesystem::path(string(30, 'p')));
  given("path",
        std::filesystem::path("/home/" + string(30, 'p') + "/" + string(below(60), 'q') + "/r"));
  given("empty path", std::filesystem::path());
#if defined(__cpp_lib_expected)
  given("expected", std::expected<string, int>(string(30, 'e')));
  given("unexpected", std::expected<void, string>(std::unexpect, string(30, 'e')));
#endif
  given("optional", std::optional<string>(string(30, 'o')));
  given("variant", std::variant<int, vector<string>>(vector<string>(below(9), string(30, 'v'))));
}

int main(int, char **argv) {
  dice.seed(static_cast<unsigned>(atoi(argv[1])));
  measure_containers();
  measure_values();
  given("unique_ptr", std::make_unique<vector<string>>(below(9), string(30, 'v')));
  given("unique_ptr to an array", std::make_unique<string[]>(below(9) + 1));
  given("unique_ptr to numbers", std::make_unique<int[]>(below(9) + 1));
  given("shared_ptr", std::shared_ptr<string>(new string(30, 's')));
  given("make_shared", std::make_shared<string>(30, 's'));
  given("shared_ptr with another deleter",
        std::shared_ptr<string>(new string(30, 's'), [](string *s) { delete s; }));
  auto part = std::make_shared<Legs>();
  given("shared_ptr to a part", std::shared_ptr<string>(part, &part->which));
  part.reset();
  std::weak_ptr<string> weak = std::make_shared<string>(30, 's');
  given("weak_ptr", std::move(weak));
  given("small function", std::function<int()>([] { return 3; }));
  given("large function", std::function<int()>(Large()));
  given("small any", std::any(3));
  given("large any", std::any(Large()));
  given("private members", Private());
  vector<std::unique_ptr<Animal>> animals;
  for (int i = 0; i < 5; i++)
    animals.push_back(i % 2 ? std::unique_ptr<Animal>(new Dog) : std::unique_ptr<Animal>(new Cat));
  given("derived classes", std::move(animals));
  given("tree", grow(500));
  given("nested folders", nest(4));
  given("raw pointers", std::make_unique<Raw>());
  static int number;
  given("gaps", std::make_unique<Wide>(number));
  vector<string> moved(3, string(30, 'm'));
  vector<string> to = std::move(moved);
  given("moved", std::make_pair(std::move(to), std::move(moved)));
  DMD_DUMP("all");
  return roots.empty();
}
