package io.volute.provenance.anchor;

import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import java.io.IOException;

/** The heads of all chains at one commit, each chain once; the same each time they are read. */
@FunctionalInterface
public interface Heads {
    /** Hands each one to the visitor, in any order. */
    void forEach(Visitor visitor) throws IOException;

    /** Takes heads, one after the other. */
    @FunctionalInterface
    interface Visitor {
        void head(Hash chainId, ChainHead head) throws IOException;
    }
}
