# What the packages and the container image share; sourced by packaging/build.sh and docker/build.sh.
# Needs: root (the clone), work (a directory for what is in between), name (for messages).

built=$root/distribution/target

say() {
    printf '%s: %s\n' "$name" "$1" >&2
}

fail() {
    say "$1"
    exit 1
}

need() {
    for program in "$@"; do
        command -v "$program" >/dev/null 2>&1 || fail "$program is not installed (Debian: $program)"
    done
}

# Sets what does not change from build to build: the JDK, the version and the time of all files.
prepare() {
    jdk=$("$root/volute" jdk)
    [ -x "$jdk/bin/jlink" ] || fail "the JDK in $jdk has no jlink: install one that has, or set JAVA_HOME to it"
    [ -r "$built/volute.jar" ] && [ -d "$built/lib" ] || fail "build Volute first: ./volute version"
    version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$root/pom.xml" | head -n 1)
    stamped=$(sed -n 's|.*<project.build.outputTimestamp>\(.*\)</.*|\1|p' "$root/pom.xml")
    SOURCE_DATE_EPOCH=$(date -u -d "$stamped" +%s)
    export SOURCE_DATE_EPOCH
    export TZ=UTC LC_ALL=C
    umask 022
    mkdir -p "$work"
}

modules() {
    # Asked of what is there, not kept as a list. Warnings come first on the same stream. java.desktop is named by
    # readers of configuration beans, which Volute does not use.
    "$jdk/bin/jdeps" --ignore-missing-deps --print-module-deps --multi-release 21 \
        "$built/volute.jar" "$built"/lib/*.jar | tail -n 1 | sed 's/java\.desktop,//'
}

# Cuts a JRE of the modules that Volute uses into $work/runtime; kept until the JDK or the modules are others.
runtime() {
    # Before 22, elliptic curves are in a module of their own, found as a service only.
    wanted=$(modules),$("$jdk/bin/java" --list-modules | sed -n 's/^\(jdk\.crypto\.ec\)@.*/\1/p')
    stamp="compressed $(cat "$jdk/release") ${wanted%,}"
    if [ -r "$work/runtime.stamp" ] && [ "$(cat "$work/runtime.stamp")" = "$stamp" ]; then
        return 0
    fi
    say "cutting a JRE of ${wanted%,}"
    rm -rf "$work/runtime"
    "$jdk/bin/jlink" --add-modules "${wanted%,}" --strip-debug --compress zip-6 --no-header-files --no-man-pages \
        --generate-cds-archive --output "$work/runtime"
    # Of heaps above 32 GiB; the JVM starts without it, only slower.
    rm -f "$work/runtime/lib/server/classes_nocoops.jsa"
    printf '%s\n' "$stamp" >"$work/runtime.stamp"
}

# Copies the libraries of Volute to $1, without the native parts that this machine cannot load: those of other systems
# and processors, which are most of the bytes otherwise. Those that stay are left in $work/natives.
libraries() {
    rm -rf "$1" "$work/natives"
    mkdir -p "$work/natives"
    cp -R "$built/lib" "$1"
    for jar in "$1"/*.jar; do
        # Names in a jar are not compressed: most have none, and need no unpacking to tell.
        grep -qaF .so "$jar" || continue
        unpacked=$work/natives/$(basename "$jar")
        mkdir "$unpacked"
        unzip -qo "$jar" '*.so' '*.dll' '*.jnilib' '*.dylib' -d "$unpacked" 2>/dev/null || true
        (cd "$unpacked" && find . -type f | sed 's|^\./||' | sort) | while IFS= read -r native; do
            if needs=$(ldd "$unpacked/$native" 2>/dev/null) && ! printf '%s' "$needs" | grep -q 'not found'; then
                continue
            fi
            rm "$unpacked/$native"
            printf '%s\n' "$native"
        done >"$work/foreign"
        # Other entries stay as they are, byte for byte.
        [ ! -s "$work/foreign" ] || zip -qd "$jar" -@ <"$work/foreign"
        rm -f "$work/foreign"
    done
    [ -n "$(find "$work/natives" -name '*rocksdb*.so')" ] \
        || fail "RocksDB has no library for this machine's processor and C library"
}

# Prints the names of the system's libraries that the executables and libraries in the directories need.
needed() {
    find "$@" -type f \( -name '*.so' -o -name '*.so.*' -o -path '*/bin/*' \) -exec ldd {} + 2>/dev/null \
        | awk '$2 == "=>" && $3 ~ /^\// && $3 !~ /\/(runtime|natives|opt)\// { print $1 }
               $1 ~ /^\// && $2 ~ /^\(/ { print $1 }' \
        | sed 's|.*/||' | sort -u
}
