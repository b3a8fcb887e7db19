package io.volute.storage.rows;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import java.util.ArrayList;
import java.util.List;

/**
 * The index row of a blob: {@code kind, references, place of its entry, length} and the fields of
 * its kind. Children of a composed blob are in the row as well as in the log entry. So neither a
 * commit nor a replay has to read the log when a composed blob dies.
 *
 * @param references number of live records and live composed blobs that refer to it
 * @param entry the log entry that made the blob
 * @param bytes length of the content
 */
public record BlobRow(long references, Place entry, long bytes, Content content) {
    private static final int INLINE = 0;
    private static final int STREAM = 1;
    private static final int COMPOSED = 2;

    /** The location of the content. */
    public sealed interface Content {}

    /** Content in the entry. */
    public record Inline() implements Content {}

    /** Content in chunks. */
    public record Stream(int chunkBytes, List<Place> extents) implements Content {}

    /**
     * Content in other blobs, each listed once, ascending. The order of the parts is in the entry.
     */
    public record Composed(List<Long> children) implements Content {}

    /** Returns the row of an inline blob with one reference. */
    public static BlobRow sole(LogEntry.InlineBlob blob, Place entry) {
        return new BlobRow(1, entry, blob.content().remaining(), new Inline());
    }

    public byte[] encode() {
        RowWriter row = new RowWriter(32);
        switch (content) {
            case Inline inline -> common(row, INLINE);
            case Stream stream -> {
                common(row, STREAM).number(stream.chunkBytes()).number(stream.extents().size());
                stream.extents().forEach(row::place);
            }
            case Composed composed -> {
                common(row, COMPOSED).number(composed.children().size());
                long before = 0;
                for (long child : composed.children()) {
                    row.number(child - before);
                    before = child;
                }
            }
        }
        return row.toBytes();
    }

    private RowWriter common(RowWriter row, int kind) {
        return row.number(kind).number(references).place(entry).number(bytes);
    }

    public static BlobRow decode(byte[] encoded) {
        RowReader row = new RowReader(encoded);
        int kind = row.smallNumber();
        long references = row.number();
        Place entry = row.place();
        long bytes = row.number();
        return new BlobRow(references, entry, bytes, decodeContent(kind, row));
    }

    private static Content decodeContent(int kind, RowReader row) {
        return switch (kind) {
            case INLINE -> new Inline();
            case STREAM -> {
                int chunkBytes = row.smallNumber();
                int count = row.count();
                List<Place> extents = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    extents.add(row.place());
                }
                yield new Stream(chunkBytes, List.copyOf(extents));
            }
            case COMPOSED -> {
                int count = row.count();
                List<Long> children = new ArrayList<>(count);
                long child = 0;
                for (int i = 0; i < count; i++) {
                    child += row.number();
                    children.add(child);
                }
                yield new Composed(List.copyOf(children));
            }
            default -> throw new BrokenInvariant("unknown kind of blob row: " + kind);
        };
    }

    public BlobRow withReferences(long count) {
        return new BlobRow(count, entry, bytes, content);
    }

    public BlobRow at(Place moved) {
        return new BlobRow(references, moved, bytes, content);
    }

    /** Returns the children of a composed blob; empty for other blobs. */
    public List<Long> children() {
        return content instanceof Composed composed ? composed.children() : List.of();
    }

    /** Returns the extents of a stream blob; empty for other blobs. */
    public List<Place> extents() {
        return content instanceof Stream stream ? stream.extents() : List.of();
    }
}
