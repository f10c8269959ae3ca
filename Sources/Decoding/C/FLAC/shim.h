#include <FLAC/metadata.h>  // libFLAC. Worker process only.
#include <FLAC/stream_decoder.h>
