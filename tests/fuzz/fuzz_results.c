/*
 * Fuzz target: gpu_tracker's results, compared with themselves. Whatever the bytes were,
 * they are compared or refused; what is printed is JSON, with as many runs in each
 * object.
 */
#include <cjson/cJSON.h>

#include "cmd/formats.h"
#include "foreign/foreign.h"
#include "fuzz.h"
#include "render/render.h"

static void check_overall(const cJSON *json)
{
	const cJSON *row;

	CHECK(cJSON_IsObject(json));
	cJSON_ArrayForEach(
		row, cJSON_GetObjectItemCaseSensitive(json, "overall_resource_usage"))
		CHECK(cJSON_GetArraySize(row) == 2);
}

static void print(const struct report *comparison, const char *format)
{
	struct error err;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	cJSON *json;

	CHECK(out);
	CHECK(tool_gpu_tracker.print_comparison(
		      comparison, output_find(format), out, &err) == 0);
	CHECK(fclose(out) == 0);
	CHECK(len > 0);
	if (strcmp(format, "gpu-tracker") == 0) {
		json = cJSON_Parse(text);
		check_overall(json);
		cJSON_Delete(json);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run run;
	struct report report, comparison;
	struct error err = {""};

	if (tool_gpu_tracker.read_result(fuzz_file(data, size), &run, &report, &err) <= 0)
		return 0;
	for (int i = 0; i < 2; i++) {
		const struct tool_side sides[] = {{"a", &report}, {"b", &report}};

		if (tool_gpu_tracker.compare(
			    &comparison, sides, 2, i ? "std" : "mean", NULL, &err) == 0) {
			print(&comparison, "gpu-tracker");
			print(&comparison, "gpu-tracker-text");
		} else {
			CHECK(err.message[0]);
		}
		report_release(&comparison);
	}
	report_release(&report);
	run_release(&run);
	return 0;
}
