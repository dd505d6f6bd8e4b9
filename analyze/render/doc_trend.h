/* Offers the document of trends. */
#ifndef RENDER_DOC_TREND_H
#define RENDER_DOC_TREND_H

#include "model/trend.h"
#include "render/doc.h"
#include "render/render.h"

void doc_trends(
	struct doc *doc, const struct trends *trends, const struct render_options *opt);

#endif
