/*
 * Ids at random.
 * This room knows nothing of what they are of.
 */
#include "random_id.h"

#include <stdio.h>
#include <sys/random.h>
#include <sys/types.h>

int random_id(char *text, size_t bytes)
{
	unsigned char bits[RANDOM_ID_MOST];

	text[0] = '\0';
	if (getrandom(bits, bytes, 0) != (ssize_t)bytes)
		return -1;
	for (size_t i = 0; i < bytes; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bits[i]);
	return 0;
}
