// Parts of <sqlite3.h> that Swift can't import: the destructor constants, which are casts of integers to function
// pointers, and variadic functions.

#ifndef ROOST_CSQLITE_SHIM_H
#define ROOST_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds text that stays valid until the statement is reset or bound anew (SQLITE_STATIC: no copy).
static inline int roost_sqlite_bind_borrowed_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_text(statement, index, (const char *)bytes, count, SQLITE_STATIC);
}

/// Binds a blob that stays valid until the statement is reset or bound anew (SQLITE_STATIC: no copy).
static inline int roost_sqlite_bind_borrowed_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

/// Binds a copy of the text (SQLITE_TRANSIENT).
static inline int roost_sqlite_bind_copied_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_text(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT);
}

/// Binds a copy of the blob (SQLITE_TRANSIENT).
static inline int roost_sqlite_bind_copied_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// The last connection leaves the write-ahead log as it is when it closes (sqlite3_db_config is variadic).
static inline int roost_sqlite_keep_wal_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// SQLite doesn't count the memory it uses: the count has a lock, and Roost never reads it (sqlite3_config is
/// variadic). Does nothing after the first connection was opened.
static inline int roost_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
