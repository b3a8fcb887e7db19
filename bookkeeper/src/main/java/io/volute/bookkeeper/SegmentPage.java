package io.volute.bookkeeper;

import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.ledger.SegmentList.Listed;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.TreeMap;

/**
 * The bytes of one page of the segment list, little-endian: a version, then for each segment its
 * id, kind, ledger, size and sealed end. Version 2 adds marks. A page without marks has version 1,
 * which earlier releases read.
 *
 * <pre>
 *   u8 version 1, then n x { u64 segment, u8 kind, u64 ledger, u32 bytes, u64 sealed end or -1 }
 *   u8 version 2, then n x { as in version 1, u8 marks }
 * </pre>
 */
final class SegmentPage {
    /** Number of segment ids of one page, so that a node stays far below 1 MiB. */
    public static final int IDS = 1024;

    private static final byte VERSION = 1;
    private static final byte MARKED_VERSION = 2;

    /** The ledger has fewer copies than were wanted. */
    private static final byte UNDER_REPLICATED = 1;

    private static final int SEGMENT_BYTES = 8 + 1 + 8 + 4 + 8;

    private SegmentPage() {}

    /** Encodes a page. */
    public static byte[] encode(Collection<Listed> segments) {
        byte version =
                segments.stream().anyMatch(Listed::isUnderReplicated) ? MARKED_VERSION : VERSION;
        ByteBuffer page =
                ByteBuffer.allocate(1 + segments.size() * segmentBytes(version))
                        .order(ByteOrder.LITTLE_ENDIAN);
        page.put(version);
        for (Listed each : segments) {
            page.putLong(each.name().number())
                    .put(code(each.name().state().kind().orElseThrow()))
                    .putLong(each.ledgerId())
                    .putInt(Math.toIntExact(each.segmentBytes()))
                    .putLong(each.sealedBytes());
            if (version == MARKED_VERSION) {
                page.put(each.isUnderReplicated() ? UNDER_REPLICATED : 0);
            }
        }
        return page.array();
    }

    private static int segmentBytes(byte version) {
        return version == MARKED_VERSION ? SEGMENT_BYTES + 1 : SEGMENT_BYTES;
    }

    /**
     * Returns the segments of a page, by their ids.
     *
     * @param node path of the page, for messages
     * @throws IOException if another release wrote the page, or it is damaged
     */
    public static TreeMap<Long, Listed> decode(byte[] bytes, String node) throws IOException {
        ByteBuffer page = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        byte version = page.hasRemaining() ? page.get() : 0;
        if (version < VERSION
                || version > MARKED_VERSION
                || page.remaining() % segmentBytes(version) != 0) {
            throw new IOException(
                    "the node "
                            + node
                            + " in ZooKeeper is no page of a segment list of version "
                            + VERSION
                            + " or "
                            + MARKED_VERSION
                            + ": start the release that wrote it, or a later one");
        }
        TreeMap<Long, Listed> segments = new TreeMap<>();
        while (page.hasRemaining()) {
            long id = page.getLong();
            Kind kind = kind(page.get(), node);
            segments.put(
                    id,
                    new Listed(
                            SegmentFileName.of(id, kind),
                            page.getLong(),
                            page.getInt(),
                            page.getLong(),
                            version == MARKED_VERSION && isMarked(page.get(), node)));
        }
        return segments;
    }

    private static boolean isMarked(byte marks, String node) throws IOException {
        return switch (marks) {
            case 0 -> false;
            case UNDER_REPLICATED -> true;
            default -> throw new IOException(node + " in ZooKeeper has a segment marked " + marks);
        };
    }

    private static byte code(Kind kind) {
        return switch (kind) {
            case HEAD -> 1;
            case STREAM -> 2;
            case SURVIVOR -> 3;
        };
    }

    private static Kind kind(byte code, String node) throws IOException {
        return switch (code) {
            case 1 -> Kind.HEAD;
            case 2 -> Kind.STREAM;
            case 3 -> Kind.SURVIVOR;
            default -> throw new IOException(node + " in ZooKeeper has a segment of kind " + code);
        };
    }
}
