package io.volute.versioning.rows;

import io.volute.versioning.rows.codec.RowInput;
import io.volute.versioning.rows.codec.RowOutput;

/**
 * Who wrote a state, in the words of causality. All zero in rows of before there was history.
 *
 * @param began sequence with which the state's causal version began; 0 for that of the record
 *     itself. Writes that freeze nothing change the state of a causal version.
 * @param version the causal version, one more than that before it; 0 for the number of the version
 *     itself, with which a key's first begins: so that it grows even where all states of a key were
 *     removed in between
 * @param actor that wrote the state, 0 for unknown
 * @param actorVersion of the actor at that time
 */
public record CausalStamp(long began, long version, long actor, long actorVersion) {
    public static final CausalStamp NONE = new CausalStamp(0, 0, 0, 0);

    /** A state that begins a causal version. */
    public static CausalStamp first(long version, long actor, long actorVersion) {
        return new CausalStamp(0, version, actor, actorVersion);
    }

    /** The same for a record whose own sequence does not tell when the state began; 0: it does. */
    public CausalStamp withBegan(long sequence) {
        return new CausalStamp(sequence, version, actor, actorVersion);
    }

    void write(RowOutput output) {
        output.varint(began).varint(version).varint(actor).varint(actorVersion);
    }

    static CausalStamp read(RowInput input) {
        return new CausalStamp(input.varint(), input.varint(), input.varint(), input.varint());
    }
}
