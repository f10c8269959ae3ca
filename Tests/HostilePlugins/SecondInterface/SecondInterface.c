// A plugin of version 2 of the interface, from before it had `measure`.
#define OLD_ABI 2
#include "../FirstInterface/OldCodec.h"
