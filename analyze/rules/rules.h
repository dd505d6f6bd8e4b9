/*
 * Rules out of JSON: schema/findings, which the program carries, or others of the
 * same form (schema/findings/README.md). Every key is known, every name that a rule uses
 * is there, or it is refused. Knows no run and judges nothing.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "base/diag.h"
#include "model/rule.h"

/*
 * Adds the rule that a JSON text is. -1: err names the file, the key, what it says and
 * what was expected; the set is as it was.
 */
int rules_parse(
	struct rule_set *set, const char *file, const char *json, struct error *err);

/* Adds all that the program carries, by the names of their files. */
int rules_builtin(struct rule_set *set, struct error *err);

#endif
