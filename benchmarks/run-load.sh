#!/bin/sh
# Starts the load driver; --help lists its options. `idle-server PORT BYTES` starts a server that does nothing.
# Needs: mvn -pl benchmarks -am package
. "$(dirname "$0")/environment.sh"
if [ "$1" = idle-server ]; then
    shift
    exec "$java" -Xmx64m -XX:+UseSerialGC -cp "$path" io.volute.benchmarks.load.IdleServer "$@"
fi
set -- --commit "$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)" "$@"
exec "$java" -Xms128m -Xmx512m -XX:MaxDirectMemorySize=512m -XX:+UseSerialGC -cp "$path" \
    io.volute.benchmarks.load.LoadDriver "$@"
