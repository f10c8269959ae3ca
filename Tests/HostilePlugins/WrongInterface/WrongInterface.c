// A plugin for a future interface version: it must be refused by name and version, and never called.
#include <stdlib.h>

#include "SwiftletCodec.h"

static const struct swiftlet_codec table = {.abi = SWIFTLET_CODEC_ABI + 41, .size = sizeof table};

__attribute__((visibility("default"))) const struct swiftlet_codec *swiftlet_codec_entry(void) { return &table; }
