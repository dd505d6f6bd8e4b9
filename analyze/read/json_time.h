/*
 * The time of a JSON line, whoever wrote it.
 */
#ifndef READ_JSON_TIME_H
#define READ_JSON_TIME_H

#include <stdint.h>

#include "base/timestamp.h"
#include "read/json_line.h"

/*
 * The path of the first member that can be read as a time, in *t_ns; a time that does not
 * say its zone is in the one that is given. NULL: there is none, and *t_ns stays.
 */
const char *json_time_find(
	const struct json_line *line, const struct zone *zone, int64_t *t_ns);

#endif
