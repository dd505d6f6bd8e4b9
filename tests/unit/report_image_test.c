/*
 * A report from its image is the one that was worked out, in every format, byte for byte:
 * of every run and case of testdata. An image that was cut, or changed, is refused or
 * another report, and never leads astray.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/formats.h"
#include "cmd/load.h"
#include "model/report_image.h"
#include "often.h"
#include "render/render.h"
#include "rules/rules.h"

struct room {
	struct error err;
	size_t reports;
	uint64_t seed;
};

static bool load(struct room *room, const char *path, struct loaded *loaded)
{
	char name[] = "hwsummarize", *argv[] = {name, (char *)path, NULL};
	struct load_plan plan;
	struct options opt;
	int rc;

	assert_int_equal(options_parse(&opt, 2, argv, &room->err), 0);
	plan = load_plan_of(&opt);
	plan.compute.rules = rules_carried();
	rc = load_run(loaded, opt.operand, 1, &plan, NULL, NULL, &room->err);
	options_release(&opt);
	return rc == 0;
}

/* Owned. */
static char *print(const struct report *report, const struct render_format *format)
{
	const struct render_options options = {.width = 80, .calls = true, .verbose = 1};
	const struct render_input in = {.report = report, .report_count = 1};
	struct error err;
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(format->write(&in, &options, out, &err), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static bool read_image(const char *bytes, size_t len, struct loaded *to)
{
	struct image im;

	*to = (struct loaded){0};
	image_read(&im, bytes, len);
	image_run(&im, &to->run);
	report_init(&to->report, &to->run);
	if (!im.damaged)
		image_report(&im, &to->report, rules_carried());
	return image_is_sound(&im);
}

static void compare(const char *path, const struct report *a, const struct report *b)
{
	const struct render_format *format;

	for (size_t i = 0; (format = output_nth(i)); i++) {
		char *x, *y;

		if (!format->write || format->tool ||
			strcmp(format->name, "svg") == 0) /* needs a timeline */
			continue;
		x = print(a, format);
		y = print(b, format);
		if (strcmp(x, y) != 0)
			fail_msg("%s: the image gives another %s", path, format->name);
		free(x);
		free(y);
	}
}

static uint64_t next_random(struct room *room)
{
	room->seed = room->seed * 6364136223846793005u + 1442695040888963407u;
	return room->seed >> 33;
}

/* Cut at any place it is refused; with any bytes changed nothing worse happens. */
static void damage(struct room *room, const struct strbuf *image)
{
	struct loaded read;

	for (int i = 0; i < often(10, 40); i++) {
		size_t len = next_random(room) % image->len;

		assert_false(read_image(image->text, len, &read));
		loaded_release(&read);
	}
	for (int i = 0; i < often(40, 200); i++) {
		char *bytes = malloc(image->len);

		assert_non_null(bytes);
		memcpy(bytes, image->text, image->len);
		for (int k = 0; k <= i % 4; k++)
			bytes[next_random(room) % image->len] = (char)next_random(room);
		if (read_image(bytes, image->len, &read))
			free(print(&read.report, output_find("json")));
		loaded_release(&read);
		free(bytes);
	}
}

static void check(struct room *room, const char *path)
{
	struct loaded loaded, read;
	struct image im;

	if (!load(room, path, &loaded))
		return;
	image_write(&im);
	image_run(&im, &loaded.run);
	image_report(&im, &loaded.report, NULL);
	if (!read_image(im.bytes.text, im.bytes.len, &read))
		fail_msg("%s: its image is not sound", path);
	compare(path, &loaded.report, &read.report);
	loaded_release(&read);
	damage(room, &im.bytes);
	image_release(&im);
	loaded_release(&loaded);
	room->reports++;
}

static void check_all(const char *pattern, size_t least)
{
	struct room room = {.seed = 1};
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check(&room, found.gl_pathv[i]);
	globfree(&found);
	assert_true(room.reports >= least);
}

static void runs(void **state)
{
	(void)state;
	check_all("testdata/runs/*", 2);
}

static void cases(void **state)
{
	(void)state;
	check_all("testdata/cases/*", 30);
}

static void broken(void **state)
{
	(void)state;
	check_all("testdata/broken/*", 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs),
		cmocka_unit_test(cases),
		cmocka_unit_test(broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
