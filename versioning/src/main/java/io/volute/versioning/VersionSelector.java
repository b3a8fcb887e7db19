package io.volute.versioning;

/** Which version of a key a request means. */
public sealed interface VersionSelector {
    /** No version named: the newest. */
    record Latest() implements VersionSelector {}

    /** {@code versionId=null}. */
    record NullVersion() implements VersionSelector {}

    /** A version by number. */
    record Numbered(long number) implements VersionSelector {}

    Latest LATEST = new Latest();
    NullVersion NULL = new NullVersion();
}
