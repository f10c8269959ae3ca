// Lets SwiftPM build the header-only plugin ABI as a target.
#include "SwiftletTransport.h"
