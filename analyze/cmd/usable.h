/* Is there anything in a run that can be summarised? */
#ifndef CMD_USABLE_H
#define CMD_USABLE_H

#include "base/diag.h"
#include "model/run.h"

/* -1: its logs hold not one sample or event; why, as its first damage says. */
int usable_check(const struct run *run, struct error *err);

#endif
