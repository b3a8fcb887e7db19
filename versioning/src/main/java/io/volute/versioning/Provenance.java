package io.volute.versioning;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.versioning.StoreOptions.Confidentiality;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The signed history of a store's keys (docs/format/provenance.md): what auditors are given, and
 * audits by the store itself. Thread-safe.
 */
public interface Provenance {

    /**
     * Whose chains.
     *
     * @param bucket that has or had this name; empty for all buckets
     * @param prefix of the keys; empty for all
     * @param isExact only the key that {@code prefix} is
     */
    record Range(Optional<BucketName> bucket, String prefix, boolean isExact) {
        public static final Range ALL = new Range(Optional.empty(), "", false);

        public static Range ofKey(BucketName bucket, ObjectKey key) {
            return new Range(Optional.of(bucket), key.value(), true);
        }
    }

    /**
     * What of chains is handed on.
     *
     * @param withheld what is left out of their entries
     * @param summary of those that can be summarised; empty: all entries
     */
    record Selection(Withholding withheld, Optional<Summarising> summary) {
        public static final Selection ALL = new Selection(Withholding.NOTHING, Optional.empty());

        public Selection with(Withholding other) {
            return new Selection(other, summary);
        }
    }

    /**
     * Entries go from chains of construction 2, as many as can go so that the order of the others
     * is still provable. The first and last ones of a chain stay, and those that say what the store
     * removed.
     *
     * @param kinds entries of these stay, all of them
     * @param comparedWith what was the last entry when this was made stays
     */
    record Summarising(Set<EventKind> kinds, Optional<Checkpoint> comparedWith) {
        public Summarising {
            kinds = Set.copyOf(kinds);
        }
    }

    /**
     * How an audit is made.
     *
     * @param required signatures that each entry must have; empty: those that it names
     * @param acceptsSummaries entries may have been summarised away, where that is provable
     * @param comparesContents contents that are there are read, hashed and compared
     * @param threads that work on it
     */
    record Terms(
            AuditScopeOf scope,
            Set<SignatureAlgorithm> required,
            boolean acceptsSummaries,
            boolean comparesContents,
            int threads) {
        public Terms {
            required = Set.copyOf(required);
        }

        /** Everything is looked at, contents are not. */
        public static final Terms USUAL =
                new Terms(
                        AuditScopeOf.EVERYTHING,
                        Set.of(),
                        false,
                        false,
                        Runtime.getRuntime().availableProcessors());
    }

    /** What of a chain is looked at. */
    @FunctionalInterface
    interface AuditScopeOf {
        AuditScopeOf EVERYTHING = head -> new AuditScope.Linear();

        /**
         * @param head looks for the sequence of the chain's last entry, if it is needed
         */
        AuditScope of(LongSupplier head);
    }

    /**
     * Which entries are removed.
     *
     * @param before entries that a checkpoint from before this instant covers may go
     * @param rowsMax rows of the index that are looked at, about
     * @param entriesMin of a chain at once: fewer stay, because it takes a new entry to say so
     */
    record Retention(Instant before, long rowsMax, int entriesMin) {
        /** What is worth a new entry. */
        public static final int ENTRIES_MIN = 16;
    }

    /**
     * @param entries that are gone now
     * @param isRoundOver all chains have been looked at since the last time this was so
     */
    record Removed(long entries, boolean isRoundOver) {}

    /** Hears of each chain, from several threads, one after the other. */
    @FunctionalInterface
    interface Reports {
        /** Returns whether to go on. */
        boolean next(AuditReport report) throws IOException;

        /**
         * Takes the settings of the store over time, before any chain. The store's own chain is
         * reported as a chain only when something is wrong with it.
         */
        default void settings(SettingsHistory settings) throws IOException {}

        /**
         * Takes the number of versions that cannot be compared with entries, because nothing was
         * signed when they were made or could change; at the end, when state is compared.
         */
        default void unproven(long versions) throws IOException {}
    }

    /** Takes the entries of a chain, ascending. */
    @FunctionalInterface
    interface Entries {
        /** Returns whether to go on. */
        boolean next(EntryRecord entry) throws IOException;
    }

    /** What of new entries is hidden, in buckets that say nothing themselves. */
    Confidentiality confidentiality();

    /** What was done since start; nothing, where nobody counts. */
    default ProvenanceStats stats() {
        return ProvenanceStats.NONE;
    }

    /** The public keys. */
    KeyList keys();

    /**
     * Registers a principal's own public key: from here on what it signs with it is accepted, and
     * told in entries.
     *
     * @throws StoreException INVALID_ARGUMENT when the key is registered already
     */
    void addPrincipalKey(String principal, PublicKey key) throws IOException;

    /**
     * Ends a principal's key; what it signed before stays good.
     *
     * @throws StoreException INVALID_ARGUMENT when there is no such key of a principal
     */
    void endPrincipalKey(SignerId id) throws IOException;

    /**
     * Registers an auditor: from here on what is encrypted in entries is encrypted for him too.
     *
     * @param key of X25519
     * @throws StoreException INVALID_ARGUMENT when the name is taken, the key was registered
     *     before, or there are as many as there can be
     */
    void addAuditor(String name, PublicKey key) throws IOException;

    /**
     * Ends an auditor: of later entries he can read nothing that is encrypted.
     *
     * @throws StoreException INVALID_ARGUMENT when there is none of that name
     */
    void endAuditor(String name) throws IOException;

    /**
     * Makes a checkpoint of all chains now. Takes the time of a walk over all entries.
     *
     * @param goesOn asked now and then; when not, there is no checkpoint but an IOException
     * @throws CheckpointRefusedException when the chains do not continue the last checkpoint; no
     *     checkpoint is made, and no entry removed, until they do
     */
    Checkpoint checkpoint(BooleanSupplier goesOn) throws IOException;

    /** Why the last attempt to make a checkpoint was refused; empty when it was not. */
    default Optional<String> refusal() {
        return Optional.empty();
    }

    /**
     * Says whether exported checkpoints contradict those of the store; while they do, none is made.
     *
     * @param why they do; empty: they do not
     */
    default void doubtCheckpoints(Optional<String> why) {}

    /**
     * Signs a line of a hash-linked log, with the keys that sign now.
     *
     * @param sequence number of the line
     * @param hash of the line
     */
    LogSeal sealLog(long sequence, Hash hash);

    /** The newest checkpoint; cheap to ask for. Their numbers begin with 0 and have no gaps. */
    Optional<Checkpoint> lastCheckpoint() throws IOException;

    /** Some checkpoints from a number on, ascending. */
    List<Checkpoint> checkpoints(long from, int max) throws IOException;

    /**
     * Writes the heads file of a checkpoint.
     *
     * @param target is flushed, not closed
     * @throws IOException also when the chains are not what they were then; it says how
     */
    void writeHeads(Checkpoint at, OutputStream target) throws IOException;

    /**
     * Verifies all checkpoints, and compares the chains with the newest one: a key that was hidden,
     * or cut off at its end, shows.
     *
     * @param compared number of another checkpoint to compare them with
     * @param goesOn asked now and then; when not, the answer is an IOException
     * @return what is wrong
     */
    List<String> auditCheckpoints(OptionalLong compared, BooleanSupplier goesOn) throws IOException;

    /**
     * Removes the first entries of some chains, of those that come next: entries that a checkpoint
     * covers, that are about no version that is there, and that no new entry will be linked to. A
     * new entry of each such chain says what is gone, and audits count it; the head that the
     * checkpoint vouches for stays. Chains that are being read are left for the next round.
     */
    Removed removeOld(Retention terms) throws IOException;

    /** New keys sign from here on; the old ones are signed out. Waits for writes under way. */
    void rotateKeys() throws IOException;

    /**
     * Whether there is a chain that can be summarised, or none at all.
     *
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    boolean isSummarisable(Range range) throws IOException;

    /**
     * Writes chains as an export, behind the store's own chain, which says what held in their time.
     *
     * @param target is flushed, not closed
     * @return how many
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    long export(Range range, Selection selection, OutputStream target) throws IOException;

    /** As {@link #export(Range, Selection, OutputStream)}, with all that there is. */
    default long export(Range range, OutputStream target) throws IOException {
        return export(range, Selection.ALL, target);
    }

    /**
     * Writes the file that puts back what such an export withholds.
     *
     * @param target is flushed, not closed
     * @return how many openings
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    long openings(Range range, Selection selection, OutputStream target) throws IOException;

    /**
     * Verifies chains.
     *
     * @return how many
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    long audit(Range range, Terms terms, Reports reports) throws IOException;

    /** As {@link #entries(BucketName, ObjectKey, long, Entries)}, from the first one on. */
    default void entries(BucketName bucket, ObjectKey key, Entries entries) throws IOException {
        entries(bucket, key, 0, entries);
    }

    /**
     * Verifies chains that have changed since a checkpoint, from the entry on that was their last
     * one then. That those are the checkpoint's is for {@link #auditCheckpoints} to say.
     *
     * @param terms all entries from there on
     * @return how many
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name;
     *     INVALID_ARGUMENT when entries from before that checkpoint have been removed
     */
    long auditSince(Checkpoint since, Range range, Terms terms, Reports reports) throws IOException;

    /**
     * The entries of one key, of the newest bucket of that name; nothing is verified.
     *
     * @param from sequence of the first one
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    void entries(BucketName bucket, ObjectKey key, long from, Entries entries) throws IOException;
}
