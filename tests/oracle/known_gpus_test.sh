#!/bin/sh
# Shows that logs without GPU ids are about as many GPUs as their authors' machines had:
# known answers, on recordings of other people where they are at hand.
. "$(dirname "$0")/../tap.sh"

# gpus COUNT FILE
gpus() {
	file=$SHARED/data/real/$2
	if [ ! -r "$file" ]; then
		skip "$2: $1" "not here"
		return
	fi
	hw --no-db --json "$file"
	check "$2: $1" grep -q "\"gpu_count\": $1," "$work/out"
}

gpus 4 query/wilkins-llama70b-43k.csv
gpus 1 query/wilkins-falcon7b-51k.csv
gpus 1 query/zeyu-K40m-TR.csv
gpus 1 query/zeyu-V100-freq-20k.csv
gpus 1 query/zeyu-3090-5050.csv
gpus 1 query/darsh-baseline-r1-nounits.csv
gpus 1 query/qwen3asr-gpu-log.csv
gpus 8 shellnoise/emage-linux-appended2.log
gpus 8 shellnoise/emage-windows-echo.log
gpus 8 shellnoise/viralint-appended.log
plan
