/* Packed files by their first bytes, and what nvidia-smi prints beside logs by its words.
 */
#include "read/foreign.h"

#include <string.h>

#include "base/number.h"
#include "read/csv.h"

#define TAR_MAGIC_AT 257 /* of POSIX and GNU, behind a name and numbers ended by NUL */
#define TAR_SUM_AT   148 /* of the bytes of the header, in octal: as spaces they count */
#define TAR_SUM_LEN  8

#define MAKE_LOGS \
	"; nvidia-smi --query-gpu=... --format=csv and nvidia-smi dmon make logs"

static const struct {
	const char *begin; /* of a line */
	bool first; /* ... of the first one */
	const char *name;
} signs[] = {
	{"\xfd"
	 "7zXZ",
		true, "packed by xz, which must be unpacked first"},
	{"BZh", true, "packed by bzip2, which must be unpacked first"},
	{"PK\x03\x04", true, "packed by zip, which must be unpacked first"},
	{"7z\xbc\xaf\x27\x1c", true, "packed by 7z, which must be unpacked first"},
	{"| NVIDIA-SMI ", false, "nvidia-smi's table for people" MAKE_LOGS},
	{"==============NVSMI LOG==============", false,
		"the output of nvidia-smi -q" MAKE_LOGS},
	{"<nvidia_smi_log", false, "the output of nvidia-smi -q -x" MAKE_LOGS},
};

/* "0, gpuUtil , 1709978400123456, 0": GPU, what, microseconds since 1970, value. */
static bool is_statistics(struct span line)
{
	static const char *const names[] = {"pwrDraw", "temp", "gpuUtil", "memUtil",
		"encUtil", "decUtil", "procClk", "memClk", "violPwr", "violThm"};
	struct csv_row row;
	uint64_t number;
	bool found = false;

	csv_row_init(&row);
	csv_split(&row, line);
	for (size_t i = 0; i < sizeof names / sizeof names[0] && row.count == 4; i++)
		found |= span_is(row.cell[1], names[i]);
	found = found && number_unsigned(row.cell[0], &number) &&
		number_unsigned(row.cell[2], &number);
	csv_row_release(&row);
	return found;
}

/* Older tars have no magic: is the sum in the header that of its bytes? */
static bool has_tar_sum(const char *header)
{
	uint32_t sum = 0, said = 0;
	bool any = false;

	for (size_t i = 0; i < FOREIGN_TAR_HEADER; i++)
		sum += i >= TAR_SUM_AT && i < TAR_SUM_AT + TAR_SUM_LEN
			? ' '
			: (unsigned char)header[i];
	for (size_t i = TAR_SUM_AT; i < TAR_SUM_AT + TAR_SUM_LEN; i++) {
		char c = header[i];

		if (c >= '0' && c <= '7') {
			said = 8 * said + (uint32_t)(c - '0');
			any = true;
		} else if (any || c != ' ') {
			break;
		}
	}
	return any && said == sum;
}

bool foreign_is_tar(struct span line)
{
	return line.len >= FOREIGN_TAR_HEADER && memchr(line.at, '\0', TAR_MAGIC_AT) &&
		(memcmp(line.at + TAR_MAGIC_AT, "ustar", strlen("ustar")) == 0 ||
			has_tar_sum(line.at));
}

const char *foreign_name(const struct probe *probe)
{
	if (probe->count && foreign_is_tar(probe->line[0]))
		return "a tar, which must be unpacked first";
	for (size_t i = 0; i < probe->count; i++)
		for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++)
			if ((i == 0 || !signs[k].first) &&
				span_begins(probe->line[i], signs[k].begin))
				return signs[k].name;
	if (probe->count && is_statistics(probe->line[0]))
		return "the output of nvidia-smi stats" MAKE_LOGS;
	return NULL;
}
