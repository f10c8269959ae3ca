// A test codec whose files state how it behaves: correctly, or in one of the ways that no plugin should.
//
// A file has 48 bytes in native byte order: "SWIFTLET" "TESTCODE", u32 behaviour, u32 rate, u32 channels, u32 when, i64
// frames, i64 announced frames. Sample c of frame n is ((n * 7 + c * 13) % 30000 - 15000) / 32768, or, for behaviour
// TONE, a 1 kHz sine at half of full scale.
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "SwiftletCodec.h"

enum behaviour {
  RAMP = 0,
  TONE,
  CRASH_NOW,
  ABORT,
  HANG_IN_OPEN,
  HANG_IN_DECODE,
  ALLOCATE,
  OPEN_FILE,
  FORK_PROCESS,
  SCRIBBLE_HEADER,
  TOO_MANY_FRAMES,
  NOT_FINITE,
  UNSEEKABLE,
  CORRUPT_MIDWAY,
  PROTECTED,
  BAD_TEXT,
  CONNECT,
  EXIT_EARLY,
  MAP_CODE,
  FORGE_MESSAGE,
  PRINT_TEXT,
  SPIN_FOREVER,
  HANG_IN_SEEK,
  TOO_MANY_DETAILS,
  WRONG_DETAILS,
  DETAILS_FAIL,
  CRASH_IN_DETAILS,
  HANG_IN_DETAILS,
  OPEN_IN_PROBE,
  OPEN_IN_OPEN,
  TELL_OPENINGS,
};

struct header {
  char magic[16];
  uint32_t behaviour, rate, channels, when;
  int64_t frames, announced;
};

struct swiftlet_decoder {
  struct header header;
  int64_t position;
};

static volatile int sink;

// Whether the plugin could open a file while its library was loaded, and while it was initialized.
static int opened_in_loading, opened_in_entry;

static int can_open(void) {
  int file = open("/etc/passwd", O_RDONLY);
  if (file >= 0) close(file);
  return file >= 0;
}

__attribute__((constructor)) static void load(void) { opened_in_loading = can_open(); }

static void hang(void) {
  for (;;) sink++;
}

static int32_t probe(const uint8_t *bytes, size_t size) {
  struct header header;
  if (size < sizeof header || memcmp(bytes, "SWIFTLETTESTCODE", 16) != 0) return 0;
  memcpy(&header, bytes, sizeof header);
  if (header.behaviour == OPEN_IN_PROBE) sink = open("/etc/passwd", O_RDONLY);
  return 100;
}

static int32_t open_stream(const struct swiftlet_io *io, swiftlet_decoder **decoder,
                           struct swiftlet_stream_info *info, char *error, size_t error_size) {
  struct swiftlet_decoder *made = calloc(1, sizeof *made);
  if (!made) return SWIFTLET_ERROR_MEMORY;
  if (io->seek(io->context, 0) < 0 ||
      io->read(io->context, &made->header, sizeof made->header) != sizeof made->header) {
    strncpy(error, "short", error_size);
    return SWIFTLET_ERROR_CORRUPT;
  }
  const struct header *h = &made->header;
  if (h->behaviour == HANG_IN_OPEN) hang();
  if (h->behaviour == OPEN_IN_OPEN) sink = open("/etc/passwd", O_RDONLY);
  if (h->behaviour == PROTECTED) {
    strncpy(error, "The file is \x1b[31mlocked\xff.", error_size);
    return SWIFTLET_ERROR_PROTECTED;
  }
  info->rate = h->rate;
  info->channels = h->channels;
  // Floats are decoded directly into the ring, whose header can be reached from there.
  info->is_float = h->behaviour == TONE || h->behaviour == NOT_FINITE || h->behaviour == SCRIBBLE_HEADER;
  info->bits = info->is_float ? 32 : 16;
  info->total_frames = h->announced;
  info->can_seek = h->behaviour != UNSEEKABLE;
  info->track_gain_db = info->album_gain_db = SWIFTLET_UNKNOWN_GAIN;
  strcpy(info->format, "test");
  if (h->behaviour == TELL_OPENINGS) {
    strcpy(info->title, opened_in_loading ? "opened" : "not opened");
    strcpy(info->artist, opened_in_entry ? "opened" : "not opened");
  }
  if (h->behaviour == BAD_TEXT) {
    memset(info->title, 'x', sizeof info->title);
    strcpy(info->artist, "a\x1b]0;b\x07\xc3\x28\xe2\x80\xae!");
    info->track_gain_db = (float)NAN;
    info->album_gain_db = (float)INFINITY;
    info->track_peak = -1;
  }
  *decoder = made;
  return SWIFTLET_OK;
}

static void misbehave(struct swiftlet_decoder *d, float *samples) {
  switch ((enum behaviour)d->header.behaviour) {
  case CRASH_NOW: *(volatile int *)8 = 1; break;
  case ABORT: abort();
  case HANG_IN_DECODE:
  case SPIN_FOREVER: hang(); break;
  case ALLOCATE:
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
  case OPEN_FILE: sink = open("/etc/passwd", O_RDONLY); break;
  case FORK_PROCESS: sink = fork(); break;
  case CONNECT: sink = socket(AF_INET, SOCK_STREAM, 0); break;
  case EXIT_EARLY: _exit(3);
  case MAP_CODE: 
    (void)samples;
    sink = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
    break;
  case FORGE_MESSAGE: {
    char junk[3000];
    memset(junk, 0xA5, sizeof junk);
    send(3, junk, sizeof junk, 0);
    hang();
    break;
  }
  case PRINT_TEXT: (void)!write(2, "\x1b[2Jboo\n", 8); (void)!write(1, "boo\n", 4); break;
  default: break;
  }
}

static int64_t decode(swiftlet_decoder *d, float *samples, size_t frames) {
  const struct header *h = &d->header;
  int64_t left = h->frames - d->position;
  if (left < (int64_t)frames) frames = left > 0 ? (size_t)left : 0;
  if (d->position <= h->when && h->when < d->position + (int64_t)frames) misbehave(d, samples);
  if (h->behaviour == CORRUPT_MIDWAY && d->position >= h->when) return SWIFTLET_ERROR_CORRUPT;
  for (size_t i = 0; i < frames; i++) {
    int64_t n = d->position + (int64_t)i;
    for (uint32_t c = 0; c < h->channels; c++) {
      float value = (float)((n * 7 + c * 13) % 30000 - 15000) / 32768.0f;
      if (h->behaviour == TONE) value = 0.5f * sinf((float)fmod(n * 1000.0 / h->rate, 1.0) * 6.2831853f);
      if (h->behaviour == NOT_FINITE && n == h->when) value = c ? (float)INFINITY : (float)NAN;
      samples[i * h->channels + c] = value;
    }
  }
  if (h->behaviour == SCRIBBLE_HEADER && d->position >= h->when) {
    // Decoding directly into the ring: its header is the page before the first sample of slot 0.
    char *base = (char *)samples - (size_t)d->position * 8 - 4096;
    memset(base, 0xFE, 64);
    memset(base + 128, 0x7F, 64);
  }
  d->position += (int64_t)frames;
  return h->behaviour == TOO_MANY_FRAMES ? (int64_t)frames + 1000 : (int64_t)frames;
}

static int32_t seek_to(swiftlet_decoder *d, int64_t frame) {
  if (d->header.behaviour == UNSEEKABLE) return SWIFTLET_ERROR_NOT_SEEKABLE;
  if (d->header.behaviour == HANG_IN_SEEK) hang();
  d->position = frame;
  return SWIFTLET_OK;
}

static const char *last_error(swiftlet_decoder *d) {
  (void)d;
  return "a made-up error";
}

static int32_t describe(swiftlet_decoder *d, const struct swiftlet_details *to) {
  char unterminated[300];
  memset(unterminated, 'y', sizeof unterminated);
  switch ((enum behaviour)d->header.behaviour) {
  case TOO_MANY_DETAILS:
    for (uint32_t tag = 0; tag < 6; tag++)
      for (int i = 0; i < 1000; i++) {
        unterminated[0] = (char)('0' + i % 10);
        unterminated[1] = (char)('0' + i / 10 % 10);
        to->value(to->context, tag, unterminated, sizeof unterminated);
      }
    for (int64_t i = 100000; i > 0; i--)
      to->chapter(to->context, i, SWIFTLET_UNKNOWN_TIME, unterminated, sizeof unterminated);
    break;
  case WRONG_DETAILS:
    to->value(to->context, 6, "no such tag", 11);
    to->value(to->context, UINT32_MAX, "no such tag", 11);
    to->value(to->context, SWIFTLET_TAG_ARTIST, NULL, 10);
    to->value(to->context, SWIFTLET_TAG_ARTIST, "one", SIZE_MAX);
    to->value(to->context, SWIFTLET_TAG_ARTIST, "a\x1b]0;b\x07\xc3\x28\xe2\x80\xae!", 14);
    to->value(to->context, SWIFTLET_TAG_ARTIST, "cut\0here", 8);
    to->value(to->context, SWIFTLET_TAG_ARTIST, "cut", 3);
    to->chapter(to->context, -1, 5, "before the start", 16);
    to->chapter(to->context, INT64_MAX, INT64_MAX, "behind every end", 16);
    to->chapter(to->context, 2000, 1000, "turned round", 12);
    to->chapter(to->context, 1000, INT64_MAX, NULL, 7);
    break;
  case DETAILS_FAIL:
    to->value(to->context, SWIFTLET_TAG_ARTIST, "lost", 4);
    to->value(to->context, SWIFTLET_TAG_ARTIST, "lost too", 8);
    return SWIFTLET_ERROR_CORRUPT;
  case CRASH_IN_DETAILS: *(volatile int *)8 = 1; break;
  case HANG_IN_DETAILS: hang(); break;
  default: break;
  }
  return SWIFTLET_OK;
}

static void close_stream(swiftlet_decoder *d) { free(d); }

static const char *const extensions[] = {"swtest", NULL};
static const char *const mime_types[] = {"audio/x-swtest", NULL};
static const struct swiftlet_codec table = {
    .abi = SWIFTLET_CODEC_ABI,
    .size = sizeof(struct swiftlet_codec),
    .name = "test",
    .version = "1",
    .extensions = extensions,
    .mime_types = mime_types,
    .probe = probe,
    .open = open_stream,
    .decode = decode,
    .seek = seek_to,
    .last_error = last_error,
    .close = close_stream,
    .describe = describe,
};

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

// Like a library with its own crash handler, which would hide why its process ends.
__attribute__((visibility("default"))) const struct swiftlet_codec *swiftlet_codec_entry(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGXCPU};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], leave);
  opened_in_entry = can_open();
  return &table;
}
