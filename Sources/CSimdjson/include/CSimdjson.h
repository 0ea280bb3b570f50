/*
 * Strict JSON for the message path: simdjson finds the tokens and checks UTF-8, json.cpp checks everything else.
 *
 * One parser belongs to one thread. It owns a copy of the document and all memory it hands out, which stays valid
 * until the next csj_parse or csj_destroy; nothing is allocated between csj_create and csj_destroy. No C++ exception
 * and no C++ type crosses this header.
 */
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CSJ_NOEXCEPT noexcept
extern "C" {
#else
#define CSJ_NOEXCEPT
#endif

/* What kind of JSON value it is. */
typedef enum {
    CSJ_NULL = 0,
    CSJ_FALSE = 1,
    CSJ_TRUE = 2,
    /* A number without fraction and exponent that fits an int64_t; its value is in `integer`. */
    CSJ_INTEGER = 3,
    /* Any other number, of any size; only `raw` says which. */
    CSJ_NUMBER = 4,
    CSJ_STRING = 5,
    CSJ_ARRAY = 6,
    CSJ_OBJECT = 7,
} csj_kind;

/* How a parse ended. */
typedef enum {
    CSJ_OK = 0,
    /* Not valid JSON by RFC 8259, or not one object, or not UTF-8, or a string that UTF-8 can't hold. */
    CSJ_INVALID = 1,
    /* Longer than the parser's max_bytes. */
    CSJ_TOO_LONG = 2,
    /* Nested deeper than the parser's max_depth. */
    CSJ_TOO_DEEP = 3,
    /* More members in the outermost object than the parser's max_members. */
    CSJ_TOO_MANY_MEMBERS = 4,
} csj_status;

/*
 * One value: a member of an object, or an element of an array (then `key` is NULL). At least CSJ_READABLE bytes may be
 * read from each pointer, whatever its count, so that words can be compared eight bytes at a time.
 */
#define CSJ_READABLE 16
typedef struct {
    /* The unescaped name, valid UTF-8, not terminated. */
    const char *key;
    /* The value as it was written, without the white space around it. */
    const char *raw;
    /* The unescaped text of a CSJ_STRING, valid UTF-8, not terminated; may hold U+0000. NULL for other kinds. */
    const char *text;
    /* The value of a CSJ_INTEGER, else 0. */
    int64_t integer;
    uint32_t key_count;
    uint32_t raw_count;
    uint32_t text_count;
    /* Where `raw` begins in the document. */
    uint32_t offset;
    /* For csj_children. */
    uint32_t token;
    csj_kind kind;
} csj_value;

/* A place among the children of an array or object. */
typedef struct {
    uint32_t token;
    bool is_object;
} csj_cursor;

typedef struct csj_parser csj_parser;

/*
 * Makes a parser for documents of at most max_bytes (below 4 GiB), nested at most max_depth deep (the outermost object
 * counts 1), with at most max_members members of the outermost object. NULL when there is no memory.
 */
csj_parser *csj_create(size_t max_bytes, uint32_t max_depth, uint32_t max_members) CSJ_NOEXCEPT;
void csj_destroy(csj_parser *parser) CSJ_NOEXCEPT;

/* Copies and checks a whole document, which must be one object, and lists its members. */
csj_status csj_parse(csj_parser *parser, const void *bytes, size_t count) CSJ_NOEXCEPT;

/* The members of the outermost object in the order of the document, after a csj_parse that returned CSJ_OK. */
const csj_value *csj_members(const csj_parser *parser) CSJ_NOEXCEPT;
uint32_t csj_member_count(const csj_parser *parser) CSJ_NOEXCEPT;

/* The outermost object itself, after the same. */
csj_value csj_root(const csj_parser *parser) CSJ_NOEXCEPT;

/* Begins before the first child of `value`, an array or object of the last document (no children for other kinds). */
csj_cursor csj_children(const csj_parser *parser, const csj_value *value) CSJ_NOEXCEPT;
/* Writes the next child to `child`; false when there is none. */
bool csj_next(csj_parser *parser, csj_cursor *cursor, csj_value *child) CSJ_NOEXCEPT;

/* Whether the bytes are valid UTF-8 (RFC 3629). */
bool csj_is_utf8(const void *bytes, size_t count) CSJ_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
