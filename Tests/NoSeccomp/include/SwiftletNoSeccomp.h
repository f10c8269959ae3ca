#pragma once
// Nothing to include: programs under test find this library as libseccomp.so.2 by LD_LIBRARY_PATH.
