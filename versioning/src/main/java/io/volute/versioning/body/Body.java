package io.volute.versioning.body;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.codec.EncodedRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Where the bytes of an object lie. */
public sealed interface Body {

    /** In a blob, which the object's record refers to. Copies share it. */
    record InBlob(BlobId blob) implements Body {
        @Override
        public List<BlobId> references() {
            return List.of(blob);
        }

        @Override
        public EncodedRow in(EncodedRow row) {
            return row;
        }

        @Override
        public BlobReader open(RecordStore cube) throws IOException {
            return cube.openBlob(blob);
        }
    }

    /** In the object's record: little is copied sooner than referred to. */
    record InRecord(ByteBuffer bytes) implements Body {
        @Override
        public List<BlobId> references() {
            return List.of();
        }

        @Override
        public EncodedRow in(EncodedRow row) {
            return ObjectRow.withBody(row, bytes.duplicate());
        }

        @Override
        public BlobReader open(RecordStore cube) {
            return new RecordBodyReader(bytes);
        }
    }

    /** What the object's record refers to. */
    List<BlobId> references();

    /** The object's row, with whatever of the body belongs there. */
    EncodedRow in(EncodedRow row);

    /** Opens the bytes; to be closed. */
    BlobReader open(RecordStore cube) throws IOException;

    /**
     * Where the body of a new object will lie.
     *
     * @param recordBytesMax longest body that goes into the record
     */
    static Body of(PendingBlob body, int recordBytesMax) {
        Optional<ByteBuffer> small =
                body.bytes() <= recordBytesMax ? body.inMemory() : Optional.empty();
        return small.isPresent() ? new InRecord(small.get()) : new InBlob(body.id());
    }

    /**
     * The body of an object that is stored.
     *
     * @param detail of its record; not looked at unless the row {@link ObjectRow#holdsBody}
     */
    static Body of(ObjectRow row, List<BlobId> references, byte[] detail) {
        if (row.holdsBody()) {
            return new InRecord(row.body(detail));
        }
        return new InBlob(onlyBlob(references));
    }

    /** The one blob that a row of an object or part refers to. */
    static BlobId onlyBlob(List<BlobId> references) {
        if (references.size() != 1) {
            throw new IllegalStateException(
                    "a row of an object or part refers to "
                            + references.size()
                            + " blobs instead of one");
        }
        return references.getFirst();
    }

    /** As above, reading the detail if it is needed; see {@link Details#read}. */
    static Body read(
            RecordStore cube, Family family, byte[] key, StoredRecord record, ObjectRow row)
            throws IOException {
        byte[] detail = row.holdsBody() ? Details.read(cube, family, key, record) : new byte[0];
        return of(row, record.references(), detail);
    }
}
