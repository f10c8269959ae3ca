// Entry point of libFuzzer for programs with a main function of their own (llvm.org/docs/LibFuzzer.html, "Using
// libFuzzer as a library").
#ifndef SWIFTLET_LIB_FUZZER_H
#define SWIFTLET_LIB_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));

#endif
