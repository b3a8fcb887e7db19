package io.volute.versioning;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.audit.Uncompared;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
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
 * The signed history of a store's keys (docs/format/provenance.md): exports for auditors, and
 * audits by the store itself. Thread-safe.
 */
public interface Provenance {

    /**
     * A set of chains.
     *
     * @param bucket present or past name of the bucket; empty for all buckets
     * @param prefix prefix of the keys; empty for all
     * @param isExact whether only the key equal to {@code prefix} is included
     */
    record Range(Optional<BucketName> bucket, String prefix, boolean isExact) {
        public static final Range ALL = new Range(Optional.empty(), "", false);

        public static Range ofKey(BucketName bucket, ObjectKey key) {
            return new Range(Optional.of(bucket), key.value(), true);
        }
    }

    /**
     * The content of an export.
     *
     * @param withheld fields to withhold from the entries
     * @param summary how to summarise chains that allow it; empty for all entries
     * @param since checkpoint; chains without a later entry are left out. Empty for all chains
     */
    record Selection(
            Withholding withheld, Optional<Summarising> summary, Optional<Checkpoint> since) {
        public static final Selection ALL =
                new Selection(Withholding.NOTHING, Optional.empty(), Optional.empty());

        public Selection with(Withholding other) {
            return new Selection(other, summary, since);
        }

        /** Returns the same without chains that did not change since a checkpoint. */
        public Selection since(Checkpoint checkpoint) {
            return new Selection(withheld, summary, Optional.of(checkpoint));
        }
    }

    /**
     * Leaves entries out of chains of construction 2, as many as possible while the order of the
     * others stays provable. The first and last entries of a chain stay, and those that record
     * removals by the store.
     *
     * @param kinds kinds of entries that stay
     * @param comparedWith checkpoint whose last entry of each chain stays
     */
    record Summarising(Set<EventKind> kinds, Optional<Checkpoint> comparedWith) {
        public Summarising {
            kinds = Set.copyOf(kinds);
        }
    }

    /**
     * The terms of an audit.
     *
     * @param required signatures that each entry must have; empty for those that it names
     * @param acceptsSummaries whether provably summarised entries may be missing
     * @param comparesContents whether present contents are read, hashed and compared
     * @param threads number of threads
     * @param openings compares data keys with the keyring; empty to compare none
     */
    record Terms(
            AuditScopeOf scope,
            Set<SignatureAlgorithm> required,
            boolean acceptsSummaries,
            boolean comparesContents,
            int threads,
            Optional<Openings> openings) {
        public Terms {
            required = Set.copyOf(required);
        }

        public Terms(
                AuditScopeOf scope,
                Set<SignatureAlgorithm> required,
                boolean acceptsSummaries,
                boolean comparesContents,
                int threads) {
            this(scope, required, acceptsSummaries, comparesContents, threads, Optional.empty());
        }

        /** The terms of a full audit without contents. */
        public static final Terms USUAL =
                new Terms(
                        AuditScopeOf.EVERYTHING,
                        Set.of(),
                        false,
                        false,
                        Runtime.getRuntime().availableProcessors());
    }

    /** The scope of an audit within a chain. */
    @FunctionalInterface
    interface AuditScopeOf {
        AuditScopeOf EVERYTHING = head -> new AuditScope.Linear();

        /**
         * Returns the scope for a chain.
         *
         * @param head finds the sequence of the chain's last entry on demand
         */
        AuditScope of(LongSupplier head);
    }

    /**
     * The bounds of a removal of entries.
     *
     * @param before instant: entries that an older checkpoint covers may be removed
     * @param rowsMax approximate number of index rows to scan
     * @param entriesMin minimum number of entries to remove from a chain at once, because the
     *     removal costs a new entry
     */
    record Retention(Instant before, long rowsMax, int entriesMin) {
        /** The default of {@code entriesMin}. */
        public static final int ENTRIES_MIN = 16;
    }

    /**
     * The result of a removal.
     *
     * @param entries number of entries removed
     * @param isRoundOver whether all chains have been scanned since the last round
     */
    record Removed(long entries, boolean isRoundOver) {}

    /** Receives the report of each chain. Several threads call it, one at a time. */
    @FunctionalInterface
    interface Reports {
        /** Receives a report; returns whether to continue. */
        boolean next(AuditReport report) throws IOException;

        /**
         * Receives the settings of the store over time, before any chain. The store's own chain is
         * reported as a chain only if it has a defect.
         */
        default void settings(SettingsHistory settings) throws IOException {}

        /**
         * Receives the number of versions without a comparable entry, because nothing was signed
         * when they were made or could change. Called at the end of an audit of state.
         */
        default void unproven(long versions) throws IOException {}

        /**
         * Receives the number of encrypted versions that cannot be opened.
         *
         * @param explained number of those that a signed shred explains
         */
        default void unopened(long versions, long explained) throws IOException {}

        /** Receives that a chain has not changed, so that there is no report of it. */
        default void unchanged() {}

        /** Receives the number of other things that an audit of state could not compare. */
        default void uncompared(Uncompared what, long count) throws IOException {}
    }

    /** Receives the entries of a chain, ascending. */
    @FunctionalInterface
    interface Entries {
        /** Receives an entry; returns whether to continue. */
        boolean next(EntryRecord entry) throws IOException;
    }

    /** Returns the hidden fields of new entries in buckets without a setting of their own. */
    Confidentiality confidentiality();

    /** Returns counters since start; zeros if the implementation has none. */
    default ProvenanceStats stats() {
        return ProvenanceStats.NONE;
    }

    /** Returns the list of public keys. */
    KeyList keys();

    /**
     * Registers a principal's own public key. From now on its signatures are accepted and recorded
     * in entries.
     *
     * @throws StoreException INVALID_ARGUMENT when the key is registered already
     */
    void addPrincipalKey(String principal, PublicKey key) throws IOException;

    /**
     * Ends a principal's key; its earlier signatures stay valid.
     *
     * @throws StoreException INVALID_ARGUMENT when no principal has such a key
     */
    void endPrincipalKey(SignerId id) throws IOException;

    /**
     * Registers an auditor. From now on encrypted fields are readable for this auditor, too.
     *
     * @param key X25519 key
     * @throws StoreException INVALID_ARGUMENT when the name is taken, the key was registered
     *     before, or the maximum number of auditors is reached
     */
    void addAuditor(String name, PublicKey key) throws IOException;

    /**
     * Ends an auditor, who cannot decrypt later entries.
     *
     * @throws StoreException INVALID_ARGUMENT when no auditor has that name
     */
    void endAuditor(String name) throws IOException;

    /**
     * Makes a checkpoint of all chains now. Takes the time of a scan over all entries.
     *
     * @param goesOn called regularly; when it returns false, the call fails with an IOException
     * @throws CheckpointRefusedException when the chains do not continue the last checkpoint; until
     *     they do, no checkpoint is made and no entry removed
     */
    Checkpoint checkpoint(BooleanSupplier goesOn) throws IOException;

    /**
     * Returns the reason of the last refusal to make a checkpoint; empty when the last attempt was
     * not refused.
     */
    default Optional<String> refusal() {
        return Optional.empty();
    }

    /**
     * Reports whether exported checkpoints contradict those of the store. While they do, no
     * checkpoint is made.
     *
     * @param why the contradiction; empty if there is none
     */
    default void doubtCheckpoints(Optional<String> why) {}

    /**
     * Signs a line of a hash-linked log with the present signing keys.
     *
     * @param sequence number of the line
     * @param hash hash of the line
     */
    LogSeal sealLog(long sequence, Hash hash);

    /**
     * Returns the newest checkpoint, from memory. Checkpoint numbers begin with 0 and have no gaps.
     */
    Optional<Checkpoint> lastCheckpoint() throws IOException;

    /**
     * Returns checkpoints from a number on, ascending.
     *
     * @param max maximum number of checkpoints
     */
    List<Checkpoint> checkpoints(long from, int max) throws IOException;

    /**
     * Writes the heads file of a checkpoint.
     *
     * @param target is flushed, not closed
     * @throws IOException also when the chains have changed against the checkpoint; the message has
     *     the difference
     */
    void writeHeads(Checkpoint at, OutputStream target) throws IOException;

    /**
     * Verifies all checkpoints, and compares the chains with the newest one. This detects a hidden
     * key and a truncated chain.
     *
     * @param compared number of another checkpoint to compare with
     * @param goesOn called regularly; when it returns false, the call fails with an IOException
     * @return the defects
     */
    List<String> auditCheckpoints(OptionalLong compared, BooleanSupplier goesOn) throws IOException;

    /**
     * Removes the first entries of some chains: entries that a checkpoint covers, that are about no
     * present version, and that no new entry will link to. A new entry of each such chain records
     * the removal, and audits count it. The head in the checkpoint stays. A later round handles
     * chains that are being read.
     */
    Removed removeOld(Retention terms) throws IOException;

    /** Makes new signing keys and signs the old ones out. Waits for running writes. */
    void rotateKeys() throws IOException;

    /**
     * Returns the signed history of the cube that has the chains of a range.
     *
     * @throws StoreException INVALID_ARGUMENT when the range has chains of several cubes
     */
    default Provenance of(Range range) throws IOException {
        return this;
    }

    /**
     * Returns whether some chain can be summarised, or there is no chain at all.
     *
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    boolean isSummarisable(Range range) throws IOException;

    /**
     * Writes chains as an export. It begins with the store's own chain, which has the settings of
     * that time.
     *
     * @param target is flushed, not closed
     * @return the number of chains
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    long export(Range range, Selection selection, OutputStream target) throws IOException;

    /**
     * Writes chains as {@link #export(Range, Selection, OutputStream)} does, with all entries and
     * fields.
     */
    default long export(Range range, OutputStream target) throws IOException {
        return export(range, Selection.ALL, target);
    }

    /**
     * Writes the file with the openings of the fields that such an export withholds.
     *
     * @param target is flushed, not closed
     * @return the number of openings
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    long openings(Range range, Selection selection, OutputStream target) throws IOException;

    /**
     * Counts the chains of a range, by their rows alone.
     *
     * @param goesOn called regularly; when it returns false, the count ends early
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    long count(Range range, BooleanSupplier goesOn) throws IOException;

    /**
     * Verifies chains.
     *
     * @return the number of chains
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    long audit(Range range, Terms terms, Reports reports) throws IOException;

    /**
     * Passes the entries of one key as {@link #entries(BucketName, ObjectKey, long, Entries)} does,
     * from the first one on.
     */
    default void entries(BucketName bucket, ObjectKey key, Entries entries) throws IOException {
        entries(bucket, key, 0, entries);
    }

    /**
     * Verifies the chains that have changed since a checkpoint, from their last entry of that time
     * on. Use {@link #auditCheckpoints} to verify that these are the entries of the checkpoint.
     *
     * @param terms must have a scope of all entries from there on
     * @return the number of chains
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name;
     *     INVALID_ARGUMENT when entries from before that checkpoint have been removed
     */
    long auditSince(Checkpoint since, Range range, Terms terms, Reports reports) throws IOException;

    /**
     * Passes the entries of one key, of the newest bucket of that name. Verifies nothing.
     *
     * @param from sequence of the first one
     * @throws StoreException NO_SUCH_BUCKET when there never was a bucket of the name
     */
    void entries(BucketName bucket, ObjectKey key, long from, Entries entries) throws IOException;
}
