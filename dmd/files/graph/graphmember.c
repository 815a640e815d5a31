/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/graph/graphmember.h"

#include "base/mem.h"

static const unsigned char header[] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff};
static const unsigned char tail[DMD_GRAPHMEMBER_TAIL_SZB] = {3};

enum { FIELD_AT = sizeof header, ID_AT = FIELD_AT + 2, SZB_AT = ID_AT + 2, ID_SZB = 4 };

static void put(unsigned char *to, uint64_t value, int n) {
  for (int i = 0; i < n; i++)
    to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *from, int n) {
  uint64_t value = 0;
  for (int i = n; i-- > 0;)
    value = value << 8 | from[i];
  return value;
}

/* ---- Writing. ---- */

static bool write_member(dmd_graphmembers_t *members, char id, const char *bytes, size_t n) {
  unsigned char head[DMD_GRAPHMEMBER_HEAD_SZB];
  dmd_mem_copy(head, header, sizeof header);
  put(head + FIELD_AT, n + ID_SZB, 2);
  head[ID_AT] = 'D';
  head[ID_AT + 1] = (unsigned char)id;
  put(head + SZB_AT, n, 2);
  members->szB += sizeof head + n + sizeof tail;
  return members->write(members->ctx, (const char *)head, sizeof head) &&
         members->write(members->ctx, bytes, n) &&
         members->write(members->ctx, (const char *)tail, sizeof tail);
}

bool dmd_graphmembers_write(dmd_graphmembers_t *members, const char *bytes, size_t n) {
  bool good = true;
  while (n > 0 && good) {
    size_t piece = n < DMD_GRAPHMEMBER_MOST_SZB ? n : DMD_GRAPHMEMBER_MOST_SZB;
    good = write_member(members, 'G', bytes, piece);
    bytes += piece;
    n -= piece;
  }
  return good;
}

bool dmd_graphmembers_end(dmd_graphmembers_t *members) {
  unsigned char szB[8];
  put(szB, members->szB, sizeof szB);
  return write_member(members, 'E', (const char *)szB, sizeof szB);
}

/* ---- Reading. ---- */

dmd_graphmember_t dmd_graphmember_of(const unsigned char *head, uint32_t *piece_szB) {
  uint64_t field_szB = get(head + FIELD_AT, 2);
  *piece_szB = (uint32_t)get(head + SZB_AT, 2);
  if (!dmd_mem_equal(head, header, sizeof header) || head[ID_AT] != 'D' ||
      field_szB != *piece_szB + (uint64_t)ID_SZB)
    return DMD_GRAPHMEMBER_NONE;
  if (head[ID_AT + 1] == 'E')
    return *piece_szB == 8 ? DMD_GRAPHMEMBER_LAST : DMD_GRAPHMEMBER_NONE;
  return head[ID_AT + 1] == 'G' ? DMD_GRAPHMEMBER_PIECE : DMD_GRAPHMEMBER_NONE;
}

bool dmd_graphmember_ends(const unsigned char *bytes) {
  return dmd_mem_equal(bytes, tail, sizeof tail);
}

bool dmd_graphmember_find(const unsigned char *last, uint64_t szB, uint64_t *at) {
  uint32_t piece_szB;
  uint64_t before = get(last + DMD_GRAPHMEMBER_HEAD_SZB, 8);
  if (dmd_graphmember_of(last, &piece_szB) != DMD_GRAPHMEMBER_LAST ||
      !dmd_graphmember_ends(last + DMD_GRAPHMEMBER_HEAD_SZB + 8) ||
      szB < DMD_GRAPHMEMBER_LAST_SZB || before == 0 || before > szB - DMD_GRAPHMEMBER_LAST_SZB)
    return false;
  *at = szB - DMD_GRAPHMEMBER_LAST_SZB - before;
  return true;
}
