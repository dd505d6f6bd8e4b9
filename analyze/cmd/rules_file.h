/*
 * The rules of a gate from the file that --rules names, or from those that the program
 * carries under that name (schema/gates).
 */
#ifndef CMD_RULES_FILE_H
#define CMD_RULES_FILE_H

#include "base/diag.h"
#include "model/gate.h"

/* -1: err says what can't be read or is refused; release *rules in either case. */
int rules_file_read(struct gate_rules *rules, const char *name, struct error *err);

#endif
