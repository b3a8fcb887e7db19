package io.volute.adminapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The plan of what the lifecycle rules of a bucket remove. */
public final class LifecycleApi {
    private LifecycleApi() {}

    /**
     * Asks for what the rules remove.
     *
     * @param at the instant of the plan; empty for now
     * @param max a page may be longer by the versions of one key
     */
    public record LifecycleRequest(
            String bucket,
            @Described("Instant of the plan; without it, the present") Optional<Instant> at,
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    /** The removals, rule by rule and in the order of the keys; a page may be empty. */
    public record Removals(List<Removal> removals, Optional<String> next) {}

    /**
     * A removal.
     *
     * @param rule the id of the rule
     * @param action {@code expire} a current version, {@code remove-version}, {@code remove-marker}
     *     or {@code abort-upload}
     * @param due since when, or when
     * @param versionId as S3's clients see it; empty for uploads
     * @param uploadId empty for versions
     */
    public record Removal(
            @Described("Id of the rule") String rule,
            @Described(oneOf = {"expire", "remove-version", "remove-marker", "abort-upload"})
                    String action,
            String key,
            @Described("Version that is removed") Optional<String> versionId,
            @Described("Upload that is ended") Optional<String> uploadId,
            long bytes,
            Instant due) {}
}
