package io.volute.versioning.body;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.ObjectRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** The location of an object's bytes. */
public sealed interface Body {

    /** The bytes are in a blob that the object's record refers to. Copies share it. */
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

    /** The bytes are in the object's record: small bodies are cheaper to copy than to refer to. */
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

    /** Returns the blobs that the object's record refers to. */
    List<BlobId> references();

    /** Returns the object's row with the part of the body that belongs in it. */
    EncodedRow in(EncodedRow row);

    /** Opens the bytes. The caller closes the reader. */
    BlobReader open(RecordStore cube) throws IOException;

    /**
     * Returns the location for the body of a new object.
     *
     * @param recordBytesMax longest body in bytes that goes into the record
     */
    static Body of(PendingBlob body, int recordBytesMax) {
        Optional<ByteBuffer> small =
                body.bytes() <= recordBytesMax ? body.inMemory() : Optional.empty();
        return small.isPresent() ? new InRecord(small.get()) : new InBlob(body.id());
    }

    /**
     * Returns the location of a stored object's body.
     *
     * @param detail detail of its record; ignored unless the row {@link ObjectRow#holdsBody}
     */
    static Body of(ObjectRow row, List<BlobId> references, byte[] detail) {
        if (row.holdsBody()) {
            return new InRecord(row.body(detail));
        }
        return new InBlob(onlyBlob(references));
    }

    /** Returns the only blob that a row of an object or part refers to. */
    static BlobId onlyBlob(List<BlobId> references) {
        if (references.size() != 1) {
            throw new IllegalStateException(
                    "a row of an object or part refers to "
                            + references.size()
                            + " blobs instead of one");
        }
        return references.getFirst();
    }

    /**
     * Returns the location of a stored object's body; reads the detail if it is needed, as {@link
     * RecordDetails#read} does.
     */
    static Body read(
            RecordStore cube, Family family, byte[] key, StoredRecord record, ObjectRow row)
            throws IOException {
        byte[] detail =
                row.holdsBody() ? RecordDetails.read(cube, family, key, record) : new byte[0];
        return of(row, record.references(), detail);
    }
}
