package io.volute.versioning.rows;

import io.volute.versioning.rows.Event.Copied;
import io.volute.versioning.rows.Event.Kept;
import io.volute.versioning.rows.Event.Read;
import io.volute.versioning.rows.Event.Restored;
import io.volute.versioning.rows.Event.Wrote;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A row of {@code events}: some events, causes before effects. A short row is in the summary. A
 * longer one is in the detail, and its summary is empty.
 *
 * <pre>
 *   octet   the version of this layout: 2 with an event of kind 5, else 1
 *   varint  time of the first, milliseconds since 1970
 *   varint  number of events; of each:
 *     octet   kind: 1 read, 2 wrote, 3 copied, 4 kept, 5 restored;
 *             for wrote 16 x the change is added
 *     varint  milliseconds behind the first, zigzag
 *     read    varint actor, varint actor version, object
 *     wrote   varint actor, varint actor version, object, varint number
 *     copied  object, object
 *     kept    varint bucket id, text key, varint sequence
 *     restored  varint bucket id, text key, varint sequence
 * </pre>
 *
 * An object is varint bucket id, text key, varint causal version.
 */
public final class EventRow {
    /** Maximum size of a row in the summary, in bytes. */
    private static final int SUMMARY_BYTES_MAX = 160;

    private static final int LAYOUT = 1;
    private static final int READ = 1;
    private static final int WROTE = 2;
    private static final int COPIED = 3;
    private static final int KEPT = 4;
    private static final int RESTORED = 5;
    private static final int LAYOUT_WITH_RESTORED = 2;
    private static final int KIND_BITS = 4;

    /** Upper bound of the bytes besides the key: at most six varints, which are mostly short. */
    private static final int NUMBERS_BYTES_MAX = 64;

    private EventRow() {}

    public static EncodedRow encode(List<Event> events) {
        RowOutput output = new RowOutput();
        long first = events.getFirst().at().toEpochMilli();
        boolean isRestored = events.stream().anyMatch(Restored.class::isInstance);
        output.octet(isRestored ? LAYOUT_WITH_RESTORED : LAYOUT);
        output.varint(first).varint(events.size());
        for (Event event : events) {
            long behind = event.at().toEpochMilli() - first;
            output.octet(kind(event)).varint(behind << 1 ^ behind >> Long.SIZE - 1);
            switch (event) {
                case Read read -> {
                    output.varint(read.actor()).varint(read.actorVersion());
                    write(output, read.object());
                }
                case Wrote wrote -> {
                    output.varint(wrote.actor()).varint(wrote.actorVersion());
                    write(output, wrote.object());
                    output.varint(wrote.number());
                }
                case Copied copied -> {
                    write(output, copied.object());
                    write(output, copied.source());
                }
                case Kept kept ->
                        output.varint(kept.bucketId())
                                .text(kept.key().value())
                                .varint(kept.began());
                case Restored restored ->
                        output.varint(restored.bucketId())
                                .text(restored.key().value())
                                .varint(restored.origin());
            }
        }
        byte[] bytes = output.toBytes();
        return bytes.length <= SUMMARY_BYTES_MAX
                ? EncodedRow.of(bytes)
                : new EncodedRow(new byte[0], bytes);
    }

    /** Returns an upper bound of the bytes that an event takes in a row. */
    public static int bytesMax(Event event) {
        return switch (event) {
            case Read read -> bytesMax(read.object().key());
            case Wrote wrote -> bytesMax(wrote.object().key());
            case Copied copied -> bytesMax(copied.object().key()) + bytesMax(copied.source().key());
            case Kept kept -> bytesMax(kept.key());
            case Restored restored -> bytesMax(restored.key());
        };
    }

    private static int bytesMax(ObjectKey key) {
        return NUMBERS_BYTES_MAX + key.utf8().length;
    }

    private static int kind(Event event) {
        return switch (event) {
            case Read read -> READ;
            case Wrote wrote -> WROTE | wrote.change().ordinal() << KIND_BITS;
            case Copied copied -> COPIED;
            case Kept kept -> KEPT;
            case Restored restored -> RESTORED;
        };
    }

    /**
     * Decodes a row.
     *
     * @param bytes the summary, or the detail when the summary is empty
     */
    public static List<Event> decode(byte[] bytes) {
        RowInput input = new RowInput(bytes);
        input.version(LAYOUT, LAYOUT_WITH_RESTORED, "event");
        long first = input.varint();
        int count = input.size();
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int kind = input.octet();
            long zigzag = input.varint();
            Instant at = Instant.ofEpochMilli(first + (zigzag >>> 1 ^ -(zigzag & 1)));
            events.add(
                    switch (kind & (1 << KIND_BITS) - 1) {
                        case READ -> new Read(at, input.varint(), input.varint(), object(input));
                        case WROTE ->
                                new Wrote(
                                        at,
                                        input.varint(),
                                        input.varint(),
                                        change(kind >> KIND_BITS),
                                        object(input),
                                        input.varint());
                        case COPIED -> new Copied(at, object(input), object(input));
                        case KEPT ->
                                new Kept(
                                        at,
                                        input.varint(),
                                        new ObjectKey(input.text()),
                                        input.varint());
                        case RESTORED ->
                                new Restored(
                                        at,
                                        input.varint(),
                                        new ObjectKey(input.text()),
                                        input.varint());
                        default -> throw new RowFormatException("event of kind " + kind);
                    });
        }
        return events;
    }

    private static ChangeKind change(int code) {
        if (code >= ChangeKind.values().length) {
            throw new RowFormatException("change " + code);
        }
        return ChangeKind.values()[code];
    }

    private static void write(RowOutput output, KeyVersion object) {
        output.varint(object.bucketId()).text(object.key().value()).varint(object.version());
    }

    private static KeyVersion object(RowInput input) {
        return new KeyVersion(input.varint(), new ObjectKey(input.text()), input.varint());
    }
}
