#!/bin/sh
# What history costs and what it gives back; all arguments go to the program, --help lists them. Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
exec "$java" -Xms1g -Xmx2g --enable-native-access=ALL-UNNAMED -cp "$path" \
    io.volute.benchmarks.history.HistoryBenchmark \
    "--commit" "$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)" \
    "--directory" "${BENCHMARK_DIRECTORY:-$here/target/history}" "--output" "$here/results/history" "$@"
