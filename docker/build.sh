#!/bin/sh
# Builds the container image TAG (default: volute) from this machine alone: a small JRE cut out of its JDK, the system
# libraries that this and the native parts need, and Volute as admin-cli/target has it (mvn package makes it).
# Usage: docker/build.sh [TAG]     The JDK is the one that ./volute finds (21 or newer; JAVA_HOME first).
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
built=$here/../admin-cli/target
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
    stamp="$(cat "$jdk/release") ${wanted%,}"
    if [ -r "$work/jre.stamp" ] && [ "$(cat "$work/jre.stamp")" = "$stamp" ]; then
        return 0
    fi
    say "cutting a JRE of ${wanted%,}"
    rm -rf "$work/jre"
    "$jdk/bin/jlink" --add-modules "${wanted%,}" --strip-debug --no-header-files --no-man-pages \
        --generate-cds-archive --output "$work/jre"
    printf '%s\n' "$stamp" >"$work/jre.stamp"
}

# The libraries of the system that executables and libraries in $1 ask for, the loader included.
libraries() {
    find "$1" -type f \( -name '*.so' -o -name '*.so.*' -o -path '*/bin/*' \) -exec ldd {} + 2>/dev/null \
        | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(/ { print $1 }' \
        | grep -v "^$work/" | sort -u
}

tree() {
    rm -rf "$work/tree" "$work/natives"
    mkdir -p "$work/tree/opt/volute" "$work/tree/etc" "$work/natives"
    cp -R "$work/jre" "$work/tree/opt/java"
    cp "$built/volute.jar" "$work/tree/opt/volute/"
    cp -R "$built/lib" "$work/tree/opt/volute/lib"
    # What the jars unpack when they run needs libraries, too.
    for jar in "$built"/lib/*.jar; do
        # Names in a jar are not compressed: most have none, and need no JVM to tell.
        grep -qaF .so "$jar" || continue
        names=$("$jdk/bin/jar" tf "$jar" | grep '\.so$') || continue
        # shellcheck disable=SC2086 # one argument a name; names in jars of ours have no blanks
        (cd "$work/natives" && "$jdk/bin/jar" xf "$jar" $names)
    done
    for place in "$work/jre" "$work/natives"; do
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
