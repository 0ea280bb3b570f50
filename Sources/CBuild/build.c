#include "build.h"

#ifndef ROOST_COMMIT
#define ROOST_COMMIT ""
#endif

const char *roost_commit(void) { return ROOST_COMMIT; }
