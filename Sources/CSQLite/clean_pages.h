// Pages without stale bytes. `PRAGMA secure_delete` overwrites a row that is deleted, but not the copy that SQLite
// leaves in the unallocated space of a page when it moves the row to another one. The file layer below writes such a
// page without it. The format of pages: sqlite.org/fileformat2.html#b_tree_pages.

#ifndef ROOST_CSQLITE_CLEAN_PAGES_H
#define ROOST_CSQLITE_CLEAN_PAGES_H

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { ROOST_PAGE_MAX = 65536 };

static inline int roost_page_number(const unsigned char *bytes) { return bytes[0] << 8 | bytes[1]; }

/// Reads a varint before `end`. Returns its bytes; 0 if it isn't whole.
static inline int roost_page_varint(const unsigned char *bytes, const unsigned char *end, sqlite3_uint64 *value) {
    sqlite3_uint64 read = 0;
    for (int index = 0; index < 9 && bytes + index < end; index++) {
        if (index == 8) {
            *value = read << 8 | bytes[8];
            return 9;
        }
        read = read << 7 | (bytes[index] & 0x7f);
        if (bytes[index] < 0x80) {
            *value = read;
            return index + 1;
        }
    }
    return 0;
}

/// A cell of a page.
typedef struct roost_page_cell {
    /// Where it begins, and its bytes on the page.
    int start, count;
    /// The page below it; 0 on a leaf.
    unsigned child;
    /// The first page of what doesn't fit; 0 if all of it is on this page. And the bytes there.
    unsigned overflow;
    sqlite3_uint64 rest;
} roost_page_cell;

static inline unsigned roost_page_link(const unsigned char *bytes) {
    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

/// Whether a page says that it is of a b-tree. `header`: 100 on the first page of a file, else 0.
static inline int roost_page_is_tree(const unsigned char *page, int header) {
    int kind = page[header];
    return kind == 2 || kind == 5 || kind == 10 || kind == 13;
}

/// Cells of a page of a b-tree, and where their pointers begin.
static inline int roost_page_cells(const unsigned char *page, int header) {
    return roost_page_number(page + header + 3);
}
static inline int roost_page_pointers(const unsigned char *page, int header) {
    return header + (page[header] < 8 ? 12 : 8);
}

/// Reads a cell. Returns 0 if it isn't whole on the page.
static inline int roost_page_read_cell(
    const unsigned char *page, int size, int header, int index, roost_page_cell *cell) {
    int kind = page[header], pointer = roost_page_pointers(page, header) + 2 * index;
    if (pointer + 2 > size) return 0;
    int start = roost_page_number(page + pointer), at = start;
    const unsigned char *end = page + size;
    *cell = (roost_page_cell){.start = start};
    if (start + 4 > size) return 0;
    if (kind < 8) {
        cell->child = roost_page_link(page + at);
        at += 4;
    }
    sqlite3_uint64 payload = 0, row = 0;
    int read = 0;
    if (kind != 5) {
        if (!(read = roost_page_varint(page + at, end, &payload))) return 0;
        at += read;
    }
    if (kind == 5 || kind == 13) {
        if (!(read = roost_page_varint(page + at, end, &row))) return 0;
        at += read;
    }
    sqlite3_uint64 least = (sqlite3_uint64)((size - 12) * 32 / 255 - 23);
    sqlite3_uint64 most = (sqlite3_uint64)(kind == 13 ? size - 35 : (size - 12) * 64 / 255 - 23), here = payload;
    if (payload > 0x7fffffff) return 0;
    if (payload > most) {
        here = least + (payload - least) % (sqlite3_uint64)(size - 4);
        if (here > most) here = least;
        if (at + (int)here + 4 > size) return 0;
        cell->overflow = roost_page_link(page + at + (int)here);
        cell->rest = payload - here;
        at += 4;
    }
    at += (int)here;
    cell->count = at - start < 4 ? 4 : at - start;
    return start + cell->count <= size;
}

/// Copies into `clean` what a page of a b-tree has in use, and zeros for all else. Returns 0 if the page is none, or
/// isn't one as SQLite writes it: its cells and its free space must fill it exactly. A page of a long text can only
/// look like one, by its first byte, in a file of more than 2^25 pages.
static inline int roost_page_clean(const unsigned char *page, int size, int header, unsigned char *clean) {
    if (size < 512 || size > ROOST_PAGE_MAX || !roost_page_is_tree(page, header)) return 0;
    int cells = roost_page_cells(page, header), pointers = roost_page_pointers(page, header) + 2 * cells;
    int content = roost_page_number(page + header + 5), fragments = page[header + 7];
    if (content == 0) content = 65536;
    if (pointers > content || content > size) return 0;
    int used = fragments;
    memset(clean + pointers, 0, (size_t)(size - pointers));
    memcpy(clean, page, (size_t)pointers);
    for (int index = 0; index < cells; index++) {
        roost_page_cell cell;
        if (!roost_page_read_cell(page, size, header, index, &cell) || cell.start < content) return 0;
        memcpy(clean + cell.start, page + cell.start, (size_t)cell.count);
        used += cell.count;
    }
    for (int block = roost_page_number(page + header + 1), last = 0; block; ) {
        if (block <= last || block < content || block + 4 > size) return 0;
        int count = roost_page_number(page + block + 2);
        if (count < 4 || block + count > size) return 0;
        memcpy(clean + block, page + block, 4);
        used += count;
        last = block + count - 1;
        block = roost_page_number(page + block);
    }
    return used == size - content;
}

/// The methods of an open file, but for the one that writes.
typedef struct roost_clean_file {
    // The first member: what SQLite calls methods is this.
    sqlite3_io_methods methods;
    const sqlite3_io_methods *below;
    unsigned char page[ROOST_PAGE_MAX];
} roost_clean_file;

static inline int roost_clean_file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    roost_clean_file *clean = (roost_clean_file *)(void *)file->pMethods;
    int isPage = count >= 512 && count <= ROOST_PAGE_MAX && (count & (count - 1)) == 0 && offset % count == 0;
    if (isPage && roost_page_clean(bytes, count, offset == 0 ? 100 : 0, clean->page)) bytes = clean->page;
    return clean->below->xWrite(file, bytes, count, offset);
}

/// Has each page that a connection writes to its database, by a checkpoint too, written without stale bytes. `made` has
/// to be freed after the connection was closed; it is NULL if the connection has no file. Returns SQLite's code.
static inline int roost_sqlite_write_clean_pages(sqlite3 *database, void **made) {
    sqlite3_file *file = NULL;
    *made = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK || !file || !file->pMethods) return code;
    roost_clean_file *clean = malloc(sizeof *clean);
    if (!clean) return SQLITE_NOMEM;
    clean->methods = *file->pMethods;
    // A system's own SQLite may have methods that this doesn't know.
    if (clean->methods.iVersion > 3) clean->methods.iVersion = 3;
    clean->methods.xWrite = roost_clean_file_write;
    clean->below = file->pMethods;
    file->pMethods = &clean->methods;
    *made = clean;
    return SQLITE_OK;
}

static inline void roost_sqlite_free_clean_file(void *made) { free(made); }

#endif
