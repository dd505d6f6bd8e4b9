/* The table of all logs that can be read. */
#ifndef CMD_FORMATS_H
#define CMD_FORMATS_H

#include "read/identify.h"

/* [SOURCE_KIND_COUNT] by kind: for read_options. */
const struct format *const *log_formats(void);

#endif
