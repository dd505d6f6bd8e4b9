/*
 * Text that another program put right before or behind a column's name, without a blank
 * between: "gpu0.csv:timestamp" of grep, "{"log":"timestamp" of docker.
 */
#ifndef READ_GLUED_H
#define READ_GLUED_H

#include <stdbool.h>

#include "base/text.h"
#include "model/run.h"

/*
 * What no name holds and nobody writes to make one out of two: a colon, a quote, a brace,
 * but no blank, parenthesis, hyphen or slash.
 */
bool glued_is_border(char c);

/*
 * The name of a column that counts (time, GPU, process, metric) in one that is not known,
 * between such characters; len 0: there is none.
 */
struct span glued_find(enum source_kind source, struct span name);

#endif
