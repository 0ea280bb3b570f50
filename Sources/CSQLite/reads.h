// A file layer (sqlite.org/vfs.html) that is the system's, but says of a read that failed that a read failed. SQLite
// answers EIO with SQLITE_IOERR_CORRUPTFS, and that with SQLITE_CORRUPT, as if the page had been read and were damaged
// (`unixRead` in os_unix.c, `abort_due_to_error` in vdbe.c): a read that may succeed the next time looks like a loss.

#ifndef ROOST_CSQLITE_READS_H
#define ROOST_CSQLITE_READS_H

#include <sqlite3.h>

#define ROOST_SQLITE_FILE_LAYER "roost"

/// The layer's own data of a file, which follows the system's file in memory.
typedef struct roost_file_methods {
    const sqlite3_io_methods *system;
    sqlite3_io_methods changed;
} roost_file_methods;

/// Bytes of the system's own file.
static inline int *roost_file_bytes(void) {
    static int bytes;
    return &bytes;
}

static inline roost_file_methods *roost_file_methods_of(sqlite3_file *file) {
    return (roost_file_methods *)((char *)file + *roost_file_bytes());
}

static int roost_file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    roost_file_methods *methods = roost_file_methods_of(file);
    int code = methods->system->xRead(file, bytes, count, offset);
    return code == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : code;
}

static int roost_file_open(sqlite3_vfs *layer, const char *name, sqlite3_file *file, int flags, int *found) {
    sqlite3_vfs *system = layer->pAppData;
    int code = system->xOpen(system, name, file, flags, found);
    // Also of a file that couldn't be opened SQLite closes what has methods.
    if (!file->pMethods) return code;
    roost_file_methods *methods = roost_file_methods_of(file);
    methods->system = file->pMethods;
    methods->changed = *file->pMethods;
    methods->changed.xRead = roost_file_read;
    file->pMethods = &methods->changed;
    return code;
}

/// Adds the file layer, once in a process and before the first connection that uses it.
static inline int roost_sqlite_add_file_layer(void) {
    static sqlite3_vfs layer;
    sqlite3_vfs *system = sqlite3_vfs_find(0);
    if (!system) return SQLITE_ERROR;
    layer = *system;
    *roost_file_bytes() = system->szOsFile;
    layer.szOsFile = system->szOsFile + (int)sizeof(roost_file_methods);
    layer.zName = ROOST_SQLITE_FILE_LAYER;
    layer.pNext = 0;
    layer.pAppData = system;
    layer.xOpen = roost_file_open;
    return sqlite3_vfs_register(&layer, 0);
}

#endif
