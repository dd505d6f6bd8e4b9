/* The refused rows of each file of a log, by what they stand between. */
#include "compute/report/refused.h"

/* Has the file rows of the device, or may it have had some? */
static bool is_in(const struct run *run, enum source_kind kind, uint32_t device,
	const struct run_file *file)
{
	if (run->device[device].kind != DEVICE_GPU || !file->gpu_count ||
		run_file_has_gpu(file, device))
		return true;
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind && run_file_has_gpu(&run->file[i], device))
			return false;
	return true;
}

bool refused_may_fill(const struct run *run, enum source_kind kind, uint32_t device,
	const struct stretch *time, int64_t limit_ns, struct refused *out)
{
	*out = (struct refused){0};
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];
		uint64_t line = 0, rows;

		if (kind == SOURCE_NONE ? !source_has_samples(file->kind)
					: file->kind != kind)
			continue;
		if (!file->lost.count || !is_in(run, file->kind, device, file))
			continue;
		rows = lost_rows_within(&file->lost, time->from_ns, time->to_ns, &line);
		if (rows && !out->rows) {
			out->file = file->path;
			out->line = line;
		}
		out->rows += rows;
	}
	return out->rows &&
		((int128)time->to_ns - time->from_ns) / (int128)(out->rows + 1) <=
		limit_ns;
}
