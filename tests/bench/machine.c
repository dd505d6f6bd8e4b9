/* Values wander towards what a stage of the job asks for; integers only, so that every
 * machine makes the same bytes. */
#include "machine.h"

#include <stdbool.h>

uint64_t random_next(struct random *random)
{
	uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

int random_between(struct random *random, int low, int high)
{
	return low + (int)(random_next(random) % (uint64_t)(high - low + 1));
}

/* What a stage asks for, and how long it lasts. */
static const struct {
	const char *name;
	int seconds_low, seconds_high;
	int util_pct, mem_util_pct, mem_used_mib;
	int user, system, iowait; /* of a CPU, in thousandths */
} stages[STAGE_COUNT] = {
	[STAGE_IDLE] = {"idle", 30, 90, 0, 0, 4, 5, 3, 0},
	[STAGE_LOAD] = {"load", 20, 60, 12, 6, 31280, 420, 160, 110},
	[STAGE_TRAIN] = {"train", 120, 600, 96, 61, 74126, 310, 60, 4},
	[STAGE_EVALUATE] = {"evaluate", 20, 60, 71, 38, 61034, 220, 40, 2},
	[STAGE_CHECKPOINT] = {"checkpoint", 4, 15, 0, 0, 74126, 40, 120, 330},
};

const char *stage_name(enum stage stage)
{
	return stages[stage].name;
}

static void set_length(struct job *job)
{
	int seconds = random_between(&job->random, stages[job->stage].seconds_low,
		stages[job->stage].seconds_high);

	job->end_ms = job->start_ms + seconds * INT64_C(1000) +
		random_between(&job->random, 0, 999);
}

void job_init(struct job *job, uint64_t seed)
{
	*job = (struct job){.random = {seed}, .stage = STAGE_IDLE};
	set_length(job);
}

void job_next(struct job *job)
{
	bool again = random_between(&job->random, 0, 9) > 0;

	job->start_ms = job->end_ms;
	switch (job->stage) {
	case STAGE_IDLE:
		job->stage = STAGE_LOAD;
		break;
	case STAGE_LOAD:
		job->stage = STAGE_TRAIN;
		break;
	case STAGE_TRAIN:
		job->stage = STAGE_EVALUATE;
		break;
	case STAGE_EVALUATE:
		job->stage = STAGE_CHECKPOINT;
		break;
	case STAGE_CHECKPOINT:
		job->stage = again ? STAGE_TRAIN : STAGE_IDLE;
		break;
	case STAGE_COUNT:
		break;
	}
	set_length(job);
}

enum stage job_at(struct job *job, int64_t t_ms)
{
	while (t_ms >= job->end_ms)
		job_next(job);
	return job->stage;
}

static int within(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

#define IDLE_POWER_CW  7100
#define LIMIT_POWER_CW 70000
#define IDLE_TEMP_MC   31000
#define IDLE_SM_MHZ    345
#define BOOST_SM_MHZ   1980
#define SM_STEP_MHZ    15 /* clocks come in steps */

void gpu_init(struct gpu *gpu, uint64_t seed, int index)
{
	*gpu = (struct gpu){.random = {seed ^ (uint64_t)(index + 1) << 32},
		.power_cw = IDLE_POWER_CW,
		.temp_mc = IDLE_TEMP_MC,
		.sm_mhz = IDLE_SM_MHZ};
}

void gpu_step(struct gpu *gpu, enum stage stage)
{
	int util = stages[stage].util_pct, mem_util = stages[stage].mem_util_pct;
	int mem = stages[stage].mem_used_mib, watts, goal;

	if (util) {
		util = within(util + random_between(&gpu->random, -9, 6), 0, 100);
		mem_util = within(mem_util + random_between(&gpu->random, -7, 7), 0, 100);
		mem += 2 * random_between(&gpu->random, -40, 40);
	}
	gpu->util_pct = util;
	gpu->mem_util_pct = mem_util;
	gpu->mem_used_mib = mem;
	/* Power is an average over a second; heat lags behind it. */
	goal = IDLE_POWER_CW + util * 470 + mem_util * 190;
	gpu->power_cw += (goal - gpu->power_cw) * 3 / 4 +
		random_between(&gpu->random, -250, 250) * (util ? 4 : 1);
	gpu->power_cw = within(gpu->power_cw, 6200, LIMIT_POWER_CW + 600);
	watts = gpu->power_cw / 100;
	gpu->temp_mc += (IDLE_TEMP_MC + watts * 58 - gpu->temp_mc) / 16;
	gpu->sm_mhz = IDLE_SM_MHZ;
	if (util)
		gpu->sm_mhz =
			BOOST_SM_MHZ - SM_STEP_MHZ * within((watts - 560) / 8, 0, 40);
}

void cpu_init(struct cpu *cpu, uint64_t seed, int number)
{
	*cpu = (struct cpu){.random = {seed ^ (uint64_t)(number + 1) << 40}};
	/* It has been up for a while. */
	cpu->user = random_next(&cpu->random) % 1000000;
	cpu->system = random_next(&cpu->random) % 300000;
	cpu->idle = 40000000 + random_next(&cpu->random) % 1000000;
	cpu->iowait = random_next(&cpu->random) % 20000;
}

/* A share of the ticks; what is less than a whole one is left to chance. */
static int part(struct random *random, int ticks, int thousandths)
{
	return (ticks * thousandths + random_between(random, 0, 999)) / 1000;
}

void cpu_step(struct cpu *cpu, enum stage stage, int ticks)
{
	int user = part(&cpu->random, ticks, stages[stage].user);
	int system = part(&cpu->random, ticks, stages[stage].system);
	int iowait = part(&cpu->random, ticks, stages[stage].iowait);
	int softirq = part(&cpu->random, ticks, 2);

	cpu->user += (uint64_t)user;
	cpu->system += (uint64_t)system;
	cpu->iowait += (uint64_t)iowait;
	cpu->softirq += (uint64_t)softirq;
	cpu->idle += (uint64_t)within(ticks - user - system - iowait - softirq, 0, ticks);
}
