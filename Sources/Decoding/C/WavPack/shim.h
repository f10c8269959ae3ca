#include <wavpack/wavpack.h>  // libwavpack. Worker process only.
