/*
 * An answer as JSON, described by answer.schema.json, and as lines: each row is an object
 * whose keys are the names of the columns, which therefore may not be equal. Computes
 * nothing.
 */
#include <string.h>

#include "render/formats.h"
#include "render/json_document.h"

static int check_names(const struct answer *answer, struct error *err)
{
	for (size_t i = 0; i < answer->column_count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(answer->column[i], answer->column[k]) == 0)
				return error_set(err,
					"two columns of the answer are called '%s'; "
					"expected other names (... AS name) where they "
					"are keys",
					answer->column[i]);
	return 0;
}

static void add_cell(
	struct json_writer *w, const char *key, const struct answer_cell *cell)
{
	struct strbuf text;

	strbuf_init(&text);
	answer_print(&text, cell);
	if (cell->kind == ANSWER_NULL)
		json_null(w, key);
	else if (answer_is_number(cell))
		json_raw(w, key, text.text);
	else
		json_string(w, key, text.text);
	strbuf_release(&text);
}

/* All rows, each a value of its own or of an array that is open. */
static int add_rows(struct json_writer *w, struct answer *answer, struct error *err)
{
	int rc;

	while ((rc = answer_next(answer, err)) > 0 && !ferror(w->out)) {
		json_object(w, NULL);
		for (size_t i = 0; i < answer->column_count; i++)
			add_cell(w, answer->column[i], &answer->cell[i]);
		json_close(w);
	}
	return rc < 0 ? -1 : 0;
}

/* The rest was not answered: what is out may not look whole. */
static int leave_open(struct json_writer *w)
{
	strbuf_release(&w->text);
	return -1;
}

int json_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;
	int rc;

	(void)opt;
	if (check_names(answer, err) < 0)
		return -1;
	json_document_begin(&w, out);
	json_array(&w, "columns");
	for (size_t i = 0; i < answer->column_count; i++)
		json_string(&w, NULL, answer->column[i]);
	json_close(&w);
	json_array(&w, "rows");
	rc = add_rows(&w, answer, err);
	if (rc < 0)
		return leave_open(&w);
	json_close(&w);
	return json_document_end(&w, err);
}

int ndjson_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct json_writer w;
	int rc;

	(void)opt;
	if (check_names(answer, err) < 0)
		return -1;
	json_init(&w, out, JSON_COMPACT);
	rc = add_rows(&w, answer, err);
	if (rc < 0)
		return leave_open(&w);
	json_finish(&w);
	return render_check(out, "ndjson", err);
}
