// Nothing: the library is loaded in the place of libnfc.so.6.
