/* The names of signals, as the exit status of a command tells them. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <stdint.h>

/* "SIGKILL"; NULL: none, or one without a name; static. */
const char *signal_name(int32_t number);

/* Of an exit status: a shell adds the signal that ended a command to 128. 0: none did. */
int32_t signal_of_status(int32_t status);
int32_t status_of_signal(int32_t signal); /* ... and the other way round */

#endif
