// What the example plugin shows to a linker: its entry point, for the build's sake. Hosts use dlsym.
#include "SwiftletCodec.h"

const struct swiftlet_codec *swiftlet_codec_entry(void);
