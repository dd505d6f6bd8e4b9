/*
 * Snapshots of host.log: what the kernel says of load, pressure, disks, network, energy
 * and control groups, in known answers; parts that come and go; and that a damaged
 * snapshot is lost as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "host_fixture.h"

static void load_and_pressure(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 LOAD
		"> /proc/pressure/cpu\n"
		"some avg10=0.43 avg60=1.22 avg300=1.44 total=37431818\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
		"> /proc/pressure/memory\n"
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=250000\n"
		"> /proc/pressure/io\n"
		"some avg10=0.10 avg60=0.18 avg300=0.07 total=5663828\n" T2 LOAD T3 LOAD);
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, NULL);
	assert_int_equal(fx.row[0].t_ns, T0_NS);
	expect(&fx, 0, METRIC_load1, 0.25);
	expect(&fx, 0, METRIC_psi_cpu_some_s, 37.431818);
	expect(&fx, 0, METRIC_psi_mem_some_s, 1.5);
	expect(&fx, 0, METRIC_psi_mem_full_s, 0.25);
	expect(&fx, 0, METRIC_psi_io_some_s, 5.663828);
	expect(&fx, 0, METRIC_psi_io_full_s, ABSENT);
	/* what a snapshot lacks is not nought */
	expect(&fx, 1, METRIC_psi_mem_some_s, ABSENT);
	expect(&fx, 0, METRIC_host_disk_read_mib, ABSENT);
	expect(&fx, 0, METRIC_host_net_rx_mib, ABSENT);
	expect(&fx, 0, METRIC_cpu_energy_j, ABSENT);
	assert_int_equal(fx.run.device_count, 1);
	log_release(&fx);
}

/* Each byte counts once: no partitions, no disks made of others, no path to a disk. */
static void whole_disks(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 DISKS DISK("sda", 10, 2048, 30, 40, 4096, 60, 80) IDLE("sda1") IDLE(
			"sda15") DISK("nvme0n1", 1, 2048, 3, 4, 2048, 6, 8)
			IDLE("nvme0n1p1") IDLE("nvme0n1p12") IDLE("nvme1c0n1") DISK(
				"sdab", 0, 0, 0, 0, 0, 0, 0) IDLE("sdab1") IDLE("loop0")
				IDLE("loop0p1") IDLE("ram1") IDLE("zram0") IDLE("dm-0")
					IDLE("md127") IDLE("md127p1") DISK("mmcblk0", 0,
						2048, 0, 0, 0, 0, 0) IDLE("mmcblk0p1"));
	log_expect_diags(&fx, "torn-field", 20, 1, NULL);
	expect(&fx, 0, METRIC_host_disk_read_mib, ABSENT); /* it may go on */
	log_release(&fx);
	read_log(&fx,
		T1 DISKS DISK("sda", 10, 2048, 30, 40, 4096, 60, 80) IDLE("sda1") IDLE(
			"sda15") DISK("nvme0n1", 1, 2048, 3, 4, 2048, 6, 8)
			IDLE("nvme0n1p1") IDLE("nvme0n1p12") IDLE("nvme1c0n1") DISK(
				"sdab", 0, 0, 0, 0, 0, 0, 0) IDLE("sdab1") IDLE("loop0")
				IDLE("loop0p1") IDLE("ram1") IDLE("zram0") IDLE("dm-0")
					IDLE("md127") IDLE("md127p1")
						DISK("mmcblk0", 0, 2048, 0, 0, 0, 0, 0)
							IDLE("mmcblk0p1") LOAD);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, METRIC_host_disk_read_mib, 3);
	expect(&fx, 0, METRIC_host_disk_write_mib, 3);
	expect(&fx, 0, METRIC_host_disk_requests, 55);
	expect(&fx, 0, METRIC_host_disk_wait_s, 0.099);
	expect(&fx, 0, METRIC_host_disk_busy_s, 0.088);
	log_release(&fx);
}

/* A partition whose disk is not listed, as of some virtual machines, is a disk. */
static void partitions_alone(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 DISKS DISK("xvda1", 1, 2048, 1, 1, 0, 1, 1)
			DISK("xvda2", 1, 2048, 1, 1, 0, 1, 1) LOAD);
	expect(&fx, 0, METRIC_host_disk_read_mib, 2);
	log_release(&fx);
}

/*
 * sdb is plugged in at 1 MiB, goes at 3, and comes back as another one at 1: the sum
 * rises by 1, and 2 of sdb; by 1; by 1, and the new one's 1. sda begins anew at 2.
 */
static void disks_come_and_go(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 DISKS DISK("sda", 1, 20480, 1, 1, 0, 1, 1) DISK("sdb", 1, 2048, 1, 1,
			0, 1, 1) LOAD T2 DISKS DISK("sda", 1, 22528, 1, 1, 0, 1, 1)
			DISK("sdb", 1, 6144, 1, 1, 0, 1, 1)
				LOAD T3 DISKS DISK("sda", 1, 24576, 1, 1, 0, 1, 1)
					LOAD T4 DISKS DISK("sda", 1, 4096, 1, 1, 0, 1, 1)
						DISK("sdb", 1, 2048, 1, 1, 0, 1, 1) LOAD);
	log_expect_rows(&fx, 4, 0);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, METRIC_host_disk_read_mib, 11);
	expect(&fx, 1, METRIC_host_disk_read_mib, 14);
	expect(&fx, 2, METRIC_host_disk_read_mib, 15);
	expect(&fx, 3, METRIC_host_disk_read_mib, 15 + 2 + 1);
	log_release(&fx);
}

static void interfaces(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 NET INTERFACE("lo", 9, 9) INTERFACE("eth0", 1048576, 524288) INTERFACE(
			"eth0.100", 9, 9) INTERFACE("ib0", 1048576, 0) INTERFACE("bond0",
			9, 9) INTERFACE("docker0", 9, 9) INTERFACE("veth12ab", 9, 9)
			INTERFACE("br0", 9, 9) INTERFACE("br-ab", 9, 9)
				INTERFACE("brk0", 1048576, 0) LOAD);
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, METRIC_host_net_rx_mib, 3);
	expect(&fx, 0, METRIC_host_net_tx_mib, 0.5);
	log_release(&fx);
	/* nothing but the host itself is no network */
	read_log(&fx, T1 NET INTERFACE("lo", 9, 9) LOAD);
	expect(&fx, 0, METRIC_host_net_rx_mib, ABSENT);
	log_release(&fx);
}

#define PACKAGE	       ZONE "name\npackage-0\n" ZONE "max_energy_range_uj\n262143000000\n"
#define UJ(uj)	       ZONE "energy_uj\n" #uj "\n"
#define OTHER(zone, f) "> /sys/class/powercap/" zone "/" f "\n"

static void energy(void **state)
{
	struct log_fixture fx;

	(void)state;
	/* two packages and their memory; parts, all together and a second view of one */
	read_log(&fx,
		T1 PACKAGE OTHER("intel-rapl:1", "name") "package-1\n" OTHER(
			"intel-rapl:0:0", "name") "core\n" OTHER("intel-rapl:0:1",
			"name") "dram\n" OTHER("intel-rapl:2",
			"name") "psys\n" OTHER("intel-rapl-mmio:0",
			"name") "package-0\n" UJ(5000000) OTHER("intel-rapl:1",
			"energy_uj") "7000000\n" OTHER("intel-rapl:0:0",
			"energy_uj") "1\n" OTHER("intel-rapl:0:1",
			"energy_uj") "2500000\n" OTHER("intel-rapl:2",
			"energy_uj") "1\n" OTHER("intel-rapl-mmio:0",
			"energy_uj") "5000000\n");
	log_expect_diags(&fx, NULL);
	expect(&fx, 0, METRIC_cpu_energy_j, 12);
	expect(&fx, 0, METRIC_dram_energy_j, 2.5);
	log_release(&fx);
	/* round once: 43 J to the end, and 57 */
	read_log(&fx, T1 PACKAGE UJ(262100000000) T2 UJ(57000000));
	expect(&fx, 0, METRIC_cpu_energy_j, 262100);
	expect(&fx, 1, METRIC_cpu_energy_j, 262200);
	log_release(&fx);
	/* so much no processor takes in a second: it falls by a microjoule, as one that
	   began anew; and so where it is not
	   known where it goes round */
	read_log(&fx, T1 PACKAGE UJ(260000000000) T2 UJ(57000000) T3 UJ(107000000));
	expect(&fx, 1, METRIC_cpu_energy_j, 259999.999999);
	expect(&fx, 2, METRIC_cpu_energy_j, 260049.999999);
	log_release(&fx);
	read_log(&fx, T1 ZONE "name\npackage-0\n" UJ(262100000000) T2 UJ(57000000));
	expect(&fx, 1, METRIC_cpu_energy_j, 262099.999999);
	log_release(&fx);
	/* in 300 s at 1000 W it may have gone round, be it above where it was */
	read_log(&fx,
		T1 PACKAGE UJ(1000000000) AT(1740823500) UJ(2000000000) AT(1740823501)
			UJ(2010000000));
	expect(&fx, 0, METRIC_cpu_energy_j, 1000);
	expect(&fx, 1, METRIC_cpu_energy_j, 999.999999);
	expect(&fx, 2, METRIC_cpu_energy_j, 1009.999999);
	log_release(&fx);
	/* a zone of which nobody says what it is of */
	read_log(&fx, T1 UJ(5000000));
	expect(&fx, 0, METRIC_cpu_energy_j, ABSENT);
	log_release(&fx);
}

/* What stands in a snapshot, and why it is lost: it alone. */
static void damaged(void **state)
{
	static const struct {
		const char *text, *id;
		int line;
	} cases[] = {
		{"> /proc/loadavg\n0.25 0.50 2/94 4711\n", "bad-value", 6},
		{"> /proc/loadavg\n0.25 0.50 0.75 2/94 4711\n1\n", "bad-value", 7},
		{"> /proc/pressure/io\nsome avg10=0.10 avg60=0.18 total=5\n", "bad-value",
			6},
		{"> /proc/pressure/io\nsome avg10=0 avg60=0 avg300=0 total=5x\n",
			"bad-value", 6},
		{"> /proc/diskstats\n8 0 sda 1 2 3\n", "bad-value", 6},
		{"> /proc/diskstats\n8 0 sda 1 2 3 4 5 6 7 8 9 -1 11\n", "bad-value", 6},
		{DISKS IDLE("sda") IDLE("sda"), "bad-value", 7},
		{"> /proc/net/dev\neth0 1 2 3\n", "bad-value", 6},
		{GROUPS "/a/memory.current\n1\n2\n", "bad-value", 7},
		{GROUPS "/a/memory.max\nmany\n", "bad-value", 6},
		{GROUPS "/a/cpu.stat\nusage_usec 5\nusage_usec 6\n", "bad-value", 7},
		{GROUPS "/a/cpu.stat\nusage_usec\n", "bad-value", 6},
		{UJ(1 2), "bad-value", 6},
		{"> /proc/net/dev\n\n" LOAD, "torn-sample", 7},
		{LOAD LOAD, "prose", 7},
		{"0.25 0.50 0.75 2/94 4711\n", "bad-value", 5},
	};
	struct log_fixture fx;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct strbuf log;

		strbuf_init(&log);
		strbuf_addf(
			&log, "%s%s%s%s%s%s", T1 LOAD, "", T2, cases[i].text, T3, LOAD);
		/* the marker of the second one stands in line 4 */
		log.text[0] = '#';
		read_log(&fx, log.text);
		if (fx.run.file[0].rows != 2 || fx.run.file[0].refused != 1)
			fail_msg("case %zu: %d rows", i, (int)fx.run.file[0].rows);
		log_expect_diags(&fx, cases[i].id, cases[i].line, 1, NULL);
		log_release(&fx);
		strbuf_release(&log);
	}
}

/* A file that a later recorder may write is named, and costs nothing else. */
static void unknown_files(void **state)
{
	struct log_fixture fx;

	(void)state;
	read_log(&fx,
		T1 LOAD "> /proc/vmstat\npswpin 5\n" T2 LOAD
			"> /proc/vmstat\npswpin 6\n" T3 LOAD);
	log_expect_rows(&fx, 3, 0);
	log_expect_diags(&fx, "unknown-file:/proc/vmstat", 4, 2, NULL);
	log_release(&fx);
}

static void markers(void **state)
{
	struct log_fixture fx;

	(void)state;
	/* one that is spoiled takes its snapshot with it, and not the one above */
	read_log(&fx, T1 LOAD "#,t=1740823201.0 mono=5 boot=5\n" LOAD T3 LOAD);
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "no-time", 4, 1, NULL);
	log_release(&fx);
	/* without any there are no times */
	read_log(&fx, LOAD LOAD);
	log_expect_rows(&fx, 0, 1);
	log_release(&fx);
}

/* Whatever is cut off the end costs the last snapshot, or what may lack a line of it. */
static void cut(void **state)
{
	static const char whole[] = T1 LOAD NET INTERFACE("eth0", 1024, 1024)
		T2 LOAD NET INTERFACE("eth0", 2048, 2048);
	const size_t last = strlen(T2 LOAD NET INTERFACE("eth0", 2048, 2048));
	const size_t marker = strlen(T2);
	const size_t last_net =
		strlen(" face |bytes    packets\n" INTERFACE("eth0", 2048, 2048));
	struct log_fixture fx;

	(void)state;
	for (size_t tail = 0; tail < last - marker; tail++) {
		log_init(&fx);
		log_read_bytes(&fx, SOURCE_HOST_LOG, whole, strlen(whole) - tail);
		assert_true(tail == 0 || fx.run.diags.count > 0);
		assert_int_equal(fx.run.file[0].rows, tail <= last_net ? 2 : 1);
		if (tail <= last_net)
			expect(&fx, 1, METRIC_host_net_rx_mib,
				tail ? INFINITY : 2048 / 1048576.0);
		expect(&fx, 0, METRIC_host_net_rx_mib, 1024 / 1048576.0);
		log_release(&fx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_and_pressure),
		cmocka_unit_test(whole_disks),
		cmocka_unit_test(partitions_alone),
		cmocka_unit_test(disks_come_and_go),
		cmocka_unit_test(interfaces),
		cmocka_unit_test(energy),
		cmocka_unit_test(damaged),
		cmocka_unit_test(unknown_files),
		cmocka_unit_test(markers),
		cmocka_unit_test(cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
