/*
 * The commands of collect-recorder, as the script `collect` calls them; it has checked
 * the words. argv[0] is the command's name; each returns the exit status.
 */
#ifndef COLLECT_COMMANDS_H
#define COLLECT_COMMANDS_H

/* `record OPTIONS [-- COMMAND [ARG...]]`: records; plan.c knows the options. */
int record_main(int argc, char **argv);

/* Marks in the recording that COLLECT_DIR names. */
int event_main(int argc, char **argv); /* begin, end, event */
int phase_main(int argc, char **argv);

/* The exit status of status is 0, 1, 2 or 3; that of stop is 0 after a complete end. */
int status_main(int argc, char **argv);
int stop_main(int argc, char **argv);

#endif
