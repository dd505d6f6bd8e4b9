/*
 * The fast way and the general one give the same rows, devices, counts and diagnostics:
 * of logs that are damaged by chance, of all files of testdata, and of the recordings of
 * other people where they are. Runs in the top directory.
 * longer: damaged 400 times
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "every_file.h"
#include "fast_query_fixture.h"
#include "often.h"

static void compare_file(const char *path, void *context)
{
	size_t *files = context;

	compare(path, NULL);
	++*files;
}

static void testdata_reads_the_same(void **state)
{
	size_t files = 0;

	(void)state;
	every_file("testdata", compare_file, &files);
	assert_true(files >= 100);
}

static void recordings_of_others_read_the_same(void **state)
{
	size_t files = 0;

	(void)state;
	if (!every_shared_file(compare_file, &files))
		skip();
	assert_true(files >= 50);
}

#define ROW_MAX 400

/* A tick of a machine with three GPUs, one of which does not answer all questions. */
static void add_tick(struct strbuf *log, int second)
{
	static const char *const reason[] = {
		"0x0000000000000000", "0x0000000000000004", "0x00000000000000A1"};

	for (int gpu = 0; gpu < 3; gpu++)
		strbuf_addf(log,
			"2025/10/26 %02d:%02d:%02d.%03d, NVIDIA A100-SXM4-40GB, %d, "
			"GPU-1234567%d-89ab-cdef-0123-456789abcdef, 00000000:%02d:00.0, "
			"P%d, %d %%, %s, %d MiB, %d.%02d W, %s, %s, what, %s\n",
			second / 3600 % 24, second / 60 % 60, second % 60,
			(second * 37 + gpu * 4) % 1000, gpu, gpu, gpu + 1,
			second % 7 ? 0 : 8, second * 13 % 101,
			gpu == 1 ? "[N/A]" : "17 %", 1000 + second, 60 + second % 300,
			second * 31 % 100, reason[second / 3 % 3],
			second % 5 ? "Not Active" : "Active",
			second % 11 ? "31" : "[GPU is lost]");
}

static void make_log(struct strbuf *log)
{
	static const char *const header =
		"timestamp, name, index, uuid, pci.bus_id, pstate, utilization.gpu [%], "
		"utilization.encoder [%], memory.used [MiB], power.draw [W], "
		"clocks_event_reasons.active, clocks_event_reasons.sw_power_cap, odd, "
		"temperature.gpu\n";

	strbuf_adds(log, header);
	for (int second = 10750; second < 10830; second++)
		add_tick(log, second);
	strbuf_adds(log, header);
	for (int second = 10850; second < 10870; second++)
		add_tick(log, second);
}

/* In a zone whose clock goes back an hour while the log is written, and in another. */
static void damaged_rows_read_the_same(void **state)
{
	char path[] = "/tmp/fast_query_test.XXXXXX";
	struct strbuf sound;
	uint64_t seed = 7;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	strbuf_init(&sound);
	make_log(&sound);
	write_file(path, &sound);
	compare(path, NULL);
	compare(path, "Europe/Berlin");
	for (int i = 0; i < often(80, 400); i++)
		compare_damaged(path, &sound, &seed, i % 2 ? "Europe/Berlin" : "+05:30");
	strbuf_release(&sound);
	unlink(path);
}

/* Clocks that go over an hour twice, minute by minute, and step back within one. */
static void doubled_hours_read_the_same(void **state)
{
	char path[] = "/tmp/fast_query_test.XXXXXX";
	int fd = mkstemp(path);
	struct strbuf log;
	uint64_t seed = 3;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (int i = 0; i < often(10, 50); i++) {
		long second = 3600 + 1800;

		strbuf_init(&log);
		strbuf_adds(&log, "timestamp, index, utilization.gpu [%]\n");
		for (int row = 0; row < 600; row++) {
			long wall = second >= 3 * 3600 ? second - 3600 : second;

			strbuf_addf(&log, "2025-10-26 %02ld:%02ld:%02ld%s, 0, %d %%\n",
				wall / 3600, wall / 60 % 60, wall % 60,
				row % 2 ? ".5" : "", row % 100);
			second += (long)(next_random(&seed) % 60) -
				(next_random(&seed) % 9 ? 0 : 70);
		}
		write_file(path, &log);
		compare(path, "Europe/Berlin");
		strbuf_release(&log);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(testdata_reads_the_same),
		cmocka_unit_test(recordings_of_others_read_the_same),
		cmocka_unit_test(damaged_rows_read_the_same),
		cmocka_unit_test(doubled_hours_read_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
