/* What the words of a column's name mean together, and the field that this is. */
#include "read/name_words.h"

#include <string.h>

#include "base/number.h"
#include "read/cells.h"
#include "read/header_words.h"
#include "read/maps.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct {
	const char *text;
	uint64_t meaning;
} words[] = {
#define WORD(word, meaning) {word, meaning},
#include "../schema/header_words.def"
};

static const struct {
	const char *text, *unit;
} units[] = {
#define UNIT(word, unit) {word, unit},
#include "../schema/header_words.def"
};

static const struct {
	uint64_t meaning;
	const char *field;
} fields[] = {
#define FIELD(meaning, field) {meaning, field},
#include "../schema/header_words.def"
};

/* The same of the host. */
static const struct {
	uint64_t meaning;
	const char *field;
} host_fields[] = {
#define HOST_FIELD(meaning, field) {meaning, field},
#include "../schema/header_words.def"
};

static uint64_t meaning_of(struct span word)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (span_is_nocase(word, words[i].text))
			return words[i].meaning;
	return 0;
}

bool header_word_is_device(struct span word)
{
	return meaning_of(word) == GPU || meaning_of(word) == DEVICE;
}

bool header_word_measures(struct span word)
{
	return (meaning_of(word) & ~(TIME | PLAIN)) != 0;
}

bool header_name_says_whose(struct span name)
{
	struct name_words said;

	return name_words_read(&said, name) &&
		(said.meaning & (GPU | DEVICE | CPU | RAM | SWAP | OTHER));
}

const char *word_unit(struct span word)
{
	for (size_t i = 0; i < COUNT(units); i++)
		if (span_is_nocase(word, units[i].text))
			return units[i].unit;
	return NULL;
}

/* "gpu0_w", "GPU 1 (C)": what a GPU has in that unit. */
uint64_t unit_meaning(const char *unit)
{
	static const struct {
		const char *unit;
		uint64_t meaning;
	} measured[] = {{"%", UTILIZATION}, {"W", POWER}, {"mW", POWER}, {"kW", POWER},
		{"C", TEMPERATURE}, {"MiB", MEMORY}, {"GiB", MEMORY}, {"MHz", CLOCK}};

	for (size_t i = 0; i < COUNT(measured); i++)
		if (text_equal(unit, measured[i].unit))
			return measured[i].meaning;
	return 0;
}

/* Takes a word in; false: it is not known, nor are two of which it is made. */
static bool take_word(struct name_words *said, struct span word, size_t nth)
{
	uint64_t meaning = meaning_of(word);
	const char *unit = nth || !meaning ? word_unit(word) : NULL;

	for (size_t cut = 2; !meaning && !unit && cut + 1 < word.len; cut++) {
		struct span head = {word.at, cut}, tail = {word.at + cut, word.len - cut};

		if (meaning_of(head) && meaning_of(tail))
			meaning = meaning_of(head) | meaning_of(tail);
	}
	if (meaning == HOST && (said->meaning & CPU))
		meaning =
			KERNEL; /* "CPU system": the kernel's share, and not all of it */
	if (meaning)
		said->meaning |= meaning & ~PLAIN;
	else if (unit && (!said->unit || text_equal(said->unit, unit)))
		said->unit = unit;
	else
		return false;
	return true;
}

/* "gpu0", "CPU 1": whose the column is. False: no number, or none of a GPU or CPU. */
static bool take_gpu(struct name_words *said, struct span word)
{
	return (said->meaning & (GPU | DEVICE | CPU)) && said->gpu < 0 &&
		cell_read_index(word, &said->gpu);
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
	return is_upper(c) || is_lower(c);
}

/* A letter of another script, in UTF-8: a degree sign and the like are none. */
static bool is_foreign(const char *at, const char *end)
{
	unsigned char c = (unsigned char)*at;

	return c >= 0xc3 && c != 0xe2 && at + 1 < end &&
		((unsigned char)at[1] & 0xc0) == 0x80;
}

/* Cuts the next word: letters, digits, or "%"; len 0: none is left. */
static struct span next_word(struct span *rest)
{
	const char *at = rest->at, *end = rest->at + rest->len, *from;

	while (at < end && !is_letter(*at) && !is_digit(*at) && *at != '%' &&
		!is_foreign(at, end))
		at++;
	from = at;
	if (at < end && *at == '%')
		at++;
	else if (at < end && is_foreign(at, end))
		while (at < end && (unsigned char)*at >= 0x80)
			at++;
	else if (at < end && is_digit(*at))
		while (at < end && is_digit(*at))
			at++;
	else
		while (at < end && is_letter(*at))
			at++;
	*rest = (struct span){at, (size_t)(end - at)};
	return (struct span){from, (size_t)(at - from)};
}

/* Cuts the first word of "MemUsed", "GPUUtil". */
static struct span next_capital(struct span *rest)
{
	size_t len = 1;

	while (len < rest->len &&
		!(is_upper(rest->at[len]) &&
			(is_lower(rest->at[len - 1]) ||
				(len + 1 < rest->len && is_lower(rest->at[len + 1])))))
		len++;
	rest->at += len, rest->len -= len;
	return (struct span){rest->at - len, len};
}

static bool take_capitals(struct name_words *said, struct span word, size_t nth)
{
	while (word.len)
		if (!take_word(said, next_capital(&word), nth))
			return false;
	return true;
}

/* The list that a column stands in may say that it is about GPUs, or about the host. */
static uint64_t meaning_of_lists(struct span name)
{
	struct span rest = {name.at, (size_t)(table_own_name(name).at - name.at)};
	uint64_t meaning = 0;

	for (struct span word = next_word(&rest); word.len; word = next_word(&rest))
		meaning |= meaning_of(word) & (GPU | HOST | DEVICE);
	return meaning & DEVICE ? (meaning & ~DEVICE) | GPU : meaning;
}

/*
 * "load_avg", "load_avg_5", "system_load_1m", "load1": of the host over one minute, or
 * longer; false: it is no load average.
 */
static bool read_load(struct name_words *said, struct span rest)
{
	struct span word = next_word(&rest);
	bool average;
	uint64_t minutes = 1;

	if (meaning_of(word) == HOST || meaning_of(word) == CPU)
		word = next_word(&rest);
	average = span_is_nocase(word, "loadavg");
	if (!average && !span_is_nocase(word, "load"))
		return false;
	for (word = next_word(&rest); word.len; word = next_word(&rest))
		if (span_is_nocase(word, "avg") || span_is_nocase(word, "average") ||
			span_is_nocase(word, "m") || span_is_nocase(word, "min"))
			average = true;
		else if (!number_unsigned(word, &minutes))
			return false;
		else
			average |= minutes == 1 || minutes == 5 || minutes == 15;
	said->meaning = HOST | (minutes == 1 ? LOAD : OTHER);
	return average;
}

static bool unit_is_power(const char *unit)
{
	return unit && unit_meaning(unit) == POWER;
}

/* What the words of a name mean together; false: one of them is not known. */
bool name_words_read(struct name_words *said, struct span name)
{
	struct span rest = table_own_name(name), word = next_word(&rest);
	size_t nth = 0;

	*said = (struct name_words){.gpu = -1};
	if (read_load(said, table_own_name(name)))
		return true;
	said->meaning = meaning_of_lists(name);
	for (; word.len; word = next_word(&rest), nth++)
		if (!take_gpu(said, word) && !take_word(said, word, nth) &&
			!take_capitals(said, word, nth))
			return false;
	if ((said->meaning & GPU) && !(said->meaning & ~(GPU | DEVICE | SM | AMOUNT)) &&
		said->unit)
		said->meaning |= unit_meaning(said->unit);
	if ((said->meaning & ~HOST) == CPU && unit_is_power(said->unit))
		said->meaning |= POWER; /* "cpu_watts" */
	if ((said->meaning & ~GPU) == MEMORY && text_equal(said->unit, "MHz"))
		said->meaning |= CLOCK;
	if (!said->meaning && name.len > 2 && text_equal(said->unit, "s"))
		said->meaning = ELAPSED; /* "seconds" */
	return nth > 0;
}

/* What the words of a file's name say of all that is in it: "gpu_power_log.csv". */
uint64_t name_words_of_file(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct span rest = span_of(slash ? slash + 1 : path ? path : "");
	uint64_t meaning = 0;

	for (struct span word = next_word(&rest); word.len; word = next_word(&rest))
		while (word.len)
			meaning |= meaning_of(next_capital(&word));
	return meaning & (GPU | CPU | HOST | WHAT_IS_MEASURED);
}

bool header_name_is_time(struct span name)
{
	struct name_words said;

	return name_words_read(&said, name) && (said.meaning & (TIME | ELAPSED)) &&
		!(said.meaning & WHILE);
}

bool meaning_is_of_host(uint64_t meaning)
{
	return (meaning & (HOST | CPU | SWAP | OTHER | RSS)) ||
		((meaning & RAM) && !(meaning & GPU));
}

/* The field of the host's that a column is; NULL: none. */
const char *meaning_host_field(uint64_t meaning)
{
	if (meaning & SWAP)
		meaning &= ~MEMORY;
	for (size_t i = 0; i < COUNT(host_fields); i++)
		if (host_fields[i].meaning == (meaning & ~(HOST | RAM)))
			return host_fields[i].field;
	return NULL;
}

const char *meaning_field(uint64_t meaning)
{
	const uint64_t whose = GPU | RAM;

	if (!meaning)
		return NULL;
	if (meaning_is_of_host(meaning))
		return meaning_host_field(meaning);
	for (size_t i = 0; i < COUNT(fields); i++)
		if ((fields[i].meaning & ~whose) == (meaning & ~whose))
			return fields[i].field;
	return NULL;
}

const char *header_field_of_file(const char *path)
{
	const char *field = meaning_field(name_words_of_file(path) & WHAT_IS_MEASURED);

	return field ? field : "utilization.gpu";
}
