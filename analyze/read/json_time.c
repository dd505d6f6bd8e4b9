/* The keys that loggers use for the time. */
#include "read/json_time.h"

#include <string.h>

#include "base/number.h"

#define SECOND	    "instant.epochSecond"
#define NANO_SECOND "instant.nanoOfSecond"

/* Where a line may have its time; the first that can be read as one counts. */
static const char *const time_paths[] = {"ts", "timestamp", "time",
	"@timestamp", /* RunLog, structlog, pino, zap, ECS */
	"asctime", "datetime", "created", "date", /* python-json-logger, logging */
	"time_ms", "time_us", "time_ns", "ts_ms", "ts_us", "ts_ns", "timestamp_ms",
	"timestamp_us", "timestamp_ns", "timeUnixNano", /* OpenTelemetry */
	"_timestamp", "wall_time", /* W&B, TensorBoard */
	"__REALTIME_TIMESTAMP", /* journalctl -o json */
	"record.time.timestamp", "record.time.repr", /* loguru */
	"t", "created_at", "@t", /* CLEF */
	"Timestamp", /* OpenTelemetry's logs in files */
	"timeMillis", SECOND}; /* log4j */

/* A string in ISO 8601, or a number of seconds or parts of them since 1970. */
static bool read_time(struct span value, const struct zone *zone, int64_t *t_ns)
{
	if (!json_is_text(value))
		return time_parse_epoch_any(value, t_ns);
	value.at++, value.len -= 2;
	return time_parse(value, zone, t_ns) || time_parse_epoch_any(value, t_ns);
}

/* log4j writes the parts of an instant beside one another. */
static void add_nanoseconds(const struct json_line *line, const char *path, int64_t *t_ns)
{
	uint64_t ns;

	if (strcmp(path, SECOND) == 0 &&
		number_unsigned(json_line_find(line, NANO_SECOND), &ns) && ns < NS_PER_S)
		*t_ns += (int64_t)ns;
}

const char *json_time_find(
	const struct json_line *line, const struct zone *zone, int64_t *t_ns)
{
	for (size_t i = 0; i < sizeof time_paths / sizeof time_paths[0]; i++) {
		struct span value = json_line_find(line, time_paths[i]);

		if (!value.len || !read_time(value, zone, t_ns))
			continue;
		add_nanoseconds(line, time_paths[i], t_ns);
		return time_paths[i];
	}
	return NULL;
}
