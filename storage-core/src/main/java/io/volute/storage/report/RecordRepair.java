package io.volute.storage.report;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The damaged stretches of one record and of the blobs that it refers to, and their repair in
 * place. All other records that share the blobs are repaired with it. Nothing but the damaged bytes
 * changes, so neither versions nor history nor signatures do. Used by one thread.
 */
public interface RecordRepair extends AutoCloseable {
    /**
     * A damaged entry or chunk.
     *
     * @param segmentId id of the segment
     * @param file name of the segment's file, without directories
     * @param offset offset in the file in bytes
     * @param bytes length in the file
     * @param contentOffset offset of its content in the content of the record's blob; -1 when it is
     *     the entry of the record, whose content are its last bytes, or has no content
     * @param contentBytes length of that content
     */
    record Stretch(
            long segmentId,
            String file,
            long offset,
            int bytes,
            long contentOffset,
            int contentBytes) {
        /** Returns whether the stretch is the entry of the record, or has no content. */
        public boolean isEntry() {
            return contentOffset < 0;
        }
    }

    /** Returns the damaged stretches, those of the record's entry first. */
    List<Stretch> stretches();

    /**
     * Returns the bytes of a stretch with this content.
     *
     * @param content the content of the stretch; of an entry, its last bytes
     * @throws io.volute.storage.DamagedException when bytes besides the content are damaged, too
     */
    ByteBuffer around(Stretch stretch, ByteBuffer content) throws IOException;

    /** Returns whether these are the bytes of the place of a stretch. Writes nothing. */
    boolean fits(Stretch stretch, ByteBuffer bytes);

    /**
     * Writes the bytes of a stretch in their place, durably.
     *
     * @throws io.volute.storage.DamagedException when these are not the bytes of that place
     */
    void write(Stretch stretch, ByteBuffer bytes) throws IOException;

    /** Ends the hold on the segments. */
    @Override
    void close();
}
