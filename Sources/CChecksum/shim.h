// The processor's own instruction for CRC-32C, which Swift has no name for. It takes a tenth of the time of tables.

#ifndef ROOST_CCHECKSUM_SHIM_H
#define ROOST_CCHECKSUM_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

/// Whether this processor has the instruction: all x86 processors since 2008 do (SSE 4.2).
static inline int roost_crc32c_is_supported(void) { return __builtin_cpu_supports("sse4.2"); }

/// Adds eight bytes, lowest first. Only where `roost_crc32c_is_supported`.
__attribute__((target("sse4.2")))
static inline uint32_t roost_crc32c_word(uint32_t state, uint64_t word) {
    return (uint32_t)__builtin_ia32_crc32di(state, word);
}

/// Adds bytes. Only where `roost_crc32c_is_supported`.
__attribute__((target("sse4.2")))
static inline uint32_t roost_crc32c_bytes(uint32_t state, const uint8_t *bytes, size_t count) {
    uint64_t wide = state;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    uint32_t narrow = (uint32_t)wide;
    for (; count > 0; bytes++, count--) narrow = __builtin_ia32_crc32qi(narrow, *bytes);
    return narrow;
}

#else

static inline int roost_crc32c_is_supported(void) { return 0; }
static inline uint32_t roost_crc32c_word(uint32_t state, uint64_t word) { (void)word; return state; }
static inline uint32_t roost_crc32c_bytes(uint32_t state, const uint8_t *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return state;
}

#endif

#endif
