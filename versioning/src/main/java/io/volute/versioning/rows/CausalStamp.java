package io.volute.versioning.rows;

/**
 * The writer of a state and its causal version. All zero in rows from before history was recorded.
 *
 * @param began sequence with which the state's causal version began; 0 for the record's own. Writes
 *     without a freeze change the state of a causal version.
 * @param version the causal version, one more than the previous one. 0 stands for the number of the
 *     version itself, with which a key's first begins, so that it grows even if all earlier states
 *     were removed
 * @param actor id of the writer, 0 for unknown
 * @param actorVersion version of the writer at that time
 */
public record CausalStamp(long began, long version, long actor, long actorVersion) {
    public static final CausalStamp NONE = new CausalStamp(0, 0, 0, 0);

    /** Returns the stamp of a state that begins a causal version. */
    public static CausalStamp first(long version, long actor, long actorVersion) {
        return new CausalStamp(0, version, actor, actorVersion);
    }

    /** Returns the same stamp with another begin; 0 stands for the sequence of the record. */
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
