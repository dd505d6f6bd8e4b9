/*
 * Lines that name their values, in a line a sample or in blocks (powermetrics, top -b,
 * and scripts that print for people):
 *
 *   [2026-05-01 10:00:00] GPU util: 45 % | Memory: 1000 / 8000 MiB | power=120.5W
 *   %Cpu(s):  2.6 us,  0.7 sy,  96.7 id
 *
 * are "GPU util" 45 %, "Memory" and "Memory.total", "power"; "%Cpu(s).us" and so on. A
 * time begins a record, and so does a name that the record has already.
 */
#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "read/clock_line.h"
#include "read/header_words.h"
#include "read/log.h"
#include "read/recast.h"

#define LABEL_MAX    60
#define LINE_MAX_LEN 1000 /* longer ones are not for people */
#define LABELS	     64 /* of a record, of which each is told apart */
#define TIME_WORDS   8
#define TIME_MAX     64 /* bytes of a time */

struct labels_state {
	bool again; /* the next line was put back */
	struct span time; /* ... what it says of it; at NULL: nothing but itself */
	uint64_t hash[LABELS]; /* of the names of the record */
	size_t count;
	char carried[TIME_MAX]; /* the last time of a line, for devices in further lines;
				   empty: none */
};

static bool begins_number(struct span text)
{
	size_t at = text.len && strchr("+-.", text.at[0]);

	return text.len > at && is_digit(text.at[at]);
}

/* Cuts what stands before a mark that parts values; listed: that is a comma. */
static struct span next_part(struct span *rest, bool *listed)
{
	static const char *const marks[] = {"|", ";", "\t", ", ", " - ", ".  "};
	struct span part = *rest;
	size_t open = 0;

	for (size_t i = 0; i < rest->len; i++) {
		struct span behind = {rest->at + i, rest->len - i};

		open += rest->at[i] == '(' || rest->at[i] == '[';
		open -= open && (rest->at[i] == ')' || rest->at[i] == ']');
		for (size_t k = 0; k < sizeof marks / sizeof marks[0] && !open; k++) {
			if (!span_begins(behind, marks[k]))
				continue;
			part.len = i;
			rest->at += i + strlen(marks[k]);
			rest->len -= i + strlen(marks[k]);
			*listed = marks[k][0] == ',';
			return span_trim(part);
		}
	}
	rest->len = 0;
	return span_trim(part);
}

/* The ":" or "=" that ends a name, and none of a clock; len: there is none. */
static size_t find_mark(struct span part)
{
	for (size_t i = 1; i < part.len; i++)
		if (part.at[i] == '=' ||
			(part.at[i] == ':' &&
				(i + 1 == part.len || part.at[i + 1] == ' ' ||
					!is_digit(part.at[i - 1]))))
			return i;
	return part.len;
}

/* A word that is a unit, and no name of a value. */
static bool is_unit(struct span word)
{
	static const char *const units[] = {"%", "MiB", "GiB", "KiB", "MB", "GB", "KB",
		"B", "W", "mW", "C", "MHz", "GHz", "watts", "percent"};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (span_is_nocase(word, units[i]))
			return true;
	return !word.len;
}

/* The name of a value: "used" of "RAM: used=4 total=8" stands in "RAM". */
struct value_name {
	struct span section, name;
};

static void put(struct recast *recast, struct value_name label, const char *dot,
	struct span name, struct span value)
{
	struct strbuf path = strbuf_new();

	strbuf_add(&path, label.section.at, label.section.len);
	strbuf_adds(&path, label.section.len ? " " : "");
	strbuf_add(&path, label.name.at, label.name.len);
	strbuf_adds(&path, dot);
	strbuf_add(&path, name.at, name.len);
	recast_put(recast, (struct span){path.text, path.len}, value);
	strbuf_release(&path);
}

static void put_amount(struct recast *recast, struct value_name label, const char *what,
	struct span number, struct span unit)
{
	struct strbuf value = strbuf_new();

	strbuf_add(&value, number.at, number.len);
	strbuf_addc(&value, ' ');
	strbuf_add(&value, unit.at, unit.len);
	put(recast, label, what, SPAN_NONE, (struct span){value.text, value.len});
	strbuf_release(&value);
}

static bool is_clock(struct span word)
{
	int64_t ns;

	return time_parse_clock(word, &ns);
}

/* "10:00:00", or a date and a clock in a word. */
static bool is_time(struct span word)
{
	return is_clock(word) || (word.len > 10 && clock_is_cell(word));
}

/* "GPU 0: NVIDIA A100": what the values behind are of. */
static bool put_device(struct recast *recast, struct span label, struct span value)
{
	struct span number = label, word = span_word(&number);
	uint64_t index;

	number = span_trim(number);
	if (number.len && number.at[0] == '#')
		number.at++, number.len--;
	if (!header_word_is_device(word) || !number_unsigned(number, &index))
		return false;
	recast_put(recast, span_of("index"), number);
	recast_put(recast, span_of("name"), value);
	return true;
}

/* "GPU0", "cuda:1" */
static bool is_device(struct span label)
{
	while (label.len &&
		(is_digit(label.at[label.len - 1]) ||
			strchr(" #:", label.at[label.len - 1])))
		label.len--;
	return header_word_is_device(label);
}

/* What a GPU's value in a unit is, of which its line has several: "GPU0: 45% | 61C". */
static const char *name_by_unit(struct span unit)
{
	static const char *const names[][2] = {{"%", " util"}, {"W", " power"},
		{"watts", " power"}, {"mW", " power"}, {"C", " temp"}, {"MHz", " clock"},
		{"GHz", " clock"}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (span_is_nocase(unit, names[i][0]))
			return names[i][1];
	return unit.len && is_unit(unit) ? " memory" : NULL;
}

/* "45 %", "3.4% (of 389 MHz)", "1000 / 8000 MiB", "2.6 us": a number, and what is behind.
 */
static void put_value(
	struct recast *recast, struct value_name label, struct span value, bool first)
{
	const char *bracket = memchr(value.at, '(', value.len);
	const char *slash = memchr(value.at, '/', value.len);
	struct span number, name, total = SPAN_NONE;
	const char *what = "";
	int64_t any;

	if (bracket && bracket > value.at)
		value = span_trim((struct span){value.at, (size_t)(bracket - value.at)});
	if (!begins_number(value) || is_time(value)) {
		if (!put_device(recast, label.name, value))
			put(recast, label, "", SPAN_NONE, value);
		return;
	}
	if (slash && slash < value.at + value.len)
		total = span_trim((struct span){
			slash + 1, value.len - (size_t)(slash + 1 - value.at)});
	if (begins_number(total)) {
		what = first ? "" : " memory";
		put(recast, label, what, span_of(".total"), total);
		value = span_trim((struct span){value.at, (size_t)(slash - value.at)});
		number_cut_rounded(&total, 1000000, &any);
		total = span_trim(total);
		if (number_scaled(value, 1000000, &any) && is_unit(total))
			put_amount(recast, label, what, value, total);
		else
			put(recast, label, what, SPAN_NONE, value);
		return;
	}
	name = value;
	if (!number_cut_rounded(&name, 1000000, &any) &&
		!number_scaled(value, 1000000, &any))
		return;
	number = (struct span){value.at, (size_t)(name.at - value.at)};
	name = span_trim(name);
	while (name.len && ((unsigned char)name.at[0] >= 0x80 || name.at[0] == '\''))
		name.at++, name.len--; /* of a degree */
	if (name.len && name.at[0] == '%' && name.len > 1 && name.at[1] != ' ')
		name.at++, name.len--;
	if (is_unit(name) && !first)
		what = is_device(label.name) ? name_by_unit(name) : NULL;
	if (!what)
		return; /* "load average: 0.80, 0.56, 0.42" */
	if (is_unit(name))
		put_amount(recast, label, what, number, name);
	else
		put(recast, label, ".", name, number);
}

/* "[", "-" and the like before a name. */
static struct span trim_label(struct span label)
{
	while (label.len && strchr("[]()<>-*#>. ", label.at[0]))
		label.at++, label.len--;
	return span_trim(label);
}

static bool is_new(struct labels_state *s, struct value_name label)
{
	uint64_t hash = span_hash(label.name, span_hash(label.section, SPAN_HASH));

	for (size_t i = 0; i < s->count; i++)
		if (s->hash[i] == hash)
			return false;
	if (s->count < LABELS)
		s->hash[s->count++] = hash;
	return true;
}

/* "Sat 05 Jul 2025 03:52:49 PM EDT", of which no word is the name of a value. */
static struct span time_at_start(struct span text)
{
	struct span rest = text, time = SPAN_NONE;

	for (size_t i = 0; i < TIME_WORDS; i++) {
		struct span words = text, word = span_word(&rest);

		while (word.len && word.at[word.len - 1] == ':')
			word.len--;
		words.len = (size_t)(word.at + word.len - text.at);
		if (!word.len || header_word_measures(word))
			break;
		if (memchr(words.at, ':', words.len) &&
			clock_line_kind(words, CLOCK_LACKS_DATE) == CLOCK_TIME)
			time = words;
	}
	return time;
}

/* What a line is made of: pairs, one after the other. */
struct pairs {
	struct span rest, part; /* part: "a=1 b=2" that is not read to its end */
	struct span label, value; /* label: goes on for values that have none */
	struct span model; /* "NVIDIA A100" of "GPU 0 (NVIDIA A100): util=4" */
	struct span section; /* "RAM: used=4, total=8", until another mark than a comma */
	bool listed; /* a comma is behind the part */
	const char *last; /* the name before, which may have several values */
	bool bare; /* ... was that of a device: "GPU 0: 4%" */
};

/* "10:00:00 GPU util 45%", "gpu0 40% 1000MiB": words of what is measured, and a number.
 */
static bool cut_words(struct pairs *p, struct span part)
{
	struct span rest = part, word = span_word(&rest), last = SPAN_NONE, label;
	uint64_t index;

	while (word.len && (is_digit(word.at[0]) || word.at[0] == '['))
		word = span_word(&rest);
	label = (struct span){word.at, 0};
	for (; word.len; last = word, word = span_word(&rest)) {
		bool number =
			header_word_is_device(last) && number_unsigned(word, &index);

		if (begins_number(word) && !number)
			break;
		if (!number && !header_word_measures(word) && !is_device(word))
			return false;
		label.len = (size_t)(word.at + word.len - label.at);
	}
	if (!label.len || !word.len)
		return false;
	p->label = label;
	p->value = (struct span){word.at, (size_t)(part.at + part.len - word.at)};
	return true;
}

/* Cuts "(NVIDIA A100)" at the end of a name. */
static struct span cut_model(struct span *label)
{
	const char *bracket = memchr(label->at, '(', label->len);
	struct span model;

	if (!bracket || bracket == label->at || label->at[label->len - 1] != ')')
		return SPAN_NONE;
	model = (struct span){
		bracket + 1, (size_t)(label->at + label->len - bracket) - 2};
	*label = span_trim((struct span){label->at, (size_t)(bracket - label->at)});
	return model;
}

/* "GPU 0: util=4" is "GPU" 0, and what is behind. */
static bool cut_device(struct pairs *p, struct span part, size_t mark)
{
	struct span behind = {part.at + mark + 1, part.len - mark - 1};
	struct pairs after = {.rest = behind};
	struct span label = {part.at, mark}, rest, word = SPAN_NONE, next;
	struct span model = cut_model(&label);
	const char *end = label.at + label.len;

	while (label.len && is_digit(label.at[label.len - 1]))
		label.len--;
	p->value =
		(struct span){label.at + label.len, (size_t)(end - label.at) - label.len};
	rest = label = span_trim(label);
	while ((next = span_word(&rest)).len)
		word = next;
	if (!p->value.len || !header_word_is_device(word) ||
		begins_number(span_trim(behind)) ||
		(find_mark(behind) == behind.len && !cut_words(&after, behind)))
		return false;
	p->label = trim_label(label);
	p->part = span_trim(behind);
	p->section = SPAN_NONE;
	p->model = model;
	return true;
}

/* "RAM: used=4 total=8": a name of what is behind, unless it says when that was. */
static bool cut_section(struct pairs *p, struct span part, size_t mark)
{
	struct span name = {part.at, mark}, value;
	struct span behind =
		span_trim((struct span){part.at + mark + 1, part.len - mark - 1});
	size_t next = find_mark(behind);
	bool time = time_at_start(name).len == name.len;

	next += next < behind.len;
	value = span_trim((struct span){behind.at + next, behind.len - next});
	if (part.at[mark] != ':' || begins_number(behind) ||
		(!time && !begins_number(value)))
		return false;
	p->section = trim_label(name);
	if (time || p->section.len > LABEL_MAX || header_name_is_time(p->section))
		p->section = SPAN_NONE;
	p->part = behind;
	return true;
}

/* Of "40% 1000MiB" the first one; the rest is the next value. */
static void cut_amount(struct pairs *p)
{
	for (size_t i = 1; i + 1 < p->value.len; i++)
		if (p->value.at[i] == ' ' && is_digit(p->value.at[i + 1]) &&
			p->value.at[i - 1] != '/') {
			p->part =
				(struct span){p->value.at + i + 1, p->value.len - i - 1};
			p->value.len = i;
			return;
		}
}

/* Of "40 % (4 W) GPU1: 50 %" the first one; the rest is the next pair. */
static void cut_value(struct pairs *p)
{
	struct span rest = p->value, number = span_word(&rest), end = number,
		    ahead = rest;
	bool open = false;

	if (!begins_number(p->value) || is_time(number))
		return;
	for (struct span word = span_word(&ahead); word.len; word = span_word(&ahead)) {
		open |= word.at[0] == '(';
		if (!open && !is_unit(word) && !span_is(word, "/") &&
			!begins_number(word))
			break;
		open &= word.at[word.len - 1] != ')';
		end = word;
		rest = ahead;
	}
	if (find_mark(rest) == rest.len)
		return;
	p->value.len = (size_t)(end.at + end.len - p->value.at);
	p->part = span_trim(rest);
}

static bool next_pair(struct pairs *p)
{
	while (p->rest.len || p->part.len) {
		struct span part = p->part;
		size_t mark;

		if (!part.len) {
			if (!p->listed)
				p->section = SPAN_NONE;
			p->listed = false;
			part = next_part(&p->rest, &p->listed);
		}
		mark = find_mark(part);
		p->part.len = 0;
		if (mark < part.len && cut_device(p, part, mark))
			return true;
		if (mark < part.len && cut_section(p, part, mark))
			continue;
		p->value = part;
		if (mark < part.len) {
			p->label = trim_label((struct span){part.at, mark});
			p->value = span_trim(
				(struct span){part.at + mark + 1, part.len - mark - 1});
			if (part.at[mark] == '=') {
				p->part = p->value;
				p->value = span_word(&p->part);
				if (find_mark(p->part) == p->part.len)
					p->part.len = 0;
			} else {
				cut_value(p);
			}
		} else if (!cut_words(p, part) && !begins_number(part)) {
			continue;
		}
		if (mark == part.len && is_device(p->label))
			cut_amount(p);
		if (p->label.len && p->label.len <= LABEL_MAX && p->value.len)
			return true;
	}
	return false;
}

/* Cuts words that may hold a time, in brackets or not, to what says it; len 0: nothing.
 */
static struct span time_of(struct span text)
{
	struct span rest = text, before = SPAN_NONE, time;

	for (size_t from = 0; from < text.len; from++) {
		char close = text.at[from] == '(' ? ')'
			: text.at[from] == '['	  ? ']'
						  : '\0';
		const char *end =
			close ? memchr(text.at + from, close, text.len - from) : NULL;
		struct span inner = {
			text.at + from + 1, end ? (size_t)(end - text.at) - from - 1 : 0};

		if (inner.len && clock_line_kind(inner, CLOCK_LACKS_DATE) != CLOCK_NOT)
			return inner;
	}
	time = time_at_start(text);
	if (time.len)
		return time;
	if (clock_line_kind(text, CLOCK_LACKS_DATE) != CLOCK_NOT)
		return text;
	for (struct span word = span_word(&rest); word.len; word = span_word(&rest)) {
		if (is_clock(word) && before.len) {
			struct span both = {
				before.at, (size_t)(word.at + word.len - before.at)};

			if (clock_is_cell(both))
				return both;
		}
		if (is_time(word))
			return word;
		before = word;
	}
	return SPAN_NONE;
}

/* "=== 2026-05-01 10:00:00 ===" */
static bool is_whole_time(struct span line)
{
	return clock_line_kind(line, CLOCK_LACKS_DATE) == CLOCK_TIME;
}

/* What a line says of the time, before its first mark or to the end of its first name:
 * "10:00:00;GPU: 4", "[10:00:00] GPU: 4". */
static struct span time_before_pairs(struct span line)
{
	struct pairs p = {.rest = line};
	struct span rest = line, time = SPAN_NONE;
	bool listed;
	struct span part = next_part(&rest, &listed);

	if (is_whole_time(line))
		return line;
	if (find_mark(part) == part.len)
		time = time_of(part);
	if (time.len)
		return time;
	if (next_pair(&p))
		line.len = (size_t)(p.label.at + p.label.len - line.at);
	return time_of(line);
}

/* The time before a name is no part of it: "10:00:00 GPU util". */
static struct span label_behind(struct span label, struct span time)
{
	const char *end;

	if (!time.len || !label.len || time.at < label.at)
		return label;
	end = time.at + time.len;
	if (end > label.at + label.len)
		return label;
	return trim_label((struct span){end, (size_t)(label.at + label.len - end)});
}

/* "GPU 0" of "GPU 0 util"; len 0: it is no such name. */
static struct span device_of(struct span name)
{
	struct span rest = name, word = span_word(&rest), device = name;

	if (header_word_is_device(word))
		word = span_word(&rest);
	device.len = (size_t)(word.at + word.len - name.at);
	if (!word.len || !is_digit(word.at[word.len - 1]) || !is_device(device))
		device.len = 0;
	return device;
}

/* What a value is called, without what the line says of the time. */
static struct value_name label_of(struct pairs *p, struct span time)
{
	struct value_name label = {
		label_behind(p->section, time), label_behind(p->label, time)};
	struct span device = device_of(label.name);

	if (header_name_says_whose(label.name))
		label.section = SPAN_NONE; /* "RAM: used=4, CPU=5" */
	if (label.name.at == p->last)
		return label;
	if (device.len) /* "GPU 0 util=4, mem=5", but not "GPU0: 4, GPU1: 5, mem: 6" */
		p->section = p->bare && device.len == label.name.len ? SPAN_NONE : device;
	p->bare = device.len && device.len == label.name.len;
	p->last = label.name.at;
	return label;
}

static bool labels_is(const struct probe *probe)
{
	uint64_t hash[LABELS];
	size_t count = 0;

	if (recast_has_header(probe, MAP_OF_SAMPLES))
		return false; /* "Fan 1 Speed, Fan 2 Speed" are names of columns */
	for (size_t i = 0; i < probe->count; i++) {
		struct pairs p = {.rest = probe->line[i]};
		struct span time = SPAN_NONE;

		p.rest.len = p.rest.len > LINE_MAX_LEN ? 0 : p.rest.len;
		if (p.rest.len)
			time = time_before_pairs(p.rest);
		while (next_pair(&p) && count < LABELS) {
			struct value_name label = label_of(&p, time);
			uint64_t of = span_hash(
				label.name, span_hash(label.section, SPAN_HASH));

			if (!begins_number(p.value) || !label.name.len)
				continue;
			for (size_t k = 0; k < count; k++)
				if (hash[k] == of)
					return true;
			if (!count || hash[count - 1] != of)
				hash[count++] = of;
		}
	}
	return false;
}

static void put_back(struct recast *recast, struct span line)
{
	struct labels_state *s = recast_state(recast);

	recast_put_back(recast, line);
	s->again = true;
}

/*
 * Puts the pairs of a line; false: one of them the record has already. Of a line with
 * several devices, "GPU0: a=1 | GPU1: a=2", the rest is ahead, at the same time.
 */
static bool put_pairs(
	struct recast *recast, struct labels_state *s, struct span line, struct span time)
{
	struct pairs p = {.rest = line};
	struct span last = SPAN_NONE, device = SPAN_NONE;
	bool amounts = true;
	size_t puts = 0;

	while (next_pair(&p)) {
		bool same = p.label.at == last.at;
		struct value_name label = label_of(&p, time);

		p.label = label.name;
		if (!p.label.len)
			continue;
		if (!same && !is_new(s, label)) {
			if (!puts || !is_device(p.label))
				return false;
			put_back(recast,
				(struct span){p.label.at,
					(size_t)(line.at + line.len - p.label.at)});
			s->time = time.len ? time : SPAN_NONE;
			return true;
		}
		if (!same)
			amounts = begins_number(p.value) || !is_device(p.label);
		if (same && !amounts)
			continue; /* "GPU 0: NVIDIA A100, 80 GB" */
		puts++;
		last = p.label;
		if (is_device(label.name))
			device = label.name;
		else if (same && device.len)
			label = (struct value_name){
				.name = device}; /* "GPU 0: 45%, Memory: 900 MB, 61C" */
		put_value(recast, label, p.value, !same);
		if (p.model.len)
			recast_put(recast, span_of("name"), p.model);
		p.model = SPAN_NONE;
	}
	return true;
}

/* Is the first name of the line that of a device? */
static bool begins_with_device(struct span line)
{
	struct pairs p = {.rest = line};

	return next_pair(&p) && is_device(p.label);
}

/* The times of lines are said once for the devices in the lines below. */
static void put_time(
	struct recast *recast, struct labels_state *s, struct span line, struct span time)
{
	if (time.len && time.len < sizeof s->carried) {
		memcpy(s->carried, time.at, time.len);
		s->carried[time.len] = '\0';
	} else if (!time.len && s->carried[0] && begins_with_device(line)) {
		time = span_of(s->carried);
	}
	if (time.len)
		recast_put(recast, span_of(is_clock(time) ? "time" : "timestamp"), time);
}

static bool labels_next(struct recast *recast)
{
	struct labels_state *s = recast_state(recast);
	struct log *log = recast_log(recast);
	struct span line, time;
	uint64_t first = 0;
	bool done = false;

	s->count = 0;
	while (!done && recast_next_line(recast, &line)) {
		size_t cells = recast_cells(recast);

		if (!s->again)
			s->time = SPAN_NONE;
		if (!s->again && span_has_nocase(line, "cpu(s)")) /* of top */
			recast_points(recast, &line);
		s->again = false;
		if (!line.len || line.len > LINE_MAX_LEN)
			continue;
		time = time_before_pairs(line);
		if (s->time.len)
			time = s->time;
		if (time.len && cells) {
			put_back(recast, line);
			break;
		}
		if (time.len || !cells)
			put_time(recast, s, line, time);
		if (is_whole_time(line)) {
			first = first ? first : recast_number(recast);
			continue;
		}
		/* of a name that comes twice in a line the first counts */
		if (!put_pairs(recast, s, line, time) && cells) {
			recast_back(recast, cells);
			put_back(recast, line);
			break;
		}
		first = first ? first : recast_number(recast);
		/* what stands before each line says when it was */
		done = s->again ||
			(log->line_ns != TIME_NONE && recast_cells(recast) > cells);
	}
	if (recast_cells(recast))
		recast_row(recast, span_of(""), first);
	recast_back(recast, 0);
	return first > 0 || s->again;
}

const struct recast_shape recast_labels = {.name = "text of names and values",
	.is = labels_is,
	.next = labels_next,
	.state_size = sizeof(struct labels_state),
	.sections = true};
