# Read by the scripts beside it: finds $java (21 or newer), $path (class path) and $here.
here=$(cd "$(dirname "$0")" && pwd)
for java in "$JAVA_HOME/bin/java" java /usr/lib/jvm/*/bin/java; do
    major=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
    [ "${major:-0}" -ge 21 ] && break
done
[ "${major:-0}" -ge 21 ] || { echo "no Java 21 or newer: set JAVA_HOME" >&2; exit 2; }
[ -f "$here/target/classpath.txt" ] || { echo "not built: run mvn -pl benchmarks -am package" >&2; exit 2; }
path="$here/target/classes:$(cat "$here/target/classpath.txt")"
