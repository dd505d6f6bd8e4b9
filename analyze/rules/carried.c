/* The rules that the program carries: schema/tables.c parses and checks them. */
#include "rules/rules.h"

static const struct rule carried[] = {
#include "rule_table.inc"
};

const struct rule_set *rules_carried(void)
{
	static const struct rule_set set = {.rule = (struct rule *)carried,
		.count = sizeof carried / sizeof carried[0]};

	return &set;
}
