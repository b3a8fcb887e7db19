package io.volute.versioning.rows;

import java.time.Instant;

/**
 * A row of {@code actors}: who an actor in the events was.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   varint  time of its first event, milliseconds since 1970
 *   text    principal
 *   text    access key
 *   text    name: of the session, or as the client calls itself, or its address and program
 * </pre>
 */
public record ActorRow(Instant began, String principal, String accessKey, String name) {
    private static final int LAYOUT = 1;

    public byte[] encode() {
        return new RowOutput()
                .octet(LAYOUT)
                .varint(began.toEpochMilli())
                .text(principal)
                .text(accessKey)
                .text(name)
                .toBytes();
    }

    public static ActorRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "actor");
        return new ActorRow(
                Instant.ofEpochMilli(input.varint()), input.text(), input.text(), input.text());
    }
}
