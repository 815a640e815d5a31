/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/unwind.h"

#include "base/limits.h"
#include "base/mem.h"
#include "record/unwind/expression.h"

enum {
  WORD = sizeof(uintptr_t),
  LEAST_RULES = 256,
  MOST_RULES = 1 << 14,
  LEAST_ADDRESS = 4096,  /* lowest valid address of code */
  MOST_CHAINED = 1 << 20 /* maximum size of a frame without unwind information, in bytes */
};

/* How to find the caller of a frame, for one address. */
typedef enum {
  BY_SP,         /* CFA = stack pointer + offset */
  BY_FP,         /* CFA = frame pointer + offset */
  BY_SAVED_CFA,  /* CFA = the word at frame pointer + offset */
  BY_CHAIN,      /* no unwind information: follow the frame pointer, if it is valid */
  BY_EXPRESSION, /* evaluated each time */
  BY_SIGNAL,     /* the kernel stored the interrupted registers here */
  NOWHERE        /* no caller, or no way to find it */
} way_t;

/* Where the caller's frame pointer is. */
typedef enum { FP_SAME, FP_FROM_CFA, FP_FROM_FP } fp_way_t;

typedef struct dmd_unwind_rule {
  uintptr_t ip;
  int32_t cfa_offset, fp_offset;
  uint32_t epoch;
  uint8_t way, fp_way;
  uint16_t ip_words; /* the return address is so many words below the CFA */
} rule_t;

/* A stack walk in progress. */
typedef struct {
  dmd_unwinder_t *u;
  dmd_trace_t *trace; /* NULL: not wanted, or the walk cannot be cached */
  uintptr_t ip, sp, fp;
  uintptr_t link;     /* the link register of an interrupted frame; 0: unknown, or there is none */
  uintptr_t fp_at;    /* where fp was read from; 0: still the initial value */
  bool is_fp_noted;   /* already in the trace */
  uintptr_t low, szB; /* the known readable range of the stack: szB bytes from low */
  uintptr_t page;     /* another readable page; 0: none */
  bool was_interrupted; /* the frame at ip was interrupted and did not make a call */
} walk_t;

void dmd_unwinder_init(dmd_unwinder_t *u, const dmd_env_t *env, const dmd_unwind_host_t *host,
                       bool by_frame_pointers) {
  *u = (dmd_unwinder_t){.env = env, .host = host, .by_frame_pointers = by_frame_pointers};
}

void dmd_unwinder_destroy(dmd_unwinder_t *u) {
  dmd_env_free(u->env, u->rules);
}

void dmd_unwinder_forget(dmd_unwinder_t *u) {
  if (u->rules != NULL)
    dmd_mem_zero(u->rules, u->n_rules * sizeof *u->rules);
}

/*--- Rules ---*/

static bool fits(int64_t offset) {
  return offset >= INT32_MIN && offset <= INT32_MAX;
}

/* True if an expression is the frame pointer plus an offset (with `reads`: the word at that
 * address). */
static bool is_at_fp(dmd_expression_t e, bool reads, int64_t *offset) {
  enum { OP_FP = 0x76, OP_READ = 0x06 };
  dmd_bytes_t b = {e.bytes, e.bytes + e.szB, false};
  if (dmd_bytes_take(&b, 1) != OP_FP)
    return false;
  *offset = dmd_bytes_take_sleb(&b);
  return (!reads || dmd_bytes_take(&b, 1) == OP_READ) && b.p == b.end && !b.is_bad;
}

static bool make_cfa_rule(rule_t *rule, const dmd_frame_row_t *row) {
  int64_t offset = row->cfa_offset;
  if (row->cfa_register == DMD_REGISTER_SP)
    rule->way = BY_SP;
  else if (row->cfa_register == DMD_REGISTER_FP)
    rule->way = BY_FP;
  else if (row->cfa_register == DMD_REGISTER_NONE && is_at_fp(row->cfa_expression, true, &offset))
    rule->way = BY_SAVED_CFA;
  else
    return false;
  rule->cfa_offset = (int32_t)offset;
  return fits(offset);
}

static bool make_fp_rule(rule_t *rule, const dmd_register_rule_t *fp) {
  int64_t offset = fp->offset;
  if (fp->how == DMD_SAVED_SAME || fp->how == DMD_SAVED_UNDEFINED)
    rule->fp_way = FP_SAME;
  else if (fp->how == DMD_SAVED_AT_CFA)
    rule->fp_way = FP_FROM_CFA;
  else if (fp->how == DMD_SAVED_AT && is_at_fp(fp->expression, false, &offset))
    rule->fp_way = FP_FROM_FP;
  else
    return false;
  rule->fp_offset = (int32_t)offset;
  return fits(offset);
}

static bool make_ip_rule(rule_t *rule, const dmd_register_rule_t *ip) {
  rule->ip_words = (uint16_t)(-ip->offset / WORD);
  return ip->how == DMD_SAVED_AT_CFA && -ip->offset == rule->ip_words * WORD;
}

/* Simple rows become a rule; anything else is evaluated each time. */
static void make_rule(rule_t *rule, const dmd_frame_row_t *row) {
  if (row->ip.how == DMD_SAVED_UNDEFINED)
    rule->way = NOWHERE;
  else if (row->is_signal || !make_ip_rule(rule, &row->ip) || !make_cfa_rule(rule, row) ||
           !make_fp_rule(rule, &row->fp))
    rule->way = BY_EXPRESSION;
}

/* Some kernels have no unwind information for the code to which signal handlers return. */
static bool is_signal_code(const dmd_unwinder_t *u, uintptr_t ip) {
  if (DMD_SIGNAL_CODE == 0 || ip < LEAST_ADDRESS || ip % sizeof(uint32_t) != 0 ||
      !u->host->can_read(u->host->ctx, ip & ~(uintptr_t)(WORD - 1)) ||
      !u->host->can_read(u->host->ctx, (ip + sizeof(uint32_t)) & ~(uintptr_t)(WORD - 1)))
    return false;
  uint64_t code;
  dmd_mem_copy(&code, (const void *)ip, sizeof code);
  return code == DMD_SIGNAL_CODE;
}

static void grow(dmd_unwinder_t *u) {
  dmd_env_free(u->env, u->rules);
  u->rules = NULL;
  u->n_rules = u->n_rules == 0 ? LEAST_RULES : u->n_rules * 2;
  u->n_new = 0;
  u->rules = dmd_env_alloc(u->env, "dmd.unwind", u->n_rules * sizeof *u->rules);
  dmd_unwinder_forget(u);
}

static rule_t *rule_at(const dmd_unwinder_t *u, uintptr_t ip) {
  return &u->rules[(ip * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (u->n_rules - 1)];
}

static const rule_t *new_rule(dmd_unwinder_t *u, uintptr_t ip) {
  if (u->n_rules == 0 || (u->n_new >= u->n_rules && u->n_rules < MOST_RULES))
    grow(u);
  u->n_new++;
  rule_t *rule = rule_at(u, ip);
  *rule = (rule_t){.ip = ip, .way = BY_CHAIN};
  dmd_code_range_t range;
  dmd_frame_row_t row;
  if (u->host->find_code(u->host->ctx, ip, &range)) {
    rule->epoch = range.epoch;
    if (!u->by_frame_pointers && dmd_ehframe_find(&range, ip, &row))
      make_rule(rule, &row);
  }
  if (is_signal_code(u, ip + 1))
    rule->way = BY_SIGNAL;
  return rule;
}

static const rule_t *rule_for(dmd_unwinder_t *u, uintptr_t ip) {
  if (u->n_rules > 0) {
    const rule_t *rule = rule_at(u, ip);
    if (rule->ip == ip)
      return rule;
  }
  return new_rule(u, ip);
}

/*--- Reading ---*/

static bool can_read_elsewhere(walk_t *w, uintptr_t at) {
  if (at < LEAST_ADDRESS || at % WORD != 0)
    return false;
  uintptr_t page = at & ~(uintptr_t)(DMD_PAGE_SZB - 1);
  if (page == w->page)
    return true;
  const dmd_unwind_host_t *host = w->u->host;
  if (!host->can_read(host->ctx, at))
    return false;
  w->page = page;
  return true;
}

static bool can_read(walk_t *w, uintptr_t at) {
  return (at - w->low < w->szB && at % WORD == 0) || can_read_elsewhere(w, at);
}

static bool read_word(void *walk, uintptr_t at, uintptr_t *word) {
  if (!can_read(walk, at))
    return false;
  *word = dmd_stack_word(at);
  return true;
}

/* --- Recording dependencies of a walk --- */

/* Records a word that was read. */
static void note_word(walk_t *w, uintptr_t at) {
  dmd_trace_t *trace = w->trace;
  if (trace == NULL)
    return;
  if (at - w->low >= w->szB || trace->n_words == DMD_TRACE_WORDS)
    w->trace = NULL;
  else
    trace->at[trace->n_words++] = at;
}

/* Records that the path from this frame depends on its frame pointer. */
static void note_fp(walk_t *w) {
  if (w->trace == NULL || w->is_fp_noted)
    return;
  w->is_fp_noted = true;
  if (w->fp_at == 0)
    w->trace->needs_fp = true;
  else
    note_word(w, w->fp_at);
}

static void note_frame(walk_t *w) {
  dmd_trace_t *trace = w->trace;
  if (trace == NULL)
    return;
  if (trace->n == DMD_TRACE_FRAMES)
    w->trace = NULL;
  else
    trace->ips[trace->n++] = w->ip;
}

/*--- Steps ---*/

/* Steps to the caller, whose frame begins at cfa, whose address is in slot, and whose frame pointer
 * is unchanged, or saved at fp_at. The stack pointer always increases, so that every walk ends. */
static bool step_to(walk_t *w, uintptr_t cfa, uintptr_t slot, uintptr_t fp_at) {
  if (cfa <= w->sp || !can_read(w, slot) || (fp_at != 0 && !can_read(w, fp_at)))
    return false;
  uintptr_t return_address = dmd_machine_code(dmd_stack_word(slot));
  note_word(w, slot);
  if (w->trace != NULL)
    w->trace->slots[w->trace->n - 1] = slot;
  if (fp_at != 0) {
    w->fp = dmd_stack_word(fp_at);
    w->fp_at = fp_at;
    w->is_fp_noted = false;
  }
  w->sp = cfa;
  w->ip = return_address - 1;
  return return_address > LEAST_ADDRESS;
}

static bool step_by_chain(walk_t *w) {
  note_fp(w);
  /* If it is further away, it is on another stack: a coroutine may begin with its creator's frame
   * pointer. */
  return w->fp >= w->sp && w->fp - w->sp < MOST_CHAINED && w->fp % WORD == 0 &&
         step_to(w, w->fp + 2 * WORD, w->fp + WORD, w->fp);
}

static bool step_by_saved_cfa(walk_t *w, const rule_t *rule) {
  uintptr_t at = w->fp + (uintptr_t)(intptr_t)rule->cfa_offset, cfa;
  note_fp(w);
  if (!read_word(w, at, &cfa))
    return false;
  note_word(w, at);
  uintptr_t base = rule->fp_way == FP_FROM_FP ? w->fp : cfa;
  return step_to(w, cfa, cfa - rule->ip_words * WORD,
                 rule->fp_way == FP_SAME ? 0 : base + (uintptr_t)(intptr_t)rule->fp_offset);
}

/* A register's value in the caller. */
static bool caller_register(walk_t *w, const dmd_expression_frame_t *frame, uintptr_t cfa,
                            const dmd_register_rule_t *rule, uintptr_t *value) {
  uintptr_t at = cfa + (uintptr_t)rule->offset;
  switch (rule->how) {
  case DMD_SAVED_SAME:
    return true;
  case DMD_SAVED_AT_CFA:
    return read_word(w, at, value);
  case DMD_SAVED_AT:
    at = cfa;
    return dmd_expression_value(rule->expression, frame, &at) && read_word(w, at, value);
  case DMD_SAVED_VALUE:
    *value = cfa;
    return dmd_expression_value(rule->expression, frame, value);
  default:
    return false;
  }
}

/* Steps that no rule describes are evaluated each time and make the walk uncacheable. */
static bool step_by_expression(walk_t *w) {
  dmd_code_range_t range;
  dmd_frame_row_t row;
  const dmd_unwind_host_t *host = w->u->host;
  w->trace = NULL;
  if (!host->find_code(host->ctx, w->ip, &range) || !dmd_ehframe_find(&range, w->ip, &row))
    return false;
  const dmd_expression_frame_t frame = {
      .ip = w->ip + !w->was_interrupted, .sp = w->sp, .fp = w->fp, .read = read_word, .ctx = w};
  uintptr_t cfa = 0, fp = w->fp, ip = 0;
  if (row.cfa_register == DMD_REGISTER_SP)
    cfa = w->sp + (uintptr_t)row.cfa_offset;
  else if (row.cfa_register == DMD_REGISTER_FP)
    cfa = w->fp + (uintptr_t)row.cfa_offset;
  else if (row.cfa_register != DMD_REGISTER_NONE ||
           !dmd_expression_value(row.cfa_expression, &frame, &cfa))
    return false;
  if (row.ip.how == DMD_SAVED_SAME)
    ip = w->link;
  else if (!caller_register(w, &frame, cfa, &row.ip, &ip))
    return false;
  ip = dmd_machine_code(ip);
  if (!caller_register(w, &frame, cfa, &row.fp, &fp) ||
      (cfa <= w->sp && !row.is_signal && w->link == 0))
    return false;
  if (row.is_signal && w->u->interrupted_sp == 0)
    w->u->interrupted_sp = cfa;
  w->sp = cfa;
  w->fp = fp;
  w->link = 0;
  w->was_interrupted = row.is_signal;
  w->ip = ip - !row.is_signal;
  return ip > LEAST_ADDRESS;
}

static bool step_by_signal(walk_t *w) {
  uintptr_t ip, sp;
  w->trace = NULL;
  if (!read_word(w, w->sp + DMD_SIGNAL_IP, &ip) || !read_word(w, w->sp + DMD_SIGNAL_SP, &sp) ||
      !read_word(w, w->sp + DMD_SIGNAL_FP, &w->fp) ||
      !read_word(w, w->sp + DMD_SIGNAL_LINK, &w->link))
    return false;
  if (w->u->interrupted_sp == 0)
    w->u->interrupted_sp = sp;
  w->sp = sp;
  w->ip = ip;
  w->was_interrupted = true;
  return ip > LEAST_ADDRESS;
}

static bool step(walk_t *w, const rule_t *rule) {
  uintptr_t cfa;
  switch ((way_t)rule->way) {
  case BY_SP:
    cfa = w->sp + (uintptr_t)(intptr_t)rule->cfa_offset;
    break;
  case BY_FP:
    note_fp(w);
    cfa = w->fp + (uintptr_t)(intptr_t)rule->cfa_offset;
    break;
  case BY_SAVED_CFA:
    w->was_interrupted = false;
    return step_by_saved_cfa(w, rule);
  case BY_CHAIN:
    w->was_interrupted = false;
    return step_by_chain(w);
  case BY_EXPRESSION:
    return step_by_expression(w);
  case BY_SIGNAL:
    return step_by_signal(w);
  default:
    return false;
  }
  w->was_interrupted = false;
  return step_to(w, cfa, cfa - rule->ip_words * WORD,
                 rule->fp_way == FP_SAME ? 0 : cfa + (uintptr_t)(intptr_t)rule->fp_offset);
}

/* sps: NULL if not wanted. */
static uint32_t walk(walk_t *w, dmd_code_t *codes, uint64_t *sps, uint32_t max) {
  uint32_t n = 0;
  while (n < max) {
    const rule_t *rule = rule_for(w->u, w->ip);
    note_frame(w);
    if (sps != NULL)
      sps[n] = w->sp;
    codes[n++] = (dmd_code_t){w->ip, rule->epoch};
    if (n == max || !step(w, rule))
      break;
  }
  return n;
}

static walk_t walk_from(dmd_unwinder_t *u, const dmd_walk_start_t *start) {
  u->interrupted_sp = 0;
  return (walk_t){.u = u,
                  .ip = start->ip,
                  .sp = start->sp,
                  .fp = start->fp,
                  .link = start->link,
                  .low = start->sp,
                  .szB = start->top != 0 ? start->top + WORD - start->sp : 0};
}

uint32_t dmd_unwind(dmd_unwinder_t *u, const dmd_walk_start_t *start, dmd_code_t *codes,
                    uint32_t max, dmd_trace_t *trace) {
  walk_t w = walk_from(u, start);
  w.trace = start->top != 0 ? trace : NULL;
  if (trace != NULL) {
    trace->n = trace->n_words = 0;
    trace->needs_fp = false;
  }
  uint32_t n = walk(&w, codes, NULL, max);
  if (trace != NULL && w.trace == NULL)
    trace->n = 0;
  return n;
}

uint32_t dmd_unwind_frames(dmd_unwinder_t *u, const dmd_walk_start_t *start, dmd_code_t *codes,
                           uint64_t *sps, uint32_t max) {
  walk_t w = walk_from(u, start);
  w.was_interrupted = true;
  return walk(&w, codes, sps, max);
}
