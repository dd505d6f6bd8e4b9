/*
 * The words of a time: names of days and months as date(1) prints them in English,
 * German, French and Spanish, the labels of cmd.exe's date and time in these, and the
 * abbreviations of zones. Knows nothing of the line that they stand in.
 */
#ifndef READ_CLOCK_WORDS_H
#define READ_CLOCK_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/timestamp.h"

/* What a name may mean; "mar" is March, and Tuesday in French and Spanish. */
struct clock_name {
	int weekday; /* 0: Sunday; -1: none */
	int month; /* from 1; -1: none */
};

/* Whole or cut names, in either case, accents in UTF-8, Latin-1, or left out. False:
 * neither a day nor a month. */
bool clock_name_find(struct span word, struct clock_name *name);

/* "of", as in "1 de mayo", and the like: it says nothing. */
bool clock_word_is_idle(struct span word);

/* The line behind "The current date is: " and its translations; else the line itself. */
struct span clock_without_label(struct span line);

enum zone_word {
	ZONE_WORD_NONE, /* not one that is known */
	ZONE_WORD_KNOWN,
	ZONE_WORD_ASSUMED /* of several zones; the most common one is taken */
};

/*
 * How far east of UTC, in ns, an abbreviation of a zone is: "CEST", "GMT+0200". Of one of
 * several zones ("CST") that one is meant in which the given zone's clock agrees, which
 * shows wall_ns; else the most common one.
 */
enum zone_word zone_word_find(
	struct span word, const struct zone *zone, int64_t wall_ns, int64_t *offset_ns);

#endif
