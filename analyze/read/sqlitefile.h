/*
 * A recording that is kept in an SQLite database: its tables as rows of cells of text.
 * The file is somebody's, so it is read into memory (plain or gzip) and looked at there:
 * no lock is taken, no journal played back, nothing written, and of its schema nothing
 * runs. Knows nothing of what the tables mean.
 */
#ifndef READ_SQLITEFILE_H
#define READ_SQLITEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"

#define SQLITEFILE_MAGIC     "SQLite format 3"
#define SQLITEFILE_BYTES_MAX (1024LL * 1024 * 1024)

struct sqlitefile;

/* path is for messages and, if fd is -1, for opening. Takes the descriptor over. */
int sqlitefile_open(struct sqlitefile **out, const char *path, int fd, struct error *err);
void sqlitefile_close(struct sqlitefile *file); /* NULL is fine */

/* Why the file could not be read to its end, or is not as it was packed; NULL: it is. */
const char *sqlitefile_damage(const struct sqlitefile *file);

/*
 * Whether the pages of the file hold together. -1: they don't, and rows may be lost or be
 * others; the rest can be read. Of the bytes of a value nothing can say whether they are
 * right.
 */
int sqlitefile_check(struct sqlitefile *file, struct error *err);

/* The name of the nth table, in the order of their making; NULL: there are not so many.
 * Views and virtual tables are no tables. */
const char *sqlitefile_table(const struct sqlitefile *file, size_t nth);

/* Begins to read a table's rows, in the order of their making. */
int sqlitefile_select(struct sqlitefile *file, const char *table, struct error *err);

/* Of the table being read. */
size_t sqlitefile_columns(const struct sqlitefile *file);
struct span sqlitefile_column(const struct sqlitefile *file, size_t nth);

/*
 * The next row: [sqlitefile_columns] cells, valid until the next call. Numbers read back
 * as the same number; NULL is empty. 1, 0 at the end, -1: the table can't be read on.
 */
int sqlitefile_row(struct sqlitefile *file, const struct span **cell, struct error *err);

#endif
