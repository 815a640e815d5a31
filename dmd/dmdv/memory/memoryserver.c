/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/memory/memoryserver.h"

#include "base/str.h"
#include "host/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 16, CONNECTION_SECONDS = 60 };

typedef struct {
  const dmdv_served_t *served;
  char host[INET_ADDRSTRLEN];
} server_t;

/* Whether the text is this name, perhaps with a port. */
static bool is_host(const char *text, const char *name) {
  size_t n = strlen(name);
  return strncmp(text, name, n) == 0 && (text[n] == '\0' || text[n] == ':');
}

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status, const char *type,
                               const char *text, size_t n) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(n, (void *)text, MHD_RESPMEM_MUST_COPY);
  if (response == NULL)
    return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status,
                              const char *text) {
  return respond(connection, status, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result respond_with(const server_t *server, struct MHD_Connection *connection,
                                    dmdv_serve_fn serve, const char *type) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  enum MHD_Result result =
      serve(server->served->ctx, &text)
          ? respond(connection, MHD_HTTP_OK, type, text.text, text.n)
          : refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the processes have ended\n");
  dmd_strbuf_destroy(&text);
  return result;
}

/* The page's address names the files that it fetches. */
static void put_query(dmd_strbuf_t *to, const dmdv_served_t *served) {
  dmd_strbuf_str(to, "/?url=memory.json");
  if (served->old != NULL)
    dmd_strbuf_str(to, "&url=old.json");
  if (served->every > 0) {
    dmd_strbuf_str(to, "&every=");
    dmd_strbuf_u64(to, served->every);
  }
  if (served->old != NULL)
    dmd_strbuf_str(to, "#view=tree&of=0&old=1");
}

static enum MHD_Result respond_to(const server_t *server, struct MHD_Connection *connection,
                                  const char *url) {
  static const char JSON[] = "application/json";
  const dmdv_served_t *served = server->served;
  if (strcmp(url, "/metrics") == 0)
    return respond_with(server, connection, served->metrics,
                        "application/openmetrics-text; version=1.0.0; charset=utf-8");
  if (served->page != NULL && strcmp(url, "/") == 0)
    return respond(connection, MHD_HTTP_OK, "text/html; charset=utf-8", served->page->text,
                   served->page->n);
  if (served->page != NULL && strcmp(url, "/memory.json") == 0)
    return respond_with(server, connection, served->memory, JSON);
  if (served->old != NULL && strcmp(url, "/old.json") == 0)
    return respond(connection, MHD_HTTP_OK, JSON, served->old->text, served->old->n);
  return refuse(connection, MHD_HTTP_NOT_FOUND, "the metrics are at /metrics\n");
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *n_upload, void **begun) {
  const server_t *server = ctx;
  (void)version, (void)upload, (void)n_upload;
  if (*begun == NULL) { /* the first call for each request: an answer here would close it */
    *begun = ctx;
    return MHD_YES;
  }
  const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
  if (host != NULL && !is_host(host, server->host) && !is_host(host, "localhost"))
    return refuse(connection, MHD_HTTP_FORBIDDEN, "this is not the server of that name\n");
  if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
    return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
  return respond_to(server, connection, url);
}

/* False: it is not of the form A.B.C.D:PORT. */
static bool read_address(const char *text, server_t *server, struct sockaddr_in *address) {
  const char *colon = strrchr(text, ':');
  uint64_t port;
  *address = (struct sockaddr_in){.sin_family = AF_INET};
  if (colon == NULL || (size_t)(colon - text) >= sizeof server->host ||
      !dmd_str_to_u64(colon + 1, 10, &port) || port > UINT16_MAX)
    return false;
  memcpy(server->host, text, (size_t)(colon - text));
  server->host[colon - text] = '\0';
  address->sin_port = htons((uint16_t)port);
  return inet_pton(AF_INET, server->host, &address->sin_addr) == 1;
}

static void say_addresses(const server_t *server, unsigned port) {
  dmd_strbuf_t page;
  printf("listening on http://%s:%u/metrics\n", server->host, port);
  if (server->served->page != NULL) {
    dmd_strbuf_init(&page, &dmdv_env);
    dmd_strbuf_str(&page, "http://");
    dmd_strbuf_str(&page, server->host);
    dmd_strbuf_str(&page, ":");
    dmd_strbuf_u64(&page, port);
    put_query(&page, server->served);
    printf("the page: %s\n", page.text);
    fflush(stdout);
    if (server->served->ready != NULL)
      server->served->ready(page.text);
    dmd_strbuf_destroy(&page);
  }
  fflush(stdout);
}

int dmdv_serve_memory(const char *text, const dmdv_served_t *served) {
  server_t server = {.served = served};
  struct sockaddr_in address;
  if (!read_address(text, &server, &address)) {
    dmdv_error("memory: --listen=%s is not an address such as 127.0.0.1:9100", text);
    return 2;
  }
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, &server, MHD_OPTION_SOCK_ADDR,
      (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_SECONDS, MHD_OPTION_END);
  if (daemon == NULL) {
    dmdv_error("memory: cannot listen on %s: %s", text, strerror(errno));
    return 2;
  }
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  say_addresses(&server, info == NULL ? 0 : info->port);
  for (;;)
    pause();
}
