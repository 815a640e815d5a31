/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/errortext.h"

#include <stddef.h>

/* Linux uses these numbers on every machine. */
static const struct {
  int error;
  const char *text;
} texts[] = {
    {1, "operation not permitted"},
    {2, "no such folder"},
    {5, "input/output error"},
    {13, "permission denied"},
    {20, "part of the path is not a folder"},
    {21, "it is a folder"},
    {24, "too many open files"},
    {27, "the file size limit is reached"},
    {28, "no space left on the device"},
    {30, "the file system is read-only"},
    {32, "the pipe has no reader"},
    {40, "too many symbolic links"},
    {116, "another file has taken its name"},
};

const char *dmd_error_text(int error) {
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i].error == error)
      return texts[i].text;
  return "unexpected error";
}
