/*
 * Logs about processes (pmon, compute-apps, accounted-apps) and about the host's memory:
 * which device a row is of, names with commas and blanks, what is no row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define PMON_HEADER                                                                      \
	"# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command " \
	"\n"                                                                             \
	"# Idx           #    C/G      %      %      %      %      %      %    name \n"

static const struct device *device_of(const struct log_fixture *fx, size_t row)
{
	return &fx->run.device[fx->row[row].device];
}

static void same(const char *got, const char *want)
{
	assert_non_null(got);
	assert_string_equal(got, want);
}

static void pmon_rows_are_processes(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		PMON_HEADER "    0       1312     G     24      3      -      -      -   "
			    "   -    Xorg           \n"
			    "    0       1941   C+G      -      -      -      -      -   "
			    "   -    NVIDIA Share.ex\n"
			    "    1          -     -      -      -      -      -      -   "
			    "   -    -              \n" PMON_HEADER
			    "    0       1312     G     25      4      -      -      -   "
			    "   -    Xorg           \n"
			    "    1       1312     C     99     70      -      -      -   "
			    "   -    python3        \n"
			    "    1       1400     C      1      0      -      -      -   "
			    "   -                   \n");
	log_expect_rows(&fx, 6, 0);
	log_expect_diags(&fx, NULL);
	same(device_of(&fx, 0)->name, "gpu0/1312");
	same(device_of(&fx, 0)->model, "Xorg");
	same(device_of(&fx, 1)->model, "NVIDIA Share.ex");
	assert_int_equal(device_of(&fx, 1)->index, 1941);
	assert_double(fx.row[0].value[METRIC_process_sm_pct], 24);
	assert_double(fx.row[0].value[METRIC_process_mem_pct], 3);
	assert_true(isnan(fx.row[1].value[METRIC_process_sm_pct]));
	/* an idle GPU has a row, but no value and no missing one */
	same(device_of(&fx, 2)->name, "gpu1");
	assert_true(isinf(fx.row[2].value[METRIC_process_sm_pct]));
	assert_int_equal(fx.row[3].device, fx.row[0].device);
	assert_true(fx.row[3].header);
	/* the same pid on another GPU is another device; a command may have no name */
	same(device_of(&fx, 4)->name, "gpu1/1312");
	assert_int_equal(device_of(&fx, 4)->parent, fx.row[2].device);
	assert_null(device_of(&fx, 5)->model);
	log_release(&fx);

	/* the oldest layout, days, and -s um */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		"#Date       Time        gpu        pid  type    fb  ccpm    sm   mem   "
		"command\n"
		"#YYYYMMDD   HH:MM:SS    Idx          #   C/G    MB    MB     %     %   "
		"name\n"
		" 20250301   10:00:00      3      14835     C   512     0    45    15   "
		"a b, c \n"
		" 20250301   10:00:01      3      14835     C   513     0    46    16   "
		"a b, c");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "no-newline", 4, 1, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.row[0].t_ns, T0_NS);
	assert_double(fx.row[1].value[METRIC_process_gpu_mem_mib], 513);
	same(device_of(&fx, 0)->name, "gpu3/14835");
	same(device_of(&fx, 0)->model, "a b, c");
	log_release(&fx);
}

static void pmon_damage(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		"    0       1312     G     24      3      -      -      -      -    "
		"Xorg\n" PMON_HEADER "    0       13x2     G     24      3      -      - "
		"     -      -    Xorg\n"
		"    x       1312     G     24      3      -      -      -      -    "
		"Xorg\n"
		"    0       1312     G     24\n"
		"    0       1312     G     2^C4      3      -      -      -      -    "
		"Xorg\n"
		"    0       1312     G     24      3  ");
	log_expect_rows(&fx, 1, 5);
	log_expect_diags(&fx, "no-header", 1, 1, "bad-id", 4, 2, "field-count", 6, 1,
		"torn-line", 8, 1, NULL);
	assert_double(fx.row[0].value[METRIC_process_sm_pct], 24);
	log_release(&fx);
}

#define PADDED(command)                                                                \
	"    0       1312     G     24      3      -      -      -      -    " command \
	"\n"
#define EIGHT(row) row row row row row row row row

#define MOVED(pid, type, more, enc)                        \
	"    0       " #pid type "     24      3" more enc \
	"      -      -      -    Xorg\n"

/* Parts of padded rows, where no row of the log has them; and a log without its blanks.
 */
static void pmon_columns_elsewhere(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		PMON_HEADER EIGHT(PADDED("Xorg")) PADDED("a b") PADDED(
			"Xorg   -      -    Xorg") MOVED(1312, "     G", " ", "      -")
			MOVED(1312, "    G", "", "      -")
				MOVED(1312, "   C+G", "", "    100"));
	log_expect_rows(&fx, 10, 3);
	log_expect_diags(&fx, "field-count", 12, 3, NULL);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		PMON_HEADER EIGHT(
			"0 17 G 24 3 - - - - Xorg\n") "0 1712 C 100 3 - - - - a  b\n");
	log_expect_rows(&fx, 9, 0);
	log_release(&fx);

	/* without a name: cells are missing before it, or none */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		PMON_HEADER EIGHT(PADDED("Xorg"))
			PADDED("") "    0       1312     G     24      3        -      - "
				   "   -\n");
	log_expect_rows(&fx, 9, 1);
	log_expect_diags(&fx, "field-count", 12, 1, NULL);
	log_release(&fx);

	/* a time alone is no clock line where each row has one: the row was cut */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		"#Date Time gpu pid type sm mem command\n"
		" 20250301 10:00:00 0 17 C 50 5 a\n 20250301 10:00:01   \n"
		" 20250301 10:00:02 0 17 C 50 5 a\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "field-count", 3, 1, NULL);
	log_release(&fx);
}

#define SMALL_HEADER "# gpu pid type sm mem command\n"

/* The command takes the rest of the line: what shifted is told by what stands where. */
static void pmon_words_that_do_not_fit(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		SMALL_HEADER " 0 17 C 50 5 a b\n 0 17 C x 50 5 a\n 0 17 C 50 a\n"
			     " 0 17 C 50 5,\n 0 17 4 50 5 a\n 0 17 M+C 51 6 a 1 C 5\n");
	log_expect_rows(&fx, 2, 4);
	log_expect_diags(&fx, "field-count", 3, 4, NULL);
	assert_double(fx.row[1].value[METRIC_process_sm_pct], 51);
	log_release(&fx);

	/* a lost end of line: in front of a row, of a header, of a row behind units */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		SMALL_HEADER " 0 17 C 50 5 a, 0 18 C 51 6 b\n 0 17 C 52 7 "
			     "a,# gpu pid type mem sm command\n"
			     "# Idx # C/G % % name, 0 17 C 8 53 a\n 0 17 C 9 54 a\n");
	log_expect_rows(&fx, 1, 3);
	log_expect_diags(&fx, "field-count", 2, 3, NULL);
	assert_double(fx.row[0].value[METRIC_process_sm_pct], 54);
	log_release(&fx);

	/* a name of the header is damaged: it remains one of processes */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		"# gpu p?d type sm mem command\n 0 17 C 50 5 a\n"
		"# gpu pid type s? mem command\n 0 17 C 51 6 a\n"
		"# gpu pid type sm ? mem command\n 0 17 C 52 7 a\n"
		"# gpu pid type?sm mem command\n# Idx # C/G % % name\n"
		" 0 17 C 53 8 a\n");
	log_expect_rows(&fx, 1, 4);
	log_expect_diags(&fx, "no-id", 2, 1, "unknown-column:p?d", 1, 1,
		"unknown-column:s?", 3, 1, "unknown-column:?", 5, 1, "field-count", 6, 2,
		"glued-column:type?sm", 7, 1, "no-header", 9, 1, NULL);
	assert_true(isinf(fx.row[0].value[METRIC_process_sm_pct]));
	assert_double(fx.row[0].value[METRIC_process_mem_pct], 6);
	log_release(&fx);

	/* without a command the number before it may be cut; with commas it is whole */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON, SMALL_HEADER " 0 17 C 50 5");
	log_expect_rows(&fx, 0, 1);
	log_expect_diags(&fx, "torn-line", 2, 1, NULL);
	log_release(&fx);
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_PMON,
		"gpu, pid, type, sm, mem, command\n0, 17, C, 50, 5, a, b\n"
		"0, 17, C, 50, 5\n0, 17, C, 5,0, 5, a\n0, 17, C, 51,6, a\n"
		"0, 17, C, 51, 6,");
	log_expect_rows(&fx, 2, 3);
	log_expect_diags(&fx, "field-count", 3, 3, "torn-field", 6, 1, NULL);
	assert_double(fx.row[1].value[METRIC_process_mem_pct], 6);
	log_release(&fx);
}

static void apps_are_read_from_both_ends(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"timestamp, gpu_name, gpu_bus_id, gpu_serial, gpu_uuid, pid, "
		"process_name, used_gpu_memory [MiB]\n"
		"2025/03/01 10:00:00.000, NVIDIA H200, 00000000:01:00.0, [N/A], GPU-a, "
		"17, /opt/a b/x, y, 512 MiB\n"
		"2025/03/01 10:00:00.000, NVIDIA H200, 00000000:02:00.0, [N/A], GPU-b, "
		"18, C:\\dwm.exe, [N/A]\n"
		"2025/03/01 10:00:01.000, NVIDIA H200, 00000000:01:00.0, [N/A], GPU-a, "
		"17, /opt/a b/x, y, 1024 MiB\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, NULL);
	same(device_of(&fx, 0)->name, "gpu0/17");
	same(device_of(&fx, 0)->model, "/opt/a b/x, y");
	assert_double(fx.row[0].value[METRIC_process_gpu_mem_mib], 512);
	same(device_of(&fx, 1)->name, "gpu1/18");
	assert_true(isnan(fx.row[1].value[METRIC_process_gpu_mem_mib]));
	assert_int_equal(fx.row[2].device, fx.row[0].device);
	assert_int_equal(fx.row[2].t_ns, T0_NS + NS_PER_S);
	log_release(&fx);

	/* nvidia-smi knows no quotes: they are of the command */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
		"GPU-a, 17, python -c \"f(1, 2)\", 512 MiB\n"
		"GPU-a, 18, \"half, 256 MiB\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	same(device_of(&fx, 0)->model, "python -c \"f(1, 2)\"");
	same(device_of(&fx, 1)->model, "\"half");
	assert_double(fx.row[1].value[METRIC_process_gpu_mem_mib], 256);
	log_release(&fx);

	/* accounted-apps, under the other names; the order does not matter */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"gpu_utilization [%], mem_util [%], max_memory_usage [MiB], time [ms], "
		"pid, gpu_uuid\n"
		"51 %, 7 %, 900 MiB, 123456789 ms, 17, GPU-a\n");
	log_expect_rows(&fx, 1, 0);
	assert_false(fx.timed);
	assert_double(fx.row[0].value[METRIC_process_gpu_util_pct], 51);
	assert_double(fx.row[0].value[METRIC_process_gpu_mem_max_mib], 900);
	assert_double(fx.row[0].value[METRIC_process_time_ms], 123456789);
	log_release(&fx);
}

static void apps_without_ids_and_damage(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS, "used_gpu_memory [MiB]\n1 MiB\n\n69 MiB\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, "no-gpu", 2, 2, "no-pid", 2, 2, NULL);
	same(device_of(&fx, 0)->name, "gpu0/?");
	assert_double(fx.row[1].value[METRIC_process_gpu_mem_mib], 69);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
		"2025/03/01 10:00:00.000, GPU-a, x, python, 5 MiB\n"
		"2025/13/01 10:00:00.000, GPU-a, 17, python, 5 MiB\n"
		"2025/03/01 10:00:00.000, GPU-a, 17\n"
		"No running processes found\n"
		"2025/03/01 10:00:00.000, GPU-a, 17, pyt");
	log_expect_rows(&fx, 0, 4);
	log_expect_diags(&fx, "bad-id", 2, 1, "bad-time", 3, 1, "field-count", 4, 1,
		"torn-line", 6, 1, "noise", 5, 1, NULL);
	log_release(&fx);
}

/* A comma of a name, or one that damage made: it has no blank behind it as the others. */
static void apps_with_a_comma_too_many(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
		"GPU-a, 17, x,y, 5 MiB\n"
		"GPU-a, 1,7, x, 5 MiB\n"
		"GPU,a, 17, x, 5 MiB\n"
		"GPU-a, 17, x, 1,5 MiB\n"
		"GPU-a, 17, x, 5 MiB,GPU-a, 18, y, 6 MiB\n"
		"GPU-a, 17, x, [N/A],a, 18, y, 6 MiB\n");
	log_expect_rows(&fx, 1, 5);
	log_expect_diags(&fx, "field-count", 3, 5, NULL);
	same(device_of(&fx, 0)->model, "x,y");
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"gpu_uuid,pid,process_name,used_gpu_memory [MiB]\n"
		"GPU-a,17,x,y,5 MiB\n"
		"GPU-a,x,17,y,5 MiB\n");
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "field-count", 3, 1, NULL);
	log_release(&fx);
}

/* What stands behind a NUL is no id of another GPU. */
static void apps_behind_a_hole(void **state)
{
	static const char text[] = "gpu_uuid, pid, used_gpu_memory [MiB]\n"
				   "GPU-a, 17, 5 MiB\n\0PU-a, 17, 6 MiB\n";
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read_bytes(&fx, SOURCE_NVIDIA_APPS, text, sizeof text - 1);
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "nul", 3, 1, "no-id", 3, 1, NULL);
	assert_int_equal(fx.run.device_count, 2);
	log_release(&fx);
}

static void meminfo_snapshots(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		"# t=1740823200.000000000 mono=1 boot=1\n"
		"MemTotal:        8144960 kB\nMemFree:         1437740 kB\n"
		"MemAvailable:    4389516 kB\nHugePages_Total:       0\nActive(anon):    "
		"2 kB\n"
		"# t=1740823201.000000000 mono=2 boot=2\n"
		"MemTotal:        8144960 kB\nMemFree:         x kB\nMemAvailable:    "
		"4389512 kB\n"
		"# t=1740823202.000000000 mono=2 boot=2\n"
		"MemTotal:        8144960 kB\nMemFree:         10 kB\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, "bad-value:MemFree", 9, 1, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.row[1].t_ns, T0_NS + NS_PER_S);
	same(device_of(&fx, 0)->name, "host");
	assert_double(fx.row[0].value[METRIC_ram_total_mib], 8144960 / 1024.0);
	assert_double(fx.row[0].value[METRIC_ram_used_mib], (8144960 - 4389516) / 1024.0);
	assert_true(isinf(fx.row[1].value[METRIC_ram_free_mib]));
	/* before Linux 3.14 */
	assert_true(isinf(fx.row[2].value[METRIC_ram_used_mib]));
	assert_double(fx.row[2].value[METRIC_ram_free_mib], 10 / 1024.0);
	log_release(&fx);

	/* one after the other; the last line may be cut inside its number */
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		"MemTotal: 1024 kB\nMemFree: 512 kB\nMemTotal: 1024 kB\nMemFree: 25");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "torn-line", 4, 1, NULL);
	assert_false(fx.timed);
	assert_double(fx.row[0].value[METRIC_ram_free_mib], 0.5);
	assert_true(isinf(fx.row[1].value[METRIC_ram_free_mib]));
	log_release(&fx);
}

#define MARKER(s) "# t=174082320" s ".5 mono=1 boot=1\n"
#define MEMORY	  "MemTotal: 1024 kB\nMemFree: 512 kB\nHugePages_Total: 0\n"

/* Without its marker a snapshot has no place in time. */
/* date; cat /proc/meminfo; ... */
static void meminfo_behind_dates(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		"Sat Mar  1 10:00:00 UTC 2025\nMemTotal: 2048 kB\nMemFree: 1024 kB\n"
		"Sat Mar  1 10:00:05 UTC 2025\nMemTotal: 2048 kB\nMemFree: 512 kB\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	assert_true(fx.timed);
	assert_int_equal(fx.row[0].t_ns, T0_NS);
	assert_int_equal(fx.row[1].t_ns, T0_NS + 5 * NS_PER_S);
	log_release(&fx);
}

static void meminfo_without_marker(void **state)
{
	static const char *const lost[] = {"", "#,t=1740823201.5 mono=1 boot=1\n", NULL};
	struct log_fixture fx;

	(void)state;
	for (size_t i = 0; lost[i]; i++) {
		char text[512];

		snprintf(text, sizeof text, "%s%s%s", MARKER("0") MEMORY, lost[i],
			MEMORY MARKER("2") MEMORY);
		log_init(&fx);
		log_read(&fx, SOURCE_MEMINFO, text);
		log_expect_rows(&fx, 2, 1);
		log_expect_diags(&fx, "no-time", i ? 6 : 5, 1, NULL);
		assert_int_equal(fx.row[1].t_ns, T0_NS + 5 * NS_PER_S / 2);
		log_release(&fx);
	}
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO, MEMORY MEMORY);
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	log_release(&fx);
}

static void meminfo_damage(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		"# t=1740823200.5 mono=1 boot=1,MemTotal: 1024 kB\n"
		"MemFree: 512 kB\nDirty: 51\n2 kB\nemAvailable: 5 kB\n"
		"Active(anon): 3 kB,Buffers: 4 kB\nHugePages_Free: 5\nShmem, 3 kB\n");
	log_expect_rows(&fx, 1, 5);
	log_expect_diags(&fx, "prose", 1, 5, "bad-value:Dirty", 3, 1, NULL);
	assert_double(fx.row[0].value[METRIC_ram_free_mib], 0.5);
	assert_true(isinf(fx.row[0].value[METRIC_ram_dirty_mib]));
	log_release(&fx);

	/* the file ends in a line that nobody needs: the others behind it are lost */
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO, "MemTotal: 1024 kB\nMemFree: 512 kB\nHug");
	log_expect_rows(&fx, 1, 1);
	log_expect_diags(&fx, "torn-line", 3, 1, NULL);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmon_rows_are_processes),
		cmocka_unit_test(pmon_damage),
		cmocka_unit_test(pmon_words_that_do_not_fit),
		cmocka_unit_test(pmon_columns_elsewhere),
		cmocka_unit_test(apps_are_read_from_both_ends),
		cmocka_unit_test(apps_without_ids_and_damage),
		cmocka_unit_test(apps_with_a_comma_too_many),
		cmocka_unit_test(apps_behind_a_hole),
		cmocka_unit_test(meminfo_snapshots),
		cmocka_unit_test(meminfo_behind_dates),
		cmocka_unit_test(meminfo_without_marker),
		cmocka_unit_test(meminfo_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
