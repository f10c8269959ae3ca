#include <neaacdec.h>  // libfaad, the AAC decoder. Worker process only.
