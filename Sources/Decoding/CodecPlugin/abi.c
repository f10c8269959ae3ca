// Lets SwiftPM build the header-only plugin ABI as a target.
#include "SwiftletCodec.h"
