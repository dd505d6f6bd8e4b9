/* Counters of seconds rise by a share of the time; others by so many a second. */
#include "model/meanwhile_name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"

#define SHARE_DECIMALS 1

static bool is_counter(enum metric_id metric)
{
	return metric_get(metric)->kind == KIND_COUNTER;
}

static bool is_share(enum metric_id metric)
{
	return is_counter(metric) && strcmp(metric_get(metric)->unit, "s") == 0;
}

struct meanwhile_name meanwhile_name(enum metric_id metric)
{
	const struct metric *m = metric_get(metric);
	struct meanwhile_name name = {.text = ""};

	(void)snprintf(name.text, sizeof name.text, "%s%s", m->name,
		is_counter(metric) ? ".rate_per_s" : "");
	if (!is_share(metric))
		(void)snprintf(name.unit, sizeof name.unit, "%s%s",
			is_counter(metric) && !*m->unit ? "1" : m->unit,
			is_counter(metric) ? "/s" : "");
	return name;
}

void meanwhile_print(struct strbuf *sb, enum metric_id metric, double value)
{
	const struct metric *m = metric_get(metric);
	struct meanwhile_name name = meanwhile_name(metric);

	strbuf_addf(sb, "%s ", m->title);
	if (is_share(metric)) {
		quantity_number(sb, 100 * value, SHARE_DECIMALS);
		strbuf_adds(sb, " %");
		return;
	}
	quantity_number(sb, value, m->decimals);
	strbuf_addf(sb, "%s%s", *name.unit ? " " : "", name.unit);
}

bool meanwhile_is_nought(enum metric_id metric, double value)
{
	int decimals =
		is_share(metric) ? SHARE_DECIMALS + 2 : metric_get(metric)->decimals;

	return is_counter(metric) && fabs(value) < 0.5 * pow(10, -decimals);
}
