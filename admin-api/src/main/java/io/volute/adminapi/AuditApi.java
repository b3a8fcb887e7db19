package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Audits, checkpoints, auditors and the fields that are hidden from all others. */
public final class AuditApi {
    private AuditApi() {}

    /**
     * Starts an audit by the server.
     *
     * @param dimension of the spiral; not together with a kind
     * @param requireAlgorithms each entry must be signed with all of them
     * @param acceptSummaries whether summarised chains are complete
     * @param contents whether the bytes of objects are read and compared
     * @param sinceCheckpoint the number of a checkpoint whose chains are trusted
     * @param cube the cube to audit; empty for that of the bucket, or all, which must be on the
     *     node of the store then
     */
    public record AuditRequest(
            Optional<String> bucket,
            Optional<String> prefix,
            Optional<String> key,
            OptionalLong dimension,
            Optional<String> kind,
            Optional<List<String>> requireAlgorithms,
            Optional<Boolean> acceptSummaries,
            Optional<Boolean> contents,
            OptionalLong sinceCheckpoint,
            Optional<String> cube) {}

    /**
     * Asks for the latest audit by the node that has a cube or a bucket, or cancels it; without
     * both, by the node of the store.
     */
    public record AuditChoice(
            @Described("In a cluster: the audit of the node that has the cube")
                    Optional<String> cube,
            @Described("In a cluster: the audit of the node that has the bucket")
                    Optional<String> bucket) {}

    /**
     * The latest audit by the server.
     *
     * @param found null before the first one
     */
    public record Audit(@JsonUnwrapped CheckApi.Run run, @JsonUnwrapped Found found) {
        public Audit {
            found = run.id().isEmpty() ? null : found;
        }
    }

    /**
     * What an audit has found so far.
     *
     * @param chains that were looked at
     * @param chainsTotal about how many there will be, as keys are written meanwhile; 0 before they
     *     are counted
     * @param entries in them
     * @param verified entries whose signatures were verified
     * @param removed entries that the store took out, with an entry about it
     * @param encryptedFields those that auditors alone can read
     * @param readFields those of them that were read
     * @param withheldFields those that entries only commit to
     * @param unprovenVersions versions that no entry can prove
     * @param unopenedVersions encrypted versions that the keyring does not open
     * @param shreddedVersions those of them that a signed shred explains
     * @param unverifiedSources sources of copies whose chains were not there
     * @param rules that were applied because what they need was known
     * @param moreFindings those that are only counted
     * @param notCompared the part of the scope that could not be compared; without findings and
     *     with an empty list, everything was proved
     */
    public record Found(
            long chains,
            long chainsTotal,
            long entries,
            long verified,
            long removed,
            long encryptedFields,
            long readFields,
            long withheldFields,
            long unprovenVersions,
            long unverifiedSources,
            long unopenedVersions,
            long shreddedVersions,
            List<UnsignedPeriod> unsignedPeriods,
            List<String> rules,
            List<Finding> findings,
            long moreFindings,
            List<NotCompared> notCompared) {
        /** Returns the same with further findings before the others. */
        public Found with(List<Finding> further) {
            List<Finding> all = new ArrayList<>(further);
            all.addAll(findings);
            return new Found(
                    chains,
                    chainsTotal,
                    entries,
                    verified,
                    removed,
                    encryptedFields,
                    readFields,
                    withheldFields,
                    unprovenVersions,
                    unverifiedSources,
                    unopenedVersions,
                    shreddedVersions,
                    unsignedPeriods,
                    rules,
                    all,
                    moreFindings,
                    notCompared);
        }

        /** Returns the sum of two audits of different cubes; lists bounded as in one. */
        public Found plus(Found other) {
            List<Finding> all = new ArrayList<>(findings);
            all.addAll(other.findings);
            List<Finding> listed = all.subList(0, Math.min(all.size(), AuditTotals.MOST_FINDINGS));
            return new Found(
                    chains + other.chains,
                    chainsTotal + other.chainsTotal,
                    entries + other.entries,
                    verified + other.verified,
                    removed + other.removed,
                    encryptedFields + other.encryptedFields,
                    readFields + other.readFields,
                    withheldFields + other.withheldFields,
                    unprovenVersions + other.unprovenVersions,
                    unverifiedSources + other.unverifiedSources,
                    unopenedVersions + other.unopenedVersions,
                    shreddedVersions + other.shreddedVersions,
                    union(unsignedPeriods, other.unsignedPeriods),
                    union(rules, other.rules),
                    List.copyOf(listed),
                    moreFindings + other.moreFindings + all.size() - listed.size(),
                    NotCompared.sum(notCompared, other.notCompared));
        }

        private static <T> List<T> union(List<T> one, List<T> other) {
            return Stream.concat(one.stream(), other.stream()).distinct().toList();
        }

        /** Returns the number of findings of all kinds. */
        public long total() {
            return findings.size() + moreFindings;
        }
    }

    /**
     * Evidence that an audit could not compare.
     *
     * @param what a word for its kind
     * @param text what is counted
     */
    public record NotCompared(String what, long count, String text) {
        private static List<NotCompared> sum(List<NotCompared> one, List<NotCompared> other) {
            Map<String, NotCompared> sum = new LinkedHashMap<>();
            Stream.concat(one.stream(), other.stream())
                    .forEach(
                            each ->
                                    sum.merge(
                                            each.what,
                                            each,
                                            (a, b) ->
                                                    new NotCompared(
                                                            a.what, a.count + b.count, a.text)));
            return List.copyOf(sum.values());
        }
    }

    /**
     * A time in which the store did not sign.
     *
     * @param until empty when it goes on
     */
    public record UnsignedPeriod(
            Instant from, long fromCommit, Optional<Instant> until, OptionalLong untilCommit) {}

    /**
     * A broken promise.
     *
     * @param chain its name, or what else it is about
     * @param promise its number in the invariants
     * @param text of the cause
     * @param contradictedBy later entries that do not fit this one
     */
    public record Finding(
            String chain,
            long sequence,
            String promise,
            String cause,
            String text,
            String detail,
            long contradictedBy) {}

    /**
     * Asks for checkpoints of a cube, the newest last.
     *
     * @param cube empty for the system cube
     */
    public record CheckpointsRequest(
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from,
            @Described("Without it, the cube of the bucket, or the system cube")
                    Optional<String> cube) {}

    /**
     * A page of checkpoints.
     *
     * @param refused why no new one can be made
     */
    public record Checkpoints(
            Optional<String> next, List<Checkpoint> checkpoints, Optional<String> refused) {}

    /** A signed statement about the heads of all chains. */
    public record Checkpoint(
            long number,
            Instant time,
            long commitSequence,
            long heads,
            String mapRoot,
            String hash) {}

    /**
     * Asks for a checkpoint as it was signed, or for the heads at its time.
     *
     * @param cube empty for the system cube
     */
    public record CheckpointRequest(
            long number,
            @Described("Without it, the cube of the bucket, or the system cube")
                    Optional<String> cube) {}

    /**
     * Registers an auditor, or ends one.
     *
     * @param publicKey an X25519 key in Base64; empty to end
     */
    public record AuditorRequest(String name, Optional<String> publicKey, boolean end) {}

    /**
     * The auditors, and the fields that are hidden by default.
     *
     * @param needed how many auditors read together
     * @param enough whether there are as many
     */
    public record Auditors(
            List<Auditor> auditors,
            List<String> encrypted,
            List<String> committed,
            long needed,
            boolean enough) {}

    /** An auditor and the time in which fields are encrypted for it, in commit sequences. */
    public record Auditor(
            String name, String keyId, String publicKey, long validFrom, OptionalLong validUntil) {}

    /** Asks for the hidden fields of a bucket. */
    public record HiddenRequest(String bucket) {}

    /**
     * Hides fields of a bucket's entries.
     *
     * @param inherit whether to hide those of the settings; then there are no lists
     */
    public record SetHiddenRequest(
            String bucket,
            Optional<List<String>> encrypt,
            Optional<List<String>> commit,
            Optional<Boolean> inherit) {}

    /** The hidden fields of a bucket; otherwise as {@link Auditors}. */
    public record Hidden(
            String bucket,
            boolean inherited,
            List<String> encrypted,
            List<String> committed,
            long needed,
            boolean enough) {}
}
