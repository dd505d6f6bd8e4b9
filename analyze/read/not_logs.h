/* Files that no reader takes: what they are, and what to record instead. */
#ifndef READ_NOT_LOGS_H
#define READ_NOT_LOGS_H

#include "read/probe.h"

/*
 * What a file is by its first lines or its name (schema/not_logs.def), and a sentence on
 * what to do: follows on "it is ", static. NULL: not known.
 */
const char *not_log_name(const struct probe *probe);

/* Likewise, of what no reader may take. in_folder: nobody named the file itself. */
const char *not_log_refused(const struct probe *probe, bool in_folder);

#endif
