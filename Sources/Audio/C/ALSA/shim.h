#include <alsa/asoundlib.h>

// libasound prints to stderr by default, and its handler is variadic: Swift can neither keep it quiet nor
// write one. Errors reach us as return values, which we report ourselves.
static inline void calsa_ignore(const char *file, int line, const char *function, int error,
                                const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}
static inline void calsa_silence_library(void) { snd_lib_error_set_handler(calsa_ignore); }
