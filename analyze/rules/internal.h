/*
 * What the files of rules/ share: where a parser stands, and how it refuses.
 */
#ifndef RULES_INTERNAL_H
#define RULES_INTERNAL_H

#include <cjson/cJSON.h>

#include "rules/rules.h"

/* Where a parser stands: for sentences. */
struct at {
	const char *file;
	struct rule *rule;
	struct error *err;
};

/* "FILE: "KEY" is VALUE: expected ..."; value: NULL: it is missing. Gives -1. */
int rule_refuse(
	const struct at *at, const char *key, const cJSON *value, const char *expected);

/* The place of a value; SIZE_MAX: none of that name. */
size_t rule_value_of(const struct rule *rule, const char *name);

/* Refuses what is no object, or has another key; -1. known: ends with NULL. */
int rule_check_keys(const struct at *at, const cJSON *object, const char *what,
	const char *const *known);

/* A copy of a member's text, the caller's. -1: it is none, or empty: refused. */
int rule_take_text(
	const struct at *at, const cJSON *object, const char *key, char **text);

/* Exactly one bound of an object that is `what`; or it is refused. */
int rule_take_bound(const struct at *at, const cJSON *object, const char *what,
	enum bound *bound, double *limit);

/* The conditions of `while`. -1: refused. */
int rule_take_while(const struct at *at, const cJSON *object);
/* Which of their time counts: `alone` and `stretch_rows`. -1: refused. */
int rule_take_alone(const struct at *at, const cJSON *object);

/* What no single key can tell of a rule whose keys are all taken. -1: refused. */
int rule_check(const struct at *at);

/* "gpu_util_pct.p95", "max(power_w.mean)", "while.seconds". */
bool reference_parse(
	struct reference *reference, const struct rule *rule, struct span text);

#endif
