#include <mpg123.h>  // libmpg123, the MPEG audio decoder. Worker process only.

// On 32-bit systems mpg123.h renames the functions with file offsets by macros, which Swift cannot import.
// These wrappers have the same names on all systems.
static inline int cmpg123_replace_reader_handle(mpg123_handle *handle, ssize_t (*read)(void *, void *, size_t),
                                                off_t (*seek)(void *, off_t, int), void (*close)(void *)) {
  return mpg123_replace_reader_handle(handle, read, seek, close);
}
static inline int cmpg123_open_handle(mpg123_handle *handle, void *context) {
  return mpg123_open_handle(handle, context);
}
static inline off_t cmpg123_seek(mpg123_handle *handle, off_t frame, int whence) {
  return mpg123_seek(handle, frame, whence);
}
static inline off_t cmpg123_length(mpg123_handle *handle) { return mpg123_length(handle); }
