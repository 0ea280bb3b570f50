// Facts about the build.
#ifndef ROOST_BUILD_H
#define ROOST_BUILD_H

// The commit that was built, with a + behind it if there were changes; empty if it isn't known.
const char *roost_commit(void);

#endif
