// Loads libexpat at run time. Nothing links to it, so that only processes that read playlists load it.
// scripts/package reads the library's name from this file.
#ifndef CEXPAT_SHIM_H
#define CEXPAT_SHIM_H

#include <dlfcn.h>
#include <expat.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#define CEXPAT_FUNCTION(name) __typeof__(&name) name
struct cexpat_functions {
  CEXPAT_FUNCTION(XML_ParserCreate);
  CEXPAT_FUNCTION(XML_ParserFree);
  CEXPAT_FUNCTION(XML_SetHashSalt);
  CEXPAT_FUNCTION(XML_SetUserData);
  CEXPAT_FUNCTION(XML_SetElementHandler);
  CEXPAT_FUNCTION(XML_SetCharacterDataHandler);
  CEXPAT_FUNCTION(XML_SetEntityDeclHandler);
  CEXPAT_FUNCTION(XML_Parse);
  CEXPAT_FUNCTION(XML_StopParser);
  CEXPAT_FUNCTION(XML_GetErrorCode);
  CEXPAT_FUNCTION(XML_GetCurrentLineNumber);
  CEXPAT_FUNCTION(XML_ErrorString);
};
#undef CEXPAT_FUNCTION

// Loads the library. Returns 0 if it or one of its functions is missing; dlerror() gives the reason.
#define CEXPAT_FIND(name) ((functions->name = (__typeof__(&name))dlsym(library, #name)) != NULL)
static inline int cexpat_load(struct cexpat_functions *functions) {
  void *library = dlopen("libexpat.so.1", RTLD_NOW | RTLD_LOCAL);
  return library && CEXPAT_FIND(XML_ParserCreate) && CEXPAT_FIND(XML_ParserFree) && CEXPAT_FIND(XML_SetHashSalt) &&
         CEXPAT_FIND(XML_SetUserData) && CEXPAT_FIND(XML_SetElementHandler) &&
         CEXPAT_FIND(XML_SetCharacterDataHandler) && CEXPAT_FIND(XML_SetEntityDeclHandler) &&
         CEXPAT_FIND(XML_Parse) && CEXPAT_FIND(XML_StopParser) && CEXPAT_FIND(XML_GetErrorCode) &&
         CEXPAT_FIND(XML_GetCurrentLineNumber) && CEXPAT_FIND(XML_ErrorString);
}
#undef CEXPAT_FIND

// A random salt for the parser's hash tables, from the bytes that the kernel gives to each process. Never 0: with 0,
// libexpat opens /dev/urandom on a box that has no entropy yet, and the sandbox ends the process for that call.
static inline unsigned long cexpat_salt(void) {
  const char *bytes = (const char *)getauxval(AT_RANDOM);
  unsigned long salt = 0;
  if (bytes) memcpy(&salt, bytes + 8, sizeof(salt));
  return salt | 1;
}

#endif
