// Loads libsoxr at run time. Nothing links to it, so that only processes that convert sample rates load it.
// scripts/package reads the library's name from this file.
#ifndef CSOXR_SHIM_H
#define CSOXR_SHIM_H

#include <dlfcn.h>
#include <soxr.h>
#include <stddef.h>

#define CSOXR_FUNCTION(name) __typeof__(&name) name
struct csoxr_functions {
  CSOXR_FUNCTION(soxr_create);
  CSOXR_FUNCTION(soxr_process);
  CSOXR_FUNCTION(soxr_clear);
  CSOXR_FUNCTION(soxr_delete);
  CSOXR_FUNCTION(soxr_io_spec);
  CSOXR_FUNCTION(soxr_quality_spec);
  CSOXR_FUNCTION(soxr_runtime_spec);
  CSOXR_FUNCTION(soxr_set_io_ratio);
};
#undef CSOXR_FUNCTION

// Loads the library. Returns 0 if it or one of its functions is missing; dlerror() gives the reason.
#define CSOXR_FIND(name) ((functions->name = (__typeof__(&name))dlsym(library, #name)) != NULL)
static inline int csoxr_load(struct csoxr_functions *functions) {
  void *library = dlopen("libsoxr.so.0", RTLD_NOW | RTLD_LOCAL);
  return library && CSOXR_FIND(soxr_create) && CSOXR_FIND(soxr_process) && CSOXR_FIND(soxr_clear) &&
         CSOXR_FIND(soxr_delete) && CSOXR_FIND(soxr_io_spec) && CSOXR_FIND(soxr_quality_spec) &&
         CSOXR_FIND(soxr_runtime_spec) && CSOXR_FIND(soxr_set_io_ratio);
}
#undef CSOXR_FIND

#endif
