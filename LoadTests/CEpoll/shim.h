// epoll for Swift, whose Glibc module leaves it out. It is part of libc, so there is nothing to compile or link.
#ifndef ROOST_CEPOLL_SHIM_H
#define ROOST_CEPOLL_SHIM_H

#include <sys/epoll.h>

#endif
