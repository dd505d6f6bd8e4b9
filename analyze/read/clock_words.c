/*
 * Tables. Zones: RFC 5322's, and what the tz database calls them; of those with one name
 * the first is the common one.
 */
#include "read/clock_words.h"

#include <string.h>
#include <strings.h>

#define WORD_MAX 16 /* letters; no name is longer */

/* A name, and the letters of it that must be there. */
struct name {
	const char *text;
	size_t least;
	int value;
};

static const struct name weekdays[] = {{"sunday", 3, 0}, {"monday", 3, 1},
	{"tuesday", 3, 2}, {"wednesday", 3, 3}, {"thursday", 3, 4}, {"friday", 3, 5},
	{"saturday", 3, 6}, {"sonntag", 2, 0}, {"montag", 2, 1}, {"dienstag", 2, 2},
	{"mittwoch", 2, 3}, {"donnerstag", 2, 4}, {"freitag", 2, 5}, {"samstag", 2, 6},
	{"sonnabend", 5, 6}, {"dimanche", 3, 0}, {"lundi", 3, 1}, {"mardi", 3, 2},
	{"mercredi", 3, 3}, {"jeudi", 3, 4}, {"vendredi", 3, 5}, {"samedi", 3, 6},
	{"domingo", 3, 0}, {"lunes", 3, 1}, {"martes", 3, 2}, {"miercoles", 3, 3},
	{"jueves", 3, 4}, {"viernes", 3, 5}, {"sabado", 3, 6}};

static const struct name months[] = {{"january", 3, 1}, {"february", 3, 2},
	{"march", 3, 3}, {"april", 3, 4}, {"may", 3, 5}, {"june", 3, 6}, {"july", 3, 7},
	{"august", 3, 8}, {"september", 3, 9}, {"october", 3, 10}, {"november", 3, 11},
	{"december", 3, 12}, {"januar", 3, 1}, {"janner", 3, 1}, {"februar", 3, 2},
	{"marz", 3, 3}, {"maerz", 3, 3}, {"mrz", 3, 3}, {"mai", 3, 5}, {"juni", 3, 6},
	{"juli", 3, 7}, {"oktober", 3, 10}, {"dezember", 3, 12}, {"janvier", 3, 1},
	{"fevrier", 3, 2}, {"mars", 4, 3}, {"avril", 3, 4}, {"juin", 4, 6},
	{"juillet", 4, 7}, {"aout", 3, 8}, {"septembre", 3, 9}, {"octobre", 3, 10},
	{"novembre", 3, 11}, {"decembre", 3, 12}, {"enero", 3, 1}, {"febrero", 3, 2},
	{"marzo", 3, 3}, {"abril", 3, 4}, {"mayo", 3, 5}, {"junio", 3, 6},
	{"julio", 3, 7}, {"agosto", 3, 8}, {"septiembre", 3, 9}, {"octubre", 3, 10},
	{"noviembre", 3, 11}, {"diciembre", 3, 12}};

/* The letter without its accent, of those that the names have; byte as in Latin-1. */
static char plain_letter(unsigned char byte)
{
	static const struct {
		unsigned char from, to;
		char letter;
	} ranges[] = {{0xe0, 0xe5, 'a'}, {0xe8, 0xeb, 'e'}, {0xec, 0xef, 'i'},
		{0xf2, 0xf6, 'o'}, {0xf9, 0xfc, 'u'}};

	if (byte >= 'A' && byte <= 'Z')
		return (char)(byte | 0x20);
	if (byte >= 'a' && byte <= 'z')
		return (char)byte;
	if (byte >= 0xc0)
		byte |= 0x20; /* the small one */
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		if (byte >= ranges[i].from && byte <= ranges[i].to)
			return ranges[i].letter;
	return '\0';
}

/* Small letters without accents; how many, 0: something else is among them. */
static size_t plain_letters(struct span word, char *plain)
{
	size_t len = 0;

	if (word.len > 2 * WORD_MAX)
		return 0;
	for (size_t i = 0; i < word.len; i++) {
		unsigned char byte = (unsigned char)word.at[i];

		if (byte == 0xc3 && i + 1 < word.len) { /* U+00C0 to U+00FF in UTF-8 */
			byte = (unsigned char)word.at[++i];
			byte |= 0x40;
		}
		if (len == WORD_MAX || !(plain[len++] = plain_letter(byte)))
			return 0;
	}
	return len;
}

static int find_name(
	const struct name *names, size_t count, const char *plain, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].text[0] == plain[0] && len >= names[i].least &&
			strncmp(names[i].text, plain, len) == 0)
			return names[i].value;
	return -1;
}

bool clock_name_find(struct span word, struct clock_name *name)
{
	char plain[WORD_MAX + 1] = "";
	size_t len = plain_letters(word, plain);

	if (len < 2)
		return false;
	name->weekday =
		find_name(weekdays, sizeof weekdays / sizeof weekdays[0], plain, len);
	name->month = find_name(months, sizeof months / sizeof months[0], plain, len);
	return name->weekday >= 0 || name->month >= 0;
}

bool clock_word_is_idle(struct span word)
{
	return span_is(word, "de") || span_is(word, "Uhr");
}

struct span clock_without_label(struct span line)
{
	static const char *const labels[] = {"The current date is", "The current time is",
		"Aktuelles Datum", "Aktuelle Uhrzeit", "La date du jour est",
		"L'heure actuelle est", "La fecha actual es", "La hora actual es"};

	for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
		size_t len = strlen(labels[i]);
		struct span rest = {line.at + len, line.len - len};

		if (line.len <= len || strncasecmp(line.at, labels[i], len) != 0)
			continue;
		rest = span_trim(rest);
		if (span_begins(rest, ":"))
			return span_trim((struct span){rest.at + 1, rest.len - 1});
	}
	return line;
}

static const struct {
	char name[6];
	int minutes; /* east of UTC */
} zones[] = {{"UTC", 0}, {"GMT", 0}, {"UT", 0}, {"WET", 0}, {"WEST", 60}, {"CET", 60},
	{"CEST", 120}, {"MEZ", 60}, {"MESZ", 120}, {"EET", 120}, {"EEST", 180},
	{"BST", 60}, {"BST", 360}, /* of Great Britain, of Bangladesh */
	{"MSK", 180}, {"TRT", 180}, {"IDT", 180}, {"GST", 240}, {"PKT", 300},
	{"IST", 330}, {"IST", 120}, {"IST", 60}, /* of India, of Israel, of Ireland */
	{"NPT", 345}, {"ICT", 420}, {"WIB", 420}, {"HKT", 480}, {"SGT", 480},
	{"AWST", 480}, {"JST", 540}, {"KST", 540}, {"ACST", 570}, {"ACDT", 630},
	{"AEST", 600}, {"AEDT", 660}, {"NZST", 720}, {"NZDT", 780}, {"SAST", 120},
	{"CAT", 120}, {"WAT", 60}, {"EAT", 180}, {"BRT", -180}, {"ART", -180},
	{"NST", -210}, {"NDT", -150}, {"AST", -240}, {"AST", 180}, /* Atlantic, Arabian */
	{"ADT", -180}, {"EST", -300}, {"EDT", -240}, {"CST", -360}, {"CST", 480},
	{"CST", -300}, /* of America, of China, of Cuba */
	{"CDT", -300}, {"MST", -420}, {"MDT", -360}, {"PST", -480}, {"PDT", -420},
	{"AKST", -540}, {"AKDT", -480}, {"HST", -600}};

/* "UTC" as others write it, with an offset or without: "GMT+0200", "Z". */
static bool read_utc(struct span word, int64_t *offset_ns)
{
	bool named = word.len >= 3 &&
		(strncasecmp(word.at, "utc", 3) == 0 ||
			strncasecmp(word.at, "gmt", 3) == 0);

	*offset_ns = 0;
	if (span_is(word, "Z"))
		return true;
	if (!named || word.len == 3)
		return named;
	return time_parse_offset((struct span){word.at + 3, word.len - 3}, offset_ns);
}

enum zone_word zone_word_find(
	struct span word, const struct zone *zone, int64_t wall_ns, int64_t *offset_ns)
{
	int64_t here_ns;
	size_t meanings = 0;

	if (read_utc(word, offset_ns))
		return ZONE_WORD_KNOWN;
	here_ns = wall_ns - time_from_wall(wall_ns, zone);
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
		int64_t meant_ns = zones[i].minutes * 60 * NS_PER_S;

		if (!span_is(word, zones[i].name))
			continue;
		if (!meanings++ || meant_ns == here_ns)
			*offset_ns = meant_ns;
		if (meant_ns == here_ns)
			return ZONE_WORD_KNOWN;
	}
	return meanings == 0	? ZONE_WORD_NONE
		: meanings == 1 ? ZONE_WORD_KNOWN
				: ZONE_WORD_ASSUMED;
}
