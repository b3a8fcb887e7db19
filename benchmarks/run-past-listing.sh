#!/bin/sh
# Measures listings of the past beside those of the present; all arguments go to the program, --help lists them. Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
exec "$java" -Xms256m -Xmx1g --enable-native-access=ALL-UNNAMED "-Dbenchmark.directory=${BENCHMARK_DIRECTORY:-$here/target}" -cp "$path" \
    io.volute.benchmarks.micro.PairedPastListing \
    "--commit" "$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)" "$@"
