package io.volute.versioning.cubes;

import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.rows.codec.RowFormatException;
import io.volute.versioning.rows.codec.RowInput;
import io.volute.versioning.rows.codec.RowOutput;
import java.time.Instant;

/**
 * A row of {@code moves} in the system cube: a bucket on its way to another cube. The key is the
 * name of the bucket.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   octet   phase: 1 copying, 2 clearing, 3 abandoning
 *   varint  id of the bucket
 *   varint  number of the cube that it leaves
 *   varint  number of the cube that it moves to
 *   varint  began, milliseconds since 1970
 *   text    owner of the bucket
 * </pre>
 */
record MoveRow(
        MovePhase phase, long bucketId, int source, int target, Instant began, String owner) {
    private static final int LAYOUT = 1;

    MoveRow in(MovePhase next) {
        return new MoveRow(next, bucketId, source, target, began, owner);
    }

    /** Returns whether a cube takes part in the move. */
    boolean involves(int cube) {
        return source == cube || target == cube;
    }

    byte[] encode() {
        return new RowOutput()
                .octet(LAYOUT)
                .octet(phase.ordinal() + 1)
                .varint(bucketId)
                .varint(source)
                .varint(target)
                .varint(began.toEpochMilli())
                .text(owner)
                .toBytes();
    }

    static MoveRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "move");
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
                input.text());
    }
}
