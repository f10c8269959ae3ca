#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <stdlib.h>

// Setting an option is variadic, and a macro: a function for each kind of value.
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
// NULL where there is none.
static inline const char *ccurl_effective_url(CURL *easy) {
  char *url = NULL;
  curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
  return url;
}
// The result of a transfer that a message of the multi handle reports as done.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

// Macros and constants without a type.
static const size_t CCURL_PAUSE = CURL_WRITEFUNC_PAUSE;
static const int CCURL_CONTINUE = CURLPAUSE_CONT;
static const long CCURL_GLOBAL_DEFAULT = CURL_GLOBAL_DEFAULT;
static const long CCURL_HTTP_1_1 = CURL_HTTP_VERSION_1_1;
static const int CCURL_ERROR_SIZE = CURL_ERROR_SIZE;
static const short CCURL_WAIT_READABLE = CURL_WAIT_POLLIN;

#endif
