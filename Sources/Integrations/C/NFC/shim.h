// Declarations of libnfc, loaded with dlopen() on demand, so that only the process that reads tags loads it and its
// headers are not needed. Transcribed from nfc/nfc.h and nfc/nfc-types.h (libnfc.so.6).
#ifndef CNFC_SHIM_H
#define CNFC_SHIM_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct nfc_context;
struct nfc_device;

// Modulation to poll for (nfc_modulation): ISO 14443 A at 106 kbit/s.
struct cnfc_modulation {
  uint32_t type;
  uint32_t rate;
} __attribute__((packed));

// Leading members of nfc_target with nfc_iso14443a_info, padded to more than the library's size.
struct cnfc_target {
  uint8_t atqa[2];
  uint8_t sak;
  size_t uid_length;
  uint8_t uid[10];
  uint8_t rest[1003];
} __attribute__((packed));

// Device properties (nfc_property).
static const uint32_t CNFC_FIELD = 5;
static const uint32_t CNFC_INFINITE_SELECT = 7;
static const uint32_t CNFC_AUTO_ISO14443_4 = 10;
// Maximum length of a UID in bytes.
static const int CNFC_LONGEST_UID = 10;

struct cnfc_functions {
  void (*nfc_init)(struct nfc_context **);
  struct nfc_device *(*nfc_open)(struct nfc_context *, const char *connection);
  int (*nfc_initiator_init)(struct nfc_device *);
  int (*nfc_device_set_property_bool)(struct nfc_device *, uint32_t property, bool is_on);
  int (*nfc_initiator_select_passive_target)(
      struct nfc_device *, struct cnfc_modulation, const uint8_t *data, size_t length, struct cnfc_target *);
  const char *(*nfc_strerror)(const struct nfc_device *);
};

// Loads the library. Returns 0 if it or a function is missing; dlerror() has the reason.
#define CNFC_FIND(name) ((functions->name = (__typeof__(functions->name))dlsym(library, #name)) != NULL)
static inline int cnfc_load(struct cnfc_functions *functions) {
  void *library = dlopen("libnfc.so.6", RTLD_NOW | RTLD_LOCAL);
  return library && CNFC_FIND(nfc_init) && CNFC_FIND(nfc_open) && CNFC_FIND(nfc_initiator_init) &&
         CNFC_FIND(nfc_device_set_property_bool) && CNFC_FIND(nfc_initiator_select_passive_target) &&
         CNFC_FIND(nfc_strerror);
}
#undef CNFC_FIND

// Polls once for a tag and writes its UID to `uid` (10 bytes). Returns the UID's length, 0 if there is no tag, or a
// negative error.
static inline int cnfc_find(
    const struct cnfc_functions *functions, struct nfc_device *device, uint8_t *uid) {
  struct cnfc_modulation modulation = {.type = 1, .rate = 1};
  struct cnfc_target target;
  memset(&target, 0, sizeof target);
  int found = functions->nfc_initiator_select_passive_target(device, modulation, NULL, 0, &target);
  if (found <= 0) return found;
  if (target.uid_length > sizeof target.uid) return 0;
  memcpy(uid, target.uid, sizeof target.uid);
  return (int)target.uid_length;
}

#endif
