// Lets SwiftPM build the shim as a target.
#include "CLinux.h"
