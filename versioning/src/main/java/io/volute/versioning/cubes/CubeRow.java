package io.volute.versioning.cubes;

import static io.volute.versioning.rows.Families.CUBES;

import io.volute.storage.Transaction;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.rows.RowInput;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.RowOutput;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A row of {@code cubes} in the system cube. The key is the number of the cube, in 8 bytes.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   octet   1: the cube was deleted
 *   16      id of the cube, most significant byte first
 *   varint  created, milliseconds since 1970
 *   text    name
 * </pre>
 *
 * @param isDeleted whether the cube was deleted; the row stays, so that no number is used again
 */
record CubeRow(String name, UUID id, Instant created, boolean isDeleted) {
    private static final int LAYOUT = 1;
    private static final int DELETED = 1;

    public byte[] encode() {
        return new RowOutput()
                .octet(LAYOUT)
                .octet(isDeleted ? DELETED : 0)
                .fixed(id.getMostSignificantBits())
                .fixed(id.getLeastSignificantBits())
                .varint(created.toEpochMilli())
                .text(name)
                .toBytes();
    }

    /** Returns the change that writes this row for a number. */
    public Transaction at(int number) {
        return new Transaction()
                .makingRoom()
                .put(CUBES, RowKeys.number(number), encode(), new byte[0], List.of());
    }

    public static CubeRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "cube");
        int flags = input.octet();
        if (flags > DELETED) {
            throw new RowFormatException("cube flags " + flags);
        }
        UUID id = new UUID(input.fixed(), input.fixed());
        Instant created = Instant.ofEpochMilli(input.varint());
        return new CubeRow(input.text(), id, created, flags == DELETED);
    }

    public CubeRow asDeleted() {
        return new CubeRow(name, id, created, true);
    }
}
