/*
 * Rows without a GPU id, which the fast way takes where a row alone tells which GPU it is
 * about, are read as the general way reads them: of one GPU, of several in blocks, under
 * headers that come again, and with ids that come late.
 * longer: each log damaged 40 times
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "fast_query_fixture.h"
#include "often.h"

/* As it is, without its last newline, and damaged by chance. */
static void compare_log(struct strbuf *log, uint64_t seed)
{
	char path[] = "/tmp/fast_query_test.XXXXXX";
	struct strbuf torn;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_file(path, log);
	compare(path, NULL);
	strbuf_init(&torn);
	strbuf_add(&torn, log->text, log->len - 1);
	write_file(path, &torn);
	compare(path, "Europe/Berlin");
	strbuf_release(&torn);
	for (int i = 0; i < often(8, 40); i++)
		compare_damaged(path, log, &seed, "Europe/Berlin");
	strbuf_release(log);
	unlink(path);
}

/* A time in ms of an hour in which Berlin's clocks go back. */
static void add_time(struct strbuf *log, long ms)
{
	strbuf_addf(log, "2025-10-26 02:%02ld:%02ld.%03ld", ms / 60000 % 60,
		ms / 1000 % 60, ms % 1000);
}

static void add_rows(struct strbuf *log, long from_ms, long step_ms, int rows)
{
	for (int i = 0; i < rows; i++) {
		add_time(log, from_ms + i * step_ms);
		strbuf_addf(log, ", %d.%02d W, P%d, %d %%, %s\n", 20 + i % 300,
			i * 7 % 100, i % 9 ? 0 : 8, i * 13 % 101,
			i % 11 ? "31" : "[N/A]");
	}
}

static const char plain_header[] =
	"timestamp, power.draw [W], pstate, utilization.gpu [%], temperature.gpu\n";

static void one_gpu_reads_the_same(void **state)
{
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	for (int part = 0; part < 6; part++) {
		strbuf_adds(&log, plain_header);
		add_rows(&log, part * 60000 + 55000, 110, 60);
	}
	compare_log(&log, 1);
}

/* Headers of the same names and other units, of other names of no use, of names in
 * another order, with a column more; between semicolons; and the first one again. */
static void headers_that_differ_read_the_same(void **state)
{
	static const char *const header[] = {
		"timestamp, power.draw, pstate, utilization.gpu, temperature.gpu\n",
		"timestamp, power.draw [mW], pstate, utilization.gpu [%], "
		"temperature.gpu\n",
		"timestamp, power.draw [W], what, utilization.gpu [%], temperature.gpu\n",
		"timestamp, power.draw [W], else, utilization.gpu [%], temperature.gpu\n",
		"timestamp, power.draw [W], pstate, utilization.memory [%], "
		"temperature.gpu\n",
		"timestamp, power.draw [W], name, utilization.gpu [%], temperature.gpu\n",
		"timestamp, power.draw [W], pstate, utilization.gpu [%], index\n",
		"timestamp, power.draw [W], pstate, power.draw [W], temperature.gpu\n",
		"power.draw [W], timestamp, pstate, utilization.gpu [%], "
		"temperature.gpu\n",
		"timestamp, power.draw [W], pstate, utilization.gpu [%], "
		"temperature.gpu, fan.speed [%]\n",
		"timestamp; power.draw [W]; pstate; utilization.gpu [%]; "
		"temperature.gpu\n"};

	(void)state;
	for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
		struct strbuf log;

		strbuf_init(&log);
		strbuf_adds(&log, plain_header);
		add_rows(&log, 0, 500, 20);
		strbuf_adds(&log, header[i]);
		add_rows(&log, 20000, 500, 20);
		strbuf_adds(&log, plain_header);
		add_rows(&log, 40000, 500, 20);
		strbuf_adds(&log, header[i]);
		strbuf_adds(&log, plain_header);
		add_rows(&log, 60000, 500, 20);
		compare_log(&log, 100 + i);
	}
}

/* Blocks whose rows step_ms part: 0, equal times. */
static void add_blocks(
	struct strbuf *log, long from_ms, int size, long step_ms, int blocks)
{
	for (int block = 0; block < blocks; block++)
		for (int gpu = 0; gpu < size; gpu++) {
			add_time(log, from_ms + block * 1000 + gpu * step_ms);
			strbuf_addf(log, ", %d.00 W, P0, %d %%, %d\n", 100 + gpu * 50,
				(block + gpu * 30) % 101, 30 + gpu);
		}
}

static void blocks_read_the_same(void **state)
{
	struct strbuf log;
	uint64_t seed = 200;

	(void)state;
	for (int size = 1; size <= 4; size++)
		for (long step_ms = 0; step_ms <= 8; step_ms += 4) {
			strbuf_init(&log);
			strbuf_adds(&log, plain_header);
			add_blocks(&log, 0, size, step_ms, 60);
			strbuf_adds(&log, plain_header);
			add_blocks(&log, 100000, size, step_ms, 60);
			/* one of its GPUs is lost for a while */
			add_blocks(&log, 200000, size > 1 ? size - 1 : 2, step_ms, 3);
			add_blocks(&log, 210000, size, step_ms, 20);
			compare_log(&log, seed++);
		}
}

/* A second GPU whose rows come only behind those that tell how many there are. */
static void late_gpus_read_the_same(void **state)
{
	char path[] = "/tmp/fast_query_test.XXXXXX";
	struct strbuf log;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	strbuf_init(&log);
	strbuf_adds(&log, plain_header);
	add_rows(&log, 0, 20, 66000);
	add_blocks(&log, 1400000, 2, 4, 300);
	strbuf_adds(&log, plain_header);
	add_blocks(&log, 1800000, 2, 0, 300);
	write_file(path, &log);
	compare(path, NULL);
	strbuf_release(&log);
	unlink(path);
}

/* A loop of two queries, of which one asks one GPU and the other one two. */
static void two_queries_read_the_same(void **state)
{
	struct strbuf log;

	(void)state;
	strbuf_init(&log);
	for (int i = 0; i < 60; i++) {
		strbuf_adds(&log, "timestamp, memory.used [MiB]\n");
		for (int k = 0; k < 3; k++) {
			add_time(&log, i * 3000 + k * 900);
			strbuf_addf(&log, ", %d MiB\n", 1000 + i * k);
		}
		strbuf_adds(&log, plain_header);
		add_blocks(&log, i * 3000 + 950, 2, 4, 1);
	}
	compare_log(&log, 300);
}

/* What a row says of its GPU that is no id: a mask, a model, a host, a bus; each alone
 * and with a second one in turns, in blocks, or late. */
static void weak_ids_read_the_same(void **state)
{
	static const char *const name[] = {"uuid", "name", "hostname", "host", "pci.bus",
		"serial", "gpu_uuid, name", "gpu"};
	static const char *const who[][2] = {
		{"GPU-00000000-0000-0000-0000-000000000000",
			"GPU-11111111-1111-1111-1111-111111111111"},
		{"Tesla T4", "NVIDIA A100"}, {"n1", "n2"}, {"n1", "[N/A]"},
		{"0x3B", "0xAF"}, {"1320918000001", "[N/A]"},
		{"GPU-00000000-0000-0000-0000-000000000000, Tesla T4",
			"GPU-00000000-0000-0000-0000-000000000000, NVIDIA A100"},
		{"first", "GPU1"}};

	(void)state;
	for (size_t n = 0; n < sizeof name / sizeof name[0]; n++)
		for (int way = 0; way < 5; way++) {
			struct strbuf log;

			strbuf_init(&log);
			for (int i = 0; i < 160; i++) {
				int second = way == 0 ? 0
					: way == 1    ? i % 2
					: way == 2    ? i / 2 % 2
					: way == 3    ? i > 100
						      : i % 5 == 4;

				if (i % 50 == 0)
					strbuf_addf(&log,
						"timestamp, %s, utilization.gpu [%%]\n",
						name[n]);
				add_time(&log,
					way < 3 ? i / 2 * 1000 + i % 2 * 5 : i * 500);
				strbuf_addf(
					&log, ", %s, %d %%\n", who[n][second], i % 101);
			}
			compare_log(&log, 400 + n * 5 + (size_t)way);
		}
}

/* Headers with ids, and without, in turns: the GPU of a row without one is that of its
 * place among those known so far. */
static void late_ids_read_the_same(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct strbuf log;

		strbuf_init(&log);
		for (int i = 0; i < 12; i++) {
			bool ids = (i + first) % 3 == 2;

			if (!ids) {
				strbuf_adds(&log, plain_header);
				add_rows(&log, i * 20000, 1000, 15);
				continue;
			}
			strbuf_adds(&log, "timestamp, index, temperature.gpu\n");
			for (int k = 0; k < 10; k++) {
				add_time(&log, i * 20000 + k * 1000);
				strbuf_addf(&log, ", %d, %d\n", (k + i + 1) % 3, 40 + k);
			}
		}
		compare_log(&log, 500 + (uint64_t)first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_gpu_reads_the_same),
		cmocka_unit_test(headers_that_differ_read_the_same),
		cmocka_unit_test(blocks_read_the_same),
		cmocka_unit_test(late_gpus_read_the_same),
		cmocka_unit_test(two_queries_read_the_same),
		cmocka_unit_test(weak_ids_read_the_same),
		cmocka_unit_test(late_ids_read_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
