/* How a page looks: one style sheet, in pieces, which stands in it whole. */
#ifndef RENDER_HTML_STYLE_H
#define RENDER_HTML_STYLE_H

extern const char html_style[];
extern const char html_style_time[]; /* behind it: of timelines */
extern const char html_style_media[]; /* behind that: on a phone, and on paper */

/* Their SHA-256 in base 64, which the page's Content-Security-Policy allows alone. */
extern const char html_style_hash[];

#endif
