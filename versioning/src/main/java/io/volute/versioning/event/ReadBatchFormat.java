package io.volute.versioning.event;

import io.volute.versioning.SharedReads;
import io.volute.versioning.causality.ActorKey;
import io.volute.versioning.event.ForeignReads.KeptRead;
import io.volute.versioning.event.ForeignReads.Read;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.rows.RowInput;
import io.volute.versioning.rows.RowOutput;
import io.volute.versioning.value.ObjectKey;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The bytes of reads that go from one owner of cubes to another. They are never stored: nodes of
 * one release exchange them, and refuse another version.
 */
final class ReadBatchFormat {
    private static final int VERSION = 1;

    /** Upper bound of the bytes of the header. */
    private static final int HEADER_BYTES_MAX = 64;

    private ReadBatchFormat() {}

    /**
     * A batch.
     *
     * @param run the process that recorded the reads
     * @param last number of the last read that it covers; the read may be of another owner
     */
    record Batch(UUID run, long last, boolean hasMore, List<KeptRead> reads) {}

    /**
     * Encodes as many reads as a batch can hold.
     *
     * @param last number of the last read of the process
     * @param reads in the order of their numbers
     */
    static byte[] encode(UUID run, long last, Iterable<KeptRead> reads) {
        RowOutput body = new RowOutput();
        long covered = 0;
        boolean hasMore = false;
        for (KeptRead each : reads) {
            byte[] entry = entry(each);
            if (body.length() + entry.length > SharedReads.BATCH_BYTES_MAX - HEADER_BYTES_MAX) {
                hasMore = true;
                break;
            }
            body.varint(entry.length).raw(entry);
            covered = each.number();
        }
        return new RowOutput()
                .octet(VERSION)
                .fixed(run.getMostSignificantBits())
                .fixed(run.getLeastSignificantBits())
                .varint(hasMore ? covered : last)
                .octet(hasMore ? 1 : 0)
                .raw(body.toBytes())
                .toBytes();
    }

    private static byte[] entry(KeptRead kept) {
        Read read = kept.read();
        KeyVersion object = read.object();
        CausalStamp stamp = read.stamp();
        return new RowOutput()
                .varint(kept.number())
                .text(kept.client().accessKey())
                .text(kept.client().name())
                .varint(read.cube())
                .varint(object.bucketId())
                .text(object.key().value())
                .varint(object.version())
                .varint(stamp.began())
                .varint(stamp.version())
                .varint(stamp.actor())
                .varint(stamp.actorVersion())
                .fixed(read.at().getEpochSecond())
                .varint(read.at().getNano())
                .toBytes();
    }

    /**
     * Decodes a batch.
     *
     * @throws IllegalArgumentException when it cannot be decoded
     */
    static Batch decode(byte[] bytes) {
        try {
            RowInput input = new RowInput(bytes);
            input.version(VERSION, "read batch");
            UUID run = new UUID(input.fixed(), input.fixed());
            long last = input.varint();
            boolean hasMore = input.octet() != 0;
            List<KeptRead> reads = new ArrayList<>();
            while (input.position() < bytes.length) {
                reads.add(read(new RowInput(input.raw(input.size()))));
            }
            return new Batch(run, last, hasMore, reads);
        } catch (RowFormatException | DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("damaged read batch: " + e.getMessage(), e);
        }
    }

    private static KeptRead read(RowInput input) {
        long number = input.varint();
        ActorKey client = new ActorKey(input.text(), input.text());
        int cube = input.size();
        KeyVersion object =
                new KeyVersion(input.varint(), new ObjectKey(input.text()), input.varint());
        CausalStamp stamp =
                new CausalStamp(input.varint(), input.varint(), input.varint(), input.varint());
        Instant at = Instant.ofEpochSecond(input.fixed(), input.varint());
        return new KeptRead(number, client, new Read(cube, object, stamp, at), false);
    }
}
