#pragma once

#include <malloc.h>

// Other C libraries than glibc have no arenas, and give back what is freed by themselves.
static inline void cmalloc_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static inline void cmalloc_limit_arenas(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#endif
}
