/* Files that no reader claims, and what is said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "read/not_logs.h"

static const struct {
	const char *line[2];
	const char *says; /* NULL: nothing */
} files[] = {
	{{"\xfd"
	  "7zXZ",
		 NULL},
		"xz"},
	{{"BZh91AY&SY", NULL}, "bzip2"},
	{{"PK\x03\x04\x14", NULL}, "zip"},
	{{"7z\xbc\xaf\x27\x1c", NULL}, "7z"},
	{{"==============NVSMI LOG==============", NULL}, "nvidia-smi -q. To record"},
	{{"<?xml version=\"1.0\" ?>", "<nvidia_smi_log>"}, "nvidia-smi -q -x. To record"},
	{{"0, gpuUtil                , 1709978400123456, 0", NULL}, "stats. To record"},
	{{"0, gpuUtil, 5", NULL}, NULL},
	{{"some words", "PK\x03\x04\x14"}, NULL},
	{{NULL, NULL}, NULL},
};

static void by_their_begin(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct probe probe = {.count = 0};
		const char *name;

		for (size_t k = 0; k < 2 && files[i].line[k]; k++)
			probe.line[probe.count++] = span_of(files[i].line[k]);
		name = not_log_name(&probe);
		if (!name != !files[i].says || (name && !strstr(name, files[i].says)))
			fail_msg("%s: %s", files[i].line[0], name ? name : "nothing");
	}
}

enum where {
	BEGINS,
	LINE,
	HAS,
	NAME,
	SCRIPT,
	SOURCE
};

static const struct {
	enum where where;
	const char *text, *what;
} signs[] = {
#define NOT_LOG(where, text, what, instead) {where, text, what ". " instead},
#include "../schema/not_logs.def"
};

/* Each row is reached, by a line that has no more than its text. */
static void by_each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		struct probe probe = {.count = 2, .line[1] = span_of("c")};
		char text[128];
		const char *name;

		snprintf(text, sizeof text, "%s", signs[i].text);
		bool named = signs[i].where == NAME || signs[i].where == SOURCE;

		probe.line[signs[i].where == LINE || signs[i].where == HAS] =
			span_of(named ? "a" : text);
		probe.line[0] = probe.line[0].at ? probe.line[0] : span_of("b");
		probe.path = named ? text : "folder/file";
		if (named)
			snprintf(text, sizeof text, "file%s", signs[i].text);
		name = not_log_name(&probe);
		if (!name || strcmp(name, signs[i].what) != 0)
			fail_msg("%s: %s", signs[i].text, name ? name : "nothing");
		assert_true(!not_log_refused(&probe, true) ==
			(signs[i].where != SCRIPT && signs[i].where != SOURCE));
		assert_true(
			!not_log_refused(&probe, false) == (signs[i].where != SCRIPT));
	}
}

static bool is_tar(const struct probe *probe)
{
	const char *name = not_log_name(probe);

	return name && strcmp(name, "a tar file. Unpack it first: tar -xf FILE") == 0;
}

/* A header of 512 bytes: name, numbers, "ustar" at 257, and then what a member holds. */
static void a_tar(void **state)
{
	char line[600] = "runs/gpu.csv";
	struct probe probe = {.count = 1, .line[0] = {line, sizeof line}};

	(void)state;
	assert_false(is_tar(&probe));
	memcpy(line + 257, "ustar  ", 7);
	assert_true(is_tar(&probe));
	probe.line[0].len = 511;
	assert_false(is_tar(&probe));
	probe.line[0].len = sizeof line;
	for (size_t i = 0; i < 257; i++) /* a long line that says it is none */
		line[i] = 'x';
	assert_false(is_tar(&probe));
}

/*
 * Without "ustar", as of Unix's seventh edition: by the sum. "a" is 97, seven 0 of the
 * mode 336, the sum's own eight bytes as spaces 256: 689, in octal 1261.
 */
static void an_old_tar(void **state)
{
	char line[600] = "a";
	struct probe probe = {.count = 1, .line[0] = {line, sizeof line}};

	(void)state;
	memcpy(line + 100, "0000000", 7);
	memcpy(line + 148, "  1261\0 ", 8);
	assert_true(is_tar(&probe));
	line[0] = 'b';
	assert_false(is_tar(&probe));
	memcpy(line + 148, "\0\0\0\0\0\0\0\0", 8);
	assert_false(is_tar(&probe));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_their_begin),
		cmocka_unit_test(by_each_row),
		cmocka_unit_test(a_tar),
		cmocka_unit_test(an_old_tar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
