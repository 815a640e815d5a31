/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/http.h"

#include "base/str.h"
#include "dmd-config.h"
#include "host/process.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <time.h>

enum { FIRST_PAUSE_MS = 500, MOST_PAUSE_MS = 30000, CONNECT_MS = 10000, SHOWN_ANSWER = 300 };

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void pause_for(uint64_t ms) {
  struct timespec left = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0)
    continue;
}

/* Keeps the start of an answer. */
static size_t take_answer(char *bytes, size_t szB, size_t n, void *answer) {
  dmd_strbuf_t *to = answer;
  size_t all = szB * n, room = to->n < DMDV_MAX_ANSWER ? DMDV_MAX_ANSWER - to->n : 0;
  dmd_strbuf_bytes(to, bytes, all < room ? all : room);
  return all;
}

typedef enum { DONE, FAILED, MAY_BE_REPEATED } outcome_t;

typedef struct {
  CURL *curl;
  const dmdv_request_t *request;
  dmd_strbuf_t *answer, *why;
  char message[CURL_ERROR_SIZE];
  uint64_t pause_ms; /* before the next attempt */
} sender_t;

static void explain_status(sender_t *s, long status) {
  size_t n = s->answer->n < SHOWN_ANSWER ? s->answer->n : SHOWN_ANSWER;
  dmd_strbuf_str(s->why, "the server answers with status ");
  dmd_strbuf_u64(s->why, (uint64_t)status);
  while (n > 0 && (s->answer->text[n - 1] == '\n' || s->answer->text[n - 1] == '\r'))
    n--;
  if (n > 0) {
    dmd_strbuf_str(s->why, ": ");
    dmd_strbuf_bytes(s->why, s->answer->text, n);
  }
}

static outcome_t judge_status(sender_t *s) {
  long status = 0;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(s->curl, CURLINFO_RETRY_AFTER, &retry_after);
  if (status >= 200 && status < 300)
    return DONE;
  explain_status(s, status);
  if (status != 429 && status != 502 && status != 503 && status != 504)
    return FAILED;
  if (retry_after > 0 && retry_after < 86400)
    s->pause_ms = (uint64_t)retry_after * 1000;
  return MAY_BE_REPEATED;
}

static outcome_t attempt(sender_t *s, uint64_t left_ms) {
  dmd_strbuf_cut(s->answer, 0);
  dmd_strbuf_cut(s->why, 0);
  s->message[0] = '\0';
  curl_easy_setopt(s->curl, CURLOPT_TIMEOUT_MS, (long)left_ms);
  CURLcode code = curl_easy_perform(s->curl);
  if (code == CURLE_OK)
    return judge_status(s);
  dmd_strbuf_str(s->why, s->message[0] != '\0' ? s->message : curl_easy_strerror(code));
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ? MAY_BE_REPEATED
                                                                             : FAILED;
}

static bool send_until(sender_t *s) {
  const uint64_t end = now_ms() + (uint64_t)s->request->time_limit * 1000;
  uint64_t doubling_ms = FIRST_PAUSE_MS;
  for (uint64_t now = now_ms(); now < end; now = now_ms()) {
    s->pause_ms = doubling_ms;
    outcome_t outcome = attempt(s, end - now);
    if (outcome != MAY_BE_REPEATED)
      return outcome == DONE;
    if (now_ms() + s->pause_ms >= end)
      break;
    dmdv_note("%s: %s; trying again in %" PRIu64 ".%" PRIu64 " s", s->request->for_what,
              s->why->text, s->pause_ms / 1000, s->pause_ms % 1000 / 100);
    pause_for(s->pause_ms);
    doubling_ms = doubling_ms < MOST_PAUSE_MS / 2 ? 2 * doubling_ms : MOST_PAUSE_MS;
  }
  return false;
}

/* Options that no request changes. Redirects are off by default. */
static void set_options(sender_t *s, struct curl_slist *headers) {
  const dmdv_request_t *r = s->request;
  curl_easy_setopt(s->curl, CURLOPT_URL, r->url);
  curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(s->curl, CURLOPT_POST, 1L);
  curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, r->body);
  curl_easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->n);
  curl_easy_setopt(s->curl, CURLOPT_USERAGENT, "dmdv/" DMD_VERSION);
  curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, s->message);
  curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, take_answer);
  curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, s->answer);
  curl_easy_setopt(s->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
  curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(s->curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(s->curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  if (r->ca_file != NULL)
    curl_easy_setopt(s->curl, CURLOPT_CAINFO, r->ca_file);
}

bool dmdv_post(const dmdv_request_t *request, dmd_strbuf_t *answer, dmd_strbuf_t *why) {
  sender_t s = {.curl = curl_easy_init(), .request = request, .answer = answer, .why = why};
  /* Without the header, curl waits for the server's permission to send the body. */
  struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
  for (size_t i = 0; i < request->n_headers; i++)
    headers = curl_slist_append(headers, request->headers[i]);
  bool good = false;
  if (s.curl != NULL) {
    set_options(&s, headers);
    good = send_until(&s);
  } else {
    dmd_strbuf_str(why, "libcurl does not work");
  }
  curl_slist_free_all(headers);
  curl_easy_cleanup(s.curl);
  return good;
}
