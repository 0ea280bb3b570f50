// Numbers and the escapes of strings, on bytes that stage 1 has found to be one token (RFC 8259).
#ifndef CSJ_SCALAR_H
#define CSJ_SCALAR_H

#include <cstdint>
#include <cstring>

#include "CSimdjson.h"

namespace csj {

inline bool is_space(uint8_t byte) noexcept {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

inline bool is_digit(uint8_t byte) noexcept { return uint8_t(byte - '0') < 10; }

// The value of four hexadecimal digits, or a number above 0xFFFF.
inline uint32_t hex4(const uint8_t *at) noexcept {
    uint32_t value = 0;
    for (int index = 0; index < 4; ++index) {
        uint8_t byte = at[index];
        uint32_t digit;
        if (is_digit(byte)) {
            digit = byte - '0';
        } else if (uint8_t((byte | 0x20) - 'a') < 6) {
            digit = (byte | 0x20) - 'a' + 10;
        } else {
            return UINT32_MAX;
        }
        value = value << 4 | digit;
    }
    return value;
}

inline uint8_t *put_utf8(uint8_t *to, uint32_t scalar) noexcept {
    if (scalar < 0x80) {
        *to++ = uint8_t(scalar);
    } else if (scalar < 0x800) {
        *to++ = uint8_t(0xC0 | scalar >> 6);
        *to++ = uint8_t(0x80 | (scalar & 0x3F));
    } else if (scalar < 0x10000) {
        *to++ = uint8_t(0xE0 | scalar >> 12);
        *to++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
        *to++ = uint8_t(0x80 | (scalar & 0x3F));
    } else {
        *to++ = uint8_t(0xF0 | scalar >> 18);
        *to++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
        *to++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
        *to++ = uint8_t(0x80 | (scalar & 0x3F));
    }
    return to;
}

// Writes the scalar that `\u` stands for, `at` being after the `u`, and moves `at` behind it. A surrogate without
// its other half has no UTF-8 form and is refused. NULL when it is wrong.
inline uint8_t *unescape_unicode(const uint8_t *&at, const uint8_t *end, uint8_t *to) noexcept {
    if (end - at < 4) { return nullptr; }
    uint32_t scalar = hex4(at);
    at += 4;
    if (scalar > 0xFFFF || (scalar >= 0xDC00 && scalar < 0xE000)) { return nullptr; }
    if (scalar >= 0xD800 && scalar < 0xDC00) {
        if (end - at < 6 || at[0] != '\\' || at[1] != 'u') { return nullptr; }
        uint32_t low = hex4(at + 2);
        if (low < 0xDC00 || low > 0xDFFF) { return nullptr; }
        at += 6;
        scalar = 0x10000 + ((scalar - 0xD800) << 10 | (low - 0xDC00));
    }
    return put_utf8(to, scalar);
}

// Section 7. Unescapes what is between the quotes to `to`, which has room for as many bytes, and returns the end of
// what was written; NULL when an escape is wrong.
inline uint8_t *unescape(const uint8_t *at, const uint8_t *end, uint8_t *to) noexcept {
    for (;;) {
        const auto *slash = static_cast<const uint8_t *>(std::memchr(at, '\\', size_t(end - at)));
        size_t plain = size_t((slash ? slash : end) - at);
        std::memcpy(to, at, plain);
        to += plain;
        if (!slash) { return to; }
        at = slash + 1;
        if (at == end) { return nullptr; }
        switch (*at++) {
        case '"': *to++ = '"'; break;
        case '\\': *to++ = '\\'; break;
        case '/': *to++ = '/'; break;
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u':
            to = unescape_unicode(at, end, to);
            if (!to) { return nullptr; }
            break;
        default: return nullptr;
        }
    }
}

// Section 6. Reads the number that is exactly `at` to `end`.
inline bool read_number(const uint8_t *at, const uint8_t *end, csj_value &value) noexcept {
    bool negative = *at == '-';
    if (negative) { ++at; }
    const uint8_t *digits = at;
    uint64_t magnitude = 0;
    bool fits = true;
    for (; at < end && is_digit(*at); ++at) {
        uint64_t next;
        fits = fits && !__builtin_mul_overflow(magnitude, uint64_t(10), &next)
            && !__builtin_add_overflow(next, uint64_t(*at - '0'), &magnitude);
    }
    if (at == digits || (*digits == '0' && at - digits > 1)) { return false; }
    if (at == end) {
        fits = fits && magnitude <= uint64_t(INT64_MAX) + (negative ? 1 : 0);
        value.kind = fits ? CSJ_INTEGER : CSJ_NUMBER;
        if (fits) { value.integer = int64_t(negative ? 0 - magnitude : magnitude); }
        return true;
    }
    value.kind = CSJ_NUMBER;
    if (*at == '.') {
        const uint8_t *fraction = ++at;
        while (at < end && is_digit(*at)) { ++at; }
        if (at == fraction) { return false; }
    }
    if (at < end && (*at | 0x20) == 'e') {
        ++at;
        if (at < end && (*at == '+' || *at == '-')) { ++at; }
        const uint8_t *exponent = at;
        while (at < end && is_digit(*at)) { ++at; }
        if (at == exponent) { return false; }
    }
    return at == end;
}

} // namespace csj
#endif
