#!/bin/sh
# Measures writes with and without cleaning; all arguments go to the program, --help lists them. Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
exec "$java" -Xms512m -Xmx1g --enable-native-access=ALL-UNNAMED -cp "$path" \
    io.volute.benchmarks.cleaning.LatencyBenchmark \
    "--commit" "$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)" \
    "--directory" "${BENCHMARK_DIRECTORY:-$here/target/cleaning}" "--output" "$here/results/latency" "$@"
