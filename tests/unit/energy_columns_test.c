/*
 * The counter of energy that loggers add to nvidia-smi's fields: its names, the unit that
 * a name, a header or a cell says, and that such a name alone makes no log of GPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

/* One row of one column beside nvidia-smi's own; joules. */
static void expect_joules(const char *name, const char *cell, double joules)
{
	struct log_fixture fx;
	char text[200];

	snprintf(text, sizeof text,
		"timestamp, index, power.draw [W], %s\n2025/03/01 10:00:00, 0, 70 W, "
		"%s\n",
		name, cell);
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY, text);
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, NULL);
	if (fx.row[0].value[METRIC_gpu_energy_j] != joules)
		fail_msg("%s: %s: %.17g J", name, cell,
			fx.row[0].value[METRIC_gpu_energy_j]);
	log_release(&fx);
}

static void names_and_units(void **state)
{
	static const struct {
		const char *name, *cell;
		double joules;
	} columns[] = {
		/* NVML's and DCGM's number is in mJ, and the name says no other unit */
		{"total_energy_consumption", "48211907342", 48211907.342},
		{"total_energy_consumption [mJ]", "48211907342", 48211907.342},
		{"total_energy_consumption [J]", "48211907.342", 48211907.342},
		{"total_energy_consumption_mj", "1", 0.001},
		{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "1500", 1.5},
		{"total_energy_mj", "1500", 1.5},
		{"gpu_energy_mj", "1500", 1.5},
		{"energy_mJ", "1500", 1.5},
		{"energy_mJ", "1500.4999", 1.5}, /* to the nearest mJ */
		{"energy_j", "1500.25", 1500.25},
		{"gpu_energy_j", "1500", 1500},
		{"Total_Energy_J", "1.5e3", 1500},
		{"energy [mJ]", "1500", 1.5},
		{"energy [J]", "1500", 1500},
		{"energy [Wh]", "2.5", 9000}, /* 2.5 * 3600 */
		{"energy [kWh]", "0.0025", 9000},
		{"energy [kWh]", "1.000000001", 3600000.004}, /* 3600000.0036 J */
		/* a unit in the cell goes before */
		{"energy_mj", "1500 J", 1500},
		{"energy [Wh]", "1500 mJ", 1.5},
		{"energy_j", "1500 mJ", 1.5},
		/* 1 kW for three thousand years; a driver is loaded more often */
		{"energy_mj", "100000000000000000", 1e14},
	};

	(void)state;
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		expect_joules(columns[i].name, columns[i].cell, columns[i].joules);
}

/* The only thing that is said of the log. */
static void expect_said(const struct log_fixture *fx, const char *id)
{
	assert_int_equal(fx->run.diags.count, 1);
	assert_int_equal(strncmp(fx->run.diags.at[0].id, id, strlen(id)), 0);
	assert_true(fx->run.diags.at[0].damage);
}

/* A column whose unit nobody says, or another than is known. */
static void units_in_doubt(void **state)
{
	static const char *const names[] = {"energy", "energy [MJ]", "energy [mWh]",
		"energy [W]", "energy_MJ", "ENERGY_MJ", "total_energy_consumption [GJ]"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct log_fixture fx;
		char text[200];

		snprintf(text, sizeof text,
			"timestamp, index, power.draw [W], %s\n"
			"2025/03/01 10:00:00, 0, 70 W, 12\n",
			names[i]);
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, text);
		log_expect_rows(&fx, 1, 0);
		expect_said(&fx, "bad-unit:");
		assert_true(isinf(fx.row[0].value[METRIC_gpu_energy_j]));
		log_release(&fx);
	}
}

/* What no counter can be. */
static void cells_in_doubt(void **state)
{
	static const char *const cells[] = {"-1", "12 W", "100000000000000001", "much"};

	(void)state;
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		struct log_fixture fx;
		char text[200];

		snprintf(text, sizeof text,
			"timestamp, index, power.draw [W], energy_mj\n"
			"2025/03/01 10:00:00, 0, 70 W, %s\n",
			cells[i]);
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, text);
		log_expect_rows(&fx, 1, 0);
		expect_said(&fx, "bad-value:");
		assert_true(isnan(fx.row[0].value[METRIC_gpu_energy_j]));
		log_release(&fx);
	}
}

/* Tables of results have such names as well: they are evidence beside others only. */
static void evidence(void **state)
{
	static const struct {
		const char *header;
		int bits;
	} headers[] = {
		{"timestamp, power.draw [W], energy_mj", 40},
		{"timestamp, index, energy_mj", 20},
		{"timestamp, uuid, total_energy_consumption", 20},
		{"timestamp, energy [J]", 20},
		{"timestamp, total_energy_consumption [mJ]", 20},
		{"timestamp, energy_j", 0},
		{"timestamp, model, latency_ms, energy_j", 0},
		{"model, latency [ms], energy [J]", 0},
		{"index, energy_mj", 0},
		{"energy_mj", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, headers[i].header);
		if (fx.run.file[0].bid[SOURCE_NVIDIA_QUERY] != headers[i].bits)
			fail_msg("%s: %d bits", headers[i].header,
				fx.run.file[0].bid[SOURCE_NVIDIA_QUERY]);
		log_release(&fx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_units),
		cmocka_unit_test(units_in_doubt),
		cmocka_unit_test(cells_in_doubt),
		cmocka_unit_test(evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
