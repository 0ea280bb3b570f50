// zlib for Swift, and what the importer leaves out of it: function-like macros. Header only, so no C target has to be
// compiled.
#ifndef ROOST_CZLIB_SHIM_H
#define ROOST_CZLIB_SHIM_H

#include <stddef.h>
#include <string.h>
#include <zlib.h>

// Compresses `count` bytes into a gzip member (RFC 1952) without name and time, so that equal bytes give equal members.
// Returns the size; 0 if `room` isn't enough or there is no memory.
static inline size_t roost_gzip(const unsigned char *bytes, size_t count, unsigned char *to, size_t room) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    // 15 bits of window, and 16 more for gzip's header and trailer.
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = to;
    stream.avail_out = (uInt)room;
    int state = deflate(&stream, Z_FINISH);
    size_t size = stream.total_out;
    deflateEnd(&stream);
    return state == Z_STREAM_END ? size : 0;
}

#endif
