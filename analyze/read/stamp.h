/*
 * What is known of the files of a run without opening one: their names, sizes, times of
 * change and inodes. Where it is the same as before, so are the files, and what was
 * worked out from them.
 */
#ifndef READ_STAMP_H
#define READ_STAMP_H

#include <stdbool.h>

#include "base/text.h"
#include "read/read.h"

/*
 * Appends it. False: it would prove nothing, as of standard input, of files that changed
 * a moment ago, and of what can't be looked at.
 */
bool read_stamp(struct strbuf *stamp, const struct read_options *opt);

#endif
