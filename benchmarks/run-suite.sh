#!/bin/sh
# Measures the mixes that people use; all arguments go to the program, --help lists them. Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
[ "$1" = --help ] || set -- --commit "$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)" \
    --directory "${BENCHMARK_DIRECTORY:-$here/target/suite}" --output "$here/results/suite" "$@"
exec "$java" -Xms128m -Xmx512m -XX:MaxDirectMemorySize=512m -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "$path" \
    io.volute.benchmarks.suite.Suite "$@"
