/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fail.h"

#include "base/format.h"
#include "base/mem.h"

/* One conversion: the part between '%' and its letter. */
typedef struct {
  size_t width;     /* of a number, filled with zeros */
  size_t precision; /* of a string: the most bytes to write */
  int longs;        /* how many l */
  bool is_size;     /* z */
  char letter;
} conversion_t;

typedef struct {
  char *at, *end; /* the last byte is kept for the NUL */
} writer_t;

static void put(writer_t *w, const char *bytes, size_t n) {
  size_t room = (size_t)(w->end - w->at);
  n = n < room ? n : room;
  dmd_mem_copy(w->at, bytes, n);
  w->at += n;
}

static const char *read_number(const char *p, size_t *number) {
  for (*number = 0; *p >= '0' && *p <= '9'; p++)
    *number = *number * 10 + (size_t)(*p - '0');
  return p;
}

/* Parses the conversion after a '%'; returns the rest of the format. */
static const char *read_conversion(const char *p, conversion_t *c) {
  *c = (conversion_t){.precision = SIZE_MAX};
  p = read_number(p, &c->width);
  if (*p == '.')
    p = read_number(p + 1, &c->precision);
  for (; *p == 'l' || *p == 'z'; p++) {
    c->longs += *p == 'l';
    c->is_size |= *p == 'z';
  }
  c->letter = *p;
  return p + (*p != '\0');
}

static void put_number(writer_t *w, const conversion_t *c, uint64_t v) {
  char digits[DMD_FORMAT_MAX];
  size_t n = c->letter == 'x' ? dmd_format_hex(digits, v) : dmd_format_u64(digits, v);
  for (size_t i = n; i < c->width; i++)
    put(w, "0", 1);
  put(w, digits, n);
}

static void put_signed(writer_t *w, const conversion_t *c, int64_t v) {
  if (v < 0)
    put(w, "-", 1);
  put_number(w, c, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void put_string(writer_t *w, const conversion_t *c, const char *s) {
  size_t n = 0;
  while (n < c->precision && s[n] != '\0')
    n++;
  put(w, s, n);
}

/* In a struct, since va_list may be an array, which would be passed as a pointer. */
typedef struct {
  va_list list;
} args_t;

static uint64_t next_unsigned(const conversion_t *c, args_t *args) {
  if (c->is_size)
    return va_arg(args->list, size_t);
  return c->longs == 2   ? va_arg(args->list, unsigned long long)
         : c->longs == 1 ? va_arg(args->list, unsigned long)
                         : va_arg(args->list, unsigned);
}

static int64_t next_signed(const conversion_t *c, args_t *args) {
  return c->longs == 2   ? va_arg(args->list, long long)
         : c->longs == 1 ? va_arg(args->list, long)
                         : va_arg(args->list, int);
}

static void put_conversion(writer_t *w, const conversion_t *c, args_t *args) {
  char byte;
  switch (c->letter) {
  case 's':
    put_string(w, c, va_arg(args->list, const char *));
    break;
  case 'c':
    byte = (char)va_arg(args->list, int);
    put(w, &byte, 1);
    break;
  case 'd':
    put_signed(w, c, next_signed(c, args));
    break;
  case 'f':
    put_signed(w, c, (int64_t)va_arg(args->list, double));
    break;
  case '%':
    put(w, "%", 1);
    break;
  default:
    put_number(w, c, next_unsigned(c, args));
  }
}

void dmd_fail_reason(dmd_fail_t *fail, const char *format, va_list list) {
  writer_t w = {fail->reason, fail->reason + sizeof fail->reason - 1};
  args_t args;
  va_copy(args.list, list);
  while (*format != '\0') {
    size_t n = 0;
    while (format[n] != '\0' && format[n] != '%')
      n++;
    put(&w, format, n);
    format += n;
    if (*format == '%') {
      conversion_t c;
      format = read_conversion(format + 1, &c);
      put_conversion(&w, &c, &args);
    }
  }
  va_end(args.list);
  *w.at = '\0';
}

bool dmd_fail(dmd_fail_t *fail, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dmd_fail_reason(fail, format, args);
  va_end(args);
  fail->line = fail->byte = 0;
  fail->has_byte = false;
  return false;
}
