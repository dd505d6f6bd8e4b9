/*
 * Functions on names: suggest the closest one for a misspelled name, list names in a
 * sentence, match them against globs. Must not know what the names belong to.
 */
#ifndef BASE_NAME_MATCH_H
#define BASE_NAME_MATCH_H

#include "base/text.h"

#define NEAR_MOST 3

struct near {
	const char *asked; /* borrowed, as all */
	const char
		*owner; /* NULL, or what has the names: "gpus"; see near_offer_sense() */
	const char *name[NEAR_MOST]; /* [count] the nearest first */
	size_t edits[NEAR_MOST];
	size_t count;
};

/* Letters to put in, take away, change, or swap with the next one (optimal string
 * alignment: F. J. Damerau, 1964, V. I. Levenshtein, 1965). */
size_t near_edits(const char *a, const char *b);

/* Takes a name, if not more than a third of it is different, and no nearer ones are in
 * its way. Of equally near ones the first counts, and a name counts once.
 */
void near_offer(struct near *near, const char *name);

/* Takes a name of which the first words, of those between _, are so near: "power_w" of
 * "powr". */
void near_offer_words(struct near *near, const char *name);

/* Takes a name of which a word begins with the asked one, or the reverse: "gpu_util_pct"
 * of "util". Three letters at least. */
void near_offer_part(struct near *near, const char *name);

/*
 * Takes a name that has all words of the asked one, in any order, as they are or as
 * others say them: "vram_capacity_mib" of "memory_total_mib". whole: it has no other
 * words, but for a unit where none is asked for. With an owner, its own word may be
 * missing on either side ("name" of "gpu_name" in gpus), and of other words only few
 * may be added.
 */
void near_offer_sense(struct near *near, const char *name, bool whole);

/* Appends "; did you mean power_w or power_w.avg?", with `before` before each; where
 * there are none, nothing. */
void near_say(struct strbuf *sb, const struct near *near, const char *before);

/*
 * Names in a sentence: "a, b (71.2 %), c and 4 more". A long list is cut after the
 * first few.
 */

struct name_list {
	struct strbuf text; /* to be appended to where a name is wanted */
	size_t count; /* of all */
	size_t most; /* that stand there */
};

void name_list_init(struct name_list *list, size_t most);
void name_list_release(struct name_list *list);

/* There is one more. True: its name is wanted, behind the comma that is in text now. */
bool name_list_next(struct name_list *list);

/* Says how many more there are; no name may follow. */
void name_list_end(struct name_list *list);

/* Matches names against patterns of fnmatch(3), separated by commas. */

/* Does one of them match the name? NULL: any name does. */
bool globs_match(const char *globs, const char *name);

/* The same of a single one; NULL is no name. */
bool glob_matches(const char *glob, const char *name);

/* Less than 0, 0 or more: names in the order of people, job-2 before job-10. */
int name_compare(const char *a, const char *b);

/* Without the end that says what packed it: "gpu.csv" of "gpu.csv.gz". */
struct span name_unpacked(struct span name);

/*
 * "FILE#PART": cuts *path behind the file, unless one is called so as a whole. Returns
 * the name of the part; NULL: it is none. Free *path, if it is owned, as before.
 */
char *name_cut_part(char *path);

/*
 * Do two paths name files of one log, which was rotated or cut into pieces: of one
 * folder, and but for digits, dots and dashes the same?
 */
bool name_is_sibling(const char *a, const char *b);

#endif
