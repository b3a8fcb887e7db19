package io.volute.provenance.chain;

import io.volute.provenance.format.Hash;
import java.io.IOException;
import java.util.List;

/** Finds links of entries that were written before. */
@FunctionalInterface
public interface OlderLinks {
    /**
     * What later entries are linked to: construction 1: the link; construction 2: those of all
     * dimensions.
     *
     * @throws IOException when it cannot be read; the entry is then not made
     */
    List<Hash> of(long sequence) throws IOException;
}
