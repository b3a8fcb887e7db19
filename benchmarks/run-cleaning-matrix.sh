#!/bin/sh
# Throughput against utilisation, all of it: 100 B in-process, 1 KB and 10 KB through a server. Half an hour to an hour; arguments go to both runs. Needs: mvn -pl benchmarks -am package
here="$(dirname "$0")"
status=0
"$here/run-cleaning.sh" --capacity 256M --segment 512K --reserve 4 --sizes 100 --utilizations 30,50,70,80,90 \
    --distributions uniform,zipfian --compared 80 --variants two-level,one-level,object-age --workloads none --threads 32 "$@" || status=1
"$here/run-cleaning.sh" --through server --capacity 512M --segment 2M --reserve 4 --sizes 1000,10000 --utilizations 30,50,70,80,90 \
    --distributions uniform,zipfian --compared none --workloads none --threads 32 --seconds 8 "$@" || status=1
exit $status
