#include <opusfile.h>

// The decoder of the first stream, which the one for several streams contains; NULL where it does not tell. (opus_multistream.h has a
// macro with variable arguments for it.)
static inline OpusDecoder *copusfile_first_decoder(OpusMSDecoder *whole) {
  OpusDecoder *first = NULL;
  int status = opus_multistream_decoder_ctl(whole, OPUS_MULTISTREAM_GET_DECODER_STATE(0, &first));
  return status == OPUS_OK ? first : NULL;
}
