/* What a file is that no reader claims, where its begin says it: for the message. */
#ifndef READ_FOREIGN_H
#define READ_FOREIGN_H

#include <stdbool.h>

#include "read/probe.h"

#define FOREIGN_TAR_HEADER 512 /* bytes before what the first member holds */

/*
 * Does a file whose first line this is begin with the header of a tar? What follows it in
 * the line is of a member. Source: POSIX.1-2017, pax, "ustar Interchange Format".
 */
bool foreign_is_tar(struct span line);

/* What follows on "it is ", static; NULL: not known. */
const char *foreign_name(const struct probe *probe);

#endif
