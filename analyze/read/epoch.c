/* What the names leave open, the first cells tell. */
#include "read/epoch.h"

static const char *const epoch_names[] = {"epoch", "epoch_s", "epoch_ms", "epoch_ns",
	"unix_time", "unixtime", "unix_timestamp", "datetime", "date_time", "date/time",
	"time", "ts", "time_stamp", "timestamp_s", "timestamp_ms", "timestamp_us",
	"timestamp_ns", "time_ms"};

const char *epoch_name(struct span name)
{
	for (size_t i = 0; i < sizeof epoch_names / sizeof epoch_names[0]; i++)
		if (span_is_nocase(name, epoch_names[i]))
			return epoch_names[i];
	return NULL;
}

static bool is_time(struct span cell)
{
	struct zone utc = ZONE_UTC;
	struct clock_line clock = {0};
	int64_t t_ns;

	return time_parse_epoch_any(cell, &t_ns) ||
		clock_line_read(&clock, cell, &utc, DAYS_UNKNOWN, &t_ns) == CLOCK_TIME;
}

void epoch_settle(struct columns *columns, struct log *log, const struct span *cell)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (columns->at[i].role != ROLE_EPOCH)
			continue;
		if (!columns_have(columns, ROLE_TIME) && is_time(cell[i])) {
			columns->at[i].role = ROLE_TIME;
			columns->has_time = true;
			continue;
		}
		columns->at[i].role = ROLE_KNOWN;
		log_note(log, false, "unknown-column", span_of(columns->at[i].name),
			"column '%s' is not used: another one says the time, or it says "
			"none ('%s')",
			columns->at[i].name, log_quote(cell[i]).text);
	}
}
