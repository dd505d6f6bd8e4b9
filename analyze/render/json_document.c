/* Knows of documents only how they begin and end. */
#include "render/json_document.h"

#include "render/formats.h"

void json_document_begin(struct json_writer *w, FILE *out)
{
	json_init(w, out, JSON_PRETTY);
	json_object(w, NULL);
	json_string(w, "format_version", RENDER_FORMAT_VERSION);
	json_string(w, "generator", "hwsummarize " VERSION);
}

int json_document_end(struct json_writer *w, struct error *err)
{
	FILE *out = w->out;

	json_close(w);
	json_finish(w);
	return render_check(out, "json", err);
}

void json_texts(
	struct json_writer *w, const char *key, const char *const *text, size_t count)
{
	json_array(w, key);
	for (size_t i = 0; i < count; i++)
		json_string(w, NULL, text[i]);
	json_close(w);
}
