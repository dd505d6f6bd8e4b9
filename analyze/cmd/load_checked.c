/* The witness of the values, and what the report says of gaps. */
#include "cmd/load_checked.h"

#include "base/text.h"

/* The only file of a kind; NULL: there are several. */
static const char *only_file(const struct run *run, enum source_kind kind)
{
	const char *path = NULL;

	for (size_t i = 0; i < run->file_count; i++) {
		if (run->file[i].kind != kind)
			continue;
		if (path)
			return NULL;
		path = run->file[i].path;
	}
	return path;
}

/* Rows that had to be sorted have lost their lines, and their file if there are several.
 */
static void find_place(const struct run *run, struct gap *gap)
{
	for (size_t i = 0; gap->file >= run->file_count && i < run->file_count; i++)
		if (run->file[i].kind == gap->source && only_file(run, gap->source))
			gap->file = i;
}

/* d: has gaps which nothing explains; gap: the longest of them. */
static void add_gap(
	struct run *run, const struct device_evidence *d, const struct gap *gap)
{
	const char *name = run->device[d->device].name;
	uint64_t again = d->gaps - d->restarts - 1;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "no %s %s of %s for %.3f s after ", source_name(d->source),
		gap->unanswered ? "value" : "row", name, gap->length_s);
	time_print(&text, gap->start_ns);
	if (again)
		strbuf_adds(&text, ", the longest");
	for (uint64_t i = 0; i <= again; i++)
		diag_add(&run->diags, true, "gap",
			gap->file < run->file_count ? run->file[gap->file].path : "",
			gap->line, span_of(name), "%s", text.text);
	strbuf_release(&text);
}

/*
 * One entry for the gaps of a device in a log, at the longest of them. Where the recorder
 * was started again behind one, nothing is missing.
 */
static void note_gaps(struct loaded *loaded)
{
	struct evidence *e = &loaded->report.evidence;
	struct run *run = &loaded->run;

	for (size_t k = 0; k < e->gap_listed; k++)
		find_place(run, &e->gap[k]);
	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		size_t k = 0;

		if (d->gaps == d->restarts)
			continue;
		while (k < e->gap_listed &&
			(e->gap[k].device != d->device || e->gap[k].source != d->source ||
				e->gap[k].restart))
			k++;
		if (k < e->gap_listed)
			add_gap(run, d, &e->gap[k]);
	}
}

int load_checked(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct soundness_count *found, struct error *err)
{
	struct soundness *soundness = soundness_new();
	int loaded = load_watched(
		out, path, path_count, opt, soundness_witness(soundness), err);

	if (loaded == 0) {
		note_gaps(out);
		*found = soundness_count(soundness);
	}
	soundness_free(soundness);
	return loaded;
}
