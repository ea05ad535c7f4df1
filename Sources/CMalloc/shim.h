#pragma once

#include <malloc.h>

// Other C libraries than glibc have no arenas.
static inline void cmalloc_limit_arenas(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#endif
}
