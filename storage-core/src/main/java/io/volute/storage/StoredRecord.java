package io.volute.storage;

import java.util.List;

/**
 * A record as stored in the index.
 *
 * @param sequence log sequence number of the entry that holds it: the commit order
 * @param place place of that entry in the log
 * @param summary the bytes kept in the index (the caller must not change them)
 * @param detailBytes length of the part that lies only in the log; read it with {@link
 *     RecordStore#readDetail}
 * @param references blobs that live as long as this record does
 */
public record StoredRecord(
        long sequence, Place place, byte[] summary, int detailBytes, List<BlobId> references) {
    public StoredRecord {
        references = List.copyOf(references);
    }
}
