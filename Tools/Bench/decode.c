// Minimal decoder for comparison: decodes a file to interleaved Float32 with the codec library alone and discards the
// result. The difference to a player is the player's own cost. Usage: decode FILE; built by players.py.
#include <FLAC/stream_decoder.h>
#include <mpg123.h>
#include <opusfile.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vorbis/vorbisfile.h>

enum { FRAMES = 8192 };
static float samples[FRAMES * 2];

static void fail(const char *what) {
  fprintf(stderr, "decode: %s\n", what);
  exit(1);
}

static void wav(const char *path) {
  static int16_t raw[FRAMES * 2];
  FILE *file = fopen(path, "rb");
  if (!file) fail(path);
  setvbuf(file, NULL, _IONBF, 0);
  size_t got;
  while ((got = fread(raw, 4, FRAMES, file)) > 0) {
    for (size_t i = 0; i < got * 2; i++) samples[i] = (float)raw[i] * 0x1p-15f;
    // Keeps the compiler from removing unused results.
    __asm__ volatile("" : : "r"(samples) : "memory");
  }
  fclose(file);
}

static FLAC__StreamDecoderWriteStatus take(const FLAC__StreamDecoder *decoder, const FLAC__Frame *frame,
                                           const FLAC__int32 *const planes[], void *client) {
  (void)decoder, (void)client;
  const float scale = 1.0f / (float)(1u << (frame->header.bits_per_sample - 1));
  for (unsigned i = 0; i < frame->header.blocksize && i < FRAMES; i++) {
    samples[2 * i] = (float)planes[0][i] * scale;
    samples[2 * i + 1] = (float)planes[1][i] * scale;
  }
  __asm__ volatile("" : : "r"(samples) : "memory");
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

static void ignore(const FLAC__StreamDecoder *decoder, FLAC__StreamDecoderErrorStatus status, void *client) {
  (void)decoder, (void)status, (void)client;
}

static void flac(const char *path) {
  FLAC__StreamDecoder *decoder = FLAC__stream_decoder_new();
  if (FLAC__stream_decoder_init_file(decoder, path, take, NULL, ignore, NULL) != 0) fail(path);
  FLAC__stream_decoder_process_until_end_of_stream(decoder);
  FLAC__stream_decoder_delete(decoder);
}

static void vorbis(const char *path) {
  OggVorbis_File file;
  if (ov_fopen(path, &file) != 0) fail(path);
  float **planes;
  int link;
  long got;
  while ((got = ov_read_float(&file, &planes, FRAMES, &link)) > 0) {
    for (long i = 0; i < got; i++) {
      samples[2 * i] = planes[0][i];
      samples[2 * i + 1] = planes[1][i];
    }
    __asm__ volatile("" : : "r"(samples) : "memory");
  }
  ov_clear(&file);
}

static void opus(const char *path) {
  OggOpusFile *file = op_open_file(path, NULL);
  if (!file) fail(path);
  while (op_read_float(file, samples, FRAMES * 2, NULL) > 0) {
  }
  op_free(file);
}

static void mpeg(const char *path) {
  mpg123_handle *handle = mpg123_new(NULL, NULL);
  mpg123_param(handle, MPG123_ADD_FLAGS, MPG123_FORCE_FLOAT, 0);
  if (mpg123_open(handle, path) != MPG123_OK) fail(path);
  size_t got;
  int status;
  while ((status = mpg123_read(handle, (void *)samples, sizeof samples, &got)) == MPG123_OK ||
         status == MPG123_NEW_FORMAT) {
  }
  mpg123_delete(handle);
}

int main(int count, char **words) {
  if (count != 2) fail("usage: decode FILE");
  const char *ending = strrchr(words[1], '.');
  if (!ending) fail("no ending");
  if (!strcmp(ending, ".wav")) wav(words[1]);
  else if (!strcmp(ending, ".flac")) flac(words[1]);
  else if (!strcmp(ending, ".ogg")) vorbis(words[1]);
  else if (!strcmp(ending, ".opus")) opus(words[1]);
  else if (!strcmp(ending, ".mp3")) mpeg(words[1]);
  else fail("an ending that it does not know");
  return 0;
}
