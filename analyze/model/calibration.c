/* Memory of a calibration, and its names. */
#include "model/calibration.h"

#include <stdlib.h>

const char *calibration_outcome_name(enum calibration_outcome outcome)
{
	switch (outcome) {
	case CALIBRATION_LEARNT:
		return "learnt";
	case CALIBRATION_TIGHT:
		return "tight";
	case CALIBRATION_TOO_FEW:
		return "too_few_runs";
	case CALIBRATION_ABSENT:
		return "absent";
	}
	return "";
}

void calibration_release(struct calibration *calibration)
{
	for (size_t i = 0; i < calibration->count; i++)
		free(calibration->result[i].why);
	free(calibration->result);
	free(calibration->min_abs);
	*calibration = CALIBRATION_INIT;
}
