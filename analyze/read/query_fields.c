/* Whose word is taken for the fields of a query without header, and the notes of it. */
#include "read/query_fields.h"

#include "read/headerless.h"
#include "read/plausible.h"

/* What --columns says, the recorded query, or another file. */
static const char *named_fields(const struct log *log, const struct csv_row *row)
{
	const char *const queries[] = {log->columns, log->run->query, log->by_sibling};

	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
		if (queries[i] && headerless_fits(row, queries[i]))
			return queries[i];
	return NULL;
}

/* ... or pytyche's nine, or what the units of the first rows tell. */
static const char *guessed_fields(const struct log *log, const struct csv_row *row)
{
	if (log->nine && plausible_row(row, headerless_pytyche))
		return headerless_pytyche;
	if (log->by_units && headerless_fits(row, log->by_units))
		return log->by_units;
	return NULL;
}

/* Nobody said what was asked for. */
static void note_doubt(struct log *log, const struct csv_row *row, const char *fields)
{
	if (fields == log->by_units)
		log_note(log, true, "guessed-units", (struct span){NULL, 0},
			"no header: the %zu cells of a row are taken for %s, as their "
			"units and values suggest; --columns says what they are",
			row->count, fields);
	else
		log_note(log, true, "doubtful-columns", (struct span){NULL, 0},
			"no header, and no units: the %zu cells of a row are taken for "
			"%s, whose values they could be; --columns says what they are",
			row->count, fields);
}

const char *query_fields(struct log *log, const struct csv_row *row)
{
	const char *fields = named_fields(log, row);
	bool guessed = !fields;

	if (guessed)
		fields = guessed_fields(log, row);
	if (!fields)
		return NULL;
	if (guessed && !(fields == headerless_pytyche && log->nine_sure))
		note_doubt(log, row, fields);
	else if (fields != log->columns)
		log_note(log, false, "guessed-columns", (struct span){NULL, 0},
			"no header: the %zu cells of a row are read as %s", row->count,
			fields);
	return fields;
}
