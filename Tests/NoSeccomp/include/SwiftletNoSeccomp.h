#pragma once
// Empty: programs under test find this library as libseccomp.so.2 through LD_LIBRARY_PATH.
