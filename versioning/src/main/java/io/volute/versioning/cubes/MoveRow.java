package io.volute.versioning.cubes;

import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.rows.RowInput;
import io.volute.versioning.rows.RowOutput;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.Optional;

/**
 * A row of {@code moves} in the system cube: a bucket, or a range of its keys, on its way to
 * another cube. The key is the name of the bucket.
 *
 * <pre>
 *   octet   layout: 1 for a whole bucket, 2 for a range of its keys
 *   octet   phase: 1 copying, 2 clearing, 3 abandoning
 *   varint  id of the bucket
 *   varint  number of the cube that it leaves
 *   varint  number of the cube that it moves to
 *   varint  began, milliseconds since 1970
 *   text    owner of the bucket
 *   layout 2:
 *   text    first key of the range
 *   text    first key behind the range, empty when there is none
 * </pre>
 */
record MoveRow(
        MovePhase phase,
        long bucketId,
        int source,
        int target,
        Instant began,
        String owner,
        KeyRange range) {
    private static final int LAYOUT = 1;
    private static final int LAYOUT_OF_RANGE = 2;

    public MoveRow in(MovePhase next) {
        return new MoveRow(next, bucketId, source, target, began, owner, range);
    }

    /** Returns whether a cube takes part in the move. */
    public boolean involves(int cube) {
        return source == cube || target == cube;
    }

    /** Returns whether a range of keys moves, not the bucket. */
    public boolean isOfRange() {
        return range.first().isPresent();
    }

    /** Returns the cube whose rows the present phase removes. */
    public int cleared() {
        return phase == MovePhase.CLEARING ? source : target;
    }

    public byte[] encode() {
        RowOutput output =
                new RowOutput()
                        .octet(isOfRange() ? LAYOUT_OF_RANGE : LAYOUT)
                        .octet(phase.ordinal() + 1)
                        .varint(bucketId)
                        .varint(source)
                        .varint(target)
                        .varint(began.toEpochMilli())
                        .text(owner);
        if (isOfRange()) {
            output.text(range.first().get().value())
                    .text(range.end().map(ObjectKey::value).orElse(""));
        }
        return output.toBytes();
    }

    public static MoveRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        int layout = input.octet();
        if (layout != LAYOUT && layout != LAYOUT_OF_RANGE) {
            throw new RowFormatException("move of layout " + layout);
        }
        int phase = input.octet();
        if (phase < 1 || phase > MovePhase.values().length) {
            throw new RowFormatException("phase " + phase + " of a move");
        }
        return new MoveRow(
                MovePhase.values()[phase - 1],
                input.varint(),
                input.size(),
                input.size(),
                Instant.ofEpochMilli(input.varint()),
                input.text(),
                layout == LAYOUT ? KeyRange.ALL : range(input));
    }

    private static KeyRange range(RowInput input) {
        ObjectKey first = new ObjectKey(input.text());
        Optional<ObjectKey> end =
                Optional.of(input.text()).filter(text -> !text.isEmpty()).map(ObjectKey::new);
        return new KeyRange(Optional.of(first), end);
    }
}
