#include <opusfile.h>  // opusfile, the Ogg Opus decoder. Worker process only.

// The decoder of the first stream inside a multistream decoder; NULL on failure. opus_multistream.h has only
// a variadic macro for it.
static inline OpusDecoder *copusfile_first_decoder(OpusMSDecoder *whole) {
  OpusDecoder *first = NULL;
  int status = opus_multistream_decoder_ctl(whole, OPUS_MULTISTREAM_GET_DECODER_STATE(0, &first));
  return status == OPUS_OK ? first : NULL;
}
