// Empty: the library is loaded in place of libnfc.so.6.
