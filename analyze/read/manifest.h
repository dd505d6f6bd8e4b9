/* Keys of a manifest that stand twice in one object. */
#ifndef READ_MANIFEST_H
#define READ_MANIFEST_H

#include <cjson/cJSON.h>

#include "read/log.h"

#define MANIFEST_MAX (16 * 1024 * 1024) /* bytes; no more are read */

/*
 * Does the object say anything that a manifest says of its run: has it a key of one, with
 * a value that makes sense, or any exit status? An id alone says nothing.
 */
bool manifest_says_something(const cJSON *object);

#endif
