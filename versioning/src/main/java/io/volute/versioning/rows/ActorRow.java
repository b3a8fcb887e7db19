package io.volute.versioning.rows;

import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import java.time.Instant;
import java.util.Optional;

/**
 * A row of {@code actors}: who an actor in the events was.
 *
 * <pre>
 *   octet   2, the version of this layout
 *   varint  time of its first event, milliseconds since 1970
 *   text    principal
 *   text    access key
 *   text    name
 *   octet   kind of the name: 0 unknown, 1 chosen, 2 session, 3 program, 4 server
 *   text    address
 *   parent  the lasting access key of a session
 * </pre>
 *
 * A parent is a text with the access key, empty for none, and behind one that is not empty a text
 * with its principal. Layout 1 ends behind the name, which includes the address.
 */
public record ActorRow(
        Instant began,
        String principal,
        String accessKey,
        ActorName name,
        Optional<Parent> parent) {
    private static final int LAYOUT = 2;
    private static final int LAYOUT_WITHOUT_PARENT = 1;

    /** Returns the row of an actor that begins now. */
    public static ActorRow of(Caller caller, Instant now) {
        return new ActorRow(
                now, caller.principal(), caller.accessKey(), caller.actor(), caller.parent());
    }

    public byte[] encode() {
        RowOutput output =
                new RowOutput()
                        .octet(LAYOUT)
                        .varint(began.toEpochMilli())
                        .text(principal)
                        .text(accessKey)
                        .text(name.name())
                        .octet(name.kind().ordinal())
                        .text(name.address());
        write(output, parent);
        return output.toBytes();
    }

    static void write(RowOutput output, Optional<Parent> parent) {
        output.text(parent.map(Parent::accessKey).orElse(""));
        parent.ifPresent(key -> output.text(key.principal()));
    }

    public static ActorRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_PARENT, LAYOUT, "actor");
        Instant began = Instant.ofEpochMilli(input.varint());
        String principal = input.text();
        String accessKey = input.text();
        String name = input.text();
        if (layout == LAYOUT_WITHOUT_PARENT) {
            return new ActorRow(began, principal, accessKey, ActorName.of(name), Optional.empty());
        }
        int kind = input.octet();
        if (kind >= ActorName.Kind.values().length) {
            throw new RowFormatException("kind of an actor's name " + kind);
        }
        ActorName whole = new ActorName(ActorName.Kind.values()[kind], name, input.text());
        return new ActorRow(began, principal, accessKey, whole, parent(input));
    }

    static Optional<Parent> parent(RowInput input) {
        String accessKey = input.text();
        return accessKey.isEmpty()
                ? Optional.empty()
                : Optional.of(new Parent(input.text(), accessKey));
    }
}
