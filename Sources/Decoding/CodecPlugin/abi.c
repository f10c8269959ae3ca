// Makes the header-only plugin ABI a SwiftPM target.
#include "SwiftletCodec.h"
