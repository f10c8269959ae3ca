#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
// libcurl for Swift: wrappers for its variadic functions and macros, and a connection filter. Fetcher process
// only.

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// curl_easy_setopt is a variadic macro, which Swift cannot call. One function for each type of value.
static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_receiver(CURL *easy, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(easy, option, value);
}
static inline long ccurl_response_code(CURL *easy) {
  long code = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
  return code;
}
// Returns NULL if it is unknown.
static inline const char *ccurl_effective_url(CURL *easy) {
  char *url = NULL;
  curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
  return url;
}
// The host's connection filter. libcurl calls `permits` before it connects; `answered_from` receives the
// address of each response. The functions are those of the transport's host.
struct ccurl_guard {
  void *context;
  int32_t (*permits)(void *context, const uint8_t *address, size_t size);
  void (*answered_from)(void *context, const uint8_t *address, size_t size);
};
static inline curl_socket_t ccurl_open_socket(void *pointer, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  struct ccurl_guard *guard = pointer;
  int32_t permits = 0;
  if (address->family == AF_INET) {
    struct sockaddr_in place;
    memcpy(&place, &address->addr, sizeof place);
    permits = guard->permits(guard->context, (const uint8_t *)&place.sin_addr, 4);
  } else if (address->family == AF_INET6) {
    struct sockaddr_in6 place;
    memcpy(&place, &address->addr, sizeof place);
    permits = guard->permits(guard->context, (const uint8_t *)&place.sin6_addr, 16);
  }
  if (permits != 1) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline void ccurl_guard_connections(CURL *easy, struct ccurl_guard *guard) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, ccurl_open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, guard);
}
// Reports the address of the connection that a response has arrived on.
static inline void ccurl_note_answer(CURL *easy, struct ccurl_guard *guard) {
  char *text = NULL;
  uint8_t address[16];
  if (curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &text) != CURLE_OK || !text) return;
  if (inet_pton(AF_INET, text, address) == 1)
    guard->answered_from(guard->context, address, 4);
  else if (inet_pton(AF_INET6, text, address) == 1)
    guard->answered_from(guard->context, address, 16);
}
// The result of a completed transfer in a message of the multi handle.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

// Macros and untyped constants that Swift cannot import.
static const size_t CCURL_PAUSE = CURL_WRITEFUNC_PAUSE;
static const int CCURL_CONTINUE = CURLPAUSE_CONT;
static const long CCURL_GLOBAL_DEFAULT = CURL_GLOBAL_DEFAULT;
static const long CCURL_HTTP_1_1 = CURL_HTTP_VERSION_1_1;
static const int CCURL_ERROR_SIZE = CURL_ERROR_SIZE;
static const short CCURL_WAIT_READABLE = CURL_WAIT_POLLIN;

#endif
