/*
 * Counted diagnostics. A damaged file may hold millions of damaged lines, so an entry
 * is found again without looking at the sentence; the list of distinct entries is
 * short.
 */
#include "base/diag.h"

#include <stdlib.h>

#include "base/alloc.h"

void diag_list_release(struct diag_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->at[i].id);
		free(list->at[i].file);
		free(list->at[i].text);
	}
	free(list->at);
	*list = DIAG_LIST_INIT;
}

#define QUOTE_MAX 60

/* Whether diag_quote leaves it as it is. */
static bool is_plain(struct span s)
{
	for (size_t i = 0, len; i < s.len; i += len) {
		len = utf8_printable(s, i);
		if (!len)
			return false;
	}
	return s.len <= QUOTE_MAX;
}

/* A hash, so that most entries need no comparison of text. */
static uint64_t hash_add(uint64_t hash, struct span s)
{
	return span_hash(s, hash) * 0x100000001b3u;
}

static uint64_t hash_of(const char *id, const char *file, struct span what)
{
	uint64_t hash = hash_add(SPAN_HASH, span_of(id));

	return hash_add(hash_add(hash, span_of(file)), what);
}

/* The id of an entry is "id" or, where several of one id are told apart, "id:what". */
static bool is_entry(
	const struct diag *d, const char *id, const char *file, struct span what)
{
	size_t n = strlen(id);

	if (strncmp(d->id, id, n) != 0 || strcmp(d->file, file) != 0)
		return false;
	if (!what.len)
		return d->id[n] == '\0';
	return d->id[n] == ':' && span_is(what, d->id + n + 1);
}

static bool count_again(struct diag_list *list, uint64_t hash, const char *id,
	const char *file, struct span what)
{
	for (size_t i = list->count; i-- > 0;) {
		if (list->at[i].hash != hash || !is_entry(&list->at[i], id, file, what))
			continue;
		list->at[i].count++;
		return true;
	}
	return false;
}

static void add_entry(struct diag_list *list, const struct diag *entry, const char *id,
	const char *file, struct span what, const char *sentence)
{
	struct strbuf name = strbuf_new();
	struct diag *d;

	strbuf_adds(&name, id);
	if (what.len) {
		strbuf_addc(&name, ':');
		strbuf_add(&name, what.at, what.len);
	}
	d = &ALLOC_NEXT(list->at, list->count, list->cap);
	*d = *entry;
	d->count = 1;
	d->id = strbuf_detach(&name);
	d->file = xstrdup(file);
	d->text = xstrdup(sentence);
}

/* All that finds no place any more, in the last entry. */
static void count_rest(struct diag_list *list)
{
	static const struct diag rest = {.damage = true};
	char sentence[128];

	if (list->count == DIAGS_MAX) {
		list->at[DIAGS_MAX - 1].count++;
		return;
	}
	snprintf(sentence, sizeof sentence,
		"more than %d kinds of damage and remarks; this entry counts all others",
		DIAGS_MAX - 1);
	add_entry(list, &rest, "too-many", "", (struct span){NULL, 0}, sentence);
}

void diag_add(struct diag_list *list, bool damage, const char *id, const char *file,
	uint64_t line, struct span what, const char *format, ...)
{
	struct diag entry = {.line = line, .damage = damage};
	struct strbuf quoted = {0};
	char sentence[1024];
	va_list ap;

	/* Foreign bytes, a NUL among them, would not be found again in the id. */
	if (!is_plain(what)) {
		strbuf_init(&quoted);
		diag_quote(&quoted, what);
		what = (struct span){quoted.text, quoted.len};
	}
	entry.hash = hash_of(id, file, what);
	if (count_again(list, entry.hash, id, file, what)) {
		; /* no need of a sentence */
	} else if (list->count >= DIAGS_MAX - 1) {
		count_rest(list);
	} else {
		va_start(ap, format);
		vsnprintf(sentence, sizeof sentence, format, ap);
		va_end(ap);
		add_entry(list, &entry, id, file, what, sentence);
	}
	strbuf_release(&quoted);
}

void diag_list_move(struct diag_list *to, struct diag_list *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct diag *d = &from->at[i];

		if (to->count >= DIAGS_MAX - 1) {
			for (uint64_t k = 0; k < d->count; k++)
				count_rest(to);
			continue;
		}
		ALLOC_NEXT(to->at, to->count, to->cap) = *d;
		*d = (struct diag){0};
	}
	diag_list_release(from);
}

void diag_quote_most(struct strbuf *sb, struct span s, size_t most)
{
	size_t i = 0;

	while (i < s.len && i < most) {
		size_t len = utf8_printable(s, i);

		if (i + len > most)
			break;
		if (len)
			strbuf_add(sb, s.at + i, len);
		else if (s.at[i] == '\t')
			strbuf_adds(sb, "\\t");
		else
			strbuf_addf(sb, "\\x%02x", (unsigned char)s.at[i]);
		i += len ? len : 1;
	}
	if (i < s.len)
		strbuf_adds(sb, "...");
}

void diag_quote(struct strbuf *sb, struct span s)
{
	diag_quote_most(sb, s, QUOTE_MAX);
}

/* Errors: formats the sentence. Must not know who prints it. */

#define CUT "[...]"

/* Is it inside a character of UTF-8? */
static bool goes_on(const char *at)
{
	return ((unsigned char)*at & 0xc0) == 0x80;
}

/* Its begin and its end, which says what was expected, around what is too long. */
static void cut(char *message, size_t size, const char *text, size_t len)
{
	size_t head = size / 2, tail = len - (size - head - sizeof CUT);

	while (head > 0 && goes_on(text + head))
		head--;
	while (tail < len && goes_on(text + tail))
		tail++;
	memcpy(message, text, head);
	memcpy(message + head, CUT, sizeof CUT - 1);
	memcpy(message + head + sizeof CUT - 1, text + tail, len - tail + 1);
}

int error_set(struct error *err, const char *format, ...)
{
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(err->message, sizeof err->message, format, ap);
	va_end(ap);
	if (len >= (int)sizeof err->message) {
		char *text = xcalloc((size_t)len + 1, 1);

		va_start(ap, format);
		vsnprintf(text, (size_t)len + 1, format, ap);
		va_end(ap);
		cut(err->message, sizeof err->message, text, (size_t)len);
		free(text);
	}
	return -1;
}
