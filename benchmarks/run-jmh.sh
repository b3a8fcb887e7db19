#!/bin/sh
# Runs the JMH suites; all arguments go to JMH. Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
exec "$java" --enable-native-access=ALL-UNNAMED -cp "$path" org.openjdk.jmh.Main \
    -jvmArgsAppend "--enable-native-access=ALL-UNNAMED -Dbenchmark.directory=${BENCHMARK_DIRECTORY:-$here/target}" "$@"
