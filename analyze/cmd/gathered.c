/* The lines of merge and push. */
#include "cmd/gathered.h"

#include "cmd/result.h"
#include "render/utf8.h"

void gathered_tell(struct strbuf *lines, const char *name,
	const struct gathered *gathered, const struct console *console)
{
	for (size_t i = 0; i < gathered->refusal_count; i++)
		console->say(gathered->refusal[i]);
	utf8_inert(lines, name);
	strbuf_addf(lines, ": %zu taken, %zu renewed, %zu there already", gathered->taken,
		gathered->renewed, gathered->known);
	if (gathered->refused)
		strbuf_addf(lines, ", %zu refused", gathered->refused);
	strbuf_addc(lines, '\n');
}

static int write_lines(
	void *context, const struct render_options *options, FILE *out, struct error *err)
{
	const struct strbuf *lines = context;

	(void)options;
	(void)err;
	return fputs(lines->text, out) < 0 ? -1 : 0;
}

int gathered_print(
	const struct options *opt, const struct strbuf *lines, struct error *err)
{
	const struct result result = {opt, NULL, 0, options_db(opt)};

	return opt->verbose < 0 ? 0
				: result_print(&result, write_lines, (void *)lines, err);
}
