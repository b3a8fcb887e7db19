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
            @Described("Without it, all") Optional<String> bucket,
            @Described("Prefix of the keys of the bucket") Optional<String> prefix,
            @Described("One key of the bucket") Optional<String> key,
            @Described(
                            value = "Every 2^d-th entry only, back from the last; not with kind",
                            min = 0,
                            max = 16)
                    OptionalLong dimension,
            @Described(schema = "EventKind") Optional<String> kind,
            @Described(schema = "SignatureAlgorithm") Optional<List<String>> requireAlgorithms,
            @Described(byDefault = "false") Optional<Boolean> acceptSummaries,
            @Described(byDefault = "false") Optional<Boolean> contents,
            @Described(
                            "Only chains that have changed since, from their last"
                                    + " entry then; with neither dimension nor kind")
                    OptionalLong sinceCheckpoint,
            @Described("Without it that of the bucket, or all") Optional<String> cube) {}

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
    public record Audit(
            @JsonUnwrapped CheckApi.Run run,
            @Described(canBeMissing = true) @JsonUnwrapped Found found) {
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
            @Described("Done so far") long chains,
            @Described(
                            "Approximate number of chains, because keys are written; 0"
                                    + " before they are counted")
                    long chainsTotal,
            long entries,
            @Described("Entries looked at, of those") long verified,
            @Described(
                            "Entries that the store removed with a signed record, or"
                                    + " an accepted summary leaves out")
                    long removed,
            @Described("Fields of those entries that auditors alone can read") long encryptedFields,
            @Described(
                            "Encrypted fields that were read with the key of an"
                                    + " auditor; the server has none")
                    long readFields,
            @Described("Fields that entries only commit to") long withheldFields,
            @Described(
                            "Versions, markers and kept states without a signed entry,"
                                    + " in audits that compare state")
                    long unprovenVersions,
            @Described(
                            "Sources of copies and restores that could not be"
                                    + " compared, as their chains are not in the export; the"
                                    + " server compares none")
                    long unverifiedSources,
            @Described("Encrypted versions that the keyring does not open") long unopenedVersions,
            @Described("Unopened versions that a signed shred explains") long shreddedVersions,
            List<UnsignedPeriod> unsignedPeriods,
            @Described(
                            value = "Rules of evidence that could be applied in addition",
                            oneOf = {
                                "removals-follow-settings",
                                "trusted-heads-stay",
                                "keys-of-checkpoint",
                                "nothing-before-checkpoint",
                                "algorithms-of-checkpoint"
                            })
                    List<String> rules,
            List<Finding> findings,
            long moreFindings,
            @Described(
                            "Parts of the scope that the audit could not compare;"
                                    + " without findings and with an empty list, everything was"
                                    + " proved")
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
    public record NotCompared(
            @Described(
                            oneOf = {
                                "unsigned-times",
                                "unsigned-periods",
                                "sources",
                                "metadata",
                                "contents",
                                "removals",
                                "lost-settings"
                            })
                    String what,
            long count,
            @Described("Meaning of the number") String text) {
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
    @Described("A time without signatures, between two signed entries of the store's own chain")
    public record UnsignedPeriod(
            Instant from,
            @Described("The last commit before") long fromCommit,
            @Described("Missing while signatures are off") Optional<Instant> until,
            OptionalLong untilCommit) {}

    /**
     * A broken promise.
     *
     * @param chain its name, or what else it is about
     * @param promise its number in the invariants
     * @param text of the cause
     * @param contradictedBy later entries that do not fit this one
     */
    public record Finding(
            @Described("BUCKET/KEY") String chain,
            @Described("Sequence of the entry, or of the first missing one") long sequence,
            @Described(oneOf = {"I1", "I2", "I3", "I4", "I5", "I6", "I7", "C1", "C2"})
                    String promise,
            @Described("A word for the likely cause") String cause,
            @Described("Meaning of the cause") String text,
            String detail,
            @Described("Later entries that do not fit it") long contradictedBy) {}

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
            @Described("Start of the next page; missing on the last one") Optional<String> next,
            List<Checkpoint> checkpoints,
            @Described("Cause of missing checkpoints: the chains do not continue the last one")
                    Optional<String> refused) {}

    /** A signed statement about the heads of all chains. */
    public record Checkpoint(
            long number,
            Instant time,
            long commitSequence,
            @Described("Chains there were") long heads,
            @Described("32 bytes in hex") String mapRoot,
            @Described("32 bytes in hex") String hash) {}

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
    public record AuditorRequest(
            @Described("1 to 100 letters, digits, spaces and . _ @ -") String name,
            @Described("Key of a new auditor: X25519, 32 bytes in Base64")
                    Optional<String> publicKey,
            @Described("True to end the auditor, who can read no later entry") boolean end) {}

    /**
     * The auditors, and the fields that are hidden by default.
     *
     * @param needed how many auditors read together
     * @param enough whether there are as many
     */
    public record Auditors(
            List<Auditor> auditors,
            @Described(
                            value = "Setting provenance.encrypt, for buckets without their own",
                            schema = "EntryField")
                    List<String> encrypted,
            @Described(
                            value = "Setting provenance.commit, for buckets without their own",
                            schema = "EntryField")
                    List<String> committed,
            @Described("Auditors that must act together to read") long needed,
            @Described(
                            "False if there are too few auditors: fields to encrypt"
                                    + " are then left out")
                    boolean enough) {}

    /** An auditor and the time in which fields are encrypted for it, in commit sequences. */
    public record Auditor(
            String name,
            @Described(schema = "Hash") String keyId,
            @Described("X25519, 32 bytes in Base64") String publicKey,
            @Described("A commit sequence") long validFrom,
            @Described("The first commit sequence at which it is not; missing: open")
                    OptionalLong validUntil) {}

    /** Asks for the hidden fields of a bucket. */
    public record HiddenRequest(String bucket) {}

    /**
     * Hides fields of a bucket's entries.
     *
     * @param inherit whether to hide those of the settings; then there are no lists
     */
    @Described("Inherit, or at least one of the lists; the other one is empty then")
    public record SetHiddenRequest(
            String bucket,
            @Described(schema = "EntryField") Optional<List<String>> encrypt,
            @Described(value = "None of those in encrypt", schema = "EntryField")
                    Optional<List<String>> commit,
            @Described("True to return to the settings") Optional<Boolean> inherit) {}

    /** The hidden fields of a bucket; otherwise as {@link Auditors}. */
    public record Hidden(
            String bucket,
            @Described("The settings provenance.encrypt and provenance.commit hold")
                    boolean inherited,
            @Described(schema = "EntryField") List<String> encrypted,
            @Described(schema = "EntryField") List<String> committed,
            @Described("Auditors that must act together to read") long needed,
            @Described(
                            "False if there are too few auditors: fields to encrypt"
                                    + " are then left out")
                    boolean enough) {}
}
