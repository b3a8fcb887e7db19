package io.volute.versioning.value;

/** The version of a key that a request selects. */
public sealed interface VersionSelector {
    /** The newest version, when the request names none. */
    record Latest() implements VersionSelector {}

    /** The null version, {@code versionId=null}. */
    record NullVersion() implements VersionSelector {}

    /** The version with this number. */
    record Numbered(long number) implements VersionSelector {}

    Latest LATEST = new Latest();
    NullVersion NULL = new NullVersion();
}
