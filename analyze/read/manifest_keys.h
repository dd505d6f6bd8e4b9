/* Keys of a manifest that stand twice in one object. */
#ifndef READ_MANIFEST_KEYS_H
#define READ_MANIFEST_KEYS_H

#include <cjson/cJSON.h>

#include "read/log.h"

/*
 * Takes keys whose values differ out of the object, and of those within it, and says so:
 * which of them is right nobody knows. Equal ones are one. Of an "exit_status" at the top
 * a list of its values is left, which is none.
 */
void manifest_strike_doubles(struct log *log, cJSON *object);

#endif
