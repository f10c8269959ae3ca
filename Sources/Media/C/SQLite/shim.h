// Loads SQLite's functions at run time with dlopen. The program is not linked against SQLite, so that it is not loaded
// without a music index. scripts/package reads the library's name from this file.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <dlfcn.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#define CSQLITE_FUNCTION(name) __typeof__(&name) name
struct csqlite_functions {
  CSQLITE_FUNCTION(sqlite3_open_v2);
  CSQLITE_FUNCTION(sqlite3_close_v2);
  CSQLITE_FUNCTION(sqlite3_busy_timeout);
  CSQLITE_FUNCTION(sqlite3_errmsg);
  CSQLITE_FUNCTION(sqlite3_exec);
  CSQLITE_FUNCTION(sqlite3_prepare_v2);
  CSQLITE_FUNCTION(sqlite3_bind_int64);
  CSQLITE_FUNCTION(sqlite3_bind_text);
  CSQLITE_FUNCTION(sqlite3_bind_blob);
  CSQLITE_FUNCTION(sqlite3_step);
  CSQLITE_FUNCTION(sqlite3_reset);
  CSQLITE_FUNCTION(sqlite3_finalize);
  CSQLITE_FUNCTION(sqlite3_column_int64);
  CSQLITE_FUNCTION(sqlite3_column_text);
  CSQLITE_FUNCTION(sqlite3_column_bytes);
  CSQLITE_FUNCTION(sqlite3_changes);
};
#undef CSQLITE_FUNCTION

// Loads the library. Returns 0 if it or one of its functions is missing; dlerror() has the reason.
#define CSQLITE_FIND(name) ((functions->name = (__typeof__(&name))dlsym(library, #name)) != NULL)
static inline int csqlite_load(struct csqlite_functions *functions) {
  void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  return library && CSQLITE_FIND(sqlite3_open_v2) && CSQLITE_FIND(sqlite3_close_v2) &&
         CSQLITE_FIND(sqlite3_busy_timeout) && CSQLITE_FIND(sqlite3_errmsg) && CSQLITE_FIND(sqlite3_exec) &&
         CSQLITE_FIND(sqlite3_prepare_v2) && CSQLITE_FIND(sqlite3_bind_int64) && CSQLITE_FIND(sqlite3_bind_text) &&
         CSQLITE_FIND(sqlite3_bind_blob) && CSQLITE_FIND(sqlite3_step) && CSQLITE_FIND(sqlite3_reset) &&
         CSQLITE_FIND(sqlite3_finalize) && CSQLITE_FIND(sqlite3_column_int64) && CSQLITE_FIND(sqlite3_column_text) &&
         CSQLITE_FIND(sqlite3_column_bytes) && CSQLITE_FIND(sqlite3_changes);
}
#undef CSQLITE_FIND

// SQLITE_TRANSIENT: SQLite copies the bytes.
static inline sqlite3_destructor_type csqlite_copies(void) { return SQLITE_TRANSIENT; }

#endif
