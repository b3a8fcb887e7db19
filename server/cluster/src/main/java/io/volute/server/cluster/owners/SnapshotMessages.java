package io.volute.server.cluster.owners;

import io.volute.storage.CubeMaintenance.SegmentFile;
import io.volute.storage.report.SpaceReport.Kind;
import java.util.List;

/** The records of calls about snapshots; {@link BucketMessages} encodes them. */
final class SnapshotMessages {
    private SnapshotMessages() {}

    /** A snapshot that is wanted. */
    record Wanted(String cube) {}

    /**
     * A snapshot that the owner holds.
     *
     * @param sequence of the last commit of the cube before it
     */
    record Held(String id, long sequence) {}

    /**
     * A page of files that is wanted.
     *
     * @param from number of the first file
     */
    record Files(String id, int from) {}

    /** A page of files, empty behind the last one. */
    record Page(List<File> files) {}

    /** A file; see {@link SegmentFile}. */
    record File(String name, String kind, long bytes, long finalBytes, long fileBytes) {
        static File of(SegmentFile file) {
            return new File(
                    file.name(),
                    file.kind().name(),
                    file.bytes(),
                    file.finalBytes(),
                    file.fileBytes());
        }

        SegmentFile file() {
            return new SegmentFile(name, Kind.valueOf(kind), bytes, finalBytes, fileBytes);
        }
    }

    /** Bytes of a file that are wanted. */
    record Read(String id, String name, long offset, int length) {}

    /** A snapshot that is still needed. */
    record Hold(String id) {}

    /**
     * A hold that ends.
     *
     * @param name the file; empty for all of the snapshot
     */
    record End(String id, String name) {}
}
