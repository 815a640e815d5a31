/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/capture.h"

#include "base/mem.h"

/* From Memcheck's leak check: a table counts as a virtual function table if this many of its first
 * words are addresses of code. */
enum { TABLE_WORDS = 20, TABLE_FUNCTIONS = 2 };

/* ---- Pointers into the middle of blocks. ---- */

/* Reads one word of a block. Reads no whole page, since blocks are visited in random order here. */
static bool read_word(const dmd_capture_t *c, uint64_t addr, uint64_t *word) {
  const dmd_memory_t *memory = c->words.pages.memory;
  uint64_t bytes = 0;
  if (addr % c->word_szB != 0 ||
      memory->read(memory->ctx, addr, &bytes, (size_t)c->word_szB) != c->word_szB)
    return false;
  *word = dmd_word_at((const char *)&bytes, c->word_szB);
  return true;
}

/* True if the address may be a virtual function table: its words are 0 or addresses of
 * functions. */
static bool is_table(dmd_capture_t *c, uint64_t addr) {
  const dmd_mapping_t *mapping = NULL;
  uint32_t n_functions = 0;
  if (addr % c->word_szB == 0 && addr >= DMD_PAGE_SZB)
    mapping = dmd_mappings_find(c->mappings, addr);
  if (mapping == NULL || !mapping->is_file || !mapping->is_readable)
    return false;
  for (uint32_t i = 0; i < TABLE_WORDS && mapping->end - addr >= c->word_szB; i++) {
    uint64_t word;
    if (!dmd_pages_word(&c->tables, addr, c->word_szB, &word))
      return false;
    addr += c->word_szB;
    if (word == 0)
      continue;
    const dmd_mapping_t *code = dmd_mappings_find(c->mappings, word);
    if (code == NULL || !code->is_file || !code->has_code)
      return false;
    if (++n_functions == TABLE_FUNCTIONS)
      return true;
  }
  return false;
}

static bool is_base_class(dmd_capture_t *c, uint64_t start, uint64_t req, uint64_t into) {
  uint64_t first, inner;
  return req - into >= c->word_szB && read_word(c, start + into, &inner) && is_table(c, inner) &&
         read_word(c, start, &first) && is_table(c, first);
}

/* Which usual kind of interior pointer this may be: an address `into` bytes into a block that
 * starts at `start`. */
static dmd_heuristic_t guess(dmd_capture_t *c, uint64_t start, uint64_t req, uint64_t into) {
  const uint64_t word_szB = c->word_szB, header_szB = sizeof(uint64_t);
  uint64_t first, capacity, size;
  if (into == 3 * word_szB && read_word(c, start + word_szB, &capacity) &&
      capacity == req - 3 * word_szB - 1 && read_word(c, start, &first) && first <= capacity)
    return DMD_HEURISTIC_STRING;
  if (into == header_szB && start % header_szB == 0 &&
      c->words.pages.memory->read(c->words.pages.memory->ctx, start, &size, header_szB) ==
          header_szB &&
      size == req - header_szB)
    return DMD_HEURISTIC_LENGTH;
  if (into == word_szB && read_word(c, start, &first) && first > 0 && (req - word_szB) % first == 0)
    return DMD_HEURISTIC_NEW_ARRAY;
  return is_base_class(c, start, req, into) ? DMD_HEURISTIC_INHERITANCE : DMD_HEURISTIC_NONE;
}

/* ---- Edges. ---- */

/* The node's first aligned word. */
static uint64_t first_word_of(const dmd_capture_t *c, uint64_t addr) {
  return (addr + c->word_szB - 1) & ~(c->word_szB - 1);
}

/* Records an edge: word `number` of the node is an address `into` bytes into the block at place
 * `target` - 1. */
static void note_word(dmd_capture_t *c, uint64_t number, uint32_t target, uint64_t into) {
  if (number > UINT32_MAX)
    return;
  dmd_graphwriter_edge_t edge = {.word = (uint32_t)number, .target = target, .into = into};
  if (into != 0) {
    const dmd_placed_block_t *to = &c->index.blocks[target - 1];
    if (into >= to->block->req)
      return;
    edge.heuristic = guess(c, to->addr, to->block->req, into);
  }
  dmd_graphwriter_edge(c->file, &edge);
}

/* True if the word, or both its halves, can be numbers of bytes or elements of a block of at most
 * this size. */
static bool may_be_number(uint64_t word, uint64_t most) {
  uint64_t low = word & UINT32_MAX, high = word >> 32;
  return word != 0 && (word <= most || (low <= most && high <= most));
}

/* Halves count only of small blocks. */
static bool is_number(uint64_t word, uint64_t req) {
  return word <= req ? word != 0 : req <= UINT32_MAX && may_be_number(word, req);
}

/* Adds the numbers beside a pointer in the page: of the words between two addresses, which are the
 * node's. Few words could be numbers of any block, so that the block's size, which is seldom in the
 * cache, is seldom needed. */
static void note_numbers(dmd_capture_t *c, const dmd_pageword_t *word, uint64_t page, uint64_t from,
                         uint64_t to) {
  enum { BEFORE = 2, BEHIND = 3, LEAST = 32 };
  const uint64_t at = page + word->in_page, word_szB = c->word_szB;
  uint64_t addr = at - from > BEFORE * word_szB ? at - BEFORE * word_szB : from;
  uint64_t end = to - at > (BEHIND + 1) * word_szB ? at + (BEHIND + 1) * word_szB : to;
  uint64_t req = 0, number;
  const char *bytes = dmd_pages_read(&c->words.pages, page);
  if (bytes == NULL)
    return;
  for (addr = addr < c->next_number ? c->next_number : addr; addr < end; addr += word_szB) {
    if (addr - page < DMD_PAGE_SZB)
      number = dmd_word_at(bytes + (addr - page), c->word_szB);
    else if (!read_word(c, addr, &number))
      continue;
    if (!may_be_number(number, c->most_req) || addr == at)
      continue;
    if (req == 0)
      req = c->index.blocks[word->block - 1].block->req;
    if (req < LEAST)
      return;
    if (!is_number(number, req))
      continue;
    dmd_graphwriter_number(c->file, (int)((int64_t)(addr - at) / (int64_t)word_szB), number);
    c->next_number = addr + word_szB;
  }
}

/* The bytes of a page from in_page on; NULL if it is skipped. */
static const char *in_page_read(dmd_capture_t *c, uint64_t page, uint64_t in_page) {
  const char *bytes = dmd_pages_read(&c->words.pages, page);
  return bytes == NULL ? NULL : bytes + in_page;
}

/* Reads the words between two addresses; first: the node's first word. */
static void read_words(dmd_capture_t *c, uint64_t first, uint64_t from, uint64_t to) {
  const unsigned word_bits = c->word_szB == sizeof(uint64_t) ? 3 : 2;
  from = first_word_of(c, from);
  to &= ~(c->word_szB - 1);
  const uint64_t start = from;
  while (from < to) {
    uint64_t in_page = from % DMD_PAGE_SZB, page = from - in_page;
    uint64_t end = to - page < DMD_PAGE_SZB ? to - page : DMD_PAGE_SZB;
    uint32_t n;
    const dmd_pageword_t *word = dmd_pagewords_from(&c->words, page, in_page, &n);
    if (c->is_fingerprinted)
      dmd_fingerprints_add(&c->prints, in_page_read(c, page, in_page), end - in_page);
    for (; n > 0 && word->in_page < end; n--, word++) {
      uint64_t number = (page + word->in_page - first) >> word_bits;
      note_word(c, number, word->block, word->into);
      if (c->compares && word->into == 0 && number <= UINT32_MAX)
        note_numbers(c, word, page, start, to);
    }
    from = page + end;
  }
}

void dmd_capture_root(dmd_capture_t *c, uint64_t addr, uint64_t szB) {
  dmd_graphwriter_begin_root(c->file);
  c->next_number = 0;
  read_words(c, first_word_of(c, addr), addr, addr + szB);
}

static void note_address(dmd_capture_t *c, uint32_t number, uint64_t word) {
  const dmd_placed_block_t *to = dmd_blockindex_find(&c->index, word);
  if (to != NULL)
    note_word(c, number, (uint32_t)(to - c->index.blocks) + 1, word - to->addr);
}

void dmd_capture_words(dmd_capture_t *c, const dmd_pool_t *words, uint32_t first, uint32_t n) {
  dmd_graphwriter_begin_root(c->file);
  for (uint32_t i = 0; i < n; i++)
    note_address(c, i, *DMD_POOL_AT(words, const uint64_t, first + i));
}

/* ---- Nested blocks. Inner blocks follow the block that contains them. ---- */

static uint32_t n_inner(const dmd_placed_block_t *block) {
  return block->group;
}

/* Where the block and everything nested in it ends: an inner block may reach beyond the block it
 * starts in. */
static uint64_t end_of_all(const dmd_capture_t *c, const dmd_placed_block_t *block) {
  return c->index.blocks[c->last_end[block - c->index.blocks]].end;
}

/* Counts the blocks within each block, and finds the one that ends last. */
static void find_inner(dmd_capture_t *c) {
  dmd_placed_block_t *blocks = c->index.blocks;
  c->last_end =
      dmd_env_alloc(c->live->env, "dmd.capture", (c->index.n + 1ul) * sizeof *c->last_end);
  for (uint32_t i = 0; i < c->index.n; i++)
    c->last_end[i] = i;
  for (uint32_t i = c->index.n; i-- > 0;) {
    if (blocks[i].outer == 0)
      continue;
    dmd_placed_block_t *outer = &blocks[blocks[i].outer - 1];
    outer->group += blocks[i].group + 1;
    if (end_of_all(c, &blocks[i]) > end_of_all(c, outer))
      c->last_end[outer - blocks] = c->last_end[i];
  }
}

/* Reads the parts of a block that belong to no inner block. */
static void read_block(dmd_capture_t *c, uint32_t place) {
  const dmd_placed_block_t *blocks = c->index.blocks, *block = &blocks[place];
  uint64_t first = first_word_of(c, block->addr), from = block->addr;
  uint64_t end = block->addr + block->block->req;
  uint32_t inner_end = c->last_end != NULL ? place + 1 + n_inner(block) : place;
  for (uint32_t i = place + 1; i < inner_end && from < end; i += 1 + n_inner(&blocks[i])) {
    read_words(c, first, from, blocks[i].addr < end ? blocks[i].addr : end);
    if (end_of_all(c, &blocks[i]) > from)
      from = end_of_all(c, &blocks[i]);
  }
  if (from < end)
    read_words(c, first, from, end);
}

/* ---- Blocks. ---- */

/* Numbers a report set, and the stacks and reporters of its reports. */
static uint32_t number_reports(dmd_capture_t *c, uint32_t id) {
  uint32_t before = dmd_numbering_count(&c->report_sets);
  uint32_t number = dmd_numbering_of(&c->report_sets, id);
  if (dmd_numbering_count(&c->report_sets) == before)
    return number;
  dmd_report_walk_t walk = dmd_reports_walk(&c->live->reports, id);
  while (dmd_reports_next(&walk)) {
    dmd_numbering_of(&c->stacks, walk.report->stack);
    dmd_numbering_of(&c->names, walk.report->reporter);
  }
  return number;
}

/* Records where the block's first word points, if that is into a loaded object. */
static void note_first_word(dmd_capture_t *c, const dmd_placed_block_t *placed) {
  uint64_t in_page = placed->addr % DMD_PAGE_SZB;
  if (placed->block->req < c->word_szB || placed->addr % c->word_szB != 0)
    return;
  const char *page = dmd_pages_read(&c->words.pages, placed->addr - in_page);
  uint64_t word = page == NULL ? 0 : dmd_word_at(page + in_page, c->word_szB);
  uint32_t object = dmd_mappings_object(c->mappings, word);
  if (object != DMD_NONE)
    dmd_graphwriter_first_word(c->file, object,
                               word - dmd_mapped_object_at(c->mappings, object)->bias);
}

static uint32_t flags_of(const dmd_block_t *block) {
  return (block->flags & DMD_BLOCK_ANNOUNCED ? DMD_GRAPH_ANNOUNCED : 0) |
         (block->flags & DMD_BLOCK_POOLED ? DMD_GRAPH_POOLED : 0);
}

/* Reads a block and compares its contents with others. Its last bytes may not be a whole word. */
static void read_contents(dmd_capture_t *c, uint32_t place) {
  const dmd_placed_block_t *placed = &c->index.blocks[place];
  uint64_t end = placed->addr + placed->block->req, rest = placed->block->req % sizeof(uint64_t);
  c->is_fingerprinted =
      placed->addr % c->word_szB == 0 && (c->last_end == NULL || n_inner(placed) == 0);
  dmd_fingerprints_begin(&c->prints);
  read_block(c, place);
  if (!c->is_fingerprinted)
    return;
  c->is_fingerprinted = false;
  uint64_t in_page = (end - rest) % DMD_PAGE_SZB;
  if (rest > 0)
    dmd_fingerprints_add(&c->prints, in_page_read(c, end - rest - in_page, in_page), rest);
  dmd_fingerprint_t print = dmd_fingerprints_end(&c->prints, place);
  if (print.same > 0 || print.tail > 0)
    dmd_graphwriter_contents(
        c->file, &(dmd_graphwriter_contents_t){.same = print.same > 0 ? place + 1 - print.same : 0,
                                               .tail = print.tail,
                                               .byte = print.byte});
}

static void add_block(dmd_capture_t *c, uint32_t place) {
  const dmd_placed_block_t *placed = &c->index.blocks[place];
  const dmd_block_t *block = placed->block;
  dmd_graphwriter_block(c->file, &(dmd_graphwriter_block_t){
                                     .addr = placed->addr,
                                     .req = block->req,
                                     .slop = block->slop,
                                     .stack = dmd_numbering_of(&c->stacks, block->stack),
                                     .reports = number_reports(c, block->reports),
                                     .tag = dmd_numbering_of(&c->tags, block->tag),
                                     .thread = block->thread,
                                     .outer = placed->outer == 0 ? 0 : place + 1 - placed->outer,
                                     .flags = flags_of(block)});
  note_first_word(c, placed);
  c->next_number = 0;
  if (c->compares)
    read_contents(c, place);
  else
    read_block(c, place);
}

void dmd_capture_blocks(dmd_capture_t *c) {
  for (uint32_t place = 0; place < c->index.n; place++)
    add_block(c, place);
}

/* ---- Pages. ---- */

/* Adds the pages in memory of those between two addresses to the run that is being found. */
static void add_residents(dmd_capture_t *c, uint64_t from, uint64_t to, dmd_graph_resident_t *run) {
  const dmd_memory_t *memory = c->words.pages.memory;
  bool holds[DMD_PAGES_AT_ONCE];
  while (from < to) {
    uint64_t left = (to - from) / DMD_PAGE_SZB,
             n = left < DMD_PAGES_AT_ONCE ? left : DMD_PAGES_AT_ONCE;
    if (!memory->holds(memory->ctx, from, (size_t)n, holds))
      return;
    for (uint64_t i = 0; i < n; i++, from += DMD_PAGE_SZB) {
      if (holds[i] && run->szB > 0 && run->addr + run->szB == from) {
        run->szB += DMD_PAGE_SZB;
      } else if (holds[i]) {
        if (run->szB > 0)
          dmd_graphwriter_resident(c->file, run);
        *run = (dmd_graph_resident_t){.addr = from, .szB = DMD_PAGE_SZB};
      }
    }
  }
}

void dmd_capture_residents(dmd_capture_t *c) {
  const dmd_placed_block_t *blocks = c->index.blocks;
  const uint64_t in_page = DMD_PAGE_SZB - 1;
  dmd_graph_resident_t run = {0};
  uint32_t place = 0;
  if (c->words.pages.memory->holds == NULL)
    return;
  for (uint32_t i = 1; i <= c->mappings->mappings.last && place < c->index.n; i++) {
    const dmd_mapping_t *mapping = dmd_mapping_at(c->mappings, i);
    uint64_t from = 0, to = 0;
    for (; place < c->index.n && blocks[place].addr < mapping->end; place++) {
      if (blocks[place].addr < mapping->start)
        continue;
      uint64_t end = blocks[place].addr + blocks[place].block->req + blocks[place].block->slop;
      from = to == 0 ? blocks[place].addr & ~in_page : from;
      to = end > to ? end : to;
    }
    add_residents(c, from, (to < mapping->end ? to + in_page : mapping->end) & ~in_page, &run);
  }
  if (run.szB > 0)
    dmd_graphwriter_resident(c->file, &run);
}

/* ---- Reports. ---- */

static void add_report_set(dmd_capture_t *c, uint32_t id) {
  const dmd_reports_t *reports = &c->live->reports;
  uint32_t n = dmd_reports_n_kept(reports, id);
  const dmd_env_t *env = c->live->env;
  dmd_report_t *list = dmd_env_alloc(env, "dmd.capture.reports", n * sizeof *list);
  dmd_graphwriter_report_t *numbers =
      dmd_env_alloc(env, "dmd.capture.reports", n * sizeof *numbers);
  dmd_reports_list(reports, id, list);
  for (uint32_t i = 0; i < n; i++)
    numbers[i] =
        (dmd_graphwriter_report_t){.stack = dmd_numbering_of(&c->stacks, list[i].stack),
                                   .reporter = dmd_numbering_of(&c->names, list[i].reporter)};
  dmd_graphwriter_report_set(c->file, dmd_reports_are_shared(reports, id),
                             dmd_reports_at(reports, id)->count, numbers, n);
  dmd_env_free(env, numbers);
  dmd_env_free(env, list);
}

void dmd_capture_reports(dmd_capture_t *c) {
  const dmd_live_t *live = c->live;
  for (uint32_t i = 1; i <= dmd_numbering_count(&c->names); i++)
    dmd_graphwriter_name(c->file,
                         dmd_intern_get_str(&live->reporter_names, dmd_numbering_id(&c->names, i)));
  for (uint32_t i = 1; i <= dmd_numbering_count(&c->tags); i++)
    dmd_graphwriter_tag(c->file,
                        dmd_intern_get_str(&live->tag_names, dmd_numbering_id(&c->tags, i)));
  for (uint32_t i = 1; i <= dmd_numbering_count(&c->report_sets); i++)
    add_report_set(c, dmd_numbering_id(&c->report_sets, i));
}

/* ---- Set-up. ---- */

static uint64_t most_requested(const dmd_blockindex_t *index) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < index->n; i++) {
    uint64_t szB = index->blocks[i].end - index->blocks[i].addr;
    most = szB > most ? szB : most;
  }
  return most;
}

void dmd_capture_init(dmd_capture_t *c, const dmd_live_t *live, const dmd_memory_t *memory,
                      const dmd_mappings_t *mappings, dmd_graphwriter_t *file, bool compares) {
  const dmd_env_t *env = live->env;
  c->live = live;
  c->mappings = mappings;
  c->file = file;
  c->word_szB = live->config.word_szB;
  dmd_blockindex_init(&c->index, env, live->blocks);
  c->last_end = NULL;
  if (dmd_blocks_may_nest(live->blocks))
    find_inner(c);
  dmd_pagewords_init(&c->words, memory, &c->index, c->word_szB);
  dmd_pages_init(&c->tables, memory);
  c->is_fingerprinted = false;
  c->compares = compares && c->word_szB == sizeof(uint64_t);
  c->most_req = c->compares ? most_requested(&c->index) : 0;
  if (c->compares)
    dmd_fingerprints_init(&c->prints, env, c->index.n);
  dmd_numbering_init(&c->stacks, env, "dmd.capture.stacks");
  dmd_numbering_init(&c->report_sets, env, "dmd.capture.report_sets");
  dmd_numbering_init(&c->names, env, "dmd.capture.names");
  dmd_numbering_init(&c->tags, env, "dmd.capture.tags");
}

void dmd_capture_destroy(dmd_capture_t *c) {
  dmd_numbering_destroy(&c->tags);
  dmd_numbering_destroy(&c->names);
  dmd_numbering_destroy(&c->report_sets);
  dmd_numbering_destroy(&c->stacks);
  if (c->compares)
    dmd_fingerprints_destroy(&c->prints);
  dmd_pagewords_destroy(&c->words);
  dmd_env_free(c->live->env, c->last_end);
  dmd_blockindex_destroy(&c->index);
}
