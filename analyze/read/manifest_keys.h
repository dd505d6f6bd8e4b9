/* Keys of a manifest that stand twice in one object. */
#ifndef READ_MANIFEST_KEYS_H
#define READ_MANIFEST_KEYS_H

#include <cjson/cJSON.h>

#include "read/log.h"

#define MANIFEST_MAX (16 * 1024 * 1024) /* bytes; no more are read */

/*
 * Takes keys whose values differ out of the object, and of those within it, and says so:
 * which of them is right nobody knows. Equal ones are one. Of an "exit_status" at the top
 * a list of its values is left, which is none.
 */
void manifest_strike_doubles(struct log *log, cJSON *object);

/* Is it there, and not null? */
bool manifest_tells(const cJSON *item);

/*
 * Does the object say anything that a manifest says of its run: has it a key of one, with
 * a value that makes sense, or any exit status? An id alone says nothing.
 */
bool manifest_says_something(const cJSON *object);

/*
 * One without "run_id" or "format_version" is not as collect writes it: says what it
 * lacks, and sets log->bare. To be asked before keys are taken out.
 */
void manifest_say_missing(struct log *log, const cJSON *object);

#endif
