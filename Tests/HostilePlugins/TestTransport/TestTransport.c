// A test transport in place of the HTTP plugin. URLs select its behavior: http://test/MISDEED misbehaves at once,
// http://test/MISDEED/late after a second of sound; http://test/read/PATH sends a local file; http://test/times/ANY
// reports the timeouts that it was given.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "SwiftletTransport.h"

enum { RATE = 48000, HEADER = 44, SOUND = HEADER + RATE * 4, PIECE = 16 << 10 };

struct swiftlet_transfer {
  const struct swiftlet_transport_host *host;
  char url[2048];
  char error[300];
  uint8_t *bytes;
  size_t size, sent;
  int answered, done;
};

static pid_t parent;
static int32_t connect_timeout;
static volatile int sink;

static void crash(void) { *(volatile int *)8 = 1; }

static int32_t prepare(void) {
  parent = getppid();
  return 0;
}

static int32_t open_transfer(const struct swiftlet_transport_settings *settings, const struct swiftlet_transport_host *host,
                             swiftlet_transfer **transfer) {
  if (strcmp(settings->proxy, "crash-in-open") == 0) crash();
  if (strcmp(settings->proxy, "no-transfer") == 0) return 0;
  connect_timeout = settings->connect_timeout;
  *transfer = calloc(1, sizeof **transfer);
  (*transfer)->host = host;
  return 0;
}

static int asked(const swiftlet_transfer *t, const char *what) {
  const char *name = t->url + strlen("http://test/");
  size_t size = strlen(what);
  return strncmp(name, what, size) == 0 && (name[size] == 0 || name[size] == '/');
}

// Two channels of 16 bits, endless.
static void make_sound(swiftlet_transfer *t) {
  static const uint8_t header[HEADER] = {'R', 'I', 'F', 'F', 0xff, 0xff, 0xff, 0xff, 'W', 'A', 'V', 'E', 'f', 'm', 't', ' ', 16, 0, 0, 0, 1, 0,
                                         2,   0,   0x80, 0xbb, 0, 0, 0, 0xee, 2, 0, 4, 0, 16, 0, 'd', 'a', 't', 'a', 0xff, 0xff, 0xff, 0xff};
  t->size = SOUND;
  t->bytes = malloc(SOUND);
  memcpy(t->bytes, header, HEADER);
  for (size_t i = HEADER; i < SOUND; i++) t->bytes[i] = (uint8_t)(i * 7);
}

static int32_t begin(swiftlet_transfer *t, const char *url, int64_t offset, const char *validator) {
  (void)offset, (void)validator;
  strncpy(t->url, url, sizeof t->url - 1);
  t->answered = t->done = 0;
  t->sent = 0;
  if (asked(t, "crash-in-begin")) crash();
  if (asked(t, "refuse-in-begin")) return -4711;
  return 0;
}

static void answer(swiftlet_transfer *t) {
  struct swiftlet_transport_answer answer = {.status = 200, .length = SWIFTLET_TRANSPORT_UNKNOWN};
  if (asked(t, "lies")) {
    answer = (struct swiftlet_transport_answer){.accepts_ranges = 77, .first = INT64_MIN, .length = INT64_MAX,
                                                .title_interval = INT64_MAX, .is_station = -3, .status = 206};
    memset(answer.content_type, 0xff, sizeof answer.content_type);
    memset(answer.validator, '"', sizeof answer.validator);
    memset(answer.station, 0x1b, sizeof answer.station);
  }
  if (asked(t, "titles")) {
    answer.title_interval = 1;
    answer.is_station = 1;
  }
  if (!t->answered) t->host->answered(t->host->context, &answer);
  t->answered = 1;
}

static void send_all(swiftlet_transfer *t, const uint8_t *bytes, size_t size) {
  for (size_t sent = 0; sent < size; sent += PIECE)
    (void)t->host->body(t->host->context, bytes + sent, size - sent < PIECE ? size - sent : PIECE);
}

static void wait_for(const int32_t *descriptors, size_t count, int32_t milliseconds) {
  struct pollfd entries[8];
  for (size_t i = 0; i < count && i < 8; i++) entries[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
  poll(entries, count < 8 ? count : 8, milliseconds);
}

static int32_t send_file(swiftlet_transfer *t) {
  const char *path = t->url + strlen("http://test/read");
  int file = open(path, O_RDONLY);
  if (file < 0) {
    snprintf(t->error, sizeof t->error, "%s", strerrorname_np(errno));
    return SWIFTLET_TRANSPORT_ERROR_PROTOCOL;
  }
  static uint8_t bytes[PIECE];
  answer(t);
  for (ssize_t count; (count = read(file, bytes, sizeof bytes)) > 0;) send_all(t, bytes, (size_t)count);
  close(file);
  return SWIFTLET_TRANSPORT_DONE;
}

static int32_t misbehave(swiftlet_transfer *t, const int32_t *descriptors, size_t count, int32_t milliseconds) {
  static uint8_t noise[PIECE];
  for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)(i * 31 >> 3);
  if (asked(t, "crash")) crash();
  if (asked(t, "abort")) abort();
  if (asked(t, "exit")) _exit(3);
  if (asked(t, "spin"))
    for (;;) sink++;
  if (asked(t, "hang"))
    for (;;) poll(NULL, 0, -1);
  if (asked(t, "allocate"))
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
  if (asked(t, "write")) sink = open("/tmp/written", O_WRONLY | O_CREAT, 0600);
  if (asked(t, "exec")) sink = execl("/bin/true", "true", NULL);
  if (asked(t, "fork")) sink = fork();
  if (asked(t, "unix")) sink = socket(AF_UNIX, SOCK_STREAM, 0);
  if (asked(t, "kill")) sink = kill(parent, SIGKILL);
  if (asked(t, "read")) return send_file(t);
  if (asked(t, "forge")) {
    memset(noise, 0xA5, sizeof noise);
    send(3, noise, 3000, 0);
    send(4, noise, 3000, 0);
  }
  if (asked(t, "lies") || asked(t, "titles")) {
    answer(t);
    for (int i = 0; i < 100; i++) send_all(t, noise, sizeof noise);
    return SWIFTLET_TRANSPORT_DONE;
  }
  if (asked(t, "flood")) {
    answer(t);
    for (;;) send_all(t, noise, sizeof noise);
  }
  if (asked(t, "body-without-answer")) {
    for (int i = 0; i < 8; i++) send_all(t, noise, sizeof noise);
    return SWIFTLET_TRANSPORT_DONE;
  }
  if (asked(t, "vast")) {
    answer(t);
    (void)t->host->body(t->host->context, noise, (size_t)1 << 40);
    (void)t->host->body(t->host->context, noise, SIZE_MAX);
    (void)t->host->body(t->host->context, NULL, 1000);
    return SWIFTLET_TRANSPORT_OK;
  }
  // In milliseconds: the timeouts for connecting and for receiving data.
  if (asked(t, "times")) {
    snprintf(t->error, sizeof t->error, "connect %d, silence %d", connect_timeout, milliseconds);
    return SWIFTLET_TRANSPORT_ERROR_PROTOCOL;
  }
  if (asked(t, "nonsense")) {
    memset(t->error, '\x1b', sizeof t->error);
    return -4711;
  }
  wait_for(descriptors, count, milliseconds);
  return SWIFTLET_TRANSPORT_OK;
}

static int32_t run(swiftlet_transfer *t, const int32_t *descriptors, size_t count, int32_t milliseconds) {
  size_t length = strlen(t->url);
  if (length > 5 && strcmp(t->url + length - 5, "/late") == 0 && t->sent < SOUND) {
    if (!t->bytes) make_sound(t);
    answer(t);
    size_t size = t->size - t->sent < PIECE ? t->size - t->sent : PIECE;
    if (t->host->body(t->host->context, t->bytes + t->sent, size) == size)
      t->sent += size;
    else
      wait_for(descriptors, count, milliseconds);
    return SWIFTLET_TRANSPORT_OK;
  }
  return misbehave(t, descriptors, count, milliseconds);
}

static int32_t resume(swiftlet_transfer *t) { return (void)t, SWIFTLET_TRANSPORT_OK; }
static void stop(swiftlet_transfer *t) { t->done = 1; }
static const char *last_error(swiftlet_transfer *t) { return asked(t, "nonsense") ? t->error : t->error[0] ? t->error : NULL; }
static void close_transfer(swiftlet_transfer *t) { (void)t; }

const struct swiftlet_transport *swiftlet_transport_entry(void) {
  static const char *const schemes[] = {"http", NULL};
  static const struct swiftlet_transport table = {
      .abi = SWIFTLET_TRANSPORT_ABI, .size = sizeof table, .name = "test", .version = "1", .schemes = schemes, .prepare = prepare,
      .open = open_transfer, .begin = begin, .run = run, .resume = resume, .stop = stop, .last_error = last_error,
      .close = close_transfer, .location = NULL};
  return &table;
}
