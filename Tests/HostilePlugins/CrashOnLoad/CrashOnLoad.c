// A shared object that crashes whatever process loads it.
__attribute__((constructor)) static void crash(void) { __builtin_trap(); }
