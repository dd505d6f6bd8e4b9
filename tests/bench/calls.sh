#!/bin/sh
# A day of a training's phases as a log of events, of generate's begin: calls.sh COUNT
# An epoch is a hundred calls: itself, steps, and in each step up to four others.
set -eu
awk -v count="$1" '
	function call(name, from, to) {
		printf "{\"ts\":\"2026-11-01T%02d:%02d:%06.3fZ\",\"type\":\"phase\"," \
			"\"name\":\"%s\",\"seconds\":%.3f}\n",
			int(to / 3600), int(to / 60) % 60, to % 60, name, to - from
	}
	BEGIN {
		split("load forward backward update", name, " ")
		epochs = int(count / 100)
		epoch_s = 86000 / epochs
		step_s = epoch_s / 20
		for (e = 0; e < epochs; e++) {
			left = 99
			for (at = e * epoch_s; left > 0; at += step_s) {
				for (k = 1; k <= 4 && left > 1; k++) {
					call(name[k], at + (k - 1) * step_s / 5, at + k * step_s / 5)
					left--
				}
				call("step", at, at + step_s * 0.9)
				left--
			}
			call("epoch", e * epoch_s, (e + 1) * epoch_s)
		}
	}'
