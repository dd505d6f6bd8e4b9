/* A log that is damaged, what is known of it undamaged, and how a failure is said. */
#ifndef DAMAGE_VICTIM_H
#define DAMAGE_VICTIM_H

#include "outcome.h"

#define NO_EVENT SIZE_MAX

struct victim {
	const char *path;
	uint8_t *bytes; /* [size + 1] */
	size_t size;
	size_t *end; /* [lines + 1] where the first k lines end; end[0]: 0 */
	size_t *given; /* [lines + 1] */
	size_t *unit; /* [lines] the unit that line k + 1 belongs to */
	size_t *begin; /* [units + 1] of records: those of unit u are [begin[u],
			  begin[u+1]) */
	size_t *about; /* [units] of code blocks: the record that a unit begins or ends;
			  NO_EVENT */
	uint64_t *damage; /* [lines + 1] said of the first k lines */
	size_t lines;
	struct damage_outcome whole;
	struct damage_outcome now; /* of the damaged log */
	struct damage_outcome before; /* of code blocks: of the whole lines before */
	size_t failures;
	char what[64]; /* is done to it just now */
};

void victim_fail(struct victim *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Both records, with their fields parted by blanks. */
void victim_fail_record(struct victim *v, const char *expected, const char *actual);

/* The file, which must be sound. */
void victim_load(struct victim *v, const char *path);
void victim_unload(struct victim *v);

/* Reads the first bytes, as they are now. */
void victim_read(struct victim *v, size_t size);

/* More damage must be said than before, as something is lost. */
void victim_expect_damage(struct victim *v, uint64_t before, const char *lost);

/* Code blocks (pairs.c): the first k + 1 lines were just read, k lines before that. */
void pairs_learn(struct victim *v, size_t k);
/* Line k + 1 begins within the quotes of the one before. */
bool pairs_in_quotes(const struct victim *v, size_t k);
/* Cut in line k + 1, and read; v->before is of the first k lines. */
void pairs_expect_cut(struct victim *v, size_t k);
/* A byte of unit `first`, or the newline between it and unit `last`, is another now;
 * cut: it is a newline. */
void pairs_expect_replaced(struct victim *v, size_t first, size_t last, bool cut);

/* An SQLite database (database.c): damages it; how often something does not hold. */
size_t database_test(const char *path);

#endif
