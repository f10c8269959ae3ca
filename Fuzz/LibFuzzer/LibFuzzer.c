#include "LibFuzzer.h"
