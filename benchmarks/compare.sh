#!/bin/sh
# Compares two result files; all arguments go to the program, --help lists them. Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
exec "$java" -Xmx256m -XX:+UseSerialGC -cp "$path" io.volute.benchmarks.compare.Compare "$@"
