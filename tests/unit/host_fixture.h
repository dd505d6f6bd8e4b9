/*
 * Snapshots of host.log as text, and what the reader makes of them. For the tests of that
 * reader; include it behind cmocka.h.
 */
#ifndef HOST_FIXTURE_H
#define HOST_FIXTURE_H

#include "base/text.h"
#include "log_fixture.h"

#define AT(second)                                                           \
	"# t=" #second ".000000000 mono=" #second ".000000000 boot=" #second \
	".000000000\n"
#define T1     AT(1740823200)
#define T2     AT(1740823201)
#define T3     AT(1740823202)
#define T4     AT(1740823203)
#define LOAD   "> /proc/loadavg\n0.25 0.50 0.75 2/94 4711\n"
#define DISKS  "> /proc/diskstats\n"
#define NET    "> /proc/net/dev\nInter-|   Receive |  Transmit\n face |bytes    packets\n"
#define ZONE   "> /sys/class/powercap/intel-rapl:0/"
#define GROUPS "> /sys/fs/cgroup"

/* Of a disk: reads, sectors read, ms; writes, sectors written, ms; busy ms. */
#define DISK(name, r, sr, rms, w, sw, wms, busy)                                 \
	"   8       0 " name " " #r " 0 " #sr " " #rms " " #w " 0 " #sw " " #wms \
	" 0 " #busy " 999 0 0 0 0\n"
#define IDLE(name) DISK(name, 7, 7, 7, 7, 7, 7, 7)
#define INTERFACE(name, rx, tx) \
	"  " name ": " #rx " 1 0 0 0 0 0 0 " #tx " 1 0 0 0 0 0 0\n"

static inline void read_log(struct log_fixture *fx, const char *text)
{
	log_init(fx);
	log_read(fx, SOURCE_HOST_LOG, text);
}

/* The nth row of that device, from 0. */
static inline const struct log_row *row_of(
	const struct log_fixture *fx, size_t nth, const char *device)
{
	for (size_t i = 0; i < fx->rows; i++)
		if (strcmp(fx->run.device[fx->row[i].device].name, device) == 0 &&
			nth-- == 0)
			return &fx->row[i];
	fail_msg("no such row of %s", device);
	return NULL;
}

static inline void expect_of(const struct log_fixture *fx, size_t nth, const char *device,
	enum metric_id metric, double value)
{
	double found = row_of(fx, nth, device)->value[metric];

	if (!(found == value))
		fail_msg("row %zu of %s: %s is %.9g, expected %.9g", nth, device,
			metric_get(metric)->name, found, value);
}

static inline void expect(
	const struct log_fixture *fx, size_t nth, enum metric_id metric, double value)
{
	expect_of(fx, nth, "host", metric, value);
}

#define ABSENT INFINITY

#endif
