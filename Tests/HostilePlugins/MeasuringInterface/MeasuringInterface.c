// A plugin for version 2 of the interface with `measure`.
#define OLD_ABI 2
#define OLD_MEASURE
#include "../FirstInterface/OldCodec.h"
