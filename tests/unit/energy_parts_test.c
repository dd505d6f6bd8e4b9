/*
 * The energy of a GPU in the parts of a run: of one log and one method in all of them,
 * and what of a phase's is its own. Each expected number is worked out beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "energy_fixture.h"

static void expect_own(const struct made *made, const char *name, double energy_j)
{
	is(path_of(made, name)->exclusive_energy_j, energy_j);
}

/* A phase in another of 22 s, of 100 W, with no row from 5 to 15 s. */
static void nest(struct made *made, double from_s, double to_s, bool counts)
{
	begin(made, 1);
	phase(made, "out", 0, 22);
	phase(made, "in", from_s, to_s);
	for (int t = 0; t <= 22; t++)
		if (t <= 5 || t >= 15)
			row(made, t, 0, 100, counts ? 100 * t : (double)NAN);
	finish(made);
}

/*
 * The counter has 2200 J over the gap. One that lies in the gap, or cuts it, has a part
 * of the 1000 J there that nobody knows, so that what is left for the outer is not known,
 * either; one around the gap has all of it, 1400 J of 3 to 17 s, and one before it none.
 * The integral has nothing of the gap, in either: what the one in it has not is the
 * outer's own, all 1200 J, or 1100 without the second from 4 to 5 s.
 */
static void own_energy_over_a_gap(void **state)
{
	static const struct {
		double from_s, to_s, counted_j, integrated_j;
	} cases[] = {
		{10, 12, NAN, 1200},
		{4, 10, NAN, 1100},
		{12, 17, NAN, 1000},
		{3, 17, 800, 800},
		{1, 4, 1900, 900},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made;

		nest(&made, cases[i].from_s, cases[i].to_s, true);
		expect_own(&made, "out", cases[i].counted_j);
		release(&made);
		nest(&made, cases[i].from_s, cases[i].to_s, false);
		expect_own(&made, "out", cases[i].integrated_j);
		release(&made);
	}
}

/*
 * The counter begins at 5 s: of 0 to 20 s it has 1500 J, of 0 to 10 s 500 J. Nothing of
 * the first 5 s is in either, and the 1000 J of 10 to 20 s are left. One that stands
 * still from 10 to 15 s knows nothing of 11 to 14 s, and so nothing of the rest.
 */
static void own_energy_of_a_late_counter(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 1);
	phase(&made, "out", 0, 20);
	phase(&made, "in", 0, 10);
	for (int t = 0; t <= 20; t++)
		row(&made, t, 0, NAN, t < 5 ? (double)NAN : 100 * t);
	finish(&made);
	expect_phase(&made, "out/in", "counter", 500, 0.5);
	expect_own(&made, "out", 1000);
	release(&made);

	begin(&made, 1);
	phase(&made, "out", 0, 20);
	phase(&made, "in", 11, 14);
	for (int t = 0; t <= 20; t++)
		row(&made, t, 0, 100, t <= 10 ? 100 * t : t < 15 ? 1000 : 100 * t);
	finish(&made);
	expect_phase(&made, "out", "counter", 2000, 1);
	expect_phase(&made, "out/in", NULL, NAN, 0);
	expect_own(&made, "out", NAN);
	release(&made);
}

/*
 * 100 s in tiles a, to 45.5 s, and b. The query log says 100 W until `until`, dmon 60 W
 * all along. To 90 s it covers nine tenths of what dmon does, and is the run's: 9000 J,
 * 4550 J in a, 4450 J in b, of whose 54.5 s it covers 44.5. To 89 s dmon is the run's,
 * 6000 J: 2730 J and 3270 J; both tell that a GPU is used, which is the query log's in
 * each part as it has it all along, 50 against 70 %. In "end", 92 to 100 s, the query log
 * has nothing to say: that is unknown, and not dmon's.
 */
static void of_a_log_that_ends_early(void **state)
{
	(void)state;
	for (int until = 89; until <= 90; until++) {
		bool by_query = until == 90;
		struct made made;

		begin(&made, 1);
		phase(&made, "a", 0, 45.5);
		phase(&made, "b", 45.5, 100);
		phase(&made, "end", 92, 100);
		for (int t = 0; t <= 100; t++) {
			sample(&made, t, 0, METRIC_gpu_util_pct, 50);
			also(&made, METRIC_power_w, t <= until ? 100 : (double)NAN);
		}
		flush(&made);
		made.batch.source = SOURCE_NVIDIA_DMON;
		for (int t = 0; t <= 100; t++) {
			sample(&made, t, 0, METRIC_gpu_util_pct, 70);
			also(&made, METRIC_power_w, 60);
		}
		finish(&made);
		expect_run(
			&made, "integrated", by_query ? 9000 : 6000, by_query ? 0.9 : 1);
		near(made.report.summary[SUMMARY_power_mean_w].number,
			by_query ? 100 : 60);
		expect_phase(&made, "a", "integrated", by_query ? 4550 : 2730, 1);
		expect_phase(&made, "b", "integrated", by_query ? 4450 : 3270,
			by_query ? 44.5 / 54.5 : 1);
		if (by_query)
			expect_phase(&made, "b/end", NULL, NAN, 0);
		else
			expect_phase(&made, "b/end", "integrated", 480, 1);
		is(path_of(&made, "b/end")->summary[PHASE_power_mean_w].number,
			by_query ? (double)NAN : 60);
		near(path_of(&made, "b/end")->summary[PHASE_gpu_util_mean_pct].number,
			50);
		release(&made);
	}
}

/*
 * The largest sum in a tick is of the log that the GPUs' peaks are of: the query log ends
 * at 50 s with 10 MiB each, dmon sees 3000 MiB each from 60 s on.
 */
static void peaks_of_one_log(void **state)
{
	struct made made;

	(void)state;
	begin(&made, 2);
	for (int t = 0; t <= 50; t++)
		for (uint32_t gpu = 0; gpu < 2; gpu++)
			sample(&made, t, gpu, METRIC_mem_used_mib, 10);
	flush(&made);
	made.batch.source = SOURCE_NVIDIA_DMON;
	for (int t = 0; t <= 100; t++)
		for (uint32_t gpu = 0; gpu < 2; gpu++)
			sample(&made, t, gpu, METRIC_mem_used_mib, t < 60 ? 10 : 3000);
	finish(&made);
	near(made.report.summary[SUMMARY_peak_vram_mib].number, 3000);
	near(made.report.summary[SUMMARY_peak_vram_total_mib].number, 6000);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_energy_over_a_gap),
		cmocka_unit_test(own_energy_of_a_late_counter),
		cmocka_unit_test(of_a_log_that_ends_early),
		cmocka_unit_test(peaks_of_one_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
