package io.volute.storage.log.space;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentFileName;
import java.io.IOException;

/** The files of segments that are in a log. Thread-safe. */
public interface SegmentFiles {

    /**
     * Opens the file of a segment. For writing: a head to resume, or any sealed segment to punch.
     */
    StoredFile open(SegmentFileName name, Access access) throws IOException;

    /**
     * Puts back the content of a segment whose file is damaged, if the store has it elsewhere.
     *
     * @return whether a read may find other bytes now
     */
    default boolean restore(SegmentFileName name) throws IOException {
        return false;
    }
}
