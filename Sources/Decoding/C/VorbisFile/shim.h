#include <vorbis/vorbisfile.h>  // vorbisfile, the Ogg Vorbis decoder. Worker process only.
