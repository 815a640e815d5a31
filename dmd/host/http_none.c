/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stands in for http.c in a build without libcurl.
 */
#include "host/http.h"

bool dmdv_post(const dmdv_request_t *request, dmd_strbuf_t *answer, dmd_strbuf_t *why) {
  (void)request, (void)answer;
  dmd_strbuf_str(why, "this dmdv was built without libcurl: install libcurl4-openssl-dev and build "
                      "it again");
  return false;
}
