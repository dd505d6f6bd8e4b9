#!/bin/sh
# Prints an awk program for a log of nvidia-smi's query: mawk.sh FILE; it wants gap_ms.
# It prints lines of file, device, metric, statistic, value, with tabs between. What is done a
# row is written out for each metric, with arrays by GPU alone, which is the fastest: joined
# subscripts take twice as long. Values are summed less the first one, so that squares keep
# their digits. Percentiles are left out.
set -eu

# columns: number and metric of each column that is one
columns() {
	sed 1q "$1" | tr ',' '\n' | sed 's/^ //' | awk '
		BEGIN {
			metric["utilization.gpu [%]"] = "gpu_util_pct"
			metric["utilization.memory [%]"] = "mem_util_pct"
			metric["memory.used [MiB]"] = "mem_used_mib"
			metric["memory.total [MiB]"] = "mem_total_mib"
			metric["power.draw [W]"] = "power_w"
			metric["temperature.gpu"] = "temperature_c"
			metric["clocks.current.sm [MHz]"] = "sm_clock_mhz"
			metric["clocks.current.memory [MHz]"] = "mem_clock_mhz"
		}
		$0 in metric { print NR, metric[$0] }
		$0 == "index" { print NR, "index" }'
}

columns "$1" | awk '
	$2 == "index" { gpu = "$" $1; next }
	{ column[++n] = $1; metric[n] = $2 }
	END {
		print "BEGIN { FS = \", \" }"
		print "$1 == \"timestamp\" { next }"
		print "{"
		print "\tg = " (gpu ? gpu : 0)
		print "\tminute = substr($1, 1, 16)"
		print "\tif (minute != last) { base = start(minute); last = minute }"
		print "\tt = base + substr($1, 18) * 1000"
		print "\tif (!(g in n)) {"
		for (i = 1; i <= n; i++)
			printf "\t\tp%d[g] = f%d[g] = l%d[g] = h%d[g] = $%d + 0\n", i, i, i, i, column[i]
		print "\t\tbefore[g] = t"
		print "\t}"
		print "\tn[g]++"
		print "\tdt = t - before[g]"
		print "\tbefore[g] = t"
		print "\tif (dt > 0 && dt <= gap_ms) covered[g] += dt; else dt = 0"
		for (i = 1; i <= n; i++) {
			printf "\tx = $%d + 0\n", column[i]
			printf "\tif (x < l%d[g]) l%d[g] = x; else if (x > h%d[g]) h%d[g] = x\n", i, i, i, i
			printf "\ta%d[g] += dt * (x + p%d[g]); p%d[g] = x\n", i, i, i
			printf "\tx -= f%d[g]; s%d[g] += x; q%d[g] += x * x\n", i, i, i
		}
		print "}"
		print "END {"
		print "\tfor (g in n) {"
		for (i = 1; i <= n; i++)
			printf "\t\tprint_one(\"%s\", n[g], f%d[g], s%d[g], q%d[g], l%d[g], h%d[g], a%d[g])\n",
				metric[i], i, i, i, i, i, i
		print "\t}"
		print "}"
		print "function line(metric, name, value) {"
		print "\tprintf \"%s\\tgpu%s\\t%s\\t%s\\t%.17g\\n\", FILENAME, g, metric, name, value"
		print "}"
		print "function print_one(metric, n, first, sum, squares, low, high, area,    v) {"
		print "\tline(metric, \"n\", n)"
		print "\tline(metric, \"mean_samples\", first + sum / n)"
		print "\tline(metric, \"min\", low)"
		print "\tline(metric, \"max\", high)"
		print "\tv = squares - sum * sum / n"
		print "\tif (n > 1) line(metric, \"stddev\", v > 0 ? sqrt(v / (n - 1)) : 0)"
		print "\tline(metric, \"covered_s\", covered[g] / 1000)"
		print "\tif (covered[g] > 0) line(metric, \"mean\", area / 2 / covered[g])"
		print "\tif (metric == \"power_w\") line(metric, \"energy_j\", area / 2000)"
		print "}"
		print "function start(text,    y, m, days, s) {"
		print "\ty = substr(text, 1, 4); m = substr(text, 6, 2)"
		print "\tif (m < 3) { y--; m += 12 }"
		print "\tdays = 365 * y + int(y / 4) - int(y / 100) + int(y / 400) - 719469"
		print "\tdays += int((153 * m - 457) / 5) + substr(text, 9, 2)"
		print "\ts = substr(text, 12, 2) * 3600 + substr(text, 15, 2) * 60"
		print "\treturn (days * 86400 + s) * 1000"
		print "}"
	}'
