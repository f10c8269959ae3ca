// A plugin compiled against an earlier SwiftletCodec.h: structures as of version OLD_ABI. Its table is followed by
// bytes that are not functions: a host that reads past the table's size calls them and crashes. Files:
// "SWIFTLETOLDCODE" and the digit of the version; 1000 stereo frames, whose samples are n / 32768.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct old_io {
  void *context;
  int64_t (*read)(void *context, void *buffer, size_t size);
  int32_t (*seek)(void *context, int64_t offset);
  int64_t (*tell)(void *context);
  int64_t (*length)(void *context);
};

struct old_info {
  uint32_t rate, channels, bits, is_float;
  int64_t total_frames;
  uint32_t can_seek, track_number;
  float track_gain_db, album_gain_db, track_peak, album_peak;
  char format[256], title[256], artist[256], album[256], album_artist[256];
#if OLD_ABI >= 2
  char genre[256], date[256];
  uint32_t disc_number;
#endif
};

struct old_decoder {
  int64_t next;
};

struct old_extent {
  int64_t frames, next;
};

struct old_codec {
  uint32_t abi, size;
  const char *name, *version;
  const char *const *extensions, *const *mime_types;
  int32_t (*probe)(const uint8_t *bytes, size_t size);
  int32_t (*open)(const struct old_io *, struct old_decoder **, struct old_info *, char *, size_t);
  int64_t (*decode)(struct old_decoder *, float *, size_t);
  int32_t (*seek)(struct old_decoder *, int64_t);
  const char *(*last_error)(struct old_decoder *);
  void (*close)(struct old_decoder *);
#ifdef OLD_MEASURE
  int32_t (*measure)(struct old_decoder *, size_t, struct old_extent *);
#endif
};

enum { FRAMES = 1000 };
static const char magic[] = {'S', 'W', 'I', 'F', 'T', 'L', 'E', 'T', 'O', 'L', 'D', 'C', 'O', 'D', 'E', '0' + OLD_ABI};

static int32_t probe(const uint8_t *bytes, size_t size) {
  return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0 ? 100 : 0;
}

static int32_t open_old(const struct old_io *io, struct old_decoder **decoder, struct old_info *info, char *error,
                        size_t error_size) {
  (void)io;
  struct old_decoder *made = calloc(1, sizeof *made);
  if (!made) {
    strncpy(error, "Out of memory.", error_size);
    return -5;
  }
  // The whole structure of that version.
  memset(info, 0, sizeof *info);
  info->rate = 48000;
  info->channels = 2;
  info->bits = 16;
  info->total_frames = FRAMES;
  info->can_seek = 1;
  info->track_gain_db = info->album_gain_db = -1000.0f;
  strcpy(info->format, "old");
  strcpy(info->artist, "One artist");
#if OLD_ABI >= 2
  strcpy(info->genre, "One genre");
  info->disc_number = 3;
#endif
  *decoder = made;
  return 0;
}

static int64_t decode(struct old_decoder *d, float *samples, size_t frames) {
  int64_t count = FRAMES - d->next < (int64_t)frames ? FRAMES - d->next : (int64_t)frames;
  for (int64_t i = 0; i < count; i++) samples[2 * i] = samples[2 * i + 1] = (float)(d->next + i) / 32768.0f;
  d->next += count;
  return count;
}

static int32_t seek_old(struct old_decoder *d, int64_t frame) {
  d->next = frame < FRAMES ? frame : FRAMES;
  return 0;
}

static const char *last_error(struct old_decoder *d) {
  (void)d;
  return "none";
}

static void close_old(struct old_decoder *d) { free(d); }

#ifdef OLD_MEASURE
static int32_t measure(struct old_decoder *d, size_t bytes, struct old_extent *extent) {
  (void)d;
  (void)bytes;
  extent->frames = FRAMES;
  extent->next = 0;
  return 1;
}
#endif

static const char *const extensions[] = {"swold", NULL};
static const char *const mime_types[] = {NULL};
static const struct {
  struct old_codec table;
  uintptr_t no_functions[4];
} old = {
    {OLD_ABI, sizeof(struct old_codec), "old", "1", extensions, mime_types, probe, open_old, decode, seek_old, last_error,
     close_old,
#ifdef OLD_MEASURE
     measure,
#endif
    },
    {8, 8, 8, 8}};

__attribute__((visibility("default"))) const struct old_codec *swiftlet_codec_entry(void) { return &old.table; }
