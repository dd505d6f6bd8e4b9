/*
 * A made-up machine that trains a model: what its job does when, and what its GPUs and
 * CPUs do meanwhile. Everything follows from a seed; nothing here was ever measured.
 * Knows no log format.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014): any state is a good one. */
struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);
/* Evenly from low to high, both included. */
int random_between(struct random *random, int low, int high);

enum stage {
	STAGE_IDLE,
	STAGE_LOAD,
	STAGE_TRAIN,
	STAGE_EVALUATE,
	STAGE_CHECKPOINT,
	STAGE_COUNT
};

const char *stage_name(enum stage stage);

/* The job's stages one after the other; the same for every log of a seed. */
struct job {
	struct random random;
	enum stage stage;
	int64_t start_ms, end_ms; /* of the stage, from the recording's start */
};

void job_init(struct job *job, uint64_t seed);
void job_next(struct job *job);
/* The stage at a time; times never go back. */
enum stage job_at(struct job *job, int64_t t_ms);

struct gpu {
	struct random random;
	int util_pct, mem_util_pct;
	int mem_used_mib;
	int power_cw; /* hundredths of a watt */
	int temp_mc; /* thousandths of a degree */
	int sm_mhz;
};

#define GPU_MODEL	  "NVIDIA H100 80GB HBM3"
#define GPU_MEM_TOTAL_MIB 81559
#define GPU_MEM_MHZ	  2619

void gpu_init(struct gpu *gpu, uint64_t seed, int index);
void gpu_step(struct gpu *gpu, enum stage stage);

/* The counters of /proc/stat, in hundredths of a second. */
struct cpu {
	struct random random;
	uint64_t user, nice, system, idle, iowait, irq, softirq;
};

void cpu_init(struct cpu *cpu, uint64_t seed, int number);
void cpu_step(struct cpu *cpu, enum stage stage, int ticks);

#endif
