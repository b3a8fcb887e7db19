#!/bin/sh
# Runs a main class of this module. Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
exec "$java" --enable-native-access=ALL-UNNAMED "-Dbenchmark.directory=${BENCHMARK_DIRECTORY:-$here/target}" -cp "$path" "$@"
