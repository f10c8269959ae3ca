// Declarations of libavahi-client and libavahi-common, loaded with dlopen() on demand, so that the program neither
// links to them nor needs their headers. Transcribed from avahi-client/ and avahi-common/ (libavahi-client.so.3,
// libavahi-common.so.3). Used by the discovery integration's process.
#ifndef CAVAHI_SHIM_H
#define CAVAHI_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

struct AvahiClient;
struct AvahiEntryGroup;
struct AvahiStringList;
struct AvahiTimeout;
struct AvahiWatch;

typedef void (*cavahi_watch_callback)(struct AvahiWatch *, int descriptor, int events, void *object);
typedef void (*cavahi_timeout_callback)(struct AvahiTimeout *, void *object);

// Event loop interface of the library (AvahiPoll). Events are those of poll(2).
struct cavahi_poll {
  void *object;
  struct AvahiWatch *(*watch_new)(
      const struct cavahi_poll *, int descriptor, int events, cavahi_watch_callback, void *object);
  void (*watch_update)(struct AvahiWatch *, int events);
  int (*watch_get_events)(struct AvahiWatch *);
  void (*watch_free)(struct AvahiWatch *);
  // The time is a wall-clock time; NULL: the timeout stays disabled until the next update.
  struct AvahiTimeout *(*timeout_new)(
      const struct cavahi_poll *, const struct timeval *, cavahi_timeout_callback, void *object);
  void (*timeout_update)(struct AvahiTimeout *, const struct timeval *);
  void (*timeout_free)(struct AvahiTimeout *);
};

// Error code (avahi-common/error.h).
static const int CAVAHI_COLLISION = -8;
// States of a client (AvahiClientState).
static const int CAVAHI_CLIENT_REGISTERING = 1;
static const int CAVAHI_CLIENT_RUNNING = 2;
static const int CAVAHI_CLIENT_COLLISION = 3;
static const int CAVAHI_CLIENT_FAILURE = 100;
static const int CAVAHI_CLIENT_CONNECTING = 101;
// Flag: wait for a daemon that is not running (AVAHI_CLIENT_NO_FAIL).
static const int CAVAHI_CLIENT_NO_FAIL = 2;
// States of an entry group (AvahiEntryGroupState).
static const int CAVAHI_GROUP_ESTABLISHED = 2;
static const int CAVAHI_GROUP_COLLISION = 3;
static const int CAVAHI_GROUP_FAILURE = 4;
// Unspecified interface or protocol; IPv4 only.
static const int CAVAHI_UNSPECIFIED = -1;
static const int CAVAHI_IPV4 = 0;
// Size of a service name in bytes, terminator included (AVAHI_LABEL_MAX).
static const int CAVAHI_LONGEST_NAME = 64;

typedef void (*cavahi_client_callback)(struct AvahiClient *, int state, void *object);
typedef void (*cavahi_group_callback)(struct AvahiEntryGroup *, int state, void *object);

struct cavahi_functions {
  struct AvahiClient *(*avahi_client_new)(
      const struct cavahi_poll *, int flags, cavahi_client_callback, void *object, int *error);
  void (*avahi_client_free)(struct AvahiClient *);
  int (*avahi_client_errno)(struct AvahiClient *);
  struct AvahiEntryGroup *(*avahi_entry_group_new)(struct AvahiClient *, cavahi_group_callback, void *object);
  int (*avahi_entry_group_reset)(struct AvahiEntryGroup *);
  int (*avahi_entry_group_commit)(struct AvahiEntryGroup *);
  int (*avahi_entry_group_add_service_strlst)(
      struct AvahiEntryGroup *, int interface, int protocol, int flags, const char *name, const char *type,
      const char *domain, const char *host, uint16_t port, struct AvahiStringList *texts);
  char *(*avahi_alternative_service_name)(const char *name);
  void (*avahi_free)(void *);
  const char *(*avahi_strerror)(int error);
};

// Loads the libraries. Returns 0 if a library or a function is missing; dlerror() has the reason.
#define CAVAHI_FIND(library, name) ((functions->name = (__typeof__(functions->name))dlsym(library, #name)) != NULL)
static inline int cavahi_load(struct cavahi_functions *functions) {
  void *common = dlopen("libavahi-common.so.3", RTLD_NOW | RTLD_LOCAL);
  void *client = common ? dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL) : NULL;
  return client && CAVAHI_FIND(client, avahi_client_new) && CAVAHI_FIND(client, avahi_client_free) &&
         CAVAHI_FIND(client, avahi_client_errno) && CAVAHI_FIND(client, avahi_entry_group_new) &&
         CAVAHI_FIND(client, avahi_entry_group_reset) && CAVAHI_FIND(client, avahi_entry_group_commit) &&
         CAVAHI_FIND(client, avahi_entry_group_add_service_strlst) &&
         CAVAHI_FIND(common, avahi_alternative_service_name) && CAVAHI_FIND(common, avahi_free) &&
         CAVAHI_FIND(common, avahi_strerror);
}
#undef CAVAHI_FIND

#endif
