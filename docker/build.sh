#!/bin/sh
# Builds the container image TAG (default: volute): a small JRE cut out of this machine's JDK, Volute as
# distribution/target has it (mvn package makes it), and the system libraries of Debian that both need. No library of
# this machine is in it. Usage: docker/build.sh [TAG]     The JDK is the one that ./volute finds; JAVA_HOME first.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=$here/..
name=image
tag=${1:-volute}
work=$root/distribution/target/image
. "$root/packaging/common.sh"

# Unpacks Debian's packages of the system's libraries into $work/debian, verified by their signatures; kept for a day,
# so that corrections of Debian come in.
debian() {
    [ -z "$(find "$work/debian.stamp" -mtime -1 2>/dev/null)" ] || return 0
    say "getting libc6 and libstdc++6 of Debian 12"
    rm -rf "$work/debian"
    mkdir -p "$work/debian"
    mmdebstrap --quiet --variant=extract --include=libc6,libstdc++6 --format=tar bookworm "$work/debian.tar" >&2
    tar -C "$work/debian" -xf "$work/debian.tar" --exclude='./dev/*'
    rm "$work/debian.tar"
    touch "$work/debian.stamp"
}

# Prints the libraries below the current directory, without those that only convert characters.
shared() {
    find . \( -name '*.so' -o -name '*.so.[0-9]*' \) ! -path '*/gconv/*' ! -path '*/audit/*'
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
        --runtime-image "$work/runtime" --dest "$work/launcher/output" >&2
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
    rm -rf "$work/tree"
    mkdir -p "$work/tree/opt/volute" "$work/tree/etc"
    cp -R "$work/runtime" "$work/tree/opt/java"
    cp "$built/volute.jar" "$work/tree/opt/volute/"
    libraries "$work/tree/opt/volute/lib"
    launcher
    (cd "$work/debian" && cp -P --parents $(shared) "$work/tree/")
    for library in $(needed "$work/runtime" "$work/natives" "$work/tree/opt/volute"); do
        (cd "$work/debian" && shared | grep -q "/$library$") \
            || fail "the JDK in $jdk needs $library, which is not in Debian's libc6 and libstdc++6: use Temurin"
    done
    printf 'root:x:0:0:root:/:/\nvolute:x:10001:10001:volute:/data:/\n' >"$work/tree/etc/passwd"
    printf 'root:x:0:\nvolute:x:10001:\n' >"$work/tree/etc/group"
    chmod -R go=u-w "$work/tree"
}

# A tar keeps owners, which copying into an image would not. Equal inputs give equal bytes.
pack() {
    rm -rf "$work/context" "$work/empty"
    mkdir -p "$work/context" "$work/empty/data" "$work/empty/tmp"
    chmod 700 "$work/empty/data"
    chmod 1777 "$work/empty/tmp"
    set -- --numeric-owner --sort=name --mtime="@$SOURCE_DATE_EPOCH" -f "$work/context/tree.tar"
    tar -C "$work/tree" --owner=0 --group=0 -c "$@" .
    tar -C "$work/empty" --owner=0 --group=0 -r "$@" tmp
    tar -C "$work/empty" --owner=10001 --group=10001 -r "$@" data
    cp "$here/Dockerfile" "$work/context/"
}

need mmdebstrap zip unzip
prepare
runtime
debian
tree
pack
DOCKER_BUILDKIT=0 docker build --quiet --tag "$tag" "$work/context"
