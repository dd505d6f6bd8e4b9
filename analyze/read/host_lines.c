/* Words and numbers; names of disks and of interfaces as the kernel gives them. */
#include "read/host_lines.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define NUMBER_MAX  (INT64_C(1) << 50)
#define BYTES_MAX   (INT64_C(1) << 60)
#define SECTOR	    512
#define DISK_WORDS  14 /* that every kernel has from Linux 2.6 on; later ones more */
#define NET_NUMBERS 16
#define NET_SENT_AT 8

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool number_up_to(struct span word, int64_t most, int64_t *value)
{
	uint64_t number;

	if (!number_unsigned(word, &number) || number > (uint64_t)most)
		return false;
	*value = (int64_t)number;
	return true;
}

bool host_number(struct span word, int64_t *value)
{
	return number_up_to(word, NUMBER_MAX, value);
}

/* "1/94": how many threads run, of all. */
static bool is_ratio(struct span word)
{
	const char *slash = word.len ? memchr(word.at, '/', word.len) : NULL;
	int64_t value;

	return slash &&
		host_number((struct span){word.at, (size_t)(slash - word.at)}, &value) &&
		host_number((struct span){slash + 1,
				    (size_t)(word.at + word.len - slash - 1)},
			&value);
}

bool host_take_loadavg(struct span line, int64_t per_unit, int64_t *load1)
{
	int64_t other;

	return number_scaled(span_word(&line), per_unit, load1) && *load1 >= 0 &&
		number_scaled(span_word(&line), 1, &other) &&
		number_scaled(span_word(&line), 1, &other) &&
		is_ratio(span_word(&line)) && host_number(span_word(&line), &other) &&
		!line.len;
}

bool host_take_pressure(struct span line, bool *full, int64_t *total_us)
{
	static const char *const averages[] = {"avg10=", "avg60=", "avg300="};
	struct span word = span_word(&line);
	int64_t value;

	*full = span_is(word, "full");
	if (!*full && !span_is(word, "some"))
		return false;
	for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++) {
		word = span_word(&line);
		if (!span_begins(word, averages[i]))
			return false;
		word.at += strlen(averages[i]), word.len -= strlen(averages[i]);
		if (!number_scaled(word, 1, &value))
			return false;
	}
	word = span_word(&line);
	if (!span_begins(word, "total=") || line.len)
		return false;
	word.at += 6, word.len -= 6;
	return host_number(word, total_us);
}

/* "sda" and "sda1"; "nvme0n1" and "nvme0n1p2": partitions stand behind their disk. */
static bool is_partition(struct span name, const char *whole)
{
	size_t len = strlen(whole);

	if (!len || name.len <= len || !span_begins(name, whole))
		return false;
	name.at += len, name.len -= len;
	if (is_digit(name.at[-1])) {
		if (name.at[0] != 'p' || name.len < 2)
			return false;
		name.at++, name.len--;
	}
	for (size_t i = 0; i < name.len; i++)
		if (!is_digit(name.at[i]))
			return false;
	return true;
}

/* One of several paths to an NVMe disk that has a name of its own: "nvme0c1n1". */
static bool is_nvme_path(struct span name)
{
	return span_begins(name, "nvme") && memchr(name.at, 'c', name.len);
}

/*
 * Disks that are made of others, or of memory: what is read from them is read from
 * another one too, or from none.
 */
static bool is_made_of_others(struct span name)
{
	static const char *const kinds[] = {
		"loop", "ram", "zram", "dm-", "md", "drbd", "bcache", "zd"};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (span_begins(name, kinds[i]))
			return true;
	return is_nvme_path(name);
}

/* The numbers of proc_diskstats(5), by their place behind the name. */
enum {
	READS,
	SECTORS_READ = 2,
	READ_MS,
	WRITES,
	SECTORS_WRITTEN = 6,
	WRITE_MS,
	BUSY_MS = 9
};

bool host_take_disk(struct disk_line *before, struct host_parts *disks, struct span line)
{
	int64_t number[DISK_WORDS] = {0}, value;
	struct span name = {NULL, 0};
	int words = 0;

	for (; line.len; words++) {
		struct span word = span_word(&line);

		if (words == 2)
			name = word;
		else if (!host_number(word, &value))
			return false;
		else if (words > 2 && words < DISK_WORDS)
			number[words - 3] = value;
	}
	if (words < DISK_WORDS || name.len >= HOST_PART_NAME)
		return false;
	if (is_partition(name, before->whole))
		return true;
	(void)snprintf(
		before->whole, sizeof before->whole, "%.*s", (int)name.len, name.at);
	return is_made_of_others(name) ||
		host_parts_add(disks, name,
			(int64_t[HOST_PART_VALUES]){[DISK_READ] = number[SECTORS_READ],
				[DISK_WRITTEN] = number[SECTORS_WRITTEN],
				[DISK_REQUESTS] = number[READS] + number[WRITES],
				[DISK_WAIT_MS] = number[READ_MS] + number[WRITE_MS],
				[DISK_BUSY_MS] = number[BUSY_MS]});
}

/*
 * The host itself, and interfaces whose packets another one sends too: bridges and their
 * ports, tunnels, bonds of others, VLANs ("eth0.100").
 */
static bool is_made_of_interfaces(struct span name)
{
	static const char *const kinds[] = {"veth", "docker", "br-", "virbr", "vnet",
		"tap", "tun", "wg", "bond", "team", "dummy", "ifb", "cali", "cni",
		"flannel", "cilium", "lxc", "lxdbr", "vxlan", "geneve", "gre", "erspan",
		"sit", "ip6tnl", "ip6gre", "ip6_vti", "ip_vti", "tailscale", "zt",
		"nodelocaldns", "kube-", "podman", "ovs-", "vlan", "macvlan", "macvtap",
		"ipvlan", "nlmon", "teql", "vmnet"};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (span_begins(name, kinds[i]))
			return true;
	return span_is(name, "lo") || memchr(name.at, '.', name.len) ||
		(span_begins(name, "br") && name.len > 2 && is_digit(name.at[2]));
}

/* The two lines of titles, "Inter-|   Receive ..." and " face |bytes ...". */
static bool is_title(struct span line)
{
	return span_begins(line, "Inter-|") || span_begins(line, "face |");
}

bool host_take_interface(struct host_parts *interfaces, struct span line)
{
	const char *colon = line.len ? memchr(line.at, ':', line.len) : NULL;
	int64_t number[NET_NUMBERS];
	struct span name;
	int numbers = 0;

	if (is_title(line))
		return true;
	if (!colon)
		return false;
	name = (struct span){line.at, (size_t)(colon - line.at)};
	line = (struct span){colon + 1, line.len - name.len - 1};
	for (struct span word; (word = span_word(&line)).len; numbers++)
		if (numbers == NET_NUMBERS ||
			!number_up_to(word, BYTES_MAX, &number[numbers]))
			return false;
	if (numbers != NET_NUMBERS || !name.len)
		return false;
	return is_made_of_interfaces(name) ||
		host_parts_add(interfaces, name,
			(int64_t[HOST_PART_VALUES]){[NET_RECEIVED] = number[0] / SECTOR,
				[NET_SENT] = number[NET_SENT_AT] / SECTOR});
}
