/* Which runs stand below one another, and what they are called there. */
#include "render/html_compared.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "render/html_multiples.h"
#include "render/timeline_parts.h"

#define RUNS_DRAWN 10 /* of a comparison; of each side half of them */

static void say_count(struct strbuf *sb, size_t runs, const char *of)
{
	if (runs)
		strbuf_addf(sb, "<p class=\"facts\">%zu %s not drawn%s.</p>\n", runs,
			runs == 1 ? "run is" : "runs are", of);
}

void html_together(struct strbuf *sb, const struct report *report, size_t count,
	size_t first, size_t room)
{
	struct multiple *of = xcalloc(count, sizeof *of);
	struct outline **outline = xcalloc(count, sizeof *outline);
	struct multiples these = {
		.of = of, .heading = "h3", .from = timeline_from(report), .room = room};
	struct strbuf first_ones;

	strbuf_init(&first_ones);

	for (size_t i = 0; i < count; i++) {
		if (report[i].undrawn)
			continue;
		outline[i] = outline_make(&report[i]);
		of[these.count++] = (struct multiple){.name = report[i].run->path,
			.section = first + i,
			.outline = outline[i]};
	}
	if (html_multiples_any(&these)) {
		strbuf_adds(sb,
			"<section aria-labelledby=\"all\">\n<h2 id=\"all\">All runs over "
			"time</h2>\n");
		html_multiples(sb, &these);
		strbuf_addf(&first_ones,
			": the first %zu are, a report of fewer runs draws the others",
			these.count);
		say_count(sb, count - these.count, first_ones.text);
		strbuf_adds(sb, "</section>\n");
	}
	for (size_t i = 0; i < count; i++)
		outline_free(outline[i]);
	strbuf_release(&first_ones);
	free(outline);
	free(of);
}

/* The runs of a comparison that are drawn, and how many are not. */
struct choice {
	struct multiple of[RUNS_DRAWN];
	size_t count;
	size_t beyond; /* as there are enough */
	size_t without; /* as they are numbers alone, or have none over time */
};

/* The first ones of a side. */
static void choose(struct choice *choice, const struct comparison *comparison,
	enum side side, size_t most)
{
	static const char *const called[] = {
		[SIDE_BASE] = "Base", [SIDE_NEW] = "New", [SIDES] = NULL};
	size_t drawn = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct compared_run *run = &comparison->run[i];

		if (run->side != side)
			continue;
		if (drawn < most && run->outline) {
			choice->of[choice->count++] = (struct multiple){.name = run->name,
				.side = called[side],
				.outline = run->outline};
			drawn++;
		} else if (drawn < most && !comparison->undrawn) {
			choice->without++;
		} else {
			choice->beyond++;
		}
	}
}

void html_compared(struct strbuf *sb, const struct comparison *comparison)
{
	bool sides = comparison_has_sides(comparison);
	struct choice choice = {.count = 0};
	struct multiples these;

	for (enum side side = SIDE_BASE; side < SIDES && sides; side++)
		choose(&choice, comparison, side, RUNS_DRAWN / SIDES);
	if (!sides)
		choose(&choice, comparison, SIDES, RUNS_DRAWN);
	these = (struct multiples){choice.of, choice.count, comparison->filter.metric,
		"h4", (double)comparison->filter.since_ns / 1e9, SIZE_MAX};
	if (!html_multiples_any(&these))
		return;
	strbuf_adds(sb, "<h3>Over time</h3>\n");
	html_multiples(sb, &these);
	say_count(sb, choice.beyond,
		sides ? ": of each side the first five are" : ": the first ten are");
	say_count(sb, choice.without, ": nothing is known of them over time");
}
