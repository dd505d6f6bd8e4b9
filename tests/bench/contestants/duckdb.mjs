/*
 * DuckDB over logs of nvidia-smi's query: duckdb.mjs TASK THREADS DATABASE GAP_MS FILE...
 *
 *   start    opens and closes a database, as every other task does
 *   summary  read_csv and the statistics in one query; prints them
 *   load     the logs into a new table of DATABASE, which is on the disk at the end
 *   stored   the statistics of that table; prints them
 *
 * A line is: file, device, metric, statistic, value, with tabs between. Columns are declared,
 * whole numbers as such, because a guess costs time, and a cell is cut at its blank: the fastest
 * of what was tried beside rtrim, replace, a regular expression and guessed columns. What an
 * area takes, dt (x + x') / 2, is summed by sample, x (dt before + dt behind) / 2, so that the
 * window holds times only.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const METRICS = {
	'utilization.gpu [%]': ['gpu_util_pct', 'INTEGER'],
	'utilization.memory [%]': ['mem_util_pct', 'INTEGER'],
	'memory.used [MiB]': ['mem_used_mib', 'INTEGER'],
	'memory.total [MiB]': ['mem_total_mib', 'INTEGER'],
	'power.draw [W]': ['power_w', 'DOUBLE'],
	'temperature.gpu': ['temperature_c', 'INTEGER'],
	'clocks.current.sm [MHz]': ['sm_clock_mhz', 'INTEGER'],
	'clocks.current.memory [MHz]': ['mem_clock_mhz', 'INTEGER'],
};
const PERCENTS = [50, 90, 95, 99];

function header(file) {
	const text = Buffer.alloc(4096);
	const fd = openSync(file, 'r');
	const length = readSync(fd, text);
	closeSync(fd);
	return text.toString('latin1', 0, length).split('\n')[0].split(', ');
}

/* Rows that are none, as the header of a log that was appended to, are left out. */
function samples(files) {
	const names = header(files[0]);
	const type = (name) => name === 'timestamp' ? 'TIMESTAMP' : 'VARCHAR';
	const columns = names.map((name) => `'${name}': '${type(name)}'`);
	const metrics = names.filter((name) => METRICS[name]).map((name) => {
		const [metric, number] = METRICS[name];
		return `CAST(split_part("${name}", ' ', 1) AS ${number}) AS ${metric}`;
	});
	const gpu = names.includes('index') ? 'CAST("index" AS INTEGER)' : '0';
	const list = files.map((file) => `'${file}'`);
	return `SELECT filename AS run, ${gpu} AS gpu, epoch_ms("timestamp") AS t_ms, ${metrics}
		FROM read_csv([${list}], auto_detect = false, header = true, delim = ', ', quote = '',
			escape = '', ignore_errors = true, filename = true, columns = {${columns}})`;
}

function statistics(table, gap) {
	const each = Object.values(METRICS).map(([metric]) => `count(${metric}), avg(${metric}),
		min(${metric}), max(${metric}), stddev_samp(${metric}),
		quantile_cont(${metric}, [${PERCENTS.map((p) => p / 100)}]),
		sum((before + behind) * ${metric}) / 2000`);
	return `SELECT run, gpu, sum(before) / 1000, ${each}
		FROM (SELECT * REPLACE (
				CASE WHEN before BETWEEN 1 AND ${gap} THEN before ELSE 0 END AS before,
				CASE WHEN behind BETWEEN 1 AND ${gap} THEN behind ELSE 0 END AS behind)
			FROM (SELECT *, t_ms - lag(t_ms) OVER w AS before, lead(t_ms) OVER w - t_ms AS behind
				FROM ${table} WINDOW w AS (PARTITION BY run, gpu ORDER BY t_ms)))
		GROUP BY run, gpu ORDER BY run, gpu`;
}

function print(rows) {
	const lines = [];
	for (const [run, gpu, covered, ...rest] of rows)
		for (const [metric] of Object.values(METRICS)) {
			const [n, mean, min, max, stddev, percentiles, area] = rest.splice(0, 7);
			const values = { n, mean_samples: mean, min, max, stddev, covered_s: covered,
				mean: area / covered };
			PERCENTS.forEach((p, i) => { values[`p${p}`] = percentiles.items[i]; });
			if (metric === 'power_w')
				values.energy_j = area;
			for (const [name, value] of Object.entries(values))
				lines.push([run, `gpu${gpu}`, metric, name, value].join('\t'));
		}
	process.stdout.write(lines.join('\n') + '\n');
}

const [task, threads, database, gap, ...files] = process.argv.slice(2);
const instance = await DuckDBInstance.create(database, { threads });
const connection = await instance.connect();
await connection.run('SET preserve_insertion_order = false');
if (task === 'load') {
	await connection.run(`CREATE TABLE sample AS ${samples(files)}`);
	await connection.run('CHECKPOINT');
} else if (task !== 'start') {
	const table = task === 'stored' ? 'sample' : `(${samples(files)})`;
	print((await connection.runAndReadAll(statistics(table, gap))).getRows());
}
connection.closeSync();
instance.closeSync();
