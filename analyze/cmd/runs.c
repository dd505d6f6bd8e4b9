/* The database, the loading of each run, and what the exit status says of them all. */
#include "cmd/runs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "cmd/load_checked.h"
#include "render/check.h"
#include "rules/rules.h"

static void say(const struct runs *runs, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct runs *runs, const char *format, ...)
{
	char sentence[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	runs->console->say(sentence);
}

/* A default database that can't be used is done without; an explicit one is an error. */
static int open_store(struct runs *runs)
{
	struct error err;

	if (runs->opt->no_db)
		return 0;
	runs->db = options_db(runs->opt);
	if (store_open_or_read(&runs->store, runs->db, &err) == 0)
		return 0;
	runs->store = NULL;
	if (options_name_db(runs->opt)) {
		runs->console->say(err.message);
		return -1;
	}
	say(runs, "%s; going on without a database", err.message);
	return 0;
}

/*
 * Without an id a run is known by its path alone, where each job may record; and a
 * run.json may be copied to another recording.
 */
static void say_other(const struct runs *runs)
{
	bool named = runs->loaded[runs->count - 1].run.run_id != NULL;
	struct strbuf when;
	int64_t started_ns;

	if (!store_replaced(runs->store, &started_ns))
		return;
	strbuf_init(&when);
	time_print(&when, started_ns);
	say(runs, "%s: takes the place of another recording in the database, begun %s %s",
		runs->past[runs->past_count - 1].path, when.text,
		named ? "with this run_id; a run_id of its own keeps both"
		      : "at this path; a run.json with a run_id, as collect writes it, "
			"or a path of its own keeps both");
	strbuf_release(&when);
}

/* A copy of a run directory has the same run id, and is the same run: if it says
 * something else, it was loaded. */
static void say_replaced(const struct runs *runs)
{
	const struct past_run *last = &runs->past[runs->past_count - 1];

	if (!runs->loaded[runs->count - 1].is_new)
		return;
	for (size_t i = runs->past_count - 1; i-- > 0;) {
		const struct past_run *before = &runs->past[i];

		if (strcmp(before->key, last->key) != 0 ||
			strcmp(before->path, last->path) == 0)
			continue;
		say(runs,
			"%s: has the run id of %s, whose place it takes in the "
			"database",
			last->path, before->path);
		return;
	}
}

int runs_init(struct runs *runs, const struct options *opt, const struct console *console)
{
	size_t operands = (size_t)opt->operand_count;
	struct error err;

	*runs = (struct runs){.console = console, .asked = *opt};
	alloc_keep_freed();
	runs->opt = &runs->asked;
	runs->asked.rules = &runs->rules;
	runs->loaded = xcalloc(operands, sizeof *runs->loaded);
	runs->past = xcalloc(operands, sizeof *runs->past);
	runs->warning = xcalloc(operands, sizeof *runs->warning);
	if (rules_builtin(&runs->rules, &err) < 0) {
		console->say(err.message);
		return -1;
	}
	return open_store(runs);
}

void runs_announce(struct runs *runs, const char *const *path, size_t count)
{
	const struct options *opt = runs->opt;

	/* Standard input is one for all. */
	for (size_t i = 0; i < count; i++)
		if (strcmp(path[i], "-") == 0)
			return;
	if (opt->strict || opt->join)
		return;
	runs->ahead = runs->store ? ahead_new_drafts(path, count, opt)
				  : ahead_new(path, count, opt);
}

void runs_release(struct runs *runs)
{
	ahead_free(runs->ahead);
	store_close(runs->store);
	for (size_t i = 0; i < runs->count; i++)
		loaded_release(&runs->loaded[i]);
	for (size_t i = 0; i < runs->past_count; i++) {
		free(runs->past[i].key);
		free(runs->past[i].path);
	}
	for (size_t i = 0; i < runs->warning_count; i++)
		free(runs->warning[i]);
	free(runs->spoilt);
	free(runs->loaded);
	free(runs->past);
	free(runs->warning);
	rule_set_release(&runs->rules);
}

int runs_fail(struct runs *runs, const struct error *err)
{
	runs->console->say(err->message);
	runs->warning[runs->warning_count++] = xstrdup(err->message);
	return -1;
}

static void spoil(struct runs *runs, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void spoil(struct runs *runs, const char *format, ...)
{
	char sentence[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	run_set_string(&runs->spoilt, sentence);
}

/* The worst damage of a run that has some. */
static void refuse(struct runs *runs, const struct run *run)
{
	const struct diag **worst = check_sorted(run);

	runs->damaged = true;
	spoil(runs,
		"%s: damaged, which --strict refuses: %s:%llu: %s: %s (hwsummarize check "
		"has all)",
		run->path, worst[0]->file, (unsigned long long)worst[0]->line,
		worst[0]->id, worst[0]->text);
	runs->console->say(runs->spoilt);
	free(worst);
}

void runs_took(struct runs *runs)
{
	const struct run *run = &runs->loaded[runs->count++].run;
	const struct diag *unreadable;

	runs->past[runs->past_count++] =
		(struct past_run){xstrdup(run->key), xstrdup(run->path)};
	unreadable = run_unreadable(run);
	if (!unreadable)
		return;
	runs->unreadable = true;
	if (!runs->spoilt)
		spoil(runs, "%s: not all of it could be read: %s: %s", run->path,
			unreadable->file, unreadable->text);
}

/* The next run is read while this one is stored, which the database did not know. */
static void read_next(struct runs *runs, const char *const *path)
{
	if (runs->ahead && ahead_has(runs->ahead, path + 1) &&
		draft_pays(path + 1, runs->opt, runs->store))
		ahead_draft(runs->ahead, path + 1);
}

/* As draft_store, of a run that was read ahead. */
static int store_draft(struct runs *runs, const char *const *path, struct error *err)
{
	struct loaded *out = &runs->loaded[runs->count];
	struct draft *draft = ahead_take_draft(runs->ahead);

	/* After one such run it is no use to try others. */
	if (draft_is_too_long(draft)) {
		ahead_free(runs->ahead);
		runs->ahead = NULL;
	}
	read_next(runs, path);
	return draft_store(draft, out, runs->store, err);
}

/* 0; -1 */
static int load_into_store(
	struct runs *runs, const char *const *path, size_t count, struct error *err)
{
	struct loaded *out = &runs->loaded[runs->count];
	int result = 0;

	if (runs->ahead && ahead_is_next(runs->ahead, path))
		result = store_draft(runs, path, err);
	if (result != 0)
		return result < 0 ? -1 : 0;
	result = load_run(out, path, count, runs->opt, runs->store, err);
	if (result == 0 && out->is_new &&
		!(runs->ahead && ahead_is_next(runs->ahead, path + 1)))
		read_next(runs, path);
	return result;
}

static bool can_be_read_again(const char *const *path, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct stat st;

		if (stat(path[i], &st) != 0 ||
			!(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			return false;
	}
	return true;
}

/* It can't be written, as on a full disk; what it has it still answers. */
static void say_unkept(struct runs *runs, const struct loaded *loaded)
{
	if (!runs->unkept)
		say(runs,
			"%s; %s, and any other run that it does not hold, is computed "
			"without being kept",
			store_refusal(runs->store), loaded->run.path);
	runs->unkept = true;
}

/*
 * What a database that can't be written any more does not take is computed all the same.
 * A default one that fails otherwise is done without from now on.
 */
static int load_and_store(
	struct runs *runs, const char *const *path, size_t count, struct error *err)
{
	struct error refused;
	bool fails;

	if (load_into_store(runs, path, count, &refused) == 0)
		return 0;
	*err = refused;
	fails = !store_refusal(runs->store);
	if ((fails && options_name_db(runs->opt)) || !can_be_read_again(path, count) ||
		load_run(&runs->loaded[runs->count], path, count, runs->opt,
			fails ? NULL : runs->store, err) < 0)
		return -1;
	if (!fails)
		return 0;
	say(runs, "%s; going on without a database", refused.message);
	ahead_free(runs->ahead);
	runs->ahead = NULL;
	runs->store_fails = true;
	return 0;
}

/* Into the database, if there is one that takes it. */
static int load_kept(
	struct runs *runs, const char *const *path, size_t count, struct error *err)
{
	if (runs->store && !runs->store_fails)
		return load_and_store(runs, path, count, err);
	return load_run(&runs->loaded[runs->count], path, count, runs->opt, NULL, err);
}

/* Looked through as check does, before it is loaded like any other; what can't be read
 * twice is loaded by that. */
static int load_strictly(
	struct runs *runs, const char *const *path, size_t count, struct error *err)
{
	struct loaded *out = &runs->loaded[runs->count];
	struct soundness_count found;

	if (load_checked(out, path, count, runs->opt, &found, err) < 0)
		return -1;
	if (run_is_damaged(&out->run))
		refuse(runs, &out->run);
	if (out->run.is_passing)
		return 0;
	loaded_release(out);
	return load_kept(runs, path, count, err);
}

static int load(
	struct runs *runs, const char *const *path, size_t count, struct error *err)
{
	if (runs->opt->strict)
		return load_strictly(runs, path, count, err);
	if (!runs->store && runs->ahead && ahead_is_next(runs->ahead, path))
		return ahead_take(runs->ahead, &runs->loaded[runs->count], err);
	return load_kept(runs, path, count, err);
}

int runs_load(struct runs *runs, const char *const *path, size_t count)
{
	struct error err;
	int loaded;

	run_set_string(&runs->spoilt, NULL);
	loaded = load(runs, path, count, &err);

	if (loaded < 0)
		return runs_fail(runs, &err);
	runs_took(runs);
	if (runs->loaded[runs->count - 1].is_unkept) {
		say_unkept(runs, &runs->loaded[runs->count - 1]);
	} else if (runs->store && !runs->store_fails) {
		say_other(runs);
		say_replaced(runs);
	}
	return 0;
}

void runs_drop(struct runs *runs)
{
	loaded_release(&runs->loaded[--runs->count]);
}

enum exit_status runs_status(const struct runs *runs)
{
	if (!runs->past_count)
		return EXIT_USAGE;
	if (runs->warning_count || runs->unreadable ||
		(runs->unkept && options_name_db(runs->opt)))
		return EXIT_UNUSABLE;
	return runs->damaged ? EXIT_UNUSABLE : EXIT_DONE;
}
