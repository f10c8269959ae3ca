// A shared object that crashes the process that loads it.
__attribute__((constructor)) static void crash(void) { __builtin_trap(); }
