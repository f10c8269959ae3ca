// Declarations of libmosquitto, loaded with dlopen() on demand, so that the program neither links to it nor needs its
// header. Transcribed from mosquitto.h; identical in 1.x and 2.x (libmosquitto.so.1). Used by the MQTT integration's
// process.
#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

struct mosquitto;
struct mosquitto_message {
  int mid;
  char *topic;
  void *payload;
  int payloadlen;
  int qos;
  bool retain;
};

// Return codes (enum mosq_err_t).
static const int CMOSQUITTO_SUCCESS = 0;
static const int CMOSQUITTO_OUT_OF_MEMORY = 1;
static const int CMOSQUITTO_CONNECTION_LOST = 7;
static const int CMOSQUITTO_TLS = 8;
static const int CMOSQUITTO_ERRNO = 14;
static const int CMOSQUITTO_NAME_LOOKUP = 15;
// Log level (MOSQ_LOG_ERR).
static const int CMOSQUITTO_LOG_ERROR = 8;

typedef void (*cmosquitto_on_code)(struct mosquitto *, void *, int);
typedef void (*cmosquitto_on_message)(struct mosquitto *, void *, const struct mosquitto_message *);
typedef void (*cmosquitto_on_log)(struct mosquitto *, void *, int, const char *);

struct cmosquitto_functions {
  int (*mosquitto_lib_init)(void);
  struct mosquitto *(*mosquitto_new)(const char *id, bool clean_session, void *object);
  void (*mosquitto_destroy)(struct mosquitto *);
  int (*mosquitto_username_pw_set)(struct mosquitto *, const char *user, const char *password);
  int (*mosquitto_tls_set)(
      struct mosquitto *, const char *cafile, const char *capath, const char *certfile, const char *keyfile,
      int (*password)(char *, int, int, void *));
  int (*mosquitto_will_set)(
      struct mosquitto *, const char *topic, int length, const void *payload, int qos, bool retain);
  void (*mosquitto_connect_callback_set)(struct mosquitto *, cmosquitto_on_code);
  void (*mosquitto_disconnect_callback_set)(struct mosquitto *, cmosquitto_on_code);
  void (*mosquitto_message_callback_set)(struct mosquitto *, cmosquitto_on_message);
  void (*mosquitto_log_callback_set)(struct mosquitto *, cmosquitto_on_log);
  int (*mosquitto_connect_async)(struct mosquitto *, const char *host, int port, int keepalive);
  int (*mosquitto_disconnect)(struct mosquitto *);
  int (*mosquitto_publish)(
      struct mosquitto *, int *mid, const char *topic, int length, const void *payload, int qos, bool retain);
  int (*mosquitto_subscribe)(struct mosquitto *, int *mid, const char *pattern, int qos);
  int (*mosquitto_unsubscribe)(struct mosquitto *, int *mid, const char *pattern);
  int (*mosquitto_socket)(struct mosquitto *);
  bool (*mosquitto_want_write)(struct mosquitto *);
  int (*mosquitto_loop_read)(struct mosquitto *, int most);
  int (*mosquitto_loop_write)(struct mosquitto *, int most);
  int (*mosquitto_loop_misc)(struct mosquitto *);
  const char *(*mosquitto_strerror)(int code);
};

// Loads the library. Returns 0 if it or a function is missing; dlerror() has the reason.
#define CMOSQUITTO_FIND(name) ((functions->name = (__typeof__(functions->name))dlsym(library, #name)) != NULL)
static inline int cmosquitto_load(struct cmosquitto_functions *functions) {
  void *library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  return library && CMOSQUITTO_FIND(mosquitto_lib_init) && CMOSQUITTO_FIND(mosquitto_new) &&
         CMOSQUITTO_FIND(mosquitto_destroy) && CMOSQUITTO_FIND(mosquitto_username_pw_set) &&
         CMOSQUITTO_FIND(mosquitto_tls_set) && CMOSQUITTO_FIND(mosquitto_will_set) &&
         CMOSQUITTO_FIND(mosquitto_connect_callback_set) && CMOSQUITTO_FIND(mosquitto_disconnect_callback_set) &&
         CMOSQUITTO_FIND(mosquitto_message_callback_set) && CMOSQUITTO_FIND(mosquitto_log_callback_set) &&
         CMOSQUITTO_FIND(mosquitto_connect_async) && CMOSQUITTO_FIND(mosquitto_disconnect) &&
         CMOSQUITTO_FIND(mosquitto_publish) && CMOSQUITTO_FIND(mosquitto_subscribe) &&
         CMOSQUITTO_FIND(mosquitto_unsubscribe) && CMOSQUITTO_FIND(mosquitto_socket) &&
         CMOSQUITTO_FIND(mosquitto_want_write) && CMOSQUITTO_FIND(mosquitto_loop_read) &&
         CMOSQUITTO_FIND(mosquitto_loop_write) && CMOSQUITTO_FIND(mosquitto_loop_misc) &&
         CMOSQUITTO_FIND(mosquitto_strerror);
}
#undef CMOSQUITTO_FIND

#endif
