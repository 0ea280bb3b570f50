// glibc's settings of malloc, which Swift's Glibc module leaves out.
#ifndef ROOST_CMALLOC_SHIM_H
#define ROOST_CMALLOC_SHIM_H

#include <malloc.h>

#endif
