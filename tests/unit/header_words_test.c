/*
 * Headers of wrapper scripts: what their words mean, what the cells below must be, and
 * which tables are none of GPUs, or can be read in two ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "read/header_words.h"

/* The lines of a text as the first ones of a file. */
static void probe_text(struct probe *probe, const char *text)
{
	*probe = (struct probe){0};
	while (*text && probe->count < PROBE_LINES) {
		size_t len = strcspn(text, "\n");

		probe->line[probe->count++] = (struct span){text, len};
		text += len + (text[len] == '\n');
	}
}

/* fields: NULL: the text is no such table. path: of the file, or NULL. */
static void expect_fields_of(const char *path, const char *text, const char *fields)
{
	struct worded_header header;
	struct probe probe;

	probe_text(&probe, text);
	probe.path = path;
	worded_header_init(&header);
	if (fields) {
		assert_true(worded_header_find(&header, &probe));
		assert_string_equal(header.fields.text, fields);
	} else if (worded_header_find(&header, &probe)) {
		fail_msg("'%s' was read as %s", text, header.fields.text);
	}
	worded_header_release(&header);
}

static void expect_fields(const char *text, const char *fields)
{
	expect_fields_of(NULL, text, fields);
}

static void words_of_names(void **state)
{
	static const struct {
		const char *text, *fields;
	} cases[] = {
		{"timestamp,gpu_util_%,vram_used_mb\n1777591226.5,13,4180\n",
			"timestamp,utilization.gpu [%],memory.used [MiB]"},
		{"ts,gpu_percent,gpu_power_w\n1777591226.5,1,90\n1777591227.5,0,90\n",
			"timestamp,utilization.gpu [%],power.draw [W]"},
		{"sampled_at,metrics,gpu_power_w\n1777591226.5,fine,90\n",
			"timestamp,?,power.draw [W]"},
		{"Time,GPU_ID,Utilization\n1736203508.75,0,40\n1736203508.75,1,50\n",
			"timestamp,index,utilization.gpu [%]"},
		{"GPUUtil,MemUsed (GiB),Temp (\xc2\xb0\x43),PowerDraw_W,FanSpeed %\n"
		 "5,1.5,40,90.5,30\n",
			"utilization.gpu [%],memory.used [GiB],temperature.gpu [C],"
			"power.draw [W],fan.speed [%]"},
		{"ts;gpu name;gpuid;gpu load;sm clock (MHz);mem clk\n"
		 "2026-03-01 10:00:00;RTX 4090;0;55,5;2520;10501\n",
			"timestamp,name,index,utilization.gpu [%],clocks.sm [MHz],"
			"clocks.mem [MHz]"},
		/* cells have their units */
		{"time,gpu,power\n2026-03-01 10:00:00,35 %,90 W\n",
			"timestamp,utilization.gpu,power.draw"},
		{"time,gpu util,power\n2026-03-01 10:00:00,35 %,90 W\n",
			"timestamp,utilization.gpu,power.draw"},
		/* a column a GPU */
		{"elapsed_s,gpu0_util,gpu0_mem_used_mb,gpu1_util,gpu1_mem_used_mb,power\n"
		 "0.0,10,500,90,600,50\n1.0,20,501,91,601,50\n",
			"elapsed [s],utilization.gpu@0 [%],memory.used@0 [MiB],"
			"utilization.gpu@1 [%],memory.used@1 [MiB],?"},
		/* of the host, or of the GPU? */
		{"ts,used_memory_mb,gpu_memory_mb,cpu_percent,gpu_load_%,gpu ram total "
		 "mb\n"
		 "1777591226,10000,300,5,40,24000\n",
			"timestamp,ram.used [MiB],memory.used [MiB],cpu.utilization [%],"
			"utilization.gpu [%],memory.total [MiB]"},
		{"gpu_load_%,system gpu memory mb\n40,300\n", "utilization.gpu [%],?"},
		{"ts,used_memory_mb,ram_gb,gpu_load_%\n1777591226,10000,5,40\n",
			"timestamp,?,ram.used [GiB],utilization.gpu [%]"},
		{"ts,cpu0 (%),cpu1 (%),cpu_temp_c,gpu0_load_%,load\n"
		 "1777591226,5,6,50,40,7\n",
			"timestamp,cpu.utilization@0 [%],cpu.utilization@1 [%],?,"
			"utilization.gpu@0 [%],?"},
		/* of the host alone */
		{"timestamp,CPU (%),memory_percent,mem_avail_gb,swap used mb\n"
		 "1777591226,5,40.5,12.5,0\n",
			"timestamp,cpu.utilization [%],ram.utilization [%],"
			"ram.available [GiB],swap.used [MiB]"},
		{"cpu_percent,memory_percent\n5,40.5\n", NULL},
		{"time,cpu_percent,process_memory_mb\n1777591226,150,4000\n", NULL},
		/* date and clock apart */
		{"Date,Time,GPU Load (%)\n03-11-2026,15:13:16,55\n",
			"date,clock,utilization.gpu [%]"},
		/* words before the header */
		{"# my log\nstarted\ntime,gpu_power_w\n1777591226,90\n",
			"timestamp,power.draw [W]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect_fields(cases[i].text, cases[i].fields);
}

/* Without a unit the size of the numbers tells it, or nothing. */
static void units_of_bare_numbers(void **state)
{
	static const struct {
		const char *text, *fields;
	} cases[] = {
		{"gpu_memory_used,gpu_memory_total\n0,15360\n326,15360\n",
			"memory.used [MiB],memory.total [MiB]"},
		{"gpu_memory_used,gpu_memory_total\n0,16106127360\n",
			"memory.used [B],memory.total [B]"},
		{"gpu_memory_used,gpu_util\n12,50\n90,60\n", "?,utilization.gpu [%]"},
		{"gpu_power,gpu_util\n250000,50\n90000,60\n",
			"power.draw [mW],utilization.gpu [%]"},
		{"gpu_power,gpu_util\n3000,50\n90,60\n", "?,utilization.gpu [%]"},
		/* a share of 1, or per cent */
		{"gpu_util,gpu_temp\n0.5,50\n1.0,60\n", "?,temperature.gpu [C]"},
		{"gpu_util,gpu_temp\n0,50\n1,60\n", "?,temperature.gpu [C]"},
		{"gpu_util,gpu_temp\n0,50\n0,60\n",
			"utilization.gpu [%],temperature.gpu [C]"},
		{"gpu_util_pct,gpu_temp\n0.5,50\n",
			"utilization.gpu [%],temperature.gpu [C]"},
		/* of memory: of the time, or of the space */
		{"gpu_util,mem_util,mem_used_mb,mem_total_mb\n50,5,500,1000\n",
			"utilization.gpu [%],utilization.memory [%],memory.used [MiB],"
			"memory.total [MiB]"},
		{"gpu_util,mem_util,mem_used_mb,mem_total_mb\n50,48,500,1000\n",
			"utilization.gpu [%],?,memory.used [MiB],memory.total [MiB]"},
		{"gpu_util,mem_util\n50,48\n", "utilization.gpu [%],?"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect_fields(cases[i].text, cases[i].fields);
}

static void other_tables(void **state)
{
	static const char *const texts[] = {
		"time,usage,temp\n1777591226,13,50\n", /* of a CPU, maybe */
		"epoch,loss,gpu_mem_allocated_mb\n1,0.5,400\n", /* a training's */
		"time,avg_gpu_util\n1777591226,13\n", /* of a while */
		"run_id,duration,gpu_power\n7,188.1,90\n",
		"time,gpu_util_%\n1777591226,130\n", /* no share of time */
		"time,gpu_util_%\n1777591226,13,4\n", /* rows of another length */
		"time,gpu_util_%,gpu_load\n1777591226,13,14\n", /* which? */
		"name,gpu_memory_total_mb\nx,24000\n", /* nothing that changes */
		"time,gpu_util_%\n", /* no rows */
		"1777591226,gpu\n1777591227,gpu\n",
		"timestamp, utilization.gpu [%]\n2025/03/01 10:00:00.000, 3 %\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		expect_fields(texts[i], NULL);
}

/* What somebody is asked to complete. */
static void fields_to_complete(void **state)
{
	struct worded_header header;
	struct probe probe;

	(void)state;
	probe_text(&probe, "by me\nwhen,gpu use of all,gpu temp\nnoon,3,4\n");
	worded_header_init(&header);
	assert_true(worded_header_guess(&header, &probe));
	assert_string_equal(header.fields.text, "?,?,temperature.gpu");
	assert_int_equal(header.names, 3);
	assert_int_equal(header.cells, 3);
	worded_header_release(&header);
	probe_text(&probe, "usr,sys,idle\n1,2,97\n");
	worded_header_init(&header);
	assert_false(worded_header_guess(&header, &probe));
	worded_header_release(&header);
}

/* Rows of one time are of several containers, jobs or users: of which GPU nobody says. */
static void rows_of_several(void **state)
{
	(void)state;
	expect_fields("timestamp (UTC),container,gpu_util (%)\n2024-12-11 06:57:16,a,40\n"
		      "2024-12-11 06:57:16,b,0\n2024-12-11 06:57:18,a,41\n"
		      "2024-12-11 06:57:18,b,1\n",
		NULL);
	expect_fields("timestamp (UTC),container,gpu,gpu_util (%)\n"
		      "2024-12-11 06:57:16,a,0,40\n2024-12-11 06:57:16,b,1,0\n",
		"timestamp,?,gpu,utilization.gpu [%]");
	/* of two by turns, and a last row of one of them */
	expect_fields("time,who,gpu_util_%\n1777591226,a,40\n1777591226,b,0\n"
		      "1777591227,a,41\n1777591227,b,1\n1777591228,a,1\n",
		NULL);
	/* names of containers are no models of GPUs */
	expect_fields(
		"time,container_id,name,cpu_percent\n1777591226,f1,db,0.5\n"
		"1777591226,7a,web,33.9\n1777591227,f1,db,0.6\n1777591227,7a,web,32\n",
		NULL);
	/* a word that changes with the time is of one thing */
	expect_fields("timestamp (UTC),phase,gpu_util (%)\n2024-12-11 06:57:16,a,40\n"
		      "2024-12-11 06:57:17,b,0\n2024-12-11 06:57:18,a,41\n",
		"timestamp,?,utilization.gpu [%]");
}

/* The same words in a file whose name says more. */
static void words_of_the_file(void **state)
{
	static const struct {
		const char *path, *text, *fields;
	} cases[] = {
		{"gpu_power.csv", "sec,mw\n1.5,13\n2.5,29\n",
			"elapsed [s],power.draw [mW]"},
		{"power.csv", "sec,mw\n1.5,13\n2.5,29\n", "elapsed [s],power.wall [mW]"},
		{"power.csv", "sec,mw\n2.5,13\n1.5,29\n",
			"?,power.wall [mW]"}, /* durations */
		{"gpus.csv", "time,gpu0,gpu1_mb\n1777591226,40,4180\n",
			"timestamp,?,memory.used@1 [MiB]"},
		{"vram_usage.csv",
			"time_s,used_MB,total_MB\n0.5,7703,8192\n1.5,7697,8192\n",
			"elapsed [s],memory.used [MiB],memory.total [MiB]"},
		{"disk_usage.csv",
			"time_s,used_MB,total_MB\n0.5,7703,8192\n1.5,7697,8192\n", NULL},
		{"gpu_usage.csv",
			"time_s,used_MB,total_MB\n0.5,7703,8192\n1.5,7697,8192\n",
			NULL}, /* used by what? */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect_fields_of(cases[i].path, cases[i].text, cases[i].fields);
}

/* Bare names beside columns of the host, units without a name, and cells that are none.
 */
static void whose_the_rest_is(void **state)
{
	(void)state;
	expect_fields("time,gpu_id,gpu_util,mem_used_mb,temp_c,power_w,ram_used_mb\n"
		      "1777591226.5,0,13,4180,40,90,9000\n",
		"timestamp,index,utilization.gpu [%],memory.used [MiB],temperature.gpu "
		"[C],"
		"power.draw [W],ram.used [MiB]");
	expect_fields("time,gpu_util,mem_used_mb,power_w,ram_used_mb\n"
		      "1777591226.5,13,4180,90,9000\n",
		"timestamp,utilization.gpu [%],?,?,ram.used [MiB]");
	expect_fields("time,gpu_id,gpu_util,mem_used_mb,cpu_percent\n"
		      "1777591226.5,0,13,4180,40\n",
		"timestamp,index,utilization.gpu [%],?,cpu.utilization [%]");
	expect_fields(
		"time,gpu,watts\n1777591226.5,0,66.5\n", "timestamp,gpu,power.draw [W]");
	expect_fields("time,power_in_watts,sm_clock\n1777591226.5,66.5,1710\n",
		"timestamp,power.draw [W],clocks.sm [MHz]");
	expect_fields("time,cpu_percent\n1777591226.5,\"[40.0, 3.1]\"\n", NULL);
	expect_fields_of("gpu.log", "time,load\n1777591226.5,40\n",
		"timestamp,utilization.gpu [%]");
	expect_fields_of("gpu.log", "time,load\n1777591226.5,7.91\n", NULL);
}

/* Nobody says "GPU", but the time is as nvidia-smi writes it, or a column is its own. */
static void words_beside_query(void **state)
{
	(void)state;
	expect_fields("timestamp,power_w,util_pct,temp_c\n"
		      "2026/05/12 19:34:36.742,77.7,3,42\n",
		"timestamp,power.draw [W],utilization.gpu [%],temperature.gpu [C]");
	/* other programs write such a date, but not the milliseconds */
	expect_fields(
		"timestamp,power_w,util_pct,temp_c\n2026/05/12 19:34:36,77.7,3,42\n",
		NULL);
	expect_fields("timestamp,cpu_pct,memory_used_mb,util_pct\n"
		      "2026/05/12 19:34:36.742,77,3000,42\n",
		"timestamp,cpu.utilization [%],ram.used [MiB],?");
	expect_fields("timestamp,index,power_w,util_gpu_pct\n"
		      "2026/05/31 17:03:08,0,74.5,10\n2026/05/31 17:03:08,1,72.5,20\n",
		"timestamp,index,power.draw [W],utilization.gpu [%]");
	expect_fields(
		"timestamp,gpu_index,power_w,pstate\n2026/05/31 17:03:08,0,74.5,P0\n",
		"timestamp,index,power.draw [W],pstate");
	expect_fields("timestamp,index,utilization.gpu,power_w\n"
		      "2026/05/31 17:03:08,0,40,74.5\n",
		"timestamp,index,utilization.gpu,power.draw [W]");
	expect_fields("timestamp,index,utilization.gpu [%],clocks.current.sm [MHz]\n"
		      "2026/05/31 17:03:08,0,40,1410\n",
		NULL); /* a query's own */
	expect_fields("timestamp,gpu_util[%],clocks.current.sm [MHz]\n"
		      "2026/05/31 17:03:08,40,1410\n",
		"timestamp,utilization.gpu [%],clocks.current.sm [MHz]");
	/* a comma behind the last name */
	expect_fields("time,gpu_util_%,\n1777591226.5,13,\n",
		"timestamp,utilization.gpu [%],?");
}

/* What the kernel takes is not all that a CPU does. */
static void shares_of_cpus(void **state)
{
	(void)state;
	expect_fields("timestamp,system_cpu_percent\n1777591226,13\n",
		"timestamp,cpu.utilization [%]");
	expect_fields("timestamp,CPU System (%),ram_used_gb\n1777591226,13,5.5\n",
		"timestamp,cpu.kernel [%],ram.used [GiB]");
	expect_fields(
		"timestamp,cpu_user_percent,cpu_idle_pct,load_avg_1min,load_avg_15\n"
		"1777591226,13,80,2.5,3\n",
		"timestamp,cpu.user [%],cpu.idle [%],load1,?");
	expect_fields("timestamp,cpu_total,mem_percent\n1777591226,13.5,80\n",
		"timestamp,cpu.utilization [%],ram.utilization [%]");
	expect_fields("timestamp,cpu_total,ram_percent\n1777591226,64,80\n",
		"timestamp,?,ram.utilization [%]");
	expect_fields("timestamp,Total_GPU_Usage\n1777591226,13.5\n",
		"timestamp,utilization.gpu [%]");
	expect_fields("timestamp,cpu_percent,loadavg\n1777591226,13,2.5\n",
		"timestamp,cpu.utilization [%],load1");
}

/* ps says how much of the CPUs a process had, psutil all; its unit of memory is KiB. */
static void memory_of_processes(void **state)
{
	(void)state;
	expect_fields("sec,cpu,rss_mib\n1,90,1009.5\n2,375.5,1115.5\n3,99,1115.5\n",
		"elapsed [s],process.cpu [%],process.rss [MiB]");
	expect_fields("sec,cpu,rss_mib\n1,90,1009.5\n2,75.5,1115.5\n3,99,1115.5\n",
		"elapsed [s],?,process.rss [MiB]");
	expect_fields("timestamp,ram_percent,rss\n1777591226,40.5,100950\n",
		"timestamp,ram.utilization [%],?");
}

/* psutil gives shares without a unit; a load average may look like one. */
static void bare_shares(void **state)
{
	(void)state;
	expect_fields("time,cpu,memory,disk\n1777591226,58.3,52.3,68.7\n",
		"timestamp,cpu.utilization [%],ram.utilization [%],?");
	expect_fields("Timestamp,CPU Usage,Memory Usage\n1777591226,1.5,26.6\n",
		"timestamp,cpu.utilization [%],ram.utilization [%]");
	/* of gigabytes there is no telling */
	expect_fields("time,cpu,memory\n1777591226,58.3,12.3\n",
		"timestamp,cpu.utilization [%],?");
	expect_fields("time,cpu,memory,disk\n1777591226,58.3,5.25,68.7\n",
		"timestamp,cpu.utilization [%],?,?");
	expect_fields("time,cpu,memory,disk\n1777591226,58.3,5.2,468\n",
		"timestamp,cpu.utilization [%],?,?");
	expect_fields("time,cpu_load,ram_used_mb\n1777591226,7.21,4000\n",
		"timestamp,?,ram.used [MiB]");
	expect_fields("time,cpu_load,ram_used_mb\n1777591226,7.2,4000\n",
		"timestamp,cpu.utilization [%],ram.used [MiB]");
	expect_fields("time,cpu_load_%,load1,load5,load_15\n1777591226,7.21,3.1,2.5,2\n",
		"timestamp,cpu.utilization [%],load1,?,?");
}

/* Blanks and bars part cells, too, and a date from its clock. Rules part no rows. */
static void other_separators(void **state)
{
	(void)state;
	expect_fields("timestamp gpu_util  gpu_mem_mb\n1777591226 40   4000\n",
		"timestamp,utilization.gpu [%],memory.used [MiB]");
	expect_fields("timestamp gpu_util gpu_mem_mb\n2026-05-01 10:00:00 40 4000\n",
		"date,clock,utilization.gpu [%],memory.used [MiB]");
	expect_fields(
		"| Time | GPU Util (%) |\n|------|---:|\n| 2026-05-01 10:00:00 | 40 |\n",
		"?,timestamp,utilization.gpu [%],?");
	/* pandas numbers the rows */
	expect_fields(",timestamp,gpu_util\n0,1777591226,40\n1,1777591227,41\n",
		"?,timestamp,utilization.gpu [%]");
	expect_fields("gpu_util gpu_mem_mb\n40 4000\n", NULL); /* without a time */
	expect_fields("PID CPU% TIME\n17 40 10:00:00\n", NULL); /* ps */
	expect_fields("timestamp gpu_util\n1777591226 40 5\n", NULL);
}

/* "Index" may count the rows, and "SM" may stand beside all of the GPU. */
static void several_readings(void **state)
{
	(void)state;
	expect_fields("Index,Time (mS),GPU util\n0,0,40\n1,1000,50\n2,2000,60\n",
		"?,elapsed [ms],utilization.gpu [%]");
	expect_fields("Index,Time (mS),GPU util\n0,0,40\n1,0,50\n0,1000,60\n1,1000,70\n",
		"index,elapsed [ms],utilization.gpu [%]");
	expect_fields("time,elapsed_s,gpu_util\n1777591226,0.1,40\n1777591227,1.2,50\n",
		"timestamp,?,utilization.gpu [%]");
	expect_fields("time,elapsed_s,gpu_util\n1777591226,0.1,40\n1777591226,0.4,50\n",
		"timestamp,elapsed [s],utilization.gpu [%]");
	expect_fields("time,gpu_util_pct,gpu_sm_util_pct\n1777591226,40,50\n",
		"timestamp,utilization.gpu [%],?");
	/* the epoch of a training is no time */
	expect_fields("time,epoch,gpu_util\n1777591226,0,40\n1777591227,1,50\n1777591228,"
		      "1,50\n",
		"timestamp,?,utilization.gpu [%]");
	expect_fields("time,GPU ID,util_pct\n1777591226,GPU 0,40\n1777591226,GPU 1,50\n",
		"timestamp,gpu,utilization.gpu [%]");
	expect_fields("time,gpu0_used_mb,gpu1_used_mb\n1777591226,64523,61650\n",
		"timestamp,memory.used@0 [MiB],memory.used@1 [MiB]");
	expect_fields(
		"ts,time,sm_pct,sm_mhz,mem_mhz\n1777591226.5,10:00:00,40,1410,1215\n",
		"timestamp,?,utilization.gpu [%],clocks.sm [MHz],clocks.mem [MHz]");
	expect_fields("time,device,util_pct\n1777591226,GPU0,40\n1777591226,GPU1,50\n",
		"timestamp,gpu,utilization.gpu [%]");
	expect_fields("step,gpu_util,gpu_mem_mb\n1,40,4000\n2,50,4000\n",
		"?,utilization.gpu [%],memory.used [MiB]");
	expect_fields("time,gpu_index,power_w,cpu_percent\n1777591226,0,120.5,50\n",
		"timestamp,index,power.draw [W],cpu.utilization [%]");
}

/* What GPUs or nodes have is no recording of what is used. */
static void catalogs(void **state)
{
	(void)state;
	expect_fields("Card,Price ($),VRAM (GB)\nGeForce GTX 970,20.5,4\n", NULL);
	expect_fields("NODES,CPUS,MEMORY,GPU_MEMORY\n7,28,125GB,12GB\n", NULL);
	expect_fields("card,vram_used_mb\n0,4000\n", "gpu,memory.used [MiB]");
}

/* Paths of a record that nvidia-smi has as names are its own where others are, too. */
static void names_of_records(void **state)
{
	static const struct {
		const char *text, *fields;
	} cases[] = {
		{"timestamp,cpu_percent,memory.total,memory.used\n1777591226,3,"
		 "16000000000,5\n",
			"timestamp,cpu.utilization [%],ram.total [B],ram.used [B]"},
		{"timestamp,cpu_percent,memory.total,memory.used,utilization.gpu\n"
		 "1777591226,3,16000,5,40\n",
			"timestamp,cpu.utilization [%],memory.total,memory.used,"
			"utilization.gpu"},
	};
	struct worded_header header;
	struct probe probe;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		probe_text(&probe, cases[i].text);
		probe.recast = true;
		worded_header_init(&header);
		assert_true(worded_header_find(&header, &probe));
		assert_string_equal(header.fields.text, cases[i].fields);
		worded_header_release(&header);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_records),
		cmocka_unit_test(words_of_the_file),
		cmocka_unit_test(whose_the_rest_is),
		cmocka_unit_test(words_beside_query),
		cmocka_unit_test(shares_of_cpus),
		cmocka_unit_test(memory_of_processes),
		cmocka_unit_test(bare_shares),
		cmocka_unit_test(other_separators),
		cmocka_unit_test(several_readings),
		cmocka_unit_test(catalogs),
		cmocka_unit_test(words_of_names),
		cmocka_unit_test(units_of_bare_numbers),
		cmocka_unit_test(other_tables),
		cmocka_unit_test(fields_to_complete),
		cmocka_unit_test(rows_of_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
