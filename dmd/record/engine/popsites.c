/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/popsites.h"

#include "base/mem.h"
#include "base/str.h"
#include "record/request.h"

/* ---- Where a function's code can get to, on amd64. ---- */

/* Follows the instructions from a place in a piece of code along all direct jumps, and visits those
 * that contain a certain number. A call is taken to return. A path ends at a return, an indirect
 * jump, an instruction that is not understood, and the end of the piece. So a path may be missed,
 * and one that a call which never returns cuts off may be found.
 *
 * The tables have one letter for each opcode: what follows it. The rules are those of the Intel 64
 * and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and appendix A. */

/* An instruction. */
typedef struct {
  uint8_t length; /* 0: not understood */
  bool ends;      /* the next instruction is not reached from it */
  bool jumps;     /* it may jump, by this distance from its end */
  int32_t distance;
  bool has_number; /* its last four bytes are a constant operand */
} instruction_t;

/* ---- What follows an opcode. ---- */

enum {
  NOTHING = '.',
  MODRM = 'm',      /* a ModRM byte with what belongs to it */
  MODRM_BYTE = 'b', /* the same and a byte */
  MODRM_WORD = 'w', /* the same and a constant of the operand's size, at most four bytes */
  BYTE = 'B',
  WORD = 'W',
  MOVE = 'V',    /* a constant of the operand's size, up to eight bytes */
  ADDRESS = 'A', /* an address of eight bytes */
  TWO_BYTES = '2',
  THREE_BYTES = '3',
  TEST = 't',       /* as MODRM, and a byte if it is a test */
  TEST_WORD = 'T',  /* this with a constant of the operand's size */
  BRANCH = 'j',     /* a conditional jump by a distance of one byte */
  FAR_BRANCH = 'J', /* and of four bytes */
  JUMP = 'g',       /* the same without a condition */
  FAR_JUMP = 'G',
  CALL = 'C',
  GROUP_5 = '5', /* as MODRM; may be an indirect jump */
  STOP = 's',    /* nothing; the next instruction is not reached */
  STOP_2 = 'S',  /* this with two bytes */
  INVALID = '-'
};

static const char one_byte[] = "mmmmBW--mmmmBW--"
                               "mmmmBW--mmmmBW--"
                               "mmmmBW--mmmmBW--"
                               "mmmmBW--mmmmBW--"
                               "----------------"
                               "................"
                               "---m----WwBb...."
                               "jjjjjjjjjjjjjjjj"
                               "bw-bmmmmmmmmmmmm"
                               "..........-....."
                               "AAAA....BW......"
                               "BBBBBBBBVVVVVVVV"
                               "bbSs--bw3.SssB-s"
                               "mmmm---.mmmmmmmm"
                               "jjjjBBBBCG-g...."
                               "-.--s.tT......m5";

static const char two_bytes[] = "mmmm-.....-s-m.b"
                                "mmmmmmmmmmmmmmmm"
                                "mmmm----mmmmmmmm"
                                "........--------"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "bbbbmmm.mmmmmmmm"
                                "JJJJJJJJJJJJJJJJ"
                                "mmmmmmmmmmmmmmmm"
                                "...mbm--...mbmmm"
                                "mmmmmmmmmsbmmmmm"
                                "mmbmbbbm........"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmms";

_Static_assert(sizeof one_byte == 257 && sizeof two_bytes == 257, "each opcode has a letter");

/* ---- Decoding. ---- */

/* The bytes of an instruction, at most 15; those behind its end are not read. */
typedef struct {
  const uint8_t *code;
  size_t n, at;
  bool is_short; /* the operand has two bytes */
  bool is_wide;  /* or eight */
} reader_t;

static uint8_t peek(const reader_t *r) {
  return r->at < r->n ? r->code[r->at] : 0;
}

static uint8_t take(reader_t *r) {
  uint8_t byte = peek(r);
  r->at++;
  return byte;
}

static void skip_prefixes(reader_t *r) {
  for (;;) {
    switch (peek(r)) {
    case 0x66:
      r->is_short = true;
      break;
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      break;
    default:
      return;
    }
    if (++r->at > 14)
      return;
  }
}

/* Returns the field `reg`. */
static unsigned skip_modrm(reader_t *r) {
  uint8_t modrm = take(r);
  unsigned mod = modrm >> 6, rm = modrm & 7;
  if (mod == 3)
    return modrm >> 3 & 7;
  if (rm == 4)
    rm = take(r) & 7; /* only as a base does 5 mean anything below */
  r->at += mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0;
  return modrm >> 3 & 7;
}

/* The letter of an opcode after a VEX or EVEX prefix, in this map. */
static int letter_of_map(reader_t *r, unsigned map) {
  uint8_t opcode = take(r);
  r->is_short = false;
  return map == 1 ? two_bytes[opcode] : map == 3 ? MODRM_BYTE : MODRM;
}

/* Reads the opcode and returns its letter. */
static int take_opcode(reader_t *r) {
  uint8_t opcode = take(r);
  if (opcode == 0xc5)
    return r->at++, letter_of_map(r, 1);
  if (opcode == 0xc4 || opcode == 0x62) {
    unsigned map = take(r) & (opcode == 0xc4 ? 0x1f : 0x07);
    r->at += opcode == 0xc4 ? 1 : 2;
    return letter_of_map(r, map);
  }
  if (opcode >> 4 == 4) { /* REX */
    r->is_wide = opcode & 8;
    opcode = take(r);
  }
  if (opcode != 0x0f)
    return one_byte[opcode];
  opcode = take(r);
  if (opcode != 0x38 && opcode != 0x3a)
    return two_bytes[opcode];
  r->at++;
  return opcode == 0x38 ? MODRM : MODRM_BYTE;
}

static void skip_constant(reader_t *r, instruction_t *found) {
  found->has_number = !r->is_short || r->is_wide;
  r->at += found->has_number ? 4 : 2;
}

/* The distance of a jump, which ends the instruction. */
static void take_distance(reader_t *r, instruction_t *found, size_t szB) {
  int8_t near = (int8_t)peek(r);
  found->jumps = true;
  found->distance = near;
  if (szB == sizeof found->distance && r->at + szB <= r->n)
    dmd_mem_copy(&found->distance, r->code + r->at, szB);
  r->at += szB;
}

static void skip_operands(reader_t *r, int letter, instruction_t *found) {
  unsigned field = 0;
  if (letter == MODRM || letter == MODRM_BYTE || letter == MODRM_WORD || letter == TEST ||
      letter == TEST_WORD || letter == GROUP_5)
    field = skip_modrm(r);
  found->ends = letter == STOP || letter == STOP_2 || letter == JUMP || letter == FAR_JUMP ||
                (letter == GROUP_5 && (field == 4 || field == 5));
  if (letter == BYTE || letter == MODRM_BYTE || (letter == TEST && field < 2))
    r->at++;
  else if (letter == WORD || letter == MODRM_WORD || (letter == TEST_WORD && field < 2))
    skip_constant(r, found);
  else if (letter == MOVE && r->is_wide)
    r->at += 8;
  else if (letter == MOVE)
    skip_constant(r, found);
  else if (letter == BRANCH || letter == JUMP)
    take_distance(r, found, 1);
  else if (letter == FAR_BRANCH || letter == FAR_JUMP)
    take_distance(r, found, 4);
  else
    r->at += letter == ADDRESS                         ? 8
             : letter == CALL                          ? 4
             : letter == THREE_BYTES                   ? 3
             : letter == STOP_2 || letter == TWO_BYTES ? 2
                                                       : 0;
}

static instruction_t instruction_at(const uint8_t *code, size_t n) {
  enum { MOST = 15 };
  instruction_t found = {.length = 0};
  reader_t r = {.code = code, .n = n < MOST ? n : MOST};
  skip_prefixes(&r);
  int letter = take_opcode(&r);
  if (letter == INVALID)
    return found;
  skip_operands(&r, letter, &found);
  if (r.at <= r.n)
    found.length = (uint8_t)r.at;
  return found;
}

/* ---- Following the paths. ---- */

typedef struct {
  const uint8_t *code;
  size_t n;
  uint8_t *seen;     /* a bit for each byte: an instruction that was begun there */
  uint32_t *targets; /* jumps that remain to be followed */
  size_t n_targets;
} paths_t;

static bool is_first_time(paths_t *paths, size_t at) {
  uint8_t bit = (uint8_t)(1u << at % 8);
  bool is_new = !(paths->seen[at / 8] & bit);
  paths->seen[at / 8] |= bit;
  return is_new;
}

static bool has_number(const uint8_t *end, uint32_t number) {
  uint32_t found;
  dmd_mem_copy(&found, end - sizeof found, sizeof found);
  return found == number;
}

/* Follows one path up to its end, or to code that was seen. */
static bool follow(paths_t *paths, size_t at, uint32_t number,
                   bool (*visit)(void *visitor, size_t at), void *visitor) {
  while (at < paths->n && is_first_time(paths, at)) {
    instruction_t found = instruction_at(paths->code + at, paths->n - at);
    size_t next = at + found.length;
    if (found.length == 0)
      return false;
    if (found.has_number && has_number(paths->code + next, number) && visit(visitor, at))
      return true;
    size_t target = next + (size_t)(int64_t)found.distance;
    if (found.jumps && target < paths->n)
      paths->targets[paths->n_targets++] = (uint32_t)target;
    if (found.ends)
      return false;
    at = next;
  }
  return false;
}

static bool find_path(const dmd_env_t *env, const uint8_t *code, size_t n, size_t from,
                      uint32_t number, bool (*visit)(void *visitor, size_t at), void *visitor) {
  /* Each instruction is followed once, and a jump has at least two bytes. */
  paths_t paths = {.code = code,
                   .n = n,
                   .seen = dmd_env_alloc(env, "dmd.codepath", n / 8 + 1),
                   .targets = dmd_env_alloc(env, "dmd.codepath", (n + 1) * sizeof(uint32_t))};
  dmd_mem_zero(paths.seen, n / 8 + 1);
  paths.targets[paths.n_targets++] = (uint32_t)from;
  bool found = false;
  while (!found && paths.n_targets > 0)
    found = follow(&paths, paths.targets[--paths.n_targets], number, visit, visitor);
  dmd_env_free(env, paths.targets);
  dmd_env_free(env, paths.seen);
  return found;
}

/* ---- Pushes. ---- */

/* How far to look on both sides of the push. */
enum { REACH_SZB = 16 * 1024 };

/* The code around a push. */
typedef struct {
  dmd_running_t *running;
  uint64_t start; /* its address */
  dmd_strbuf_t function, other;
} code_t;

void dmd_popsites_init(dmd_popsites_t *sites, const dmd_env_t *env, dmd_running_t *running) {
  *sites = (dmd_popsites_t){.env = env, .running = running};
}

/* True if an instruction on the way is in the function itself, not in one that it ends in. */
static bool is_own(void *visitor, size_t at) {
  code_t *code = visitor;
  dmd_running_name(code->running, (dmd_code_t){.ip = code->start + at}, &code->other);
  return dmd_str_equal(code->other.text, code->function.text);
}

/* Reads what can be read in one piece around an address; *start: where that begins. Returns its
 * length. */
static size_t read_around(const dmd_engine_host_t *host, uint64_t ip, uint8_t *bytes,
                          uint64_t *start) {
  uint64_t from = (ip > REACH_SZB ? ip - REACH_SZB : 0) / DMD_PAGE_SZB * DMD_PAGE_SZB;
  uint64_t to = ip + REACH_SZB;
  size_t n = 0;
  host->memory_begin(host->ctx);
  *start = from;
  for (uint64_t at = from, part; at < to; at += part) {
    part = DMD_PAGE_SZB - at % DMD_PAGE_SZB < to - at ? DMD_PAGE_SZB - at % DMD_PAGE_SZB : to - at;
    if (host->memory_read(host->ctx, at, bytes + n, (size_t)part) == part) {
      n += (size_t)part;
      continue;
    }
    if (at + part > ip)
      break;
    n = 0;
    *start = at + part;
  }
  host->memory_end(host->ctx);
  return n;
}

static bool find(dmd_popsites_t *sites, uint64_t ip) {
  enum { ROOM_SZB = 2 * REACH_SZB + DMD_PAGE_SZB };
  const dmd_engine_host_t *host = sites->running->host;
  code_t code = {.running = sites->running};
  dmd_strbuf_init(&code.function, sites->env);
  dmd_strbuf_init(&code.other, sites->env);
  dmd_running_name(code.running, (dmd_code_t){.ip = ip - 1}, &code.function);
  uint8_t *bytes = dmd_env_alloc(sites->env, "dmd.popsites", ROOM_SZB);
  size_t n = read_around(host, ip, bytes, &code.start);
  bool found = code.function.n > 0 && ip - code.start < n &&
               find_path(sites->env, bytes, n, (size_t)(ip - code.start), DMD_REQUEST_TAG_POP,
                         is_own, &code);
  dmd_env_free(sites->env, bytes);
  dmd_strbuf_destroy(&code.other);
  dmd_strbuf_destroy(&code.function);
  return found;
}

bool dmd_popsites_follows(dmd_popsites_t *sites, uint64_t ip) {
  dmd_popsite_t *known = &sites->known[dmd_hash_u64(ip) % (sizeof sites->known / sizeof *known)];
  if (known->ip != ip)
    *known = (dmd_popsite_t){ip, find(sites, ip)};
  return known->is_there;
}
