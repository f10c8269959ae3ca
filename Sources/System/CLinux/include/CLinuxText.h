// Conversion of text by iconv(3).
#ifndef CLINUX_TEXT_H
#define CLINUX_TEXT_H

#include <iconv.h>
#include <stddef.h>
#include <stdint.h>

// A converter from an encoding to UTF-8, which iconv loads from a file; NULL if the system lacks it.
static inline void *clinux_iconv_open(const char *encoding) {
  iconv_t converter = iconv_open("UTF-8", encoding);
  return converter == (iconv_t)-1 ? NULL : converter;
}

static inline void clinux_iconv_close(void *converter) { iconv_close(converter); }

// Converts a whole text. Returns the number of bytes written; -1 if the text is invalid or does not fit.
static inline long clinux_iconv(
    void *converter, const uint8_t *text, size_t size, uint8_t *result, size_t room) {
  char *from = (char *)text, *to = (char *)result;
  size_t left = room;
  iconv(converter, NULL, NULL, NULL, NULL);
  return iconv(converter, &from, &size, &to, &left) == (size_t)-1 ? -1 : (long)(room - left);
}

#endif
