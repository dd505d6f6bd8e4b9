/*
 * Starts and stops of code blocks. A record is a block: its start gives it, its stop
 * completes it, so that a damaged row is about one record, which other rows may be about
 * too. See damage.c for the rules.
 */
#include "victim.h"

static bool is_same(const char *expected, const char *actual)
{
	struct difference difference = record_compare(expected, actual);

	return !difference.lost && !difference.changed && !difference.moved;
}

bool pairs_in_quotes(const struct victim *v, size_t k)
{
	bool in = false;

	for (size_t i = 0; i < v->end[k]; i++)
		in ^= v->bytes[i] == '"';
	return in;
}

void pairs_learn(struct victim *v, size_t k)
{
	size_t *about = &v->about[v->unit[k]];

	*about = NO_EVENT;
	if (v->now.count > v->before.count)
		*about = v->now.count - 1;
	for (size_t i = 0; i < v->before.count; i++)
		if (!is_same(outcome_record(&v->before, i), outcome_record(&v->now, i)))
			*about = i;
	if (k + 1 < v->lines && pairs_in_quotes(v, k + 1) &&
		v->now.damage <= v->before.damage)
		victim_fail(v, "half a row is lost, and that is not said");
}

/* A torn row counts for nothing, as its time may be cut. */
void pairs_expect_cut(struct victim *v, size_t k)
{
	size_t begin = k; /* of the row */

	while (begin && v->unit[begin - 1] == v->unit[k])
		begin--;
	for (size_t i = 0; i < v->before.count && i < v->now.count; i++)
		if (!is_same(outcome_record(&v->before, i), outcome_record(&v->now, i)))
			victim_fail_record(v, outcome_record(&v->before, i),
				outcome_record(&v->now, i));
	if (v->now.count != v->before.count)
		victim_fail(
			v, "%zu records; expected %zu", v->now.count, v->before.count);
	if (v->about[v->unit[k]] != NO_EVENT)
		victim_expect_damage(v, v->damage[begin], "the torn row is lost");
}

/*
 * Of blocks of one process and name within one another a lost row leaves open which stop
 * belongs to which start: nobody can know the ends of those around it.
 */
static bool is_around(const char *outer, const char *inner)
{
	return record_shares(outer, inner, "name=") &&
		record_shares(outer, inner, "extras=") &&
		record_number(outer, "t=") < record_number(inner, "t=") &&
		record_number(outer, "end=") > record_number(inner, "t=");
}

static bool lost_its_end(const char *expected, const char *actual)
{
	struct difference difference = record_compare(expected, actual);

	return difference.lost == 1 && !difference.changed && !difference.moved &&
		record_number(actual, "end=") == INT64_MIN;
}

/* A name may be another, and one number that a newline cuts. */
static bool is_near(const char *expected, const char *actual, bool cut)
{
	struct difference difference = record_compare(expected, actual);
	size_t changed = difference.changed + difference.moved;

	if (changed && !record_shares(expected, actual, "name="))
		changed--;
	return changed <= cut;
}

struct touched {
	size_t event[2];
	size_t found; /* records that are one of them, or what is left of it */
	bool cut, lost;
};

static bool is_touched(const struct touched *touched, size_t event)
{
	return touched->event[0] == event || touched->event[1] == event;
}

/* A record that no other row gives. */
static void expect_touched(struct victim *v, struct touched *touched, const char *actual)
{
	bool near = false, whole = false;

	for (size_t i = 0; i < 2; i++) {
		const char *expected;

		if (touched->event[i] == NO_EVENT)
			continue;
		expected = outcome_record(&v->whole, touched->event[i]);
		near |= is_near(expected, actual, touched->cut);
		whole |= record_compare(expected, actual).lost == 0;
	}
	if (!near)
		victim_fail_record(v, "an event of the touched rows", actual);
	touched->found++;
	touched->lost |= !whole;
}

/* An event of other rows: the next one that is expected, or one that lost its end. */
static bool is_untouched(
	struct victim *v, struct touched *touched, size_t at, const char *actual)
{
	const char *expected = outcome_record(&v->whole, at);

	if (is_same(expected, actual))
		return true;
	if (!lost_its_end(expected, actual))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (touched->event[i] == NO_EVENT)
			continue;
		if (!is_around(expected, outcome_record(&v->whole, touched->event[i])))
			continue;
		touched->lost = true;
		return true;
	}
	return false;
}

void pairs_expect_replaced(struct victim *v, size_t first, size_t last, bool cut)
{
	struct touched touched = {.event = {v->about[first], v->about[last]}, .cut = cut};
	size_t at = 0, most = first != last && touched.event[0] != touched.event[1];

	for (size_t i = 0; i < v->now.count; i++) {
		const char *actual = outcome_record(&v->now, i);

		while (at < v->whole.count && is_touched(&touched, at))
			at++;
		if (at < v->whole.count && is_untouched(v, &touched, at, actual))
			at++;
		else
			expect_touched(v, &touched, actual);
	}
	while (at < v->whole.count && is_touched(&touched, at))
		at++;
	if (at < v->whole.count)
		victim_fail_record(v, outcome_record(&v->whole, at), "none");
	if (touched.found > most + 1)
		victim_fail(v, "%zu records of touched rows", touched.found);
	if (touched.lost || touched.found < most + 1)
		victim_expect_damage(v, v->whole.damage, "something is lost");
}
