// Sums. A function of SQL shows whether a row is as it was written: `roost_row_sum(…)`, FNV-1a of 64 bits
// (isthe.com/chongo/tech/comp/fnv) over its values, with their types and lengths. Each step maps states to states one
// to one, so that no change of a single byte goes unseen.

#ifndef ROOST_CSQLITE_SUMS_H
#define ROOST_CSQLITE_SUMS_H

#include <sqlite3.h>

static inline sqlite3_uint64 roost_row_sum_add(sqlite3_uint64 sum, const unsigned char *bytes, int count) {
    for (int index = 0; index < count; index++) sum = (sum ^ bytes[index]) * 0x100000001b3ULL;
    return sum;
}

static inline sqlite3_uint64 roost_row_sum_add_number(sqlite3_uint64 sum, sqlite3_uint64 number) {
    for (int index = 0; index < 8; index++, number >>= 8) sum = (sum ^ (number & 0xff)) * 0x100000001b3ULL;
    return sum;
}

static void roost_row_sum(sqlite3_context *context, int count, sqlite3_value **values) {
    sqlite3_uint64 sum = 0xcbf29ce484222325ULL;
    for (int index = 0; index < count; index++) {
        int type = sqlite3_value_type(values[index]);
        sum = roost_row_sum_add_number(sum, (sqlite3_uint64)type);
        if (type == SQLITE_INTEGER) {
            sum = roost_row_sum_add_number(sum, (sqlite3_uint64)sqlite3_value_int64(values[index]));
        } else if (type != SQLITE_NULL) {
            // A text is UTF-8, as all our files are.
            const void *bytes =
                type == SQLITE_BLOB ? sqlite3_value_blob(values[index]) : sqlite3_value_text(values[index]);
            int length = sqlite3_value_bytes(values[index]);
            sum = roost_row_sum_add_number(sum, (sqlite3_uint64)length);
            if (bytes) sum = roost_row_sum_add(sum, bytes, length);
        }
    }
    sqlite3_result_int64(context, (sqlite3_int64)sum);
}

/// Adds the function to a connection. Returns SQLite's code.
static inline int roost_sqlite_add_row_sums(sqlite3 *database) {
    return sqlite3_create_function_v2(
        database, "roost_row_sum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)0, roost_row_sum, (void *)0,
        (void *)0, (void *)0);
}

/// Goes on with the sum of a log's frames (sqlite.org/fileformat2.html#checksum_algorithm) over `count` bytes, a
/// multiple of eight.
static inline void roost_log_sum_add(const void *bytes, int count, int isBigEndian, sqlite3_uint64 *sum) {
    const unsigned char *at = bytes;
    unsigned first = (unsigned)(*sum >> 32), second = (unsigned)*sum;
    for (; count >= 8; count -= 8, at += 8) {
        unsigned one, other;
        if (isBigEndian) {
            one = (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
            other = (unsigned)at[4] << 24 | (unsigned)at[5] << 16 | (unsigned)at[6] << 8 | at[7];
        } else {
            one = (unsigned)at[3] << 24 | (unsigned)at[2] << 16 | (unsigned)at[1] << 8 | at[0];
            other = (unsigned)at[7] << 24 | (unsigned)at[6] << 16 | (unsigned)at[5] << 8 | at[4];
        }
        first += one + second;
        second += other + first;
    }
    *sum = (sqlite3_uint64)first << 32 | second;
}

/// Whether the file of a connection was replaced or removed since it was opened (SQLITE_FCNTL_HAS_MOVED).
static inline int roost_sqlite_has_moved(sqlite3 *database) {
    int hasMoved = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved);
    return code == SQLITE_OK && hasMoved;
}

#endif
