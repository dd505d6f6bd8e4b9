/*
 * The environment as it was before the script `collect` began. A shell drops what is no
 * name of a variable, as the functions that bash exports, and has values of its own for
 * IFS and PPID; COMMAND is to find what it would find without collect.
 */
#ifndef COLLECT_KEPT_H
#define COLLECT_KEPT_H

/*
 * keep PID: holds a copy of the environment that a process began with, until it is taken;
 * it is called collect-kept once it does.
 */
int keep_main(int argc, char **argv);

/* Takes the one that COLLECT_KEPT names; without one, or a sound one, nothing changes. */
void kept_take(void);

#endif
