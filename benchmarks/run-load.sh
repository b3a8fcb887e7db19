#!/bin/sh
# Starts the load driver; the arguments are listed when there are none. Needs: mvn -pl benchmarks -am package
here=$(cd "$(dirname "$0")" && pwd)
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
[ -f "$here/target/classpath.txt" ] || { echo "not built: run mvn -pl benchmarks -am package" >&2; exit 2; }
path="$here/target/classes:$(cat "$here/target/classpath.txt")"
if [ "$1" = idle-server ]; then
    shift
    exec "$java" -Xmx64m -XX:+UseSerialGC -cp "$path" io.volute.benchmarks.load.IdleServer "$@"
fi
# No argument prints the usage.
[ $# -gt 0 ] && set -- --commit "$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)" "$@"
exec "$java" -Xms128m -Xmx512m -XX:MaxDirectMemorySize=512m -XX:+UseSerialGC -cp "$path" \
    io.volute.benchmarks.load.LoadDriver "$@"
