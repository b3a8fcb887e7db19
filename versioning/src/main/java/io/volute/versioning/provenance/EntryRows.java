package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.chain.PendingEntry;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.BatchPath;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Removal;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.body.Origin;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The rows of entries. Thread-safe. */
public final class EntryRows {
    /** The placeholder for the path, which is computed from the batch. */
    private static final BatchPath NO_PATH = new BatchPath(0, 1, List.of());

    private final RecordStore cube;
    private final ChainBegins begins;

    EntryRows(RecordStore cube, ChainBegins begins) {
        this.cube = cube;
        this.begins = begins;
    }

    /** Returns the rows of a cube whose log of entries is not open. */
    public static EntryRows of(RecordStore cube) {
        return new EntryRows(cube, new ChainBegins(cube));
    }

    /**
     * Returns the origin of the content of a version, as the entry that made it has it.
     *
     * @return empty when no entry is kept that made it
     * @throws IOException when its entry cannot be read
     */
    public Optional<Origin> contentOf(long bucketId, ObjectKey key, long version)
            throws IOException {
        Optional<Found> made =
                last(bucketId, key).flatMap(end -> ofVersion(bucketId, key, version, end));
        if (made.isEmpty()) {
            return Optional.empty();
        }
        Entry entry = read(made.get()).entry();
        return Optional.of(
                new Origin(
                        entry.kind(),
                        entry.content(),
                        Optional.ofNullable(entry.details().get(ProvenanceRecorder.PARTS))
                                .map(field -> field.value().text()),
                        Optional.empty()));
    }

    /** An entry whose record is not read yet. */
    public record Found(byte[] key, long sequence, EntryRow row, StoredRecord record) {
        static Found of(byte[] key, StoredRecord record) {
            return new Found(
                    key, RowKeys.lastNumber(key), EntryRow.decode(record.summary()), record);
        }
    }

    /**
     * Adds the row of a new entry to a commit, with its link as a note to be signed.
     *
     * @param version number of the version that it is about, 0 for none
     * @param chain the chain, with the entry
     */
    static void put(
            Transaction transaction,
            long bucketId,
            ObjectKey key,
            long version,
            ChainBuilder chain,
            PendingEntry unsigned) {
        Entry entry = unsigned.entry();
        EntryRow row =
                new EntryRow(
                        entry.placement().shape(),
                        entry.kind(),
                        version,
                        unsigned.link(),
                        chain.tip().ofKind());
        transaction.putNew(
                ENTRIES,
                RowKeys.entry(bucketId, key, entry.sequence()),
                row.encode(),
                unsigned.signed(NO_PATH).encode().toArray(),
                List.of());
        transaction.note(unsigned.link().toArray());
    }

    public Optional<Found> get(long bucketId, ObjectKey key, long sequence) {
        byte[] rowKey = RowKeys.entry(bucketId, key, sequence);
        return cube.get(ENTRIES, rowKey).map(record -> Found.of(rowKey, record));
    }

    /**
     * Returns an entry that must be there.
     *
     * @throws IOException when it is missing
     */
    private Found require(long bucketId, ObjectKey key, long sequence) throws IOException {
        return get(bucketId, key, sequence).orElseThrow(() -> missing(key, sequence));
    }

    private static IOException missing(ObjectKey key, long sequence) {
        return new IOException(
                "entry " + sequence + " is missing in the chain of " + key.value() + ": audit it");
    }

    /**
     * Returns the last entry of a key. Most keys have no or few entries, and lookups of missing
     * rows are cheapest.
     */
    public Optional<Found> last(long bucketId, ObjectKey key) {
        long first = 0;
        Optional<Found> found = get(bucketId, key, first);
        if (found.isEmpty()) {
            first = begins.first(bucketId, key);
            found = first == 0 ? found : get(bucketId, key, first);
        }
        if (found.isEmpty()) {
            return found;
        }
        long low = first;
        long high = first + 1;
        while (get(bucketId, key, high).isPresent()) {
            low = high;
            high = first + 2 * (high - first);
        }
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (get(bucketId, key, middle).isPresent()) {
                low = middle;
            } else {
                high = middle;
            }
        }
        // A gap is possible only by a change of the disk. Include the entries behind it.
        try (RecordCursor cursor =
                cube.scan(
                        ENTRIES,
                        RowKeys.entry(bucketId, key, low),
                        RowKeys.behindPrefix(RowKeys.current(bucketId, key)))) {
            while (cursor.next()) {
                found = Optional.of(Found.of(cursor.key(), cursor.record()));
            }
        }
        return found;
    }

    /** Returns the erasure secrets that the shreds in a chain destroyed. */
    ErasedSecrets erased(long bucketId, ObjectKey key) throws IOException {
        ErasedSecrets erased = new ErasedSecrets();
        Optional<Found> last = last(bucketId, key);
        Optional<Long> at = last.flatMap(each -> purge(each.row()));
        while (at.isPresent()) {
            Optional<Found> found = get(bucketId, key, at.get());
            if (found.isEmpty()) {
                break;
            }
            Entry entry = read(found.get()).entry();
            erased.add(entry);
            OptionalLong before = entry.placement().previousOfKind();
            at = before.isPresent() ? Optional.of(before.getAsLong()) : Optional.empty();
        }
        return erased;
    }

    private static Optional<Long> purge(EntryRow row) {
        return Optional.ofNullable(row.ofKind().get(EventKind.PURGE));
    }

    /**
     * Returns the entry that made a version, searched from the end of the chain. Version numbers
     * ascend along it, except that a restore that removed the version names it once more.
     *
     * @param last last entry of the chain
     */
    Optional<Found> ofVersion(long bucketId, ObjectKey key, long version, Found last) {
        Optional<Found> made = Optional.empty();
        Optional<Found> at = Optional.of(last);
        while (at.isPresent() && !isBefore(at.get().row(), version)) {
            made = makes(at.get().row(), version) ? at : made;
            long sequence = at.get().sequence();
            at = sequence == 0 ? Optional.empty() : get(bucketId, key, sequence - 1);
        }
        return made;
    }

    private static boolean makes(EntryRow row, long version) {
        return row.version() == version && row.kind().setsContent();
    }

    private static boolean isBefore(EntryRow row, long version) {
        return row.version() < version && row.kind().setsContent();
    }

    /**
     * Returns the links of an entry, as {@link io.volute.provenance.chain.OlderLinks} needs them.
     * For a removed entry returns the link of its kind, which is the last one of every shape, in
     * all dimensions: no entry links to it by distance.
     *
     * @throws IOException when it is missing and no summary covers it
     */
    List<Hash> links(long bucketId, ObjectKey key, long sequence) throws IOException {
        Optional<Found> found = get(bucketId, key, sequence);
        if (found.isPresent()) {
            return found.get().row().shape().construction() == Construction.ONE_LINK
                    ? List.of(found.get().row().link())
                    : read(found.get()).links();
        }
        Found last = last(bucketId, key).orElseThrow(() -> missing(key, sequence));
        int dimensions =
                last.row().shape().construction() == Construction.ONE_LINK
                        ? 1
                        : last.row().shape().dimensions();
        return removal(bucketId, key, last).stream()
                .flatMap(each -> each.ofKind().values().stream())
                .filter(each -> each.sequence() == sequence)
                .findFirst()
                .map(each -> Collections.nCopies(dimensions, each.link()))
                .orElseThrow(() -> missing(key, sequence));
    }

    /** Returns the content of a chain's last summary about removed entries. */
    private Optional<Removal> removal(long bucketId, ObjectKey key, Found last) throws IOException {
        Long summary = last.row().ofKind().get(EventKind.SUMMARY);
        return summary == null
                ? Optional.empty()
                : Removal.of(read(require(bucketId, key, summary)).entry());
    }

    EntryRecord read(Found found) throws IOException {
        try {
            return EntryRecord.decode(
                    Bytes.of(cube.readDetail(ENTRIES, found.key(), found.record())));
        } catch (RefusedException e) {
            throw new IOException("an entry that cannot be read: " + e.getMessage(), e);
        }
    }
}
