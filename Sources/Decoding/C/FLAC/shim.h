#include <FLAC/metadata.h>
#include <FLAC/stream_decoder.h>
