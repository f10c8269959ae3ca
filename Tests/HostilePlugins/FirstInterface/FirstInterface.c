// A plugin for version 1 of the interface.
#define OLD_ABI 1
#include "OldCodec.h"
