/* What is said of numbers of a part of their time, and which of them is the less covered.
 */
#include <math.h>

#include "model/coverage.h"

bool covered_less(const struct covered *one, const struct covered *other)
{
	return isnan(one->coverage) ? !isnan(other->coverage)
				    : one->coverage < other->coverage;
}

void covered_beside(struct covered *covered, size_t count)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		most = covered[i].gpus > most ? covered[i].gpus : most;
	for (size_t i = 0; i < count; i++) {
		struct covered *at = &covered[i];

		if (!at->gpus || at->gpus == at->gpus_all || at->gpus == most)
			continue;
		at->fewer = true;
		at->coverage = 0;
		at->doubt = at->doubt_fewer;
	}
}

unsigned covered_alone(const struct covered *covered)
{
	return covered->doubt |
		(covered->gpus < covered->gpus_all ? covered->doubt_fewer : DOUBT_NONE);
}

void covered_say(struct strbuf *sb, const struct covered *covered)
{
	if (covered->fewer || (!covered->doubt && covered->gpus < covered->gpus_all))
		strbuf_addf(sb, "of %zu of %zu GPUs", covered->gpus, covered->gpus_all);
	else if (isnan(covered->coverage))
		strbuf_adds(sb, "coverage unknown");
	else
		strbuf_addf(sb, "%.1f %% covered", 100 * covered->coverage);
}
