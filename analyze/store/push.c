/*
 * Runs and their summaries into PostgreSQL, some runs a transaction. The table `pushed`
 * there has a row a run, which a push holds until its rows are in their tables; so any
 * number may push at once, and a repeat finds what is there. What of a run is offered
 * push_offer.c reads, rows are copied by push_rows.c, the server is reached by
 * postgres.c.
 */
#include "store/push.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/store.h"

/* Of schema/postgres.sql. */
#define SCHEMA_VERSION 4
#define BATCH_RUNS     64

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const struct {
	const char *name, *text;
} schema[] = {
#include "postgres_sql.inc"
};
#pragma GCC diagnostic pop

struct push {
	struct store *store;
	struct postgres *pg;
	struct push_rows *rows;
	struct gathered *result;
	struct offer offer[BATCH_RUNS];
	size_t count;
	struct strbuf months; /* that have partitions: "2026-11-01 " */
};

/* The version of the schema there; 0: there is none, or half of one. */
static int ask_version(struct postgres *pg, int64_t *version, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(pg,
		"SELECT to_regclass('hwsummarize.schema_version') IS NOT NULL", NULL, 0,
		err);
	const char *there;

	*version = 0;
	if (!rows)
		return -1;
	there = postgres_rows_count(rows) ? postgres_cell(rows, 0, 0) : NULL;
	if (!there || *there != 't') {
		postgres_rows_free(rows);
		return 0;
	}
	postgres_rows_free(rows);
	rows = postgres_ask(
		pg, "SELECT version FROM hwsummarize.schema_version", NULL, 0, err);
	if (!rows)
		return -1;
	if (postgres_rows_count(rows))
		*version = strtoll(postgres_cell(rows, 0, 0), NULL, 10);
	postgres_rows_free(rows);
	if (*version <= SCHEMA_VERSION)
		return 0;
	return error_set(err,
		"%s: its tables are of schema %lld, this program knows up to %d; push by "
		"a newer hwsummarize",
		postgres_name(pg), (long long)*version, SCHEMA_VERSION);
}

static int update_schema(struct postgres *pg, struct error *err)
{
	int64_t version;

	if (ask_version(pg, &version, err) < 0)
		return -1;
	if (version == SCHEMA_VERSION)
		return 0;
	/* Another push may be quicker. */
	if (postgres_exec(pg, "BEGIN; SELECT pg_advisory_xact_lock(1752658797)", err) <
			0 ||
		ask_version(pg, &version, err) < 0 ||
		(version < SCHEMA_VERSION && postgres_exec(pg, schema[0].text, err) < 0))
		return -1;
	return postgres_exec(pg, "COMMIT", err);
}

static int add_month(struct push *push, const char *month, struct error *err)
{
	struct postgres_rows *rows;

	if (strstr(push->months.text, month))
		return 0;
	rows = postgres_ask(push->pg, "SELECT hwsummarize.add_month($1::date)",
		(const char *const[]){month}, 1, err);
	if (!rows)
		return -1;
	postgres_rows_free(rows);
	strbuf_addf(&push->months, "%s ", month);
	return 0;
}

/* Stages the offers; new ones take their place at once. */
static int stage(struct push *push, struct error *err)
{
	struct strbuf bytes;
	int rc = postgres_exec(push->pg,
		"BEGIN; CREATE TEMP TABLE offered (LIKE hwsummarize.pushed INCLUDING "
		"DEFAULTS) ON COMMIT DROP",
		err);

	if (rc == 0)
		rc = postgres_copy_begin(push->pg,
			"COPY pg_temp.offered (run, month, has_id, files, bytes, "
			"definitions, stamp) FROM STDIN",
			err);
	strbuf_init(&bytes);
	for (size_t i = 0; i < push->count; i++) {
		const struct offer *o = &push->offer[i];

		copy_text(&bytes, o->run);
		strbuf_addf(&bytes, "\t%s\t%d\t%lld\t%lld\t%lld\t%lld\n", o->month,
			o->has_id, (long long)o->files, (long long)o->bytes,
			(long long)o->definitions, (long long)o->stamp);
	}
	if (rc == 0)
		rc = postgres_copy_put(push->pg, bytes.text, bytes.len, err);
	if (rc == 0)
		rc = postgres_copy_end(push->pg, err);
	strbuf_release(&bytes);
	return rc;
}

static struct offer *find_undecided(struct push *push, const char *run)
{
	for (size_t i = 0; i < push->count; i++)
		if (push->offer[i].verdict == UNDECIDED &&
			strcmp(push->offer[i].run, run) == 0)
			return &push->offer[i];
	return NULL;
}

/* All that push at once take and lock runs in the order of their names. */
static int take_new(struct push *push, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(push->pg,
		"INSERT INTO hwsummarize.pushed SELECT * FROM pg_temp.offered "
		"ORDER BY run COLLATE \"C\" ON CONFLICT (run) DO NOTHING RETURNING run",
		NULL, 0, err);

	if (!rows)
		return -1;
	for (size_t i = 0; i < postgres_rows_count(rows); i++) {
		struct offer *offer = find_undecided(push, postgres_cell(rows, i, 0));

		if (offer)
			offer->verdict = TAKE;
	}
	postgres_rows_free(rows);
	return 0;
}

static int64_t integer(const struct postgres_rows *rows, size_t row, int column)
{
	const char *cell = postgres_cell(rows, row, column);

	return cell ? strtoll(cell, NULL, 10) : 0;
}

static void judge(struct offer *offer, const struct postgres_rows *rows, size_t row)
{
	bool had_id = *postgres_cell(rows, row, 2) == 't';
	int64_t files = integer(rows, row, 3), bytes = integer(rows, row, 4);

	if (integer(rows, row, 6) == offer->stamp)
		offer->verdict = KNOWN;
	else if (files == offer->files || files == offer->files_on_disk)
		offer->verdict =
			offer->definitions < integer(rows, row, 5) ? KNOWN : RENEW;
	else if (!had_id || !offer->has_id || bytes == offer->bytes)
		offer->verdict = REFUSE;
	else
		offer->verdict = bytes < offer->bytes ? RENEW : KNOWN;
}

static void array_add(struct strbuf *array, const char *text)
{
	strbuf_adds(array, array->len ? ",\"" : "{\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_addc(array, '\\');
		strbuf_addc(array, *text);
	}
	strbuf_addc(array, '"');
}

/* Decides on the others, whose rows it holds; the months that they lay in go to months.
 */
static int judge_old(struct push *push, struct strbuf *months, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(push->pg,
		"SELECT p.run, p.month, p.has_id, p.files, p.bytes, p.definitions, "
		"p.stamp FROM hwsummarize.pushed p WHERE p.run IN "
		"(SELECT o.run FROM pg_temp.offered o) ORDER BY p.run COLLATE \"C\" "
		"FOR UPDATE OF p",
		NULL, 0, err);

	if (!rows)
		return -1;
	for (size_t i = 0; i < postgres_rows_count(rows); i++) {
		struct offer *offer;

		while ((offer = find_undecided(push, postgres_cell(rows, i, 0)))) {
			judge(offer, rows, i);
			if (offer->verdict == RENEW)
				array_add(months, postgres_cell(rows, i, 1));
		}
	}
	postgres_rows_free(rows);
	return 0;
}

static int renew(struct push *push, const char *runs, struct error *err)
{
	struct postgres_rows *rows = postgres_ask(push->pg,
		"UPDATE hwsummarize.pushed p SET month = o.month, has_id = o.has_id, "
		"files = o.files, bytes = o.bytes, definitions = o.definitions, "
		"stamp = o.stamp, pushed_at = now(), pushed_by = session_user "
		"FROM pg_temp.offered o WHERE o.run = p.run "
		"AND p.run = ANY($1::text[]) AND o.stamp <> p.stamp",
		&runs, 1, err);

	if (!rows)
		return -1;
	postgres_rows_free(rows);
	return 0;
}

/* The rows of what is taken or renewed in the place of all that lies under their names.
 */
static int put_rows(struct push *push, struct strbuf *months, struct error *err)
{
	struct strbuf runs;
	int rc = 0;

	strbuf_init(&runs);
	for (size_t i = 0; i < push->count; i++) {
		const struct offer *o = &push->offer[i];

		if (o->verdict != TAKE && o->verdict != RENEW)
			continue;
		array_add(&runs, o->run);
		array_add(months, o->month);
	}
	if (runs.len) {
		strbuf_addc(&runs, '}');
		strbuf_addc(months, '}');
		rc = renew(push, runs.text, err);
		if (rc == 0)
			rc = push_rows_copy(push->rows, push->offer, push->count,
				runs.text, months->text, err);
	}
	strbuf_release(&runs);
	return rc;
}

static void count_offers(struct push *push)
{
	struct gathered *r = push->result;

	for (size_t i = 0; i < push->count; i++) {
		struct strbuf sb;

		r->taken += push->offer[i].verdict == TAKE;
		r->renewed += push->offer[i].verdict == RENEW;
		r->known += push->offer[i].verdict == KNOWN;
		if (push->offer[i].verdict != REFUSE)
			continue;
		r->refused++;
		strbuf_init(&sb);
		strbuf_addf(&sb,
			"%s: run %s is not taken: %s has another recording under that "
			"name, whose files differ",
			push->store->path, push->offer[i].run, postgres_name(push->pg));
		gathered_refuse(r, &sb);
	}
}

static int push_batch(struct push *push, struct error *err)
{
	struct strbuf months;
	int rc = 0;

	for (size_t i = 0; i < push->count && rc == 0; i++)
		rc = add_month(push, push->offer[i].month, err);
	strbuf_init(&months);
	if (rc == 0)
		rc = stage(push, err);
	if (rc == 0)
		rc = take_new(push, err);
	if (rc == 0)
		rc = judge_old(push, &months, err);
	if (rc == 0)
		rc = put_rows(push, &months, err);
	if (rc == 0)
		rc = postgres_exec(push->pg, "COMMIT", err);
	if (rc == 0)
		count_offers(push);
	strbuf_release(&months);
	return rc;
}

/* In one state of the database; others that write wait for no more than a batch. */
static int push_runs(
	struct push *push, const struct listed_run *run, size_t count, struct error *err)
{
	int rc = sql_exec(push->store, "BEGIN", err);

	push->count = 0;
	for (size_t i = 0; i < count && rc >= 0; i++) {
		struct offer *offer = &push->offer[push->count];

		rc = offer_read(offer, push->store, run[i].run_id, err);
		if (rc > 0)
			push->count++;
		else
			free(offer->run);
	}
	if (rc >= 0 && push->count)
		rc = push_batch(push, err);
	sql_rollback(push->store);
	for (size_t i = 0; i < push->count; i++)
		free(push->offer[i].run);
	return rc < 0 ? -1 : 0;
}

static int push_all(struct push *push, const struct run_list *list, struct error *err)
{
	if (update_schema(push->pg, err) < 0 ||
		push_metrics(push->store, push->pg, err) < 0 ||
		push_rows_open(&push->rows, push->store, push->pg, err) < 0)
		return -1;
	for (size_t at = 0; at < list->count; at += BATCH_RUNS)
		if (push_runs(push, &list->run[at],
			    list->count - at < BATCH_RUNS ? list->count - at : BATCH_RUNS,
			    err) < 0)
			return -1;
	return 0;
}

int store_push(struct store *store, const char *dsn, const struct run_choice *choice,
	struct gathered *result, struct error *err)
{
	struct push *push = xcalloc(1, sizeof *push);
	struct run_list list;
	int rc;

	*result = (struct gathered){0};
	push->store = store;
	push->result = result;
	strbuf_init(&push->months);
	rc = runs_choose(store, choice, &list, err);
	if (rc == 0) {
		rc = postgres_open(&push->pg, dsn, err);
		if (rc == 0)
			rc = push_all(push, &list, err);
		run_list_release(&list);
	}
	push_rows_close(push->rows);
	postgres_close(push->pg);
	strbuf_release(&push->months);
	free(push);
	return rc;
}
