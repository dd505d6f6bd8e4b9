/*
 * run.json: what collect knew about the run. Every key may be missing; nothing depends
 * on the end having been written.
 */
#include "read/manifest.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/json.h"
#include "read/log.h"

/* Members are sorted by their keys: an object may have many. */

struct member {
	cJSON *item;
	size_t place;
};

static int by_key(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->item->string, y->item->string);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* As they are spelt: in an object of many members each would be looked for in all. */
static bool is_equal(const cJSON *a, const cJSON *b)
{
	char *x = cJSON_PrintUnformatted(a), *y = cJSON_PrintUnformatted(b);
	bool equal = x && y && strcmp(x, y) == 0;

	cJSON_free(x);
	cJSON_free(y);
	return equal;
}

/* Members of one key: all are equal, and the first stays, or all go. */
static void strike(struct log *log, cJSON *object, const struct member *member,
	size_t count, bool top)
{
	const char *key = member[0].item->string;
	bool equal = true, status = top && strcmp(key, "exit_status") == 0;
	cJSON *all;

	for (size_t i = 1; i < count; i++)
		equal = equal && is_equal(member[0].item, member[i].item);
	if (!equal)
		log_note(log, true, "bad-manifest", span_of(key),
			"\"%s\" occurs %zu times in one object with different values "
			"(key ignored)",
			log_quote(span_of(key)).text, count);
	all = cJSON_CreateArray();
	for (size_t i = equal ? 1 : 0; all && i < count; i++)
		cJSON_AddItemToArray(
			all, cJSON_DetachItemViaPointer(object, member[i].item));
	if (all && !equal && status)
		cJSON_AddItemToObject(object, "exit_status", all);
	else
		cJSON_Delete(all);
}

/*
 * Takes keys whose values differ out of the object, and of those within it, and says
 * so: which of them is right nobody knows. Equal ones are one. Of an "exit_status" at
 * the top a list of its values is left, which is none.
 */
static void strike_doubles(struct log *log, cJSON *list, bool top)
{
	size_t count = 0, first = 0;
	struct member *member;
	cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		if (item->child)
			strike_doubles(log, item, false);
		count++;
	}
	if (!cJSON_IsObject(list))
		return;
	member = xmalloc((count + 1) * sizeof *member);
	count = 0;
	cJSON_ArrayForEach(item, list)
	{
		member[count] = (struct member){item, count};
		count++;
	}
	qsort(member, count, sizeof *member, by_key);
	for (size_t i = 1; i <= count; i++) {
		if (i < count &&
			strcmp(member[i].item->string, member[first].item->string) == 0)
			continue;
		if (i - first > 1)
			strike(log, list, member + first, i - first, top);
		first = i;
	}
	free(member);
}

/* Is it there, and not null? */
static bool manifest_tells(const cJSON *item)
{
	return item && !cJSON_IsNull(item);
}

static bool is_word(const cJSON *item)
{
	return cJSON_IsString(item) && item->valuestring[0];
}

static bool is_amount(const cJSON *item)
{
	return cJSON_IsNumber(item) && item->valuedouble >= 0;
}

static bool is_time(const cJSON *item)
{
	struct zone utc = ZONE_UTC;
	int64_t t_ns;

	return cJSON_IsString(item) &&
		time_parse(span_of(item->valuestring), &utc, &t_ns);
}

static bool is_list(const cJSON *item)
{
	return cJSON_IsArray(item) && item->child;
}

static bool is_object(const cJSON *item)
{
	return cJSON_IsObject(item) && item->child;
}

bool manifest_says_something(const cJSON *object)
{
	static const struct {
		const char *key;
		bool (*makes_sense)(const cJSON *item);
	} keys[] = {
		{"exit_status", manifest_tells},
		{"signal", is_amount},
		{"started_at", is_time},
		{"ended_at", is_time},
		{"command", is_list},
		{"host", is_word},
		{"kernel", is_word},
		{"cpu_model", is_word},
		{"driver_version", is_word},
		{"query", is_word},
		{"recorder_timezone", is_word},
		{"cpu_count", is_amount},
		{"mem_total_kib", is_amount},
		{"interval_s", is_amount},
		{"dmon_interval_s", is_amount},
		{"gpus", is_list},
		{"labels", is_object},
		{"recorders", is_list},
	};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (keys[i].makes_sense(
			    cJSON_GetObjectItemCaseSensitive(object, keys[i].key)))
			return true;
	return false;
}

struct manifest {
	struct log *log;
	bool bare; /* it is not as collect writes it */
};

/*
 * One without "run_id" or "format_version" is not as collect writes it, and what it lacks
 * is said. To be asked before keys are taken out.
 */
static bool is_bare(struct log *log, const cJSON *object)
{
	static const char *const keys[] = {
		"run_id", "format_version", "started_at", "ended_at", "exit_status"};
	const size_t naming = 2, count = sizeof keys / sizeof keys[0];
	struct strbuf missing = strbuf_new();
	bool bare = false;

	for (size_t i = 0; i < count; i++) {
		if (cJSON_GetObjectItemCaseSensitive(object, keys[i]))
			continue;
		bare |= i < naming;
		strbuf_addf(&missing, "%s%s", missing.len ? ", " : "", keys[i]);
	}
	if (bare)
		log_note(log, false, "bare-manifest", SPAN_NONE,
			"run.json lacks %s, which collect writes; the other keys are "
			"used",
			missing.text);
	strbuf_release(&missing);
	return bare;
}

/* An object over several lines that names a run. */
static int bid(const struct probe *probe)
{
	bool id = false, version = false;

	if (!probe->count || !span_begins(probe->line[0], "{"))
		return 0;
	for (size_t i = 0; i < probe->count; i++) {
		struct span s = probe->line[i];

		for (; s.len; s.at++, s.len--) {
			id |= span_begins(s, "\"run_id\"");
			version |= span_begins(s, "\"format_version\"");
		}
	}
	return id && version ? 90 : 0;
}

static const char *get_string(const cJSON *json, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

static void say_senseless(struct log *log, const char *key)
{
	log_note(log, true, "bad-manifest", span_of(key),
		"\"%s\" has an invalid value (key ignored)", key);
}

/* What a key holds is of no use: said, if it is there and not null. Of somebody else's
 * manifest it may mean something else. */
static void refuse_key(const struct manifest *m, const cJSON *item, const char *key)
{
	if (manifest_tells(item) && !m->bare)
		say_senseless(m->log, key);
}

/* Of a number in [0, most]; else -1. */
static int64_t get_integer(const struct manifest *m, const cJSON *json, const char *key,
	double factor, double most)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
	double value;

	value = cJSON_IsNumber(item) ? item->valuedouble * factor : -1;
	if (value >= 0 && value <= most)
		return llround(value);
	refuse_key(m, item, key);
	return -1;
}

/* Of a clock that began before the machine did anything. */
static bool is_seconds(const cJSON *item)
{
	return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 9e9;
}

/* Of somebody else's manifest, a time that names no zone is of one that is not known. */
static int64_t get_time(const struct manifest *m, const cJSON *json, const char *key)
{
	const char *text = get_string(json, key);
	struct zone utc = ZONE_UTC;
	bool wall = false;
	int64_t t_ns;

	utc.asked = &wall;
	if (text && time_parse(span_of(text), &utc, &t_ns) && !(m->bare && wall))
		return t_ns;
	refuse_key(m, cJSON_GetObjectItemCaseSensitive(json, key), key);
	return TIME_NONE;
}

static bool needs_quotes(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";

	return !word[0] || word[strspn(word, plain)];
}

/* A whole number in [0, most]; -1: none. */
static int32_t whole_number(const cJSON *item, double most)
{
	double value = cJSON_IsNumber(item) ? item->valuedouble : -1;

	return value >= 0 && value <= most && value == floor(value) ? (int32_t)value : -1;
}

/* What is none, and not null, was not 0: what it is is kept, behind other words. */
static void refuse_status(struct log *log, const char *key, const cJSON *item,
	const char *before, const char *expected)
{
	char *text = cJSON_PrintUnformatted(item);
	struct quoted said = log_quote(span_of(text ? text : "?"));
	struct strbuf fact = strbuf_new();

	cJSON_free(text);
	strbuf_addf(&fact, "%s%s", before, said.text);
	run_add_fact(log->run, RUN_FACT_EXIT_STATUS, span_of(fact.text));
	strbuf_release(&fact);
	log_note(log, true, "bad-manifest", span_of(key),
		"\"%s\" is %s, expected %s; the run counts as failed", key, said.text,
		expected);
}

/* Of somebody else's, only numbers are sure to be meant, and a signal only alone. */
static void doubt_status(struct log *log, const cJSON **item, const cJSON **by)
{
	bool told = manifest_tells(*item);

	if (told || whole_number(*by, 64) <= 0)
		*by = NULL;
	if (!told || cJSON_IsNumber(*item))
		return;
	say_senseless(log, "exit_status");
	*item = NULL;
}

/* A command that a signal ended has the status that a shell gives it, or one is wrong. */
static int32_t get_exit_status(const struct manifest *m, const cJSON *json)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "exit_status");
	const cJSON *by = cJSON_GetObjectItemCaseSensitive(json, "signal");
	int32_t status, signal;

	if (m->bare)
		doubt_status(m->log, &item, &by);
	status = whole_number(item, 255);
	signal = whole_number(by, 64);
	if (manifest_tells(item) && status < 0)
		refuse_status(m->log, "exit_status", item, "", "0 to 255");
	else if (status > 0 || !manifest_tells(by) || signal == 0)
		return status;
	else if (status < 0 && signal > 0)
		return status_of_signal(signal);
	else if (status < 0)
		refuse_status(m->log, "signal", by, "null, signal ", "1 to 64");
	else
		refuse_status(m->log, "signal", by, "0, signal ",
			"null with \"exit_status\" 0");
	return -1;
}

/* The command as one would type it into a shell. */
static char *quote_command(const cJSON *command)
{
	struct strbuf sb = strbuf_new();
	const cJSON *word;

	cJSON_ArrayForEach(word, command)
	{
		if (!cJSON_IsString(word))
			continue;
		if (sb.len)
			strbuf_addc(&sb, ' ');
		if (!needs_quotes(word->valuestring)) {
			strbuf_adds(&sb, word->valuestring);
			continue;
		}
		strbuf_addc(&sb, '\'');
		for (const char *c = word->valuestring; *c; c++) {
			if (*c == '\'')
				strbuf_adds(&sb, "'\\''");
			else
				strbuf_addc(&sb, *c);
		}
		strbuf_addc(&sb, '\'');
	}
	return strbuf_detach(&sb);
}

static struct span get_span(const cJSON *json, const char *key)
{
	const char *text = get_string(json, key);

	return text ? span_of(text) : SPAN_NONE;
}

static void take_gpus(const struct manifest *m, const cJSON *gpus)
{
	const cJSON *gpu;

	cJSON_ArrayForEach(gpu, gpus)
	{
		struct gpu_id id = {.uuid = get_span(gpu, "uuid"),
			.bus_id = get_span(gpu, "pci_bus_id"),
			.model = get_span(gpu, "name"),
			.index = (int32_t)get_integer(m, gpu, "index", 1, 4095),
			.place = -1};

		if (id.uuid.len || id.bus_id.len || id.index >= 0)
			identity_gpu(m->log->run, &id);
	}
}

/* What is no label is lost, and said; of one key the last one counts. */
static void take_labels(const struct manifest *m, const cJSON *labels)
{
	const cJSON *label;
	int count = 0;

	if (!cJSON_IsObject(labels)) {
		refuse_key(m, labels, "labels");
		return;
	}
	cJSON_ArrayForEach(label, labels)
	{
		struct span key = span_of(label->string ? label->string : "");
		const char *value = cJSON_GetStringValue(label);

		if (value && label_is_key(key) && label_is_value(span_of(value)) &&
			count++ < LABELS_MAX)
			label_set(&m->log->run->labels, key, span_of(value), false);
		else if (!m->bare)
			log_note(m->log, true, "bad-manifest", span_of("labels"),
				"label ignored. Expected at most %d labels, each a "
				"string of up to %d bytes with a key of up to %d "
				"letters, digits, _, . or -",
				LABELS_MAX, LABEL_VALUE_MAX, LABEL_KEY_MAX);
	}
}

/* The sum is known where every part is, and no absurd one. */
static void add_part(int64_t *sum, int64_t part)
{
	if (part < 0 || *sum < 0 || __builtin_add_overflow(*sum, part, sum))
		*sum = -1;
}

static void take_largest(int64_t *largest, int64_t value)
{
	if (value > *largest)
		*largest = value;
}

/* COMMAND waited for its first row, and there was none when the recorder ended. */
static bool never_answered(const cJSON *one)
{
	const struct span log = get_span(one, "log");

	return span_is(get_span(one, "state"), "starting") &&
		(span_is(log, "nvidia-smi.csv") || span_is(log, "amd-smi.csv"));
}

/* What was wrong with one, if it says that; the first is kept, and which ended early. */
static void take_trouble(struct observer *all, struct strbuf *first, struct strbuf *early,
	const cJSON *one)
{
	const cJSON *said = cJSON_GetObjectItemCaseSensitive(one, "trouble");
	const char *name = get_string(one, "log"), *text = get_string(one, "trouble");

	if (never_answered(one))
		text = "never answered";
	if (said && all->troubled < 0)
		all->troubled = 0;
	if (!text || !name)
		return;
	all->troubled++;
	if (!first->len)
		strbuf_addf(first, "%s: %s", name, text);
	if (strstr(text, OBSERVER_EARLY))
		strbuf_addf(early, "%s%s", early->len ? "," : "", name);
}

/* A tool that failed, or had no row when the recorder ended: why GPUs were not recorded.
 */
static void take_tool(struct run *run, const cJSON *one)
{
	const struct span log = get_span(one, "log"), state = get_span(one, "state");
	const char *said = get_string(one, "said");

	if (!said)
		said = get_string(one, "trouble");
	if (!said && never_answered(one))
		said = "never answered";
	if (!said || !(span_is(state, "failed") || never_answered(one)))
		return;
	if (span_is(log, "amd-smi.csv"))
		run_add_fact(run, RUN_FACT_AMD_FAILED, span_of(said));
	else if (span_is(log, "nvidia-smi.csv"))
		run_add_fact(run, RUN_FACT_SMI_FAILED, span_of(said));
}

/* A tool that gave rows and complained: its log may lack what it complained of. Why one
 * ended is a trouble. */
static void take_complaint(struct log *log, const cJSON *one)
{
	const char *said = get_string(one, "said"), *name = get_string(one, "log");

	if (said && name && span_is(get_span(one, "state"), "recorded") &&
		!get_string(one, "trouble"))
		log_note(log, false, "tool-complained", span_of(name),
			"while %s was recorded, the tool said: %s",
			log_quote(span_of(name)).text, log_quote(span_of(said)).text);
}

/* What the recorder of each log says; only those that keep time themselves have ticks. */
static void take_recorders(const struct manifest *m, const cJSON *json)
{
	const cJSON *recorders = cJSON_GetObjectItemCaseSensitive(json, "recorders");
	struct observer all = {.late_p99_ns = -1, .late_max_ns = -1, .troubled = -1};
	struct strbuf trouble, early;
	bool around = cJSON_HasObjectItem(json, "supervisor_cpu_s"), timed = false;
	const cJSON *one;

	if (!cJSON_IsArray(recorders)) {
		refuse_key(m, recorders, "recorders");
		return;
	}
	strbuf_init(&trouble);
	strbuf_init(&early);
	cJSON_ArrayForEach(one, recorders)
	{
		int64_t ticks = get_integer(m, one, "ticks", 1, 1e15);
		int64_t missed = get_integer(m, one, "missed_ticks", 1, 1e15);

		take_tool(m->log->run, one);
		take_complaint(m->log, one);
		all.logs++;
		take_trouble(&all, &trouble, &early, one);
		/* That of logs without a program is in supervisor_cpu_s. */
		if (cJSON_HasObjectItem(one, "cpu_s") || !around)
			add_part(&all.cpu_ns, get_integer(m, one, "cpu_s", 1e9, 1e17));
		add_part(&all.bytes, get_integer(m, one, "bytes", 1, 1e15));
		take_largest(
			&all.late_p99_ns, get_integer(m, one, "late_p99_s", 1e9, 1e17));
		take_largest(
			&all.late_max_ns, get_integer(m, one, "late_max_s", 1e9, 1e17));
		if (ticks < 0 || missed < 0)
			continue;
		add_part(&all.ticks, ticks);
		add_part(&all.missed_ticks, missed);
		timed = true;
	}
	/* Older recordings don't say what the process around them used. */
	if (around)
		add_part(
			&all.cpu_ns, get_integer(m, json, "supervisor_cpu_s", 1e9, 1e17));
	if (!timed)
		all.ticks = all.missed_ticks = -1;
	all.trouble = trouble.len ? trouble.text : NULL;
	all.early = early.len ? early.text : NULL;
	if (all.logs)
		observer_keep(m->log->run, &all);
	strbuf_release(&trouble);
	strbuf_release(&early);
}

/* What Slurm gives the job on this machine, in MiB: all of it, or for each CPU or GPU. */
static void take_job_memory(struct run *run, const cJSON *environment)
{
	static const char *const asked[][2] = {{"SLURM_MEM_PER_NODE", NULL},
		{"SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"},
		{"SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE"}};

	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		uint64_t mib, count = 1;
		char text[32];

		if (!number_unsigned(get_span(environment, asked[i][0]), &mib) ||
			(asked[i][1] &&
				!number_unsigned(
					get_span(environment, asked[i][1]), &count)) ||
			!mib || !count || mib > 1000000000 || count > 65536)
			continue;
		snprintf(text, sizeof text, "%llu", (unsigned long long)(mib * count));
		run_add_fact(run, RUN_FACT_JOB_MEMORY, span_of(text));
		return;
	}
}

/* Which processors the command may use, and which batch job it is: facts, as they stand.
 */
static void take_place(struct log *log, const cJSON *json)
{
	static const char *const jobs[][2] = {
		{"SLURM_JOB_ID", "slurm_job_id"}, {"SLURM_STEP_ID", "slurm_step_id"}};
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(json, "environment");
	struct span cpus = get_span(json, "cpus_allowed");

	const cJSON *pids = cJSON_GetObjectItemCaseSensitive(json, "host_pids");

	if (cpus.len)
		run_add_fact(log->run, RUN_FACT_CPUS_ALLOWED, cpus);
	if (cJSON_IsBool(pids))
		run_add_fact(log->run, RUN_FACT_HOST_PIDS,
			span_of(cJSON_IsTrue(pids) ? "true" : "false"));
	for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
		struct span id = get_span(environment, jobs[i][0]);

		if (id.len)
			run_add_fact(log->run, jobs[i][1], id);
	}
	take_job_memory(log->run, environment);
}

static struct clock_reading get_clocks(
	const cJSON *json, int64_t wall_ns, const char *mono, const char *boot)
{
	const cJSON *ran = cJSON_GetObjectItemCaseSensitive(json, mono),
		    *since = cJSON_GetObjectItemCaseSensitive(json, boot);
	struct clock_reading reading = {.wall_ns = wall_ns, .boot_ns = -1};

	reading.known = wall_ns != TIME_NONE && is_seconds(ran);
	if (reading.known)
		reading.mono_ns = llround(ran->valuedouble * 1e9);
	if (is_seconds(since))
		reading.boot_ns = llround(since->valuedouble * 1e9);
	return reading;
}

static void take_clocks(struct log *log, const cJSON *json)
{
	const struct run *run = log->run;

	log->watch->started =
		get_clocks(json, run->started_ns, "started_mono_s", "started_boot_s");
	log->watch->ended =
		get_clocks(json, run->ended_ns, "ended_mono_s", "ended_boot_s");
	clock_watch_see(log->watch, &log->watch->ended);
}

/* Which process was recorded around, that was not started for it. */
static void take_followed(const struct manifest *m, const cJSON *json)
{
	int64_t pid = get_integer(m, json, "pid", 1, INT32_MAX);
	char text[24];

	if (pid <= 0)
		return;
	(void)snprintf(text, sizeof text, "%lld", (long long)pid);
	run_add_fact(m->log->run, RUN_FACT_FOLLOWED, span_of(text));
}

/* A command that began has a process. Its shell gives the same status for another reason.
 */
static void note_not_started(const struct manifest *m, const cJSON *json)
{
	const struct run *run = m->log->run;

	if (m->bare || (run->exit_status != 126 && run->exit_status != 127) ||
		!cJSON_HasObjectItem(json, "supervisor_cpu_s") ||
		cJSON_HasObjectItem(json, "pid"))
		return;
	run_add_fact(m->log->run, RUN_FACT_NOT_STARTED,
		span_of(run->exit_status == 127 ? "not found" : "not executable"));
}

/* Only who writes a begin, be it that it has not come yet, leaves a sign where the end
 * lacks. */
static void note_end(const struct manifest *m, const cJSON *json)
{
	const struct run *run = m->log->run;
	bool begun = run->started_ns != TIME_NONE;

	if (m->bare || run->ended_ns != TIME_NONE ||
		(!begun &&
			!cJSON_IsNull(
				cJSON_GetObjectItemCaseSensitive(json, "started_at"))))
		return;
	log_note(m->log, true, "no-end", SPAN_NONE,
		begun ? "no end time: collect was killed or could not write"
		      : "no start and no end time: collect was killed before the command "
			"started");
}

/* An nvidia-smi that was there and failed: why GPUs were not recorded. */
static void take_smi(const struct manifest *m, const cJSON *smi)
{
	const char *state = get_string(smi, "state");
	const char *said = get_string(smi, "said");

	if (state && strcmp(state, "failed") == 0)
		run_add_fact(m->log->run, RUN_FACT_SMI_FAILED,
			span_of(said ? said : "no output"));
}

/* A tool that printed without end left no room for rows of the other GPUs. */
static bool was_flooded(const cJSON *json)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(json, "recorders"))
	{
		const char *trouble = get_string(one, "trouble");

		if (trouble && span_is(get_span(one, "log"), "nvidia-smi.csv") &&
			strstr(trouble, "printed without end"))
			return true;
	}
	return false;
}

/* Those lost at the end; then how often and for how long any was that came back. */
static void add_lost(struct strbuf *why, const cJSON *gpus, bool flooded)
{
	size_t ends = why->len;
	const cJSON *gpu;

	cJSON_ArrayForEach(gpu, gpus)
	{
		int32_t index = whole_number(cJSON_GetObjectItem(gpu, "gpu"), 4095);

		if (index >= 0 && !flooded &&
			cJSON_IsTrue(cJSON_GetObjectItem(gpu, "at_end"))) {
			strbuf_adds(why, why->len > ends ? ", " : "lost at the end: ");
			strbuf_addf(why, "GPU %d", index);
		}
	}
	cJSON_ArrayForEach(gpu, gpus)
	{
		int32_t index = whole_number(cJSON_GetObjectItem(gpu, "gpu"), 4095);
		int32_t times = whole_number(cJSON_GetObjectItem(gpu, "times"), 1e9);
		const cJSON *away = cJSON_GetObjectItem(gpu, "away_s");

		if (index < 0 || times < 1 || !is_seconds(away) ||
			(times == 1 && cJSON_IsTrue(cJSON_GetObjectItem(gpu, "at_end"))))
			continue;
		strbuf_addf(why, "%sGPU %d was lost %d time%s, for ",
			why->len ? "; " : "", index, times, times == 1 ? "" : "s");
		quantity_span(why, away->valuedouble);
		strbuf_adds(why, " in all");
	}
}

/* Which GPUs were lost. Older recordings have one sentence of both. */
static void take_lost(struct run *run, const cJSON *json)
{
	const cJSON *gpus = cJSON_GetObjectItemCaseSensitive(json, "gpus_lost");
	const char *old = cJSON_GetStringValue(gpus);
	const char *before = get_string(json, "gpus_lost_before_start");
	struct strbuf why = strbuf_new();

	if (old && strncmp(old, "at the end: ", 12) == 0)
		strbuf_addf(&why, "lost %s", old);
	else if (old || before)
		strbuf_addf(
			&why, "one was lost before the start: %s", before ? before : old);
	if (cJSON_IsArray(gpus))
		add_lost(&why, gpus, was_flooded(json));
	if (why.len)
		run_add_fact(run, RUN_FACT_GPUS_LOST, span_of(why.text));
	strbuf_release(&why);
}

/*
 * Is it a GPU that computes, by its "0000:65:00.0 10DE:2330"? AMD's processors with
 * graphics have ids of their own, and Intel's have theirs on bus 0.
 */
static bool is_gpu_on_pci(const char *device)
{
	static const char *const amd_processor[] = {"13", "15", "16", "96", "98", "99"};
	const char *id = strchr(device, ' ');

	if (!id)
		return false;
	if (strncasecmp(id, " 1002:", 6) == 0) {
		for (size_t i = 0; i < sizeof amd_processor / sizeof *amd_processor; i++)
			if (strncmp(id + 6, amd_processor[i], 2) == 0)
				return false;
		return true;
	}
	if (strncasecmp(id, " 8086:", 6) == 0)
		return strncmp(device, "0000:00:", 8) != 0;
	return strncasecmp(id, " 10de:", 6) == 0;
}

static void take_displays(const struct manifest *m, const cJSON *list)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		if (cJSON_IsString(item) && is_gpu_on_pci(item->valuestring))
			run_add_fact(m->log->run, RUN_FACT_PCI_GPU,
				span_of(item->valuestring));
	}
}

static void take_manifest(struct log *log, cJSON *json)
{
	struct manifest manifest = {log, is_bare(log, json)}, *m = &manifest;
	struct run *run = log->run;
	const cJSON *command;

	strike_doubles(log, json, true);
	command = cJSON_GetObjectItemCaseSensitive(json, "command");
	/* Only collect's ids are known to be of one run each. */
	run_set_string(&run->run_id, m->bare ? NULL : get_string(json, "run_id"));
	run_set_string(&run->host, get_string(json, "host"));
	run_set_string(&run->kernel, get_string(json, "kernel"));
	run_set_string(&run->cpu_model, get_string(json, "cpu_model"));
	run_set_string(&run->driver, get_string(json, "driver_version"));
	run_set_string(&run->query, get_string(json, "query"));
	run_set_string(&run->zone, get_string(json, "recorder_timezone"));
	if (cJSON_IsArray(command)) {
		free(run->command);
		run->command = quote_command(command);
	} else if (!m->bare) {
		take_followed(m, json);
	}
	run->cpu_count = (int32_t)get_integer(m, json, "cpu_count", 1, 65536);
	run->mem_total_kib = get_integer(m, json, "mem_total_kib", 1, 1e15);
	run->interval_ns = get_integer(m, json, "interval_s", 1e9, 1e17);
	run->dmon_interval_ns = get_integer(m, json, "dmon_interval_s", 1e9, 1e17);
	run->started_ns = get_time(m, json, "started_at");
	run->ended_ns = get_time(m, json, "ended_at");
	if (!m->bare)
		take_clocks(log, json);
	run->exit_status = get_exit_status(m, json);
	/* Only who writes an end as well leaves a sign where it lacks. */
	if (m->bare && run->ended_ns == TIME_NONE)
		run->started_ns = TIME_NONE;
	note_not_started(m, json);
	note_end(m, json);
	take_place(log, json);
	take_gpus(m, cJSON_GetObjectItemCaseSensitive(json, "gpus"));
	take_labels(m, cJSON_GetObjectItemCaseSensitive(json, "labels"));
	take_recorders(m, json);
	take_lost(run, json);
	take_smi(m, cJSON_GetObjectItemCaseSensitive(json, "nvidia_smi"));
	take_displays(m, cJSON_GetObjectItemCaseSensitive(json, "display_controllers"));
}

/* The line of a member of the object; none: it has none, or the text had to be mended. */
static struct event_place place_of(const struct json_line *object, const char *key,
	const struct strbuf *text, struct event_place place)
{
	const char *at = json_line_find(object, key).at;

	if (!at || at < text->text || at >= text->text + text->len)
		return (struct event_place){0};
	for (const char *c = text->text; c < at; c++)
		place.line += *c == '\n';
	return place;
}

/* Where the command's start and end stand. */
static void take_places(
	struct log *log, const struct strbuf *text, struct event_place first)
{
	struct json_line object = {0};

	if (json_line_parse(&object, (struct span){text->text, text->len})) {
		log->run->started_at = place_of(&object, "started_at", text, first);
		log->run->ended_at = place_of(&object, "ended_at", text, first);
	}
	json_line_release(&object);
}

static void manifest_survey(struct log *log)
{
	struct event_place first = {0};
	struct strbuf text = strbuf_new();
	struct span line;
	cJSON *json;

	while (text.len < MANIFEST_MAX && log_line(log, &line)) {
		if (!text.len)
			first = log_place(log);
		strbuf_add(&text, line.at, line.len);
		strbuf_addc(&text, '\n');
	}
	json = cJSON_ParseWithLength(text.text, text.len);
	if (cJSON_IsObject(json)) {
		take_manifest(log, json);
		take_places(log, &text, first);
		log->file->rows++;
	} else {
		log_refuse(
			log, "bad-json", "run.json is not a JSON object (file ignored)");
	}
	cJSON_Delete(json);
	strbuf_release(&text);
}

const struct format format_manifest = {
	.kind = SOURCE_MANIFEST, .bid = bid, .survey = manifest_survey};
