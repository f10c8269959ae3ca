// Replaces libnfc.so.6 in a reader's process: opening the device also tries to open other files, and reports the
// results as the device's error. The calling process's thread.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char report[300];
static int context;

static void try_to_open(const char *name, const char *path, int flags) {
  int file = open(path, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0600);
  size_t used = strlen(report);
  snprintf(report + used, sizeof report - used, "%s%s %s", used ? ", " : "", name, file >= 0 ? "OPENED" : strerrorname_np(errno));
  if (file >= 0) close(file);
}

void nfc_init(void **made) { *made = &context; }

// `connection` is pn532_uart:PATH:SPEED. PATH-other is another device, PATH-file a file, PATH-new does not exist yet.
void *nfc_open(void *given, const char *connection) {
  (void)given;
  char path[200] = "", other[220];
  sscanf(connection, "%*[^:]:%199[^:]", path);
  try_to_open("device", path, O_RDWR);
  snprintf(other, sizeof other, "%s-other", path);
  try_to_open("other", other, O_RDWR);
  snprintf(other, sizeof other, "%s-file", path);
  try_to_open("file", other, O_RDONLY);
  snprintf(other, sizeof other, "%s-new", path);
  try_to_open("new", other, O_WRONLY | O_CREAT);
  try_to_open("null", "/dev/null", O_RDWR);
  try_to_open("users", "/etc/passwd", O_RDONLY);
  try_to_open("folder", "/dev", O_RDONLY | O_DIRECTORY);
  return &context;
}

int nfc_initiator_init(void *device) { return (void)device, -1; }

int nfc_device_set_property_bool(void *device, uint32_t property, bool is_on) { return (void)device, (void)property, (void)is_on, -1; }

int nfc_initiator_select_passive_target(void *device, uint64_t modulation, const uint8_t *data, size_t length, void *target) {
  return (void)device, (void)modulation, (void)data, (void)length, (void)target, -1;
}

const char *nfc_strerror(const void *device) { return (void)device, report; }
