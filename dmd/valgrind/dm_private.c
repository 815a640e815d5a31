/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_seqmatch.h"
#include "pub_tool_xarray.h"

#include "valgrind/dm_private.h"

/* The text after the prefix, or NULL if it does not begin with that. */
static const HChar *after(const HChar *text, const HChar *start) {
  SizeT n = VG_(strlen)(start);
  return VG_(strncmp)(text, start, n) == 0 ? text + n : NULL;
}

const HChar *dm_option_given(const HChar *name) {
  const HChar *value = NULL;
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
    const HChar *option = after(*(HChar **)VG_(indexXA)(VG_(args_for_valgrind), i), "--");
    if (option == NULL)
      continue;
    /* "--dmd:x" is "--x" for this tool alone. */
    const HChar *ours = after(option, "dmd:");
    const HChar *found = after(ours != NULL ? ours : option, name);
    if (found != NULL)
      value = found;
  }
  return value;
}

static Bool is_wildcard(HChar c) {
  return c == '*' || c == '?';
}

/* Skips the equal prefix, which decides nothing, whatever follows. */
Bool __wrap_vgPlain_string_match(const HChar *pattern, const HChar *text) {
  while (*pattern == *text && *pattern != '\0' && !is_wildcard(*pattern))
    pattern++, text++;
  return is_wildcard(*pattern) ? __real_vgPlain_string_match(pattern, text) : *pattern == *text;
}
