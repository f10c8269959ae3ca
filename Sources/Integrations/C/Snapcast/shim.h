// Functions of libFLAC and libopus that decode the sound of a Snapcast server, loaded with dlopen() on demand, so
// that only the receiver's process loads them.
#ifndef CSNAPCAST_SHIM_H
#define CSNAPCAST_SHIM_H

#include <FLAC/stream_decoder.h>
#include <dlfcn.h>
#include <opus/opus.h>
#include <stddef.h>
#include <stdio.h>

// The version number in the names of libFLAC and its Debian package: 12 in bookworm, 14 in trixie.
static const int csnapcast_flac_number = FLAC_API_VERSION_CURRENT - FLAC_API_VERSION_AGE;

#define CSNAPCAST_FUNCTION(name) __typeof__(&name) name
struct csnapcast_flac {
  CSNAPCAST_FUNCTION(FLAC__stream_decoder_new);
  CSNAPCAST_FUNCTION(FLAC__stream_decoder_delete);
  CSNAPCAST_FUNCTION(FLAC__stream_decoder_init_stream);
  CSNAPCAST_FUNCTION(FLAC__stream_decoder_process_until_end_of_metadata);
  CSNAPCAST_FUNCTION(FLAC__stream_decoder_process_single);
  CSNAPCAST_FUNCTION(FLAC__stream_decoder_get_state);
  CSNAPCAST_FUNCTION(FLAC__stream_decoder_flush);
};
struct csnapcast_opus {
  CSNAPCAST_FUNCTION(opus_decoder_create);
  CSNAPCAST_FUNCTION(opus_decoder_destroy);
  CSNAPCAST_FUNCTION(opus_decode_float);
};
#undef CSNAPCAST_FUNCTION

// Load the libraries. Return 0 if a library or a function is missing; dlerror() has the reason.
#define CSNAPCAST_FIND(name) ((functions->name = (__typeof__(&name))dlsym(library, #name)) != NULL)
static inline int csnapcast_load_flac(struct csnapcast_flac *functions) {
  char name[32];
  snprintf(name, sizeof name, "libFLAC.so.%d", csnapcast_flac_number);
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return library && CSNAPCAST_FIND(FLAC__stream_decoder_new) && CSNAPCAST_FIND(FLAC__stream_decoder_delete) &&
         CSNAPCAST_FIND(FLAC__stream_decoder_init_stream) &&
         CSNAPCAST_FIND(FLAC__stream_decoder_process_until_end_of_metadata) &&
         CSNAPCAST_FIND(FLAC__stream_decoder_process_single) && CSNAPCAST_FIND(FLAC__stream_decoder_get_state) &&
         CSNAPCAST_FIND(FLAC__stream_decoder_flush);
}
static inline int csnapcast_load_opus(struct csnapcast_opus *functions) {
  void *library = dlopen("libopus.so.0", RTLD_NOW | RTLD_LOCAL);
  return library && CSNAPCAST_FIND(opus_decoder_create) && CSNAPCAST_FIND(opus_decoder_destroy) &&
         CSNAPCAST_FIND(opus_decode_float);
}
#undef CSNAPCAST_FIND

#endif
