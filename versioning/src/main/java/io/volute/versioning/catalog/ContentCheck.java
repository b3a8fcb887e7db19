package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.PARTS;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.provenance.format.Hash;
import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.Family;
import io.volute.storage.MissingBlobException;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.report.Damage;
import io.volute.versioning.Contents;
import io.volute.versioning.Damages.State;
import io.volute.versioning.Damages.Use;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.bucket.BucketRows;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.provenance.EntryRows;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Reads the contents of a cube that nobody changes, row by row. */
public final class ContentCheck implements Contents {
    private static final List<Family> STATES = List.of(CURRENT, VERSIONS, HISTORY, PARTS);

    private final RecordStore cube;
    private final EntryRows entries;
    private final DamageNames names;
    private long total;
    private long done;
    private long bytes;

    /** Prepares a check of a cube, also of one that is damaged. */
    public ContentCheck(RecordStore cube) {
        this.cube = cube;
        this.entries = EntryRows.of(cube);
        this.names = new DamageNames(cube, BucketRows.namesById(cube));
    }

    private interface Visitor {
        void state(Family family, byte[] key, StoredRecord record) throws IOException;
    }

    private void visit(Visitor visitor) throws IOException {
        for (Family family : STATES) {
            try (RecordCursor rows = cube.scan(family, new byte[0], new byte[0])) {
                while (rows.next()) {
                    visitor.state(family, rows.key(), rows.record());
                }
            }
        }
    }

    @Override
    public void verify(Decryption decryption, Watch watch) throws IOException {
        visit((family, key, record) -> total++);
        visit(
                (family, key, record) -> {
                    Optional<State> state = names.name(new Damage.User(family.id(), key));
                    done++;
                    boolean hasContent =
                            state.filter(each -> each.use() != Use.ROW)
                                    .filter(each -> !isMarker(each, record))
                                    .isPresent();
                    if (hasContent) {
                        Verified verified = verify(state.get(), family, record, decryption);
                        bytes += state.get().bytes();
                        watch.verified(verified, done, total, bytes);
                    }
                });
    }

    private static boolean isMarker(State state, StoredRecord record) {
        return state.use() != Use.UPLOAD_PART && row(state, record).deleteMarker();
    }

    private static ObjectRow row(State state, StoredRecord record) {
        byte[] summary = record.summary();
        return state.use() == Use.HISTORY
                ? HistoryRow.decode(summary).state()
                : ObjectRow.decode(summary);
    }

    private Verified verify(State state, Family family, StoredRecord record, Decryption decryption)
            throws IOException {
        try (BlobReader stored = open(state, family, record)) {
            return verify(state, family, record, stored, decryption);
        } catch (DamagedException | MissingBlobException | RowFormatException e) {
            return new Verified(state, Verdict.DAMAGED, String.valueOf(e.getMessage()));
        } catch (ClosedException e) {
            return new Verified(state, Verdict.UNPROVEN, e.getMessage());
        }
    }

    private BlobReader open(State state, Family family, StoredRecord record) throws IOException {
        return state.use() == Use.UPLOAD_PART
                ? cube.openBlob(Body.onlyBlob(record.references()))
                : Body.read(cube, family, state.user().key(), record, row(state, record))
                        .open(cube);
    }

    private Verified verify(
            State state,
            Family family,
            StoredRecord record,
            BlobReader stored,
            Decryption decryption)
            throws IOException {
        ExpectedContent expected = ExpectedContent.of(entries, state, record, stored.bytes());
        if (expected.isKnown()) {
            return expected.fits(stored)
                    ? new Verified(state, Verdict.SOUND, expected.name())
                    : new Verified(
                            state,
                            Verdict.DAMAGED,
                            "the content is not that of its " + expected.name());
        }
        if (stored.bytes() == state.bytes()) {
            read(stored);
            return new Verified(state, Verdict.SOUND, expected.name());
        }
        // The checksums first, so that damage is found without a key.
        read(stored);
        if (state.use() == Use.UPLOAD_PART) {
            throw new ClosedException("an encrypted part of an upload in progress has no hash");
        }
        List<Long> parts = ObjectReads.parts(stored).stream().map(PartInfo::bytes).toList();
        Optional<BlobReader> content =
                decryption.open(
                        state.bucket(),
                        RowKeys.bucketId(state.user().key()),
                        state.key(),
                        attributes(state, family, record),
                        stored,
                        parts.isEmpty() ? List.of(state.bytes()) : parts);
        if (content.isPresent()) {
            read(content.get());
        }
        return new Verified(
                state, Verdict.SOUND, content.isPresent() ? "decryption" : "checksum; shredded");
    }

    private ObjectAttributes attributes(State state, Family family, StoredRecord record)
            throws IOException {
        ObjectRow row = row(state, record);
        byte[] detail =
                row.needsDetail()
                        ? RecordDetails.read(cube, family, state.user().key(), record)
                        : new byte[0];
        return row.version(new ObjectKey(state.key()), false, "", detail).attributes();
    }

    private static void read(BlobReader reader) throws IOException {
        byte[] unused = ContentHash.digest(reader, 0, reader.bytes(), Hash.sha256());
    }
}
