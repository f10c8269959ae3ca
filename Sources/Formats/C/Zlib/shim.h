#include <zlib.h>  // zlib, for compressed frames of ID3. Any process.
