/* What a file is that no reader claims, where its begin says it: for the message. */
#ifndef READ_FOREIGN_H
#define READ_FOREIGN_H

#include "read/probe.h"

/* What follows on "it is ", static; NULL: not known. */
const char *foreign_name(const struct probe *probe);

#endif
