/* Logs of a run that name GPUs by ids of different sorts: which are the same GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define UUID_A "GPU-0a6d5c2e-1f3b-4c8d-9e7f-112233445566"
#define UUID_B "GPU-1a6d5c2e-1f3b-4c8d-9e7f-112233445566"

#define BY_UUID                                       \
	"timestamp, uuid, power.draw [W]\n"           \
	"2025/03/01 10:00:00.000, " UUID_B ", 10 W\n" \
	"2025/03/01 10:00:00.000, " UUID_A ", 20 W\n"
#define BY_INDEX                             \
	"timestamp, index, power.draw [W]\n" \
	"2025/03/01 10:00:10.000, 0, 11 W\n" \
	"2025/03/01 10:00:10.000, 1, 21 W\n"
#define BY_BUS                                              \
	"timestamp, pci.bus_id, power.draw [W]\n"           \
	"2025/03/01 10:00:20.000, 00000000:0C:00.0, 12 W\n" \
	"2025/03/01 10:00:20.000, 00000000:8A:00.0, 22 W\n"
#define BY_SERIAL                                 \
	"timestamp, serial, power.draw [W]\n"     \
	"2025/03/01 10:00:20.000, 165001, 12 W\n" \
	"2025/03/01 10:00:20.000, 165002, 22 W\n"
#define BY_NOTHING                        \
	"timestamp, power.draw [W]\n"     \
	"2025/03/01 10:00:30.000, 13 W\n" \
	"2025/03/01 10:00:30.000, 23 W\n" \
	"2025/03/01 10:00:31.000, 13 W\n" \
	"2025/03/01 10:00:31.000, 23 W\n"
#define DMON_HEADER \
	"#Date       Time        gpu   pwr\n#YYYYMMDD   HH:MM:SS    Idx     W\n"
#define BY_DMON     \
	DMON_HEADER \
	" 20250301   10:00:00      0    10\n 20250301   10:00:00      1    20\n"
#define BY_DMON_OF_3 BY_DMON " 20250301   10:00:00      2    30\n"
#define PMON                                                    \
	"#Date       Time        gpu  pid  type  sm  command\n" \
	" 20250301   10:00:00      0  77   C     5   python\n"  \
	" 20250301   10:00:00      1  -    -     -   -\n"
#define APPS                                                \
	"timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n" \
	"2025/03/01 10:00:00.000, " UUID_A ", 77, 5 MiB\n"

#define BY_INDEX_FROM_1                      \
	"timestamp, index, power.draw [W]\n" \
	"2025/03/01 10:00:10.000, 1, 11 W\n" \
	"2025/03/01 10:00:10.000, 2, 21 W\n"
#define BY_BUS_OF_3 BY_BUS "2025/03/01 10:00:20.000, 00000000:9A:00.0, 22 W\n"
#define BY_UUID_AND_INDEX                          \
	"timestamp, uuid, index, power.draw [W]\n" \
	"2025/03/01 10:00:10.000, " UUID_B ", 5, 10 W\n"
#define MODELS_AT(s)                               \
	"2025/03/01 10:00:" s ".000, A100, 13 W\n" \
	"2025/03/01 10:00:" s ".300, T4, 23 W\n"
#define BY_MODEL                                                            \
	"timestamp, name, power.draw [W]\n" MODELS_AT("30") MODELS_AT("31") \
		MODELS_AT("32")
#define BY_MODEL_AND_INDEX                         \
	"timestamp, name, index, power.draw [W]\n" \
	"2025/03/01 10:00:10.000, L4, 0, 21 W\n"   \
	"2025/03/01 10:00:10.000, T4, 1, 21 W\n"   \
	"2025/03/01 10:00:10.000, A100, 2, 11 W\n"
#define APPS_OF_NONE                              \
	"timestamp, pid, used_gpu_memory [MiB]\n" \
	"2025/03/01 10:00:00.000, 77, 5 MiB\n"    \
	"2025/03/01 10:00:01.000, 77, 5 MiB\n"    \
	"2025/03/01 10:00:02.000, 78, 5 MiB\n"

#define QUERY SOURCE_NVIDIA_QUERY
#define DMON  SOURCE_NVIDIA_DMON

/* What each pair of logs makes of the GPUs. */
static void two_logs(void **state)
{
	static const struct {
		enum source_kind kind[2];
		const char *text[2];
		size_t gpus;
		const char *said;
	} cases[] = {
		{{QUERY, DMON}, {BY_UUID, BY_DMON}, 2, "paired-ids"},
		{{QUERY, DMON}, {BY_BUS, BY_DMON}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_UUID, BY_BUS}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_UUID, BY_NOTHING}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_INDEX, BY_NOTHING}, 2, NULL},
		{{QUERY, QUERY}, {BY_SERIAL, BY_NOTHING}, 2, "paired-ids"},
		{{QUERY, DMON}, {BY_SERIAL, BY_DMON}, 2, NULL},
		{{QUERY, DMON}, {BY_INDEX, BY_DMON_OF_3}, 3, NULL},
		{{QUERY, DMON}, {BY_UUID, BY_DMON_OF_3}, 5, "unpaired-ids"},
		{{QUERY, SOURCE_NVIDIA_PMON}, {BY_UUID, PMON}, 2, "paired-ids"},
		/* a GPU without processes is in no listing of them: which one is it? */
		{{QUERY, SOURCE_NVIDIA_APPS}, {BY_INDEX, APPS}, 3, NULL},
		/* ... and one that no row names is the first */
		{{QUERY, SOURCE_NVIDIA_APPS}, {BY_INDEX_FROM_1, APPS_OF_NONE}, 2,
			"no-gpu"},
		{{QUERY, SOURCE_NVIDIA_APPS}, {BY_UUID, APPS_OF_NONE}, 2, "no-gpu"},
		/* some or all of those, or others */
		{{QUERY, QUERY}, {BY_BUS_OF_3, BY_NOTHING}, 5, "unpaired-ids"},
		{{QUERY, QUERY}, {BY_UUID_AND_INDEX, BY_NOTHING}, 3, "unpaired-ids"},
		{{QUERY, QUERY}, {BY_INDEX_FROM_1 BY_UUID_AND_INDEX, BY_NOTHING}, 4,
			"unpaired-ids"},
		{{QUERY, QUERY}, {BY_INDEX BY_UUID_AND_INDEX, BY_NOTHING}, 3, NULL},
		{{QUERY, QUERY}, {BY_INDEX, BY_MODEL}, 2, NULL},
		{{QUERY, QUERY}, {BY_INDEX_FROM_1, BY_MODEL}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_BUS, BY_MODEL}, 2, "paired-ids"},
		{{QUERY, QUERY}, {BY_BUS_OF_3, BY_MODEL}, 5, "unpaired-ids"},
		{{QUERY, QUERY}, {BY_MODEL_AND_INDEX, BY_MODEL}, 3, NULL},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
		size_t c = i / 2, first = i % 2;
		enum source_kind kind[2] = {cases[c].kind[first], cases[c].kind[!first]};
		const char *text[2] = {cases[c].text[first], cases[c].text[!first]};
		struct log_fixture fx;

		log_init(&fx);
		log_read_files(&fx, 2, kind, text);
		if (run_count_devices(&fx.run, DEVICE_GPU) != cases[c].gpus)
			fail_msg("case %zu, %zu first: %zu GPUs", c, first,
				run_count_devices(&fx.run, DEVICE_GPU));
		if (fx.run.diags.count != (cases[c].said != NULL) ||
			(cases[c].said && !log_diag(&fx, cases[c].said)))
			fail_msg("case %zu, %zu first: %zu diagnostics, %s", c, first,
				fx.run.diags.count, fx.run.diags.at[0].text);
		log_release(&fx);
	}
}

/* Those of which some have one sort of ids and some two are all there are. */
static void ids_in_common(void **state)
{
	static const enum source_kind kind[] = {QUERY, QUERY, DMON};
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read_files(&fx, 3, kind,
		(const char *const[]){BY_NOTHING, BY_UUID_AND_INDEX,
			DMON_HEADER " 20250301   10:00:20      4    10\n"});
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	assert_int_equal(log_diag(&fx, "paired-ids")->count, 1);
	for (size_t i = 0; i < fx.rows; i++)
		if (fx.row[i].value[METRIC_power_w] == 13)
			assert_int_equal(fx.run.device[fx.row[i].device].index, 4);
	log_release(&fx);
}

/* Three ticks of the GPUs of those indexes; of so many without any id. */
static void put_named(struct strbuf *sb, const char *indexes)
{
	strbuf_adds(sb, "timestamp, index, power.draw [W]\n");
	for (int tick = 0; tick < 3; tick++)
		for (const char *at = indexes; *at; at++)
			strbuf_addf(sb, "2025/03/01 10:00:%02d.000, %c, %c W\n", tick,
				*at, *at);
}

static void put_unnamed(struct strbuf *sb, int gpus)
{
	strbuf_adds(sb, "timestamp, temperature.gpu\n");
	for (int tick = 0; tick < 3; tick++)
		for (int place = 0; place < gpus; place++)
			strbuf_addf(sb, "2025/03/01 10:01:%02d.000, %d\n", tick, place);
}

/* Which GPUs rows without ids are of, beside a log that names some by index. */
static const struct {
	const char *named; /* indexes, a digit each */
	int unnamed; /* GPUs */
	const char *of; /* of each of these the digit of its name */
	size_t gpus;
	const char *said;
} beside[] = {
	{"0", 1, "0", 1, NULL},
	{"3", 1, "3", 1, "paired-ids"},
	{"01", 1, "0", 2, NULL},
	{"12", 1, "0", 3, "unpaired-ids"},
	{"123", 1, "0", 4, "unpaired-ids"},
	{"01", 2, "01", 2, NULL},
	{"10", 2, "01", 2, NULL},
	{"12", 2, "12", 2, "paired-ids"},
	{"21", 2, "12", 2, "paired-ids"},
	{"37", 2, "37", 2, "paired-ids"},
	{"123", 2, "01", 4, "unpaired-ids"},
	{"013", 2, "01", 3, NULL},
	{"0", 2, "01", 2, NULL},
	{"1", 2, "01", 2, NULL},
	{"3", 2, "01", 3, "unpaired-ids"},
	{"12", 3, "012", 3, NULL},
	{"02", 3, "012", 3, NULL},
	{"15", 3, "012", 4, "unpaired-ids"},
};

static void check_beside(const struct log_fixture *fx, size_t c)
{
	for (size_t i = 0; i < fx->rows; i++) {
		const struct log_row *row = &fx->row[i];
		const char *name = fx->run.device[row->device].name;
		double place = row->value[METRIC_temperature_c];
		char digit = isfinite(place) ? beside[c].of[(int)place]
					     : (char)('0' + row->value[METRIC_power_w]);

		if (strlen(name) != 4 || name[3] != digit)
			fail_msg("\"%s\" and %d: a row of gpu%c is of %s",
				beside[c].named, beside[c].unnamed, digit, name);
	}
}

static void unnamed_beside_named(void **state)
{
	static const enum source_kind kind[] = {QUERY, QUERY};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof beside / sizeof beside[0]; i++) {
		size_t c = i / 2, first = i % 2;
		const char *text[2];
		struct log_fixture fx;
		struct strbuf sb[2];

		strbuf_init(&sb[0]);
		strbuf_init(&sb[1]);
		put_named(&sb[first], beside[c].named);
		put_unnamed(&sb[!first], beside[c].unnamed);
		text[0] = sb[0].text, text[1] = sb[1].text;
		log_init(&fx);
		log_read_files(&fx, 2, kind, text);
		assert_int_equal(fx.rows,
			3 * (strlen(beside[c].named) + (size_t)beside[c].unnamed));
		check_beside(&fx, c);
		if (run_count_devices(&fx.run, DEVICE_GPU) != beside[c].gpus)
			fail_msg("\"%s\" and %d: %zu GPUs", beside[c].named,
				beside[c].unnamed,
				run_count_devices(&fx.run, DEVICE_GPU));
		if (beside[c].said)
			log_expect_diags(&fx, beside[c].said, 0, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_release(&fx);
		strbuf_release(&sb[0]);
		strbuf_release(&sb[1]);
	}
}

/* A model that is known is met again, whatever the order of the rows. */
static void models_known(void **state)
{
	static const enum source_kind kind[] = {QUERY, QUERY};

	(void)state;
	for (int first = 0; first < 2; first++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read_files(&fx, 2, kind,
			first ? (const char *const[]){BY_MODEL, BY_MODEL_AND_INDEX}
			      : (const char *const[]){BY_MODEL_AND_INDEX, BY_MODEL});
		assert_int_equal(fx.rows, 9);
		for (size_t i = 0; i < fx.rows; i++) {
			double power = fx.row[i].value[METRIC_power_w];
			const struct device *gpu = &fx.run.device[fx.row[i].device];

			if (power != 21)
				assert_string_equal(
					gpu->model, power == 23 ? "T4" : "A100");
			assert_int_equal(gpu->index >= 0, 1);
		}
		log_release(&fx);
	}
}

/* Also where one recorder was started again with other columns; the first comes first. */
static void one_log(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, QUERY, BY_UUID BY_INDEX BY_BUS);
	log_expect_rows(&fx, 6, 0);
	log_expect_diags(&fx, "paired-ids", 0, 1, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(fx.row[i].device, i % 2);
	assert_string_equal(fx.run.device[1].uuid, UUID_A);
	assert_string_equal(fx.run.device[1].bus_id, "00000000:8A:00.0");
	assert_int_equal(fx.run.device[1].index, 1);
	log_release(&fx);

	/* one GPU without an id that has the index 3 afterwards */
	log_init(&fx);
	log_read(&fx, QUERY,
		"timestamp, power.draw [W]\n2025/03/01 10:00:00.000, 10 W\n"
		"2025/03/01 10:00:01.000, 10 W\n"
		"timestamp, index, power.draw [W]\n2025/03/01 10:00:02.000, 3, 10 W\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, "paired-ids", 0, 1, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 1);
	log_release(&fx);
}

#define ROWS_OF(id, ms)                                                              \
	"2025/03/01 10:00:00." ms id ", 10 W\n2025/03/01 10:00:01." ms id ", 10 W\n" \
	"2025/03/01 10:00:02." ms id ", 10 W\n"
#define INDEX "timestamp, index, power.draw [W]\n"
#define NO_ID "timestamp, power.draw [W]\n"

/* Two files at one time are in doubt only if a GPU is in both, or may be. */
static void files_at_one_time(void **state)
{
	static const enum source_kind kind[] = {QUERY, QUERY};
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read_files(&fx, 2, kind,
		(const char *const[]){
			INDEX ROWS_OF(", 0", "000"), INDEX ROWS_OF(", 1", "300")});
	log_expect_diags(&fx, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	log_release(&fx);

	log_init(&fx);
	log_read_files(&fx, 2, kind,
		(const char *const[]){INDEX ROWS_OF(", 0", "000") ROWS_OF(", 1", "000"),
			INDEX ROWS_OF(", 1", "300") ROWS_OF(", 0", "300")});
	assert_int_equal(log_diag(&fx, "overlap")->count, 1);
	assert_null(log_diag(&fx, "gpu-count"));
	log_release(&fx);

	log_init(&fx);
	log_read_files(&fx, 2, kind,
		(const char *const[]){
			NO_ID ROWS_OF("", "000"), NO_ID ROWS_OF("", "300")});
	assert_int_equal(log_diag(&fx, "overlap")->count, 1);
	assert_int_equal(log_diag(&fx, "gpu-count")->count, 1);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_logs),
		cmocka_unit_test(ids_in_common),
		cmocka_unit_test(unnamed_beside_named),
		cmocka_unit_test(models_known),
		cmocka_unit_test(one_log),
		cmocka_unit_test(files_at_one_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
