#include <alsa/asoundlib.h>

// Silences libasound's messages on stderr. Its error handler is variadic, which Swift cannot implement. Errors arrive
// as return values, which the callers report.
static inline void calsa_ignore(const char *file, int line, const char *function, int error,
                                const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}
static inline void calsa_silence_library(void) { snd_lib_error_set_handler(calsa_ignore); }
