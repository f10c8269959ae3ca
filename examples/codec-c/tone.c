// Example codec plugin of the codec authors' guide: plays a text file such as "SWTONE 440 2.5s" as a sine of 440 Hz
// for 2.5 seconds, with two genres and a chapter for each minute. Runs in the worker process only, on one thread;
// opens no files and prints nothing.
#include "SwiftletCodec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 48000, CHANNELS = 2, FILE_SIZE = 64 };
static const double TAU = 6.283185307179586;
static const char MAGIC[] = "SWTONE ";
static const char *const GENRES[] = {"Test", "Electronic"};

// The ABI leaves the contents of the decoder to the plugin.
struct swiftlet_decoder {
  double frequency;
  int64_t total;
  int64_t next;
  const char *error;
};

static int32_t refuse(char *error, size_t size, int32_t status, const char *sentence) {
  if (size > 0) {
    size_t length = strlen(sentence);
    if (length > size - 1) length = size - 1;
    memcpy(error, sentence, length);
    error[length] = 0;
  }
  return status;
}

static int32_t probe(const uint8_t *bytes, size_t size) {
  return size >= sizeof MAGIC - 1 && memcmp(bytes, MAGIC, sizeof MAGIC - 1) == 0 ? 100 : 0;
}

// Parses a decimal number and advances *text past it; returns a negative number if there is none. Not strtod, which
// depends on the locale.
static double number(const char **text) {
  double value = 0, unit = 1;
  int digits = 0, fraction = 0;
  for (; digits < 15; ++*text) {
    char c = **text;
    if (c >= '0' && c <= '9') {
      value = value * 10 + (c - '0');
      if (fraction) unit *= 10;
      ++digits;
    } else if (c == '.' && !fraction) {
      fraction = 1;
    } else {
      break;
    }
  }
  return digits > 0 ? value / unit : -1;
}

static int32_t open_tone(const struct swiftlet_io *io, swiftlet_decoder **decoder,
                         struct swiftlet_stream_info *info, char *error, size_t error_size) {
  char text[FILE_SIZE + 1];
  size_t length = 0;
  // A read may return fewer bytes than requested.
  while (length < FILE_SIZE) {
    int64_t got = io->read(io->context, text + length, FILE_SIZE - length);
    if (got < 0) return refuse(error, error_size, SWIFTLET_ERROR_READ, "The file could not be read.");
    if (got == 0) break;
    length += (size_t)got;
  }
  text[length] = 0;
  if (!probe((const uint8_t *)text, length))
    return refuse(error, error_size, SWIFTLET_ERROR_UNSUPPORTED, "The file does not begin with SWTONE.");
  const char *rest = text + sizeof MAGIC - 1;
  double frequency = number(&rest);
  if (frequency <= 0 || frequency >= RATE / 2)
    return refuse(error, error_size, SWIFTLET_ERROR_CORRUPT,
                  "The frequency at byte 7 is not between 0 and 24000 Hz.");
  while (*rest == ' ') ++rest;
  double seconds = number(&rest);
  if (seconds < 0 || seconds > 86400 || *rest != 's')
    return refuse(error, error_size, SWIFTLET_ERROR_CORRUPT,
                  "The duration behind the frequency is not a number of seconds, such as 2.5s.");

  swiftlet_decoder *tone = calloc(1, sizeof *tone);
  if (!tone) return refuse(error, error_size, SWIFTLET_ERROR_MEMORY, "Out of memory.");
  tone->frequency = frequency;
  tone->total = (int64_t)(seconds * RATE + 0.5);
  tone->error = "";

  memset(info, 0, sizeof *info);
  info->rate = RATE;
  info->channels = CHANNELS;
  info->total_frames = tone->total;
  info->can_seek = 1;
  info->track_gain_db = info->album_gain_db = SWIFTLET_UNKNOWN_GAIN;
  strcpy(info->format, "Tone");
  strcpy(info->title, "A tone");
  strcpy(info->genre, GENRES[0]);
  *decoder = tone;
  return SWIFTLET_OK;
}

static int64_t decode(swiftlet_decoder *tone, float *samples, size_t frames) {
  int64_t left = tone->total - tone->next;
  int64_t count = (int64_t)frames < left ? (int64_t)frames : left;
  for (int64_t i = 0; i < count; ++i) {
    // Computed from the frame's number, not from the last sample, so that a seek gives the same values.
    double turns = tone->frequency * (double)(tone->next + i) / RATE;
    float sample = (float)(0.5 * sin(TAU * (turns - floor(turns))));
    for (int c = 0; c < CHANNELS; ++c) samples[i * CHANNELS + c] = sample;
  }
  tone->next += count;
  return count;
}

static int32_t seek(swiftlet_decoder *tone, int64_t frame) {
  if (frame < 0) {
    tone->error = "There is no frame before the first.";
    return SWIFTLET_ERROR_NOT_SEEKABLE;
  }
  tone->next = frame < tone->total ? frame : tone->total;
  return SWIFTLET_OK;
}

static const char *last_error(swiftlet_decoder *tone) { return tone->error; }

static void close_tone(swiftlet_decoder *tone) { free(tone); }

// Optional since version 3 of the interface: all values of a tag that has several, and chapters. The host copies the
// texts.
static int32_t describe(swiftlet_decoder *tone, const struct swiftlet_details *details) {
  for (size_t i = 0; i < sizeof GENRES / sizeof *GENRES; ++i)
    details->value(details->context, SWIFTLET_TAG_GENRE, GENRES[i], strlen(GENRES[i]));
  const int64_t minute = 60000, end = tone->total * 1000 / RATE;
  for (int64_t start = 0; start < end; start += minute) {
    static const char title[] = "A minute";
    int64_t stop = end - start < minute ? end : start + minute;
    // Negative: the host stores no more chapters.
    if (details->chapter(details->context, start, stop, title, sizeof title - 1) < 0) break;
  }
  return SWIFTLET_OK;
}

static const char *const extensions[] = {"swtone", NULL};
static const char *const mime_types[] = {"audio/x-swtone", NULL};

static const struct swiftlet_codec codec = {
    .abi = SWIFTLET_CODEC_ABI,
    .size = sizeof(struct swiftlet_codec),
    .name = "Tone",
    .version = "1",
    .extensions = extensions,
    .mime_types = mime_types,
    .probe = probe,
    .open = open_tone,
    .decode = decode,
    .seek = seek,
    .last_error = last_error,
    .close = close_tone,
    .describe = describe,
};

const struct swiftlet_codec *swiftlet_codec_entry(void) { return &codec; }
