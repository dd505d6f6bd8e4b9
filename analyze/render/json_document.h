/*
 * The frame of every JSON document: an object that begins with the version of its form
 * and the program that wrote it. Only *json*.c include this.
 */
#ifndef RENDER_JSON_DOCUMENT_H
#define RENDER_JSON_DOCUMENT_H

#include "base/diag.h"
#include "render/json_writer.h"

/* Opens the document's object, with "format_version" and "generator" in it. */
void json_document_begin(struct json_writer *w, FILE *out);

/* Closes the object and releases the writer; -1: err is set, out has an error. */
int json_document_end(struct json_writer *w, struct error *err);

/* The member `key`: an array of texts, such as "warnings" and "remarks". */
void json_texts(
	struct json_writer *w, const char *key, const char *const *text, size_t count);

#endif
