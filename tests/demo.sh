#!/bin/sh
# Shows one run as text, and what to try next: demo.sh BIN
set -eu
run=testdata/cases/waits-made-up
"$1/hwsummarize" --no-db "$run"
cat <<END

Try next:
  $1/hwsummarize explain $run gpu-waits
  $1/hwsummarize compare testdata/compare/loader/old-1 testdata/compare/loader/new-1
  $1/hwsummarize report -o report.html $run
END
