// A plugin for version 2 of the interface, from before `measure` was added.
#define OLD_ABI 2
#include "../FirstInterface/OldCodec.h"
