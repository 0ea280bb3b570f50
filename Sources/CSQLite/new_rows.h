// A virtual table (sqlite.org/vtab.html) over rows in memory, so that one statement stores them all:
// `INSERT INTO log … SELECT … FROM new_rows`. A statement for each row takes a quarter more time.

#ifndef ROOST_CSQLITE_NEW_ROWS_H
#define ROOST_CSQLITE_NEW_ROWS_H

#include <sqlite3.h>

/// A row of the log. Its texts follow one another in the memory of all rows: device, key, label, extras, body. An empty
/// text, a reference of 0 and a flag of 0 become NULL.
typedef struct roost_new_row {
    sqlite3_int64 position, conversation, sequence, kind, sender, time, checksum, reference, flag;
    int device, key, label, extras, body, end;
} roost_new_row;

/// The rows that `new_rows` shows. Belongs to the code that stores them; must live as long as the connection.
typedef struct roost_new_rows {
    const roost_new_row *rows;
    const char *bytes;
    int count;
} roost_new_rows;

typedef struct roost_new_rows_table {
    sqlite3_vtab base;
    const roost_new_rows *source;
} roost_new_rows_table;

typedef struct roost_new_rows_cursor {
    sqlite3_vtab_cursor base;
    int row;
} roost_new_rows_cursor;

static int roost_new_rows_connect(
    sqlite3 *database, void *source, int count, const char *const *words, sqlite3_vtab **table, char **error) {
    (void)count, (void)words, (void)error;
    int code = sqlite3_declare_vtab(
        database,
        "CREATE TABLE x(position, conversation, sequence, kind, sender, time, checksum, reference, flag, "
        "device, key, label, extras, body)");
    if (code != SQLITE_OK) return code;
    roost_new_rows_table *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    *made = (roost_new_rows_table){.source = source};
    *table = &made->base;
    return SQLITE_OK;
}

static int roost_new_rows_disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int roost_new_rows_plan(sqlite3_vtab *table, sqlite3_index_info *plan) {
    (void)table;
    plan->estimatedCost = 1000;
    return SQLITE_OK;
}

static int roost_new_rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    roost_new_rows_cursor *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    *made = (roost_new_rows_cursor){0};
    *cursor = &made->base;
    return SQLITE_OK;
}

static int roost_new_rows_close(sqlite3_vtab_cursor *cursor) {
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int roost_new_rows_filter(
    sqlite3_vtab_cursor *cursor, int number, const char *name, int count, sqlite3_value **values) {
    (void)number, (void)name, (void)count, (void)values;
    ((roost_new_rows_cursor *)cursor)->row = 0;
    return SQLITE_OK;
}

static int roost_new_rows_next(sqlite3_vtab_cursor *cursor) {
    ((roost_new_rows_cursor *)cursor)->row++;
    return SQLITE_OK;
}

static int roost_new_rows_is_done(sqlite3_vtab_cursor *cursor) {
    return ((roost_new_rows_cursor *)cursor)->row >= ((roost_new_rows_table *)cursor->pVtab)->source->count;
}

static void roost_new_rows_text(sqlite3_context *context, const char *bytes, int start, int end) {
    if (end > start) sqlite3_result_text(context, bytes + start, end - start, SQLITE_STATIC);
}

static int roost_new_rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
    const roost_new_rows *source = ((roost_new_rows_table *)cursor->pVtab)->source;
    const roost_new_row *row = &source->rows[((roost_new_rows_cursor *)cursor)->row];
    switch (column) {
        case 0: sqlite3_result_int64(context, row->position); break;
        case 1: sqlite3_result_int64(context, row->conversation); break;
        case 2: sqlite3_result_int64(context, row->sequence); break;
        case 3: sqlite3_result_int64(context, row->kind); break;
        case 4: sqlite3_result_int64(context, row->sender); break;
        case 5: sqlite3_result_int64(context, row->time); break;
        case 6: sqlite3_result_int64(context, row->checksum); break;
        case 7: if (row->reference) sqlite3_result_int64(context, row->reference); break;
        case 8: if (row->flag) sqlite3_result_int64(context, row->flag); break;
        case 9: roost_new_rows_text(context, source->bytes, row->device, row->key); break;
        case 10: roost_new_rows_text(context, source->bytes, row->key, row->label); break;
        case 11: roost_new_rows_text(context, source->bytes, row->label, row->extras); break;
        case 12: roost_new_rows_text(context, source->bytes, row->extras, row->body); break;
        case 13: roost_new_rows_text(context, source->bytes, row->body, row->end); break;
    }
    return SQLITE_OK;
}

static int roost_new_rows_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number) {
    *number = ((roost_new_rows_cursor *)cursor)->row;
    return SQLITE_OK;
}

/// Adds the table `new_rows` to a connection, which alone sees it.
static inline int roost_sqlite_add_new_rows(sqlite3 *database, const roost_new_rows *source) {
    static const sqlite3_module module = {
        .xConnect = roost_new_rows_connect,
        .xBestIndex = roost_new_rows_plan,
        .xDisconnect = roost_new_rows_disconnect,
        .xOpen = roost_new_rows_open,
        .xClose = roost_new_rows_close,
        .xFilter = roost_new_rows_filter,
        .xNext = roost_new_rows_next,
        .xEof = roost_new_rows_is_done,
        .xColumn = roost_new_rows_column,
        .xRowid = roost_new_rows_number,
    };
    return sqlite3_create_module_v2(database, "new_rows", &module, (void *)source, (void (*)(void *))0);
}

#endif
