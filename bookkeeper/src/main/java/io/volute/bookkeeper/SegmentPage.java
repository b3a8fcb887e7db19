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
 * id, kind, ledger, size and sealed end.
 *
 * <pre>
 *   u8 version 1, then n x { u64 segment, u8 kind, u64 ledger, u32 bytes, u64 sealed end or -1 }
 * </pre>
 */
final class SegmentPage {
    /** Number of segment ids of one page, so that a node stays far below 1 MiB. */
    static final int IDS = 1024;

    private static final byte VERSION = 1;
    private static final int SEGMENT_BYTES = 8 + 1 + 8 + 4 + 8;

    private SegmentPage() {}

    static byte[] encode(Collection<Listed> segments) {
        ByteBuffer page =
                ByteBuffer.allocate(1 + segments.size() * SEGMENT_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        page.put(VERSION);
        for (Listed each : segments) {
            page.putLong(each.name().number())
                    .put(code(each.name().state().kind().orElseThrow()))
                    .putLong(each.ledgerId())
                    .putInt(Math.toIntExact(each.segmentBytes()))
                    .putLong(each.sealedBytes());
        }
        return page.array();
    }

    static TreeMap<Long, Listed> decode(byte[] bytes, String node) throws IOException {
        ByteBuffer page = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length == 0 || page.get() != VERSION || page.remaining() % SEGMENT_BYTES != 0) {
            throw new IOException(
                    "the node "
                            + node
                            + " in ZooKeeper is no page of a segment list of version "
                            + VERSION
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
                            page.getLong()));
        }
        return segments;
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
