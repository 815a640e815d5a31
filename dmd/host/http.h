/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * http.h: sends bytes to a server by HTTP or HTTPS, with libcurl.
 *
 * A server's certificate must be valid for its name. Redirects are not followed, so that a secret
 * goes only to the address that the user gave. A request is repeated, after pauses that double, if
 * there was no connection or if the server says that it may be repeated (429, 502, 503, 504), as
 * long as the time limit allows; a Retry-After of the server counts. It is not repeated after the
 * time limit, nor if the connection broke while the server may have processed the request.
 */
#ifndef DMD_HOST_HTTP_H
#define DMD_HOST_HTTP_H

#include "base/strbuf.h"

typedef struct dmdv_request {
  const char *url;            /* http:// or https:// */
  const char *const *headers; /* "Name: value" */
  size_t n_headers;
  const char *body;
  size_t n;
  const char *ca_file;  /* certificates of authorities, in PEM; NULL: the system's */
  unsigned time_limit;  /* for all attempts together, in seconds; at least 1 */
  const char *for_what; /* "push: profile.json", in notes about attempts */
} dmdv_request_t;

/* The most that is kept of an answer, in bytes. */
enum { DMDV_MAX_ANSWER = 64 << 10 };

/* Posts the body. Returns true if the server answers with 2xx, and appends the body of that answer.
 * Otherwise returns false, with the reason in *why. */
bool dmdv_post(const dmdv_request_t *request, dmd_strbuf_t *answer, dmd_strbuf_t *why);

#endif
