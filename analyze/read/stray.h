/* Rows that can't be, for what stands around them. README.md, "Stray rows". */
#ifndef READ_STRAY_H
#define READ_STRAY_H

#include "read/log.h"

/*
 * The rows of a file, without those whose time can't be ("stray-time"); each is refused
 * with its line. Takes rows over, is released as a sample_source. log: of these rows;
 * lives as long.
 */
struct sample_source *stray_filter(struct sample_source *rows, struct log *log);

#endif
