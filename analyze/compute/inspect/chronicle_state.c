/* What holds, and since when. */
#include "compute/inspect/chronicle_state.h"

#include "base/number.h"
#include "base/text.h"

static void add_part(struct strbuf *sb, const char *name)
{
	strbuf_addf(sb, "%s%s", sb->len ? ", " : "", name);
}

/* The bits of a mask by name; those without one together as a number. */
static void print_flags(struct strbuf *sb, enum metric_id metric, int64_t mask)
{
	uint64_t nameless = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t value = UINT64_C(1) << bit;
		const char *name = metric_flag_name(metric, bit);

		if (!((uint64_t)mask & value))
			continue;
		if (name)
			add_part(sb, name);
		else
			nameless |= value;
	}
	if (nameless)
		strbuf_addf(sb, "%s0x%llx", sb->len ? ", " : "",
			(unsigned long long)nameless);
	if (!sb->len)
		strbuf_adds(sb, "none");
}

static void tell(const struct chronicle_state *state, int64_t to_ns,
	const struct run *run, const struct chronicle_of *of,
	struct chronicle_taker *taker)
{
	const char *word;
	struct strbuf sb;

	if (metric_is_text(of->metric)) {
		word = texts_word(&run->texts, state->value);
		taker->state(taker, of, state->from_ns, to_ns, word ? word : "?");
		return;
	}
	strbuf_init(&sb);
	print_flags(&sb, of->metric, state->value);
	taker->state(taker, of, state->from_ns, to_ns, sb.text);
	strbuf_release(&sb);
}

void chronicle_state_end(struct chronicle_state *state, const struct run *run,
	const struct chronicle_of *of, struct chronicle_taker *taker)
{
	if (state->open)
		tell(state, state->last_ns, run, of, taker);
	state->open = false;
}

void chronicle_state_take(struct chronicle_state *state, const struct chronicle_row *row,
	const struct run *run, const struct chronicle_of *of,
	struct chronicle_taker *taker)
{
	bool goes_on = row->value && state->open && *row->value == state->value;

	if (state->open && (int128)row->t_ns - state->last_ns > row->limit_ns) {
		chronicle_state_end(state, run, of, taker);
		goes_on = false;
	}
	if (state->open && !goes_on)
		tell(state, row->t_ns, run, of, taker);
	if (!goes_on && row->value) {
		state->value = *row->value;
		state->from_ns = row->t_ns;
	}
	state->open = row->value != NULL;
	state->last_ns = row->t_ns;
}
