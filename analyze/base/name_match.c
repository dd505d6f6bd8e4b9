/*
 * Suggestions for misspelled names (edit distance), lists of names in a sentence,
 * names without their rotation suffix, and globs. Must not know what the names belong
 * to.
 */
#include "base/name_match.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t near_edits(const char *a, const char *b)
{
	size_t n = strlen(b), edits;
	/* of a up to before the last letter, to it, and so far, into b up to there */
	size_t *row[3];

	for (size_t i = 0; i < 3; i++)
		row[i] = xcalloc(n + 1, sizeof *row[i]);
	for (size_t k = 0; k <= n; k++)
		row[2][k] = k;
	for (size_t i = 0; a[i]; i++) {
		size_t *oldest = row[0];

		row[0] = row[1];
		row[1] = row[2];
		row[2] = oldest;
		row[2][0] = i + 1;
		for (size_t k = 0; k < n; k++) {
			row[2][k + 1] = least(row[1][k] + (a[i] != b[k]),
				least(row[1][k + 1], row[2][k]) + 1);
			if (i && k && a[i] == b[k - 1] && a[i - 1] == b[k])
				row[2][k + 1] = least(row[2][k + 1], row[0][k - 1] + 1);
		}
	}
	edits = row[2][n];
	for (size_t i = 0; i < 3; i++)
		free(row[i]);
	return edits;
}

/* By its edits; of as many the first counts, and a name counts once. */
static void put(struct near *near, const char *name, size_t edits)
{
	size_t at = near->count;

	for (size_t i = 0; i < near->count; i++)
		if (strcmp(near->name[i], name) == 0)
			return;
	while (at > 0 && near->edits[at - 1] > edits)
		at--;
	if (at == NEAR_MOST)
		return;
	near->count = least(near->count + 1, NEAR_MOST);
	for (size_t i = near->count - 1; i > at; i--) {
		near->name[i] = near->name[i - 1];
		near->edits[i] = near->edits[i - 1];
	}
	near->name[at] = name;
	near->edits[at] = edits;
}

void near_offer(struct near *near, const char *name)
{
	size_t edits = near_edits(near->asked, name);

	if (3 * edits <= strlen(name))
		put(near, name, edits);
}

void near_offer_words(struct near *near, const char *name)
{
	bool is_near = false;
	struct strbuf words = strbuf_new();

	for (const char *end = name; (end = strchr(end, '_')) && !is_near; end++) {
		strbuf_clear(&words);
		strbuf_add(&words, name, (size_t)(end - name));
		is_near = 3 * near_edits(near->asked, words.text) <= words.len;
	}
	strbuf_release(&words);
	if (is_near)
		put(near, name, near_edits(near->asked, name));
}

#define PART_LEAST 3

/* Does a word of the name begin with the part? */
static bool has_part(const char *name, const char *part)
{
	const char *at = name;

	while ((at = strstr(at, part)) && at > name && isalnum((unsigned char)at[-1]))
		at++;
	return at && strlen(part) >= PART_LEAST;
}

void near_offer_part(struct near *near, const char *name)
{
	if (has_part(name, near->asked) || has_part(near->asked, name))
		put(near, name, near_edits(near->asked, name));
}

/* Words that people use for one another; in a row that begins with '>' only the first
 * for the others. Of a word in several rows the first is the nearest. */
static const char *const senses[] = {"> memory ram ", "> mem ram ", " memory mem vram ",
	" peak max maximum most ", " min minimum least ", "> value mean ",
	" mean avg average ", " at time timestamp ", " t time timestamp ", "> seconds t ",
	"> seconds duration ", " duration time elapsed runtime ",
	" total capacity installed ", "> size capacity ",
	" util utilization usage load busy ", " temperature temp ", " device gpu ",
	"> name metric ", " name label ", "> name title ", " message text ",
	"> description message ", "> description text ", "> description title ",
	" type kind ", " state reason ", " started start begin since ",
	" ended end stop finished until ", " energy joules ",
	" host machine node hostname ", "> host ram ", " command cmd program ",
	" gap missing hole ", "> count n ", "> num count ", "> n count ", " power watts ",
	" clock frequency ", " cost wasted waste ", " pct percent "};

/* The last word of a name that has a unit. */
static const char unit_words[] = " s ms ns min h j kj wh kwh w mw pct percent c k "
				 "mhz ghz bytes kib mib gib mb gb ";

/* Words that go without saying in the names of an owner: the clock is that of the SMs,
 * the status that of the exit, what is used is memory. */
static const char implied_words[] = " mean sm exit gpu device total used at ";

#define NO_SENSE   SIZE_MAX
#define OTHER_WORD 2 /* edits of a word too much */
#define NAME_LEFT  3

static bool has_word(const char *words, struct span word)
{
	for (const char *at = words; *at; at += strcspn(at, " _")) {
		at += strspn(at, " _");
		if (strcspn(at, " _") == word.len && strncmp(at, word.at, word.len) == 0)
			return true;
	}
	return false;
}

/* How far the name is from having the word: 0: has it; n: has one of the n-th row of its
 * senses. */
static size_t sense_edits(const char *name, struct span word)
{
	size_t edits = has_word(name, word) ? 0 : 1;

	if (edits && word.len > 1 && word.at[word.len - 1] == 's' &&
		has_word(name, (struct span){word.at, word.len - 1}))
		return edits;
	for (size_t i = 0; i < sizeof senses / sizeof *senses && edits; i++) {
		const char *at = senses[i];
		bool one_way = *at == '>';

		at += one_way ? 2 : 1;
		if (one_way ? strcspn(at, " ") != word.len ||
					strncmp(at, word.at, word.len) != 0
			    : !has_word(at, word))
			continue;
		for (; *at; at += strcspn(at, " ") + 1)
			if (has_word(name, (struct span){at, strcspn(at, " ")}))
				return edits;
		edits += !one_way;
	}
	return edits ? NO_SENSE : 0;
}

/* Is it what the owner has, "gpu" of "gpus" or "gpu_samples"? */
static bool is_owner(const char *owner, struct span word)
{
	for (const char *at = owner; at && *at; at += *at == '_') {
		struct span own = {at, strcspn(at, "_")};

		at += own.len;
		if (word.len && own.len >= word.len &&
			memcmp(own.at, word.at, word.len) == 0) {
			own = (struct span){own.at + word.len, own.len - word.len};
			if (!own.len || span_is(own, "s") || span_is(own, "es"))
				return true;
		}
	}
	return false;
}

static bool has_unit(const char *name)
{
	const char *bar = strrchr(name, '_');

	return bar && has_word(unit_words, span_of(bar + 1));
}

/* What the asked words lack in the name; NO_SENSE: one is of another sense. */
static size_t asked_edits(const struct near *near, const char *name)
{
	size_t edits = 0, found = 0;

	for (const char *at = near->asked; *at; at += *at == '_') {
		struct span word = {at, strcspn(at, "_")};
		size_t of_word = sense_edits(name, word);

		if (of_word != NO_SENSE)
			found++;
		else if (is_owner(near->owner, word))
			of_word = OTHER_WORD;
		else if (near->owner && span_is(word, "used"))
			of_word = OTHER_WORD; /* of memory_used_max_mib */
		else if (near->owner &&
			(span_is(word, "name") || span_is(word, "version")))
			of_word = NAME_LEFT;
		else
			return NO_SENSE;
		edits += of_word;
		at += word.len;
	}
	return found ? edits : NO_SENSE;
}

/* Does one of the asked words mean the word of a name? */
static bool is_asked(const char *asked, struct span word)
{
	char *name = xstrndup(word.at, word.len);
	bool found = false;

	for (const char *at = asked; *at && !found; at += *at == '_') {
		struct span one = {at, strcspn(at, "_")};

		found = sense_edits(name, one) != NO_SENSE;
		at += one.len;
	}
	free(name);
	return found;
}

/* What the name has beyond the asked words; NO_SENSE: too much. */
static size_t other_edits(const struct near *near, const char *name, bool whole)
{
	bool unit = has_unit(near->asked), has = has_unit(name);
	size_t edits = 0;

	for (const char *at = name; *at; at += *at == '_') {
		struct span word = {at, strcspn(at, "_")};

		at += word.len;
		if (is_asked(near->asked, word))
			continue;
		if ((!unit && !*at && has) || is_owner(near->owner, word))
			continue;
		if (whole ||
			(near->owner &&
				(!has_word(implied_words, word) ||
					(span_is(word, "gpu") && !has))))
			return NO_SENSE;
		edits += span_is(word, "mean") ? 1 : OTHER_WORD;
	}
	return edits;
}

/* Are they the same but for '_': warmup_s and warm_up_s? */
static bool is_joined(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (*a == '_' || *b == '_')
		return is_joined(a + (*a == '_'), b + (*b == '_'));
	return *a == *b;
}

void near_offer_sense(struct near *near, const char *name, bool whole)
{
	size_t asked = asked_edits(near, name), other;

	if (is_joined(near->asked, name)) {
		put(near, name, strcmp(near->asked, name) != 0);
		return;
	}
	if (asked == NO_SENSE)
		return;
	other = other_edits(near, name, whole);
	if (other != NO_SENSE)
		put(near, name, asked + other);
}

void near_say(struct strbuf *sb, const struct near *near, const char *before)
{
	if (!near->count)
		return;
	strbuf_adds(sb, "; did you mean ");
	for (size_t i = 0; i < near->count; i++) {
		strbuf_add_or(sb, i, i + 1 == near->count);
		strbuf_addf(sb, "%s%s", before, near->name[i]);
	}
	strbuf_addc(sb, '?');
}

/* Lists of names: "a, b and 4 more". */

void name_list_init(struct name_list *list, size_t most)
{
	*list = (struct name_list){.most = most};
	strbuf_init(&list->text);
}

void name_list_release(struct name_list *list)
{
	strbuf_release(&list->text);
}

bool name_list_next(struct name_list *list)
{
	if (list->count++ >= list->most)
		return false;
	strbuf_adds(&list->text, list->count > 1 ? ", " : "");
	return true;
}

void name_list_end(struct name_list *list)
{
	if (list->count > list->most)
		strbuf_addf(&list->text, " and %zu more", list->count - list->most);
}

/* Lists of patterns separated by commas. */

bool globs_match(const char *globs, const char *name)
{
	bool found = !globs;

	while (globs && !found) {
		size_t len = strcspn(globs, ",");
		char *glob = xstrndup(globs, len);

		found = fnmatch(glob, name, 0) == 0;
		free(glob);
		globs = globs[len] ? globs + len + 1 : NULL;
	}
	return found;
}

bool glob_matches(const char *glob, const char *name)
{
	return !glob || (name && fnmatch(glob, name, 0) == 0);
}

/* Names without a part number or date, which differ between pieces of one log. */

#define DIGITS "0123456789"

int name_compare(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		size_t digits = strspn(a, DIGITS), other = strspn(b, DIGITS);

		if (digits && other && digits != other && *a != '0' && *b != '0')
			return digits < other ? -1 : 1;
		if (*a != *b)
			break;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

char *name_cut_part(char *path)
{
	char *part = strrchr(path, '#');

	if (!part || access(path, F_OK) == 0)
		return NULL;
	*part = '\0';
	return part + 1;
}

struct span name_unpacked(struct span name)
{
	static const char *const ends[] = {".gz", ".zst", ".zstd"};

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		size_t len = strlen(ends[i]);

		if (name.len > len && !memcmp(name.at + name.len - len, ends[i], len))
			name.len -= len;
	}
	return name;
}

static void skip_numbers(struct span *name)
{
	while (name->len && strchr("0123456789.-_", name->at[0]))
		name->at++, name->len--;
}

/* "gpu.log.1" and "gpu.log"; "gpu-0304.csv" and "gpu-0305.csv.gz" */
bool name_is_sibling(const char *a, const char *b)
{
	const char *a_name = strrchr(a, '/'), *b_name = strrchr(b, '/');
	size_t a_folder = a_name ? (size_t)(a_name + 1 - a) : 0;
	size_t b_folder = b_name ? (size_t)(b_name + 1 - b) : 0;
	struct span x = name_unpacked(span_of(a + a_folder));
	struct span y = name_unpacked(span_of(b + b_folder));

	if (a_folder != b_folder || memcmp(a, b, a_folder) != 0)
		return false;
	for (;;) {
		skip_numbers(&x);
		skip_numbers(&y);
		if (!x.len || !y.len || x.at[0] != y.at[0])
			return !x.len && !y.len;
		x.at++, x.len--;
		y.at++, y.len--;
	}
}
