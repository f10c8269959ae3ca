#include <seccomp.h>  // The API of libseccomp, which Swift imports as the module CSeccomp.
