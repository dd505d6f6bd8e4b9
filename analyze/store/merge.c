/*
 * Merges the runs of another database in one transaction. Decides which runs are the
 * same and what to do if both databases have one; copy.c copies the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/coverage.h"
#include "store/internal.h"
#include "store/store.h"

/* Counts and errors of a merge or push. */

void transfer_counts_refuse(struct transfer_counts *counts, struct strbuf *sentence)
{
	ALLOC_NEXT(counts->refusal, counts->refusal_count, counts->refusal_cap) =
		strbuf_detach(sentence);
}

void transfer_counts_release(struct transfer_counts *counts)
{
	for (size_t i = 0; i < counts->refusal_count; i++)
		free(counts->refusal[i]);
	free(counts->refusal);
	*counts = (struct transfer_counts){0};
}

struct merge {
	struct store *store, *other;
	struct transfer_counts *result;
};

/* A stored run as far as it takes to tell it from others. */
struct known {
	int64_t run_id;
	struct run run; /* its devices and files, too */
	char *shape;
	int64_t definitions;
};

static void known_release(struct known *known)
{
	run_release(&known->run);
	free(known->shape);
}

static int known_read(
	struct known *known, struct store *store, int64_t run_id, struct error *err)
{
	struct sql_row row;

	*known = (struct known){.run_id = run_id};
	run_init(&known->run, "");
	sql_prepare_of_run(&row, store,
		"SELECT run_key, path, is_directory, manifest_id, shape, "
		"definitions_version FROM run WHERE run_id = ?",
		run_id, err);
	if (sql_row_next(&row)) {
		sql_get_text(&row, &known->run.key);
		sql_get_text(&row, &known->run.path);
		known->run.is_directory = sql_get_int(&row) != 0;
		sql_get_text(&row, &known->run.run_id);
		sql_get_text(&row, &known->shape);
		known->definitions = sql_get_int(&row);
	}
	if (row.rc == 0 && (!known->run.key || !known->run.path || !known->shape))
		sql_row_damaged(&row, "a run has no name, or is missing");
	return sql_row_end(&row) < 0 ? -1
				     : run_read_files(store, run_id, &known->run, err);
}

static struct strbuf *refusal(struct strbuf *sb, const struct merge *m, const char *key)
{
	strbuf_init(sb);
	strbuf_addf(sb, "%s: run %s", m->other->path, key);
	return sb;
}

/* Is `later` a recording by the same recorder, of which `earlier` is the beginning? What
 * is no log may go, as the file that says who records. */
static bool has_grown(const struct run *earlier, const struct run *later)
{
	if (!earlier->run_id || !later->run_id || !earlier->is_directory ||
		!later->is_directory)
		return false;
	for (size_t i = 0, j; i < earlier->file_count; i++) {
		const struct run_file *file = &earlier->file[i];

		if (file->kind == SOURCE_NONE)
			continue;
		for (j = 0; j < later->file_count; j++)
			if (file_has_same_name(file, &later->file[j]))
				break;
		if (j == later->file_count ||
			later->file[j].content_size < file->content_size ||
			later->file[j].mtime_ns < file->mtime_ns)
			return false;
	}
	return true;
}

enum choice {
	KEEP, /* ours: it says the same, or more */
	RENEW, /* theirs says more */
	REFUSE /* neither */
};

/* Both have the same files. -1: err is set. */
static int choose_same(const struct merge *m, const struct known *ours,
	const struct known *theirs, enum choice *choice, struct error *err)
{
	uint64_t one, other;
	struct strbuf sb;

	*choice = ours->definitions < theirs->definitions ? RENEW : KEEP;
	if (ours->definitions != theirs->definitions)
		return 0;
	if (strcmp(ours->shape, theirs->shape) != 0) {
		strbuf_addf(refusal(&sb, m, theirs->run.key),
			" was not merged: %s has the same run, read with other options "
			"(%s there, %s here). To take this one, forget that one first",
			m->store->path, ours->shape, theirs->shape);
		transfer_counts_refuse(m->result, &sb);
		*choice = REFUSE;
		return 0;
	}
	if (run_hash(m->store, ours->run_id, &one, err) < 0 ||
		run_hash(m->other, theirs->run_id, &other, err) < 0)
		return -1;
	if (one == other)
		return 0;
	strbuf_addf(refusal(&sb, m, theirs->run.key),
		" was not merged: %s has other rows from the same files. To take this "
		"one, forget that one first",
		m->store->path);
	transfer_counts_refuse(m->result, &sb);
	*choice = REFUSE;
	return 0;
}

static int choose(const struct merge *m, const struct known *ours,
	const struct known *theirs, enum choice *choice, struct error *err)
{
	struct strbuf sb;

	if (ours->run.is_directory == theirs->run.is_directory &&
		run_has_same_logs(&ours->run, &theirs->run))
		return choose_same(m, ours, theirs, choice, err);
	if (has_grown(&ours->run, &theirs->run)) {
		*choice = RENEW;
	} else if (has_grown(&theirs->run, &ours->run)) {
		*choice = KEEP;
	} else {
		strbuf_addf(refusal(&sb, m, theirs->run.key),
			" was not merged: %s has a different recording with the same id "
			"or path. To take this one, forget that one first",
			m->store->path);
		transfer_counts_refuse(m->result, &sb);
		*choice = REFUSE;
	}
	return 0;
}

/* Adds their labels to ours; where the values differ, ours stay. 1: some were new. */
static int join_labels(const struct merge *m, const struct known *theirs,
	struct label_list *labels, struct error *err)
{
	struct label_list list = {0};
	struct strbuf sb;
	int news = 0;

	if (labels_read(m->other, theirs->run_id, &list, err) < 0) {
		label_list_release(&list);
		return -1;
	}
	for (size_t i = 0; i < list.count && news >= 0; i++) {
		const struct label *label = &list.at[i];
		const struct label *own = label_find(labels, label->key);

		if (!label_is_key(span_of(label->key)) ||
			!label_is_value(span_of(label->value))) {
			news = sql_damaged(m->other, "an invalid label", err);
		} else if (!own) {
			label_set(labels, span_of(label->key), span_of(label->value),
				label->given);
			news = 1;
		} else if (strcmp(own->value, label->value) != 0) {
			strbuf_addf(refusal(&sb, m, theirs->run.key),
				": label %s=%s was not merged: in %s it is %s",
				label->key, label->value, m->store->path, own->value);
			transfer_counts_refuse(m->result, &sb);
		}
	}
	label_list_release(&list);
	return news;
}

/* A run that was not there, or takes the place of ours, with the labels that ours had. */
static int take(const struct merge *m, const struct known *theirs,
	struct label_list *labels, struct error *err)
{
	int64_t run_id;

	if (join_labels(m, theirs, labels, err) < 0 ||
		run_copy(m->store, m->other, theirs->run_id, &run_id, err) < 0)
		return -1;
	return labels_put(m->store, run_id, labels, err);
}

static int keep(const struct merge *m, const struct known *ours,
	const struct known *theirs, struct label_list *labels, bool moved,
	struct error *err)
{
	int news = join_labels(m, theirs, labels, err);

	if (news < 0 ||
		(moved && moved_run_set(m->store, ours->run_id, &theirs->run, err) < 0))
		return -1;
	return news ? labels_put(m->store, ours->run_id, labels, err) : 0;
}

static int renew(const struct merge *m, const struct known *ours,
	const struct known *theirs, struct label_list *labels, bool moved,
	struct error *err)
{
	int64_t run_id = 0;

	if (run_delete(m->store, ours->run_id, err) < 0 ||
		take(m, theirs, labels, err) < 0)
		return -1;
	/* It is still where ours was, as far as can be seen from here. */
	if (moved || strcmp(ours->run.key, theirs->run.key) == 0)
		return 0;
	return run_find(m->store, theirs->run.key, &run_id, err) < 0
		? -1
		: moved_run_set(m->store, run_id, &ours->run, err);
}

static int join(const struct merge *m, const struct known *ours,
	const struct known *theirs, bool moved, struct error *err)
{
	struct label_list labels = {0};
	enum choice choice = REFUSE;
	int rc = choose(m, ours, theirs, &choice, err);

	if (rc == 0 && choice != REFUSE)
		rc = labels_read(m->store, ours->run_id, &labels, err);
	if (rc == 0 && choice == KEEP) {
		m->result->known++;
		rc = keep(m, ours, theirs, &labels, moved, err);
	} else if (rc == 0 && choice == RENEW) {
		m->result->renewed++;
		rc = renew(m, ours, theirs, &labels, moved, err);
	} else if (rc == 0) {
		m->result->refused++;
	}
	label_list_release(&labels);
	return rc;
}

/* 1: *run_id is our row of their run; 0: we have none; -1 */
static int find_ours(const struct merge *m, const struct known *theirs, int64_t *run_id,
	bool *moved, struct error *err)
{
	int rc = run_find(m->store, theirs->run.key, run_id, err);

	*moved = false;
	return rc ? rc
		  : moved_run_find_twin(
			    m->store, m->other, &theirs->run, run_id, moved, err);
}

static int merge_run(const struct merge *m, int64_t their_id, struct error *err)
{
	struct known theirs, ours;
	struct label_list none = {0};
	int64_t our_id = 0;
	bool moved;
	int rc = known_read(&theirs, m->other, their_id, err);

	if (rc == 0)
		rc = find_ours(m, &theirs, &our_id, &moved, err);
	if (rc > 0) {
		rc = known_read(&ours, m->store, our_id, err);
		if (rc == 0)
			rc = join(m, &ours, &theirs, moved, err);
		known_release(&ours);
	} else if (rc == 0) {
		m->result->taken++;
		rc = take(m, &theirs, &none, err);
	}
	label_list_release(&none);
	known_release(&theirs);
	return rc;
}

static int merge_all(const struct merge *m, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_exec(m->other, "BEGIN", err) < 0)
		return -1;
	sql_row_prepare(&row, m->other, "SELECT run_id FROM run ORDER BY run_id", err);
	while (sql_row_next(&row))
		row.rc = merge_run(m, sql_get_int(&row), err);
	rc = sql_row_end(&row);
	/* Two that merge crosswise would wait for one another's end. */
	sql_rollback(m->other);
	return rc < 0 ? -1 : sql_exec(m->store, "COMMIT", err);
}

int store_merge(struct store *store, struct store *other, struct transfer_counts *result,
	struct error *err)
{
	const struct merge m = {store, other, result};

	*result = (struct transfer_counts){0};
	if (moved_run_is_same(store->path, other->path))
		return error_set(err, "%s is the database itself; expected another one",
			other->path);
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (merge_all(&m, err) == 0)
		return 0;
	sql_rollback(other);
	sql_rollback(store);
	transfer_counts_release(result);
	return -1;
}
