package io.volute.benchmarks.micro;

import io.volute.storage.Place;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.FormatException;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Entries of the log to bytes, back, and to another place as the cleaner moves them. */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EntryCoding extends Suite {
    private static final long SEGMENT = 7;
    private static final long OFFSET = 4096;
    private static final int RECORD = 0;

    /** Bytes of an inline body; 0 for a record with its summary instead. */
    @Param({"0", "1024", "16384"})
    private int bodyBytes;

    private final PlaceChecksum checksum = new PlaceChecksum(new UUID(1, 2));
    private LogEntry entry;
    private ByteBuffer encoded;
    private ByteBuffer moved;
    private Place place;

    /** Makes the entry and its bytes. */
    @Setup
    public void make() {
        byte[] body = new byte[bodyBytes];
        new SplittableRandom(1).nextBytes(body);
        entry =
                bodyBytes == RECORD
                        ? new LogEntry.RecordPut(
                                12_345,
                                1,
                                new byte[40],
                                new byte[112],
                                new byte[40],
                                List.of(99L),
                                new LogEntry.Victim(12_000, 5))
                        : new LogEntry.InlineBlob(12_345, 99, ByteBuffer.wrap(body));
        int bytes = EntryCodec.encodedBytes(entry);
        encoded = ByteBuffer.allocateDirect(bytes);
        moved = ByteBuffer.allocateDirect(bytes);
        place = new Place(SEGMENT, OFFSET, bytes);
        encode();
    }

    /** Checksum included. */
    @Benchmark
    public ByteBuffer encode() {
        EntryCodec.encode(entry, encoded.clear(), checksum, SEGMENT, OFFSET);
        return encoded;
    }

    /** Verified. */
    @Benchmark
    public LogEntry decode() throws FormatException {
        return EntryCodec.decode(encoded.flip(), checksum, SEGMENT, OFFSET);
    }

    /** Verified at the old place, with the checksum of the new one; the copy included. */
    @Benchmark
    public LogEntry move() throws FormatException {
        moved.clear().put(encoded.flip()).flip();
        return EntryCodec.move(moved, checksum, place, SEGMENT + 1, OFFSET);
    }
}
