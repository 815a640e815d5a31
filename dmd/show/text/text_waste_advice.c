/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_waste_advice.h"

#include "analyse/waste/contents.h"
#include "analyse/waste/padding.h"
#include "base/str.h"
#include "show/text/print.h"

static const dmd_types_t *types_of(const dmd_waste_t *w) {
  return w->keys->kinds->typing->types;
}

static void add_type(dmd_out_t *out, const dmd_waste_t *w, uint32_t type) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, w->graph->env);
  dmd_type_name(types_of(w), type, &name);
  dmd_print_types(out, w->graph->env, name.text);
  dmd_strbuf_destroy(&name);
}

static void advise_slop(dmd_out_t *out, const dmd_waste_finding_t *f) {
  const dmd_waste_size_t *usual = &f->usual;
  if (usual->blocks == f->blocks)
    dmd_out_str(out, f->blocks == 1 ? "It requests " : "Each requests ");
  else {
    dmd_print_unsigned(out, usual->blocks);
    dmd_out_str(out, usual->blocks == 1 ? " of them requests " : " of them request ");
  }
  dmd_print_bytes(out, usual->szB);
  dmd_out_str(out, usual->blocks == f->blocks || usual->blocks == 1 ? " and gets " : " and get ");
  dmd_print_unsigned(out, usual->usable);
  dmd_out_str(out, ". Request ");
  if (f->lower > 0) {
    dmd_print_unsigned(out, f->lower);
    dmd_out_str(out, ", which takes ");
    dmd_print_unsigned(out, usual->usable - f->lower);
    dmd_out_str(out, " less, or ");
  }
  dmd_print_unsigned(out, usual->usable);
  dmd_out_str(out, f->lower > 0 ? ": these sizes waste nothing." : ": this size wastes nothing.");
  if (usual->bytes < f->bytes) {
    dmd_out_str(out, " Blocks of other sizes waste ");
    dmd_print_unsigned(out, f->bytes - usual->bytes);
    dmd_out_str(out, " of it.");
  }
}

static void advise_small(dmd_out_t *out, const dmd_waste_finding_t *f) {
  dmd_print_bytes(out, f->requested);
  dmd_out_str(out, " of data cost ");
  dmd_print_unsigned(out, f->requested + f->bytes);
  dmd_out_str(out, f->blocks == 1 ? ". Perhaps it can be a part of another block."
                                  : ". Perhaps they can be parts of larger blocks: members of "
                                    "their owners, elements of an array, or of a pool.");
}

typedef struct {
  dmd_out_t *out;
  uint32_t n;
} names_t;

static void add_name(void *ctx, const char *name) {
  names_t *names = ctx;
  dmd_out_str(names->out, names->n++ == 0 ? " " : ", ");
  dmd_out_safe(names->out, name);
}

static void advise_padding(dmd_out_t *out, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  dmd_types_t *types = w->keys->kinds->typing->types;
  dmd_padding_t padding = dmd_padding_of(types, f->type);
  names_t names = {.out = out};
  add_type(out, w, f->type);
  dmd_out_str(out, " has ");
  dmd_print_unsigned(out, padding.szB);
  dmd_out_str(out, " bytes, ");
  dmd_print_unsigned(out, padding.holes_szB + padding.tail_szB);
  dmd_out_str(out, " of them padding. It has ");
  dmd_print_unsigned(out, padding.best_szB);
  dmd_out_str(out, " with its members in this order:");
  dmd_padding_order(types, f->type, add_name, &names);
  dmd_out_char(out, '.');
}

static void advise_lost(dmd_out_t *out, const dmd_waste_finding_t *f) {
  uint64_t hanging = f->blocks - f->values;
  dmd_out_str(out, f->values == 1 ? "No variable leads to it: free it"
                                  : "No variable leads to them: free them");
  if (hanging > 0) {
    dmd_out_str(out, ", and ");
    dmd_print_count(out, (int64_t)hanging, false, "block", "blocks");
    dmd_out_str(out, " that only lost blocks lead to");
  }
  dmd_out_char(out, '.');
}

static void advise_container(dmd_out_t *out, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  static const char *const advice[] = {
      [DMD_WASTE_VECTOR] = "Reserve what is needed, or call shrink_to_fit when it is complete.",
      [DMD_WASTE_DEQUE] = "A std::deque takes 512 bytes at a time: perhaps use a std::vector.",
      [DMD_WASTE_HASH] = "Reserve what is needed, or call rehash(0) when elements are erased.",
      [DMD_WASTE_TEXT] = "Reserve what is needed, or call shrink_to_fit when it is complete.",
      [DMD_WASTE_ARRAY] =
          "Create it with the size that is needed, or copy it when it is complete."};
  dmd_print_percent(out, (int64_t)(f->requested - f->used), (int64_t)f->requested);
  dmd_out_str(out, f->blocks == 1 ? " of its capacity" : " of their capacity");
  dmd_out_str(out, " is unused");
  if (f->holder != DMD_NONE) {
    dmd_out_str(out, ", as in ");
    dmd_print_kind(out, w->keys->kinds, f->holder);
    if (f->way != DMD_NONE) {
      dmd_out_str(out, ", ");
      dmd_print_kind(out, w->keys->kinds, f->way);
    }
  }
  dmd_out_str(out, ". ");
  if (f->used == 0) {
    dmd_out_str(out, "They are empty: reserve nothing, or release it.");
    return;
  }
  if (f->blocks > 1) {
    dmd_out_str(out, "95% of them need at most ");
    dmd_print_bytes(out, f->enough);
    dmd_out_str(out, ". ");
  }
  dmd_out_str(out, advice[f->values]);
}

const char *dmd_waste_holder(const dmd_waste_t *w, uint32_t node) {
  return dmd_nodekeys_name(w->keys, DMD_KEY_REFERRER,
                           dmd_nodekeys_value(w->keys, DMD_KEY_REFERRER, node));
}

/* What else holds the contents of the example; NULL: the same member, or that is not known. */
static const char *holder_of_equal(const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  uint32_t same = dmd_heapgraph_contents(w->graph, f->example)->same;
  if (w->keys->kinds->of[same] != f->name)
    return NULL;
  const char *holder = dmd_waste_holder(w, same);
  return dmd_str_equal(holder, dmd_waste_holder(w, f->example)) ? NULL : holder;
}

/* A block without a type is named "from FUNCTION". */
static void print_holder(dmd_out_t *out, const dmd_waste_t *w, const char *holder) {
  dmd_out_str(out, dmd_str_begins(holder, "from ") ? "a block " : "");
  dmd_print_types(out, w->graph->env, holder);
}

static void advise_duplicate(dmd_out_t *out, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  dmd_out_str(out, f->blocks == 1 ? "It repeats " : "They repeat ");
  if (f->values == 1)
    dmd_out_str(out, "the contents of another block");
  else {
    dmd_print_unsigned(out, f->values);
    dmd_out_str(out, " contents of other blocks");
  }
  dmd_out_str(out, ". Perhaps one block can serve all that are equal; an example is held by ");
  print_holder(out, w, dmd_waste_holder(w, f->example));
  const char *other = holder_of_equal(w, f);
  if (other != NULL) {
    dmd_out_str(out, ", and the block that it repeats by ");
    print_holder(out, w, other);
  }
  dmd_out_char(out, '.');
}

/* Pages that were never written take no memory. */
static void add_resident(dmd_out_t *out, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  if (w->graph->residents.last == 0 || f->resident >= f->bytes - f->bytes / 10)
    return;
  dmd_out_str(out, f->resident == 0 ? " Nothing" : " Only ");
  if (f->resident > 0)
    dmd_print_bytes(out, f->resident);
  dmd_out_str(out, f->blocks == 1 ? " of it " : " of them ");
  dmd_out_str(out, f->resident > 1 ? "are in memory." : "is in memory.");
}

static void advise_constant(dmd_out_t *out, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  const dmd_graph_contents_t *contents = dmd_heapgraph_contents(w->graph, f->example);
  dmd_out_str(out, f->blocks == 1 ? "All its bytes are " : "All bytes of each are ");
  dmd_out_str(out, contents->byte == 0 ? "zero" : "equal");
  dmd_out_str(out, f->blocks == 1 ? ". Perhaps allocate it when it is needed."
                                  : ". Perhaps allocate them when they are needed.");
  add_resident(out, w, f);
}

bool dmd_waste_is_never_written(const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  return f->kind == DMD_WASTE_UNTOUCHED &&
         dmd_waste_is_unwritten(w->graph, dmd_heapgraph_contents(w->graph, f->example));
}

static void advise_untouched(dmd_out_t *out, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  dmd_print_percent(out, (int64_t)(f->requested - f->used), (int64_t)f->requested);
  dmd_out_str(out, f->blocks == 1 ? " of it, up to its end, " : " of them, up to their ends, ");
  dmd_out_str(out, dmd_waste_is_never_written(w, f) ? "was never written. "
                                                    : "is zero, perhaps never written. ");
  if (f->used == 0) {
    dmd_out_str(out, f->blocks == 1 ? "Allocate it when it is needed."
                                    : "Allocate them when they are needed.");
  } else {
    dmd_out_str(out, f->blocks == 1 ? "It needs " : "95% of them need at most ");
    dmd_print_bytes(out, f->enough);
    dmd_out_char(out, '.');
  }
  add_resident(out, w, f);
}

static void advise_pinned(dmd_out_t *out, const dmd_waste_finding_t *f) {
  dmd_print_bytes(out, f->bytes);
  dmd_out_str(out, f->blocks == 1 ? " of pages in memory are free beside it. "
                                  : " of pages in memory are free beside them. ");
  if (f->values > 0) {
    dmd_out_str(out, "Without these blocks the allocator could return ");
    dmd_print_unsigned(out, f->values);
    dmd_out_str(out, " bytes to the system. ");
  }
  dmd_out_str(out,
              "Perhaps allocate blocks that stay apart from those that are freed: before them, "
              "or from a pool.");
}

void dmd_waste_advice(dmd_strbuf_t *to, const dmd_waste_t *w, const dmd_waste_finding_t *f) {
  dmd_out_t out;
  dmd_out_init(&out, dmd_strbuf_write, to);
  switch ((dmd_waste_kind_t)f->kind) {
  case DMD_WASTE_SLOP:
    advise_slop(&out, f);
    break;
  case DMD_WASTE_SMALL:
    advise_small(&out, f);
    break;
  case DMD_WASTE_PADDING:
    advise_padding(&out, w, f);
    break;
  case DMD_WASTE_LOST:
    advise_lost(&out, f);
    break;
  case DMD_WASTE_DUPLICATE:
    advise_duplicate(&out, w, f);
    break;
  case DMD_WASTE_CONSTANT:
    advise_constant(&out, w, f);
    break;
  case DMD_WASTE_PINNED:
    advise_pinned(&out, f);
    break;
  case DMD_WASTE_UNTOUCHED:
    advise_untouched(&out, w, f);
    break;
  default:
    advise_container(&out, w, f);
  }
  dmd_out_flush(&out);
}
