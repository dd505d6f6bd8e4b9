/* Words into lines of 80 columns, for what --help prints. */
#ifndef CMD_PARAGRAPH_H
#define CMD_PARAGRAPH_H

#include <stddef.h>
#include <stdio.h>

/* Goes on in a line of which `used` columns are taken; further lines are indented by
 * `hang`. text is ASCII, with single blanks between its words. Ends the line. */
void paragraph_print(FILE *out, size_t used, size_t hang, const char *text);

#endif
