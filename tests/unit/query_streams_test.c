/*
 * nvidia-smi --query-gpu without an id of its own: rows in turns of several queries,
 * hosts, masks or boards, each of which has GPUs in blocks of rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

/* The header and the rows of one query, at 10:00:00 and so many ms. */
static void add_call(
	struct strbuf *sb, const char *names, int tick, int ms, const char *const *cells)
{
	strbuf_addf(sb, "timestamp, %s\n", names);
	for (int i = 0; cells[i]; i++)
		strbuf_addf(
			sb, "2025/03/01 10:00:%02d.%03d, %s\n", tick, ms + i, cells[i]);
}

/*
 * A loop of two queries, 50 ms apart, each with a header of its own: as many GPUs as rows
 * under one header. Of a call that lacks a GPU the rows are lost, and no others.
 */
static void two_queries_in_turns(void **state)
{
	static const char *const power[] = {"100 W", "200 W", NULL};
	static const char *const memory[] = {"10 MiB", "20 MiB", NULL};

	(void)state;
	for (int gpus = 1; gpus <= 2; gpus++) {
		struct log_fixture fx;
		struct strbuf sb;
		uint64_t lost = gpus == 2;

		strbuf_init(&sb);
		for (int tick = 0; tick < 12; tick++) {
			bool lacks = gpus == 2 && tick == 5;

			add_call(&sb, "power.draw [W]", tick, 0,
				power + (gpus == 1 || lacks));
			add_call(&sb, "memory.used [MiB]", tick, 50, memory + 2 - gpus);
		}
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
		log_expect_rows(&fx, 24 * (uint64_t)gpus - 2 * lost, lost);
		if (lost)
			log_expect_diags(&fx, "short-block", 32, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), (size_t)gpus);
		for (size_t i = 0; i < fx.rows; i++) {
			double value = fx.row[i].value[METRIC_power_w];

			if (gpus == 2 && isfinite(value))
				assert_double(value, fx.row[i].device * 100 + 100);
			value = fx.row[i].value[METRIC_mem_used_mib];
			if (gpus == 2 && isfinite(value))
				assert_double(value, fx.row[i].device * 10 + 10);
		}
		log_release(&fx);
		strbuf_release(&sb);
	}
}

/*
 * Ticks of four rows, 5 ms apart: GPUs of hosts, in whatever order. Their power is that
 * of the row in the first tick. `lost`: the row of the third tick that the log lacks; -1.
 */
static void read_hosts(struct log_fixture *fx, const char *columns,
	const char *const host[4], bool before, int lost)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (int i = 0; i < 4 && before; i++)
		if (i == 0 || strcmp(host[i], host[0]) != 0)
			strbuf_addf(&sb, "%s: %s\n", host[i], columns);
	if (!before)
		strbuf_addf(&sb, "%s\n", columns);
	for (int tick = 0; tick < 12; tick++)
		for (int i = 0; i < 4; i++) {
			if (tick == 2 && i == lost)
				continue;
			if (before)
				strbuf_addf(&sb, "%s: ", host[i]);
			strbuf_addf(&sb, "2025/03/01 10:00:%02d.%03d, ", tick, i * 5);
			if (!before)
				strbuf_addf(&sb, "%s, ", host[i]);
			strbuf_addf(&sb, "%d W\n", 100 * i);
		}
	log_init(fx);
	log_read(fx, SOURCE_NVIDIA_QUERY, sb.text);
	strbuf_release(&sb);
}

/* Each row is of the GPU of that power, and host. */
static void expect_powers(const struct log_fixture *fx, const char *const host[4])
{
	double power[4] = {NAN, NAN, NAN, NAN};

	assert_int_equal(run_count_devices(&fx->run, DEVICE_GPU), 4);
	for (size_t i = 0; i < fx->rows; i++) {
		const struct log_row *row = &fx->row[i];
		double value = row->value[METRIC_power_w];

		if (isnan(power[row->device]))
			power[row->device] = value;
		assert_double(power[row->device], value);
		if (host)
			assert_string_equal(fx->run.device[row->device].host,
				host[(size_t)value / 100]);
	}
}

static void hosts(void **state)
{
	static const char *const orders[][4] = {
		{"nodeA", "nodeA", "nodeB", "nodeB"},
		{"nodeA", "nodeB", "nodeA", "nodeB"},
		{"nodeA", "nodeB", "nodeB", "nodeA"},
	};
	struct log_fixture fx;

	(void)state;
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		read_hosts(
			&fx, "timestamp, hostname, power.draw [W]", orders[i], false, -1);
		log_expect_rows(&fx, 48, 0);
		log_expect_diags(&fx, NULL);
		expect_powers(&fx, orders[i]);
		log_release(&fx);

		read_hosts(&fx, "timestamp, power.draw [W]", orders[i], true, -1);
		log_expect_rows(&fx, 48, 0);
		log_expect_diags(&fx, "prefix", 1, 1, NULL);
		expect_powers(&fx, orders[i]);
		log_release(&fx);
	}
}

/* A block that lacks a row takes none of another host's with it. */
static void hosts_and_short_blocks(void **state)
{
	static const char *const host[] = {"nodeA", "nodeB", "nodeA", "nodeB"};
	static const int line[] = {11, 12, 10, 11}; /* of the row that is left alone */

	(void)state;
	for (int lost = 0; lost < 4; lost++) {
		struct log_fixture fx;

		read_hosts(&fx, "timestamp, hostname, power.draw [W]", host, false, lost);
		log_expect_rows(&fx, 46, 1);
		log_expect_diags(&fx, "short-block", line[lost], 1, NULL);
		expect_powers(&fx, host);
		log_release(&fx);
	}
}

/* A UUID that all have is none. */
static void masks(void **state)
{
	static const char *const masks[] = {"GPU-00000000-0000-0000-0000-000000000000",
		"REDACTED", "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"};

	(void)state;
	for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
		const char *const all[] = {masks[i], masks[i], masks[i], masks[i]};
		struct log_fixture fx;

		read_hosts(&fx, "timestamp, uuid, power.draw [W]", all, false, -1);
		log_expect_rows(&fx, 48, 0);
		log_expect_diags(&fx, NULL);
		expect_powers(&fx, NULL);
		assert_null(fx.run.device[0].uuid);
		log_release(&fx);
	}
}

/*
 * A board or a bus is a GPU, or two of them; that one says nothing is told from others
 * that do.
 */
static void boards(void **state)
{
	static const char *const boards[][4] = {
		{"165001", "165002", "165003", "165004"},
		{"165001", "165001", "165002", "165002"},
		{"[N/A]", "[N/A]", "[N/A]", "[N/A]"},
		{"0", "0", "0", "0"},
		{"[N/A]", "165001", "165002", "165003"},
	};
	static const char *const columns[] = {"timestamp, serial, power.draw [W]",
		"timestamp, gpu_serial, power.draw [W]",
		"timestamp, pci.bus, power.draw [W]"};

	(void)state;
	for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++)
		for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
			struct log_fixture fx;

			read_hosts(&fx, columns[k], boards[i], false, -1);
			log_expect_rows(&fx, 48, 0);
			log_expect_diags(&fx, NULL);
			expect_powers(&fx, NULL);
			log_release(&fx);
		}
}

/* Rows that are lost, or a single tick, take nothing from those that say their board. */
static void boards_and_lost_rows(void **state)
{
	static const char *const board[] = {"165001", "165002", "165003", "165004"};
	struct log_fixture fx;

	(void)state;
	read_hosts(&fx, "timestamp, serial, power.draw [W]", board, false, 1);
	log_expect_rows(&fx, 47, 0);
	log_expect_diags(&fx, NULL);
	expect_powers(&fx, NULL);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"serial, power.draw [W]\n165001, 1 W\n165002, 2 W\n");
	log_expect_rows(&fx, 2, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	log_release(&fx);
}

/* Processes on two boards with one pid are two. */
static void processes_of_boards(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_APPS,
		"timestamp, gpu_serial, pid, process_name, used_gpu_memory [MiB]\n"
		"2025/03/01 10:00:00.000, 165001, 77, python, 10 MiB\n"
		"2025/03/01 10:00:00.000, 165002, 77, python, 20 MiB\n"
		"2025/03/01 10:00:01.000, 165002, 77, python, 20 MiB\n");
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 2);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_PROCESS), 2);
	assert_int_equal(fx.row[1].device, fx.row[2].device);
	log_release(&fx);
}

/* More rows than a batch has, of hosts whose blocks are never all closed at once. */
static void hosts_without_end(void **state)
{
	struct log_fixture fx;
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	strbuf_adds(&sb, "timestamp, hostname, power.draw [W]\n");
	for (int i = 0; i < 3000; i++) {
		int tick = i / 2, gpu = i % 2;

		strbuf_addf(&sb, "2025/03/01 10:%02d:%02d.%03d, nodeA, %d W\n", tick / 60,
			tick % 60, gpu * 10, gpu);
		strbuf_addf(&sb, "2025/03/01 10:%02d:%02d.%03d, nodeB, %d W\n",
			(i + 1) / 2 / 60, (i + 1) / 2 % 60, (i + 1) % 2 * 10,
			2 + (i + 1) % 2);
	}
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
	assert_int_equal(fx.rows, fx.run.file[0].rows);
	assert_in_range(fx.rows, 5990, 6000);
	assert_int_equal(run_count_devices(&fx.run, DEVICE_GPU), 4);
	strbuf_release(&sb);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_queries_in_turns),
		cmocka_unit_test(hosts),
		cmocka_unit_test(hosts_and_short_blocks),
		cmocka_unit_test(masks),
		cmocka_unit_test(boards),
		cmocka_unit_test(boards_and_lost_rows),
		cmocka_unit_test(processes_of_boards),
		cmocka_unit_test(hosts_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
