#pragma once

#include <zlib.h>

// What zlib spells as macros.

static inline int czlib_deflate_init(z_stream *stream, int level, int windowBits, int memoryLevel) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY);
}

static inline int czlib_inflate_init(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}
