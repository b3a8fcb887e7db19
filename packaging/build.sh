#!/bin/sh
# Builds the packages of a release in distribution/target/packages: a .tar.gz and a .deb with a runtime of their own, the
# bill of materials (if the build has made one), and SHA256SUMS over all. Volute is built before; ./volute package does
# both. The same sources, JDK and tools give the same bytes. Usage: packaging/build.sh [DIR]     The JDK is the one that ./volute finds; JAVA_HOME first.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=$here/..
name=package
target=${1:-$root/distribution/target/packages}
mkdir -p "$target"
target=$(CDPATH= cd -- "$target" && pwd)
work=$target.work
. "$here/common.sh"

# What the runtime and the native parts may need of the system: libc6, libstdc++6 and libgcc-s1 of Debian.
system='ld-linux-.*|lib(c|dl|m|pthread|rt)\.so\.[0-9]+|libstdc\+\+\.so\.6|libgcc_s\.so\.1'

manual() {
    rm -rf "$work/man"
    for command in "man $work/man" "completion bash"; do
        # shellcheck disable=SC2086 # a command and its argument
        "$work/runtime/bin/java" -XX:TieredStopAtLevel=1 -Xlog:disable -jar "$built/volute.jar" $command
    done >"$work/completion"
    sed -i '1d' "$work/completion"
}

# The files of both packages: $1 is the directory of the program, $2 that of what other programs read.
program() {
    mkdir -p "$1" "$2/man/man1" "$2/bash-completion/completions" "$2/volute/monitoring"
    cp "$root/volute" "$built/volute.jar" "$1/"
    cp -R "$work/lib" "$1/lib"
    cp -R "$work/runtime" "$1/runtime"
    cp "$work"/man/*.1 "$2/man/man1/"
    cp "$work/completion" "$2/bash-completion/completions/volute"
    cp "$root/docker/prometheus/alerts.yml" "$root"/docker/grafana/dashboards/*.json "$2/volute/monitoring/"
}

# Gives all files of the directory $1 the modes and the time of the release.
settle() {
    chmod -R u=rwX,go=rX "$1"
    find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

archive() {
    tree=volute-$version-linux-$architecture
    rm -rf "$work/archive"
    program "$work/archive/$tree" "$work/archive/$tree/share"
    cp "$root/LICENSE" "$root/CHANGELOG.md" "$here/volute.service" "$root/docs/reference/volute.conf" \
        "$work/archive/$tree/"
    settle "$work/archive"
    tar -C "$work/archive" --sort=name --numeric-owner --owner=0 --group=0 -cf - "$tree" \
        | gzip -9n >"$target/$tree.tar.gz"
}

debian() {
    tree=$work/debian
    rm -rf "$tree"
    program "$tree/usr/lib/volute" "$tree/usr/share"
    gzip -9n "$tree"/usr/share/man/man1/*.1
    mkdir -p "$tree/usr/bin" "$tree/usr/share/doc/volute" "$tree/usr/lib/systemd/system" "$tree/etc/volute" "$tree/DEBIAN"
    ln -s ../lib/volute/volute "$tree/usr/bin/volute"
    cp "$here/volute.service" "$tree/usr/lib/systemd/system/"
    cp "$here/deb/volute.conf" "$tree/etc/volute/"
    cp "$root/LICENSE" "$tree/usr/share/doc/volute/copyright"
    gzip -9nc "$root/CHANGELOG.md" >"$tree/usr/share/doc/volute/changelog.gz"
    # Debian's tools take the builder from these variables, too. RFC 2606 reserves the default: no mail goes there.
    maintainer="${DEBFULLNAME:-Volute maintainers} <${DEBEMAIL:-maintainers@volute.invalid}>"
    # A version with "-" would have a revision; "~" sorts what comes before a release before it.
    sed -e "s/@VERSION@/$(printf '%s' "$version" | tr - '~')/" -e "s/@ARCHITECTURE@/$architecture/" \
        -e "s|@MAINTAINER@|$maintainer|" \
        -e "s/@KIB@/$(du -sk --apparent-size "$tree/usr" | cut -f 1)/" "$here/deb/control" >"$tree/DEBIAN/control"
    cp "$here/deb/conffiles" "$here/deb/postinst" "$here/deb/prerm" "$here/deb/postrm" "$tree/DEBIAN/"
    settle "$tree"
    chmod 755 "$tree/DEBIAN/postinst" "$tree/DEBIAN/prerm" "$tree/DEBIAN/postrm"
    dpkg-deb --root-owner-group -Zgzip --build "$tree" "$target/volute_${version}_$architecture.deb" >&2
}

need zip unzip tar gzip dpkg-deb sha256sum
prepare
architecture=$(dpkg --print-architecture)
runtime
libraries "$work/lib"
others=$(needed "$work/runtime" "$work/natives" | grep -vxE "$system" || true)
[ -z "$others" ] || fail "the JDK in $jdk needs libraries of this machine ($(echo $others)): use Temurin"
manual
archive
debian
for bill in "$built"/*-sbom.json; do
    [ ! -r "$bill" ] || cp "$bill" "$target/"
done
(cd "$target" && find . -maxdepth 1 -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | xargs sha256sum >SHA256SUMS)
say "in $target:"
cat "$target/SHA256SUMS" >&2
