#!/bin/sh
# Builds the container image TAG (default: volute) from this machine alone: a small JRE cut out of its JDK, the system
# libraries that this and the native parts need, and Volute as distribution/target has it (mvn package makes it).
# Usage: docker/build.sh [TAG]     The JDK is the one that ./volute finds (21 or newer; JAVA_HOME first).
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
built=$here/../distribution/target
tag=${1:-volute}
work=$built/image

say() {
    printf 'image: %s\n' "$1" >&2
}

jdk=$("$here/../volute" jdk)
if [ ! -x "$jdk/bin/jlink" ]; then
    say "the JDK in $jdk has no jlink: install one that has, or set JAVA_HOME to it"
    exit 1
fi
if [ ! -r "$built/volute.jar" ] || [ ! -d "$built/lib" ]; then
    say "build Volute first: ./volute version"
    exit 1
fi

# The JRE depends on the JDK and on nothing that changes from build to build: kept until the JDK is another.
modules() {
    # Asked of what is there, not kept as a list. Warnings come first on the same stream. java.desktop is named by
    # readers of configuration beans, which Volute does not use.
    "$jdk/bin/jdeps" --ignore-missing-deps --print-module-deps --multi-release 21 \
        "$built/volute.jar" "$built"/lib/*.jar | tail -n 1 | sed 's/java\.desktop,//'
}

jre() {
    # Before 22, elliptic curves are in a module of their own, found as a service only.
    wanted=$(modules),$("$jdk/bin/java" --list-modules | sed -n 's/^\(jdk\.crypto\.ec\)@.*/\1/p')
    stamp="compressed $(cat "$jdk/release") ${wanted%,}"
    if [ -r "$work/jre.stamp" ] && [ "$(cat "$work/jre.stamp")" = "$stamp" ]; then
        return 0
    fi
    say "cutting a JRE of ${wanted%,}"
    rm -rf "$work/jre"
    "$jdk/bin/jlink" --add-modules "${wanted%,}" --strip-debug --compress zip-6 --no-header-files --no-man-pages \
        --generate-cds-archive --output "$work/jre"
    # Of heaps above 32 GiB; the JVM starts without it, only slower.
    rm -f "$work/jre/lib/server/classes_nocoops.jsa"
    printf '%s\n' "$stamp" >"$work/jre.stamp"
}

# The libraries of the system that executables and libraries in $1 ask for, the loader included.
libraries() {
    find "$1" -type f \( -name '*.so' -o -name '*.so.*' -o -path '*/bin/*' \) -exec ldd {} + 2>/dev/null \
        | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(/ { print $1 }' \
        | grep -v "^$work/" | sort -u
}

# Removes from a jar in the tree the native libraries that this machine cannot load: those of other systems and
# processors, which are most of the image otherwise. Those that stay are left in natives, for libraries().
prune() {
    rm -rf "$work/jar"
    mkdir "$work/jar"
    (cd "$work/jar" && "$jdk/bin/jar" xf "$1")
    find "$work/jar" -type f \( -name '*.so' -o -name '*.dll' -o -name '*.jnilib' -o -name '*.dylib' \) \
        | while IFS= read -r native; do
            if needs=$(ldd "$native" 2>/dev/null) && ! printf '%s' "$needs" | grep -q 'not found'; then
                # Jars have libraries of one name for several systems.
                mkdir -p "$work/natives/$(dirname -- "${native#"$work/jar/"}")"
                cp "$native" "$work/natives/${native#"$work/jar/"}"
            else
                rm "$native"
            fi
        done
    # The manifest comes along as a file like all others.
    "$jdk/bin/jar" cMf "$1" -C "$work/jar" .
    rm -rf "$work/jar"
}

# A launcher that needs no shell, so that "docker exec CONTAINER volute COMMAND" works.
launcher() {
    if [ ! -x "$jdk/bin/jpackage" ]; then
        say "this JDK has no jpackage: the image has no volute command, only: java -jar /opt/volute/volute.jar"
        return 0
    fi
    rm -rf "$work/launcher"
    mkdir -p "$work/launcher/input"
    cp "$built/volute.jar" "$work/launcher/input/"
    "$jdk/bin/jpackage" --type app-image --name volute --input "$work/launcher/input" --main-jar volute.jar \
        --runtime-image "$work/jre" --dest "$work/launcher/output" >&2
    mkdir -p "$work/tree/opt/volute/bin" "$work/tree/opt/volute/lib/app"
    cp "$work/launcher/output/volute/bin/volute" "$work/tree/opt/volute/bin/"
    cp "$work/launcher/output/volute/lib/libapplauncher.so" "$work/tree/opt/volute/lib/"
    # Commands are short, and beside a server.
    cat >"$work/tree/opt/volute/lib/app/volute.cfg" <<'END'
[Application]
app.runtime=/opt/java
app.classpath=/opt/volute/volute.jar
app.mainclass=io.volute.distribution.Main

[JavaOptions]
java-options=-Xmx128m
java-options=-XX:+UseSerialGC
java-options=-XX:TieredStopAtLevel=1
java-options=-Xlog:disable
java-options=-Xlog:all=error:stderr
java-options=-Djdk.serialFilter=!*
java-options=-Dfile.encoding=UTF-8
END
    rm -rf "$work/launcher"
}

tree() {
    rm -rf "$work/tree" "$work/natives"
    mkdir -p "$work/tree/opt/volute" "$work/tree/etc" "$work/natives"
    cp -R "$work/jre" "$work/tree/opt/java"
    cp "$built/volute.jar" "$work/tree/opt/volute/"
    cp -R "$built/lib" "$work/tree/opt/volute/lib"
    for jar in "$work/tree/opt/volute"/lib/*.jar; do
        # Names in a jar are not compressed: most have none, and need no JVM to tell.
        grep -qaF .so "$jar" || continue
        "$jdk/bin/jar" tf "$jar" | grep -q '\.so$' || continue
        prune "$jar"
    done
    [ -n "$(find "$work/natives" -name '*rocksdb*.so')" ] || {
        say "RocksDB has no library for this machine's processor and C library"
        exit 1
    }
    launcher
    for place in "$work/jre" "$work/natives" "$work/tree/opt/volute"; do
        libraries "$place" | while read -r library; do
            mkdir -p "$work/tree$(dirname -- "$library")"
            cp -L "$library" "$work/tree$library"
        done
    done
    printf 'root:x:0:0:root:/:/\nvolute:x:10001:10001:volute:/data:/\n' >"$work/tree/etc/passwd"
    printf 'root:x:0:\nvolute:x:10001:\n' >"$work/tree/etc/group"
    chmod -R go=u-w "$work/tree"
}

# A tar keeps owners, which copying into an image would not.
pack() {
    rm -rf "$work/context" "$work/empty"
    mkdir -p "$work/context" "$work/empty/data" "$work/empty/tmp"
    chmod 700 "$work/empty/data"
    chmod 1777 "$work/empty/tmp"
    tar -C "$work/tree" --numeric-owner --owner=0 --group=0 --sort=name -cf "$work/context/tree.tar" .
    tar -C "$work/empty" --numeric-owner --owner=0 --group=0 -rf "$work/context/tree.tar" tmp
    tar -C "$work/empty" --numeric-owner --owner=10001 --group=10001 -rf "$work/context/tree.tar" data
    cp "$here/Dockerfile" "$work/context/"
}

mkdir -p "$work"
jre
tree
pack
DOCKER_BUILDKIT=0 docker build --quiet --tag "$tag" "$work/context"
