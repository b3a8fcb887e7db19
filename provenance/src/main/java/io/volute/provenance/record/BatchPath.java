package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.List;
import java.util.Optional;

/** The position of a link in its batch tree, and the path to the root (RFC 9162, 2.1.3). */
public record BatchPath(int index, int leaves, List<Hash> siblings) {
    private static final int SIBLINGS_MAX = 20;

    public BatchPath {
        siblings = List.copyOf(siblings);
    }

    /** The root that the link leads to; empty when no tree of that size has such a path. */
    public Optional<Hash> root(Hash link) {
        if (index >= leaves) {
            return Optional.empty();
        }
        int at = index;
        int last = leaves - 1;
        Hash hash = Domain.LEAF.hash(link);
        for (Hash sibling : siblings) {
            if (last == 0) {
                return Optional.empty();
            }
            if ((at & 1) == 1 || at == last) {
                hash = Domain.NODE.hash(sibling, hash);
                while ((at & 1) == 0 && at != 0) {
                    at >>= 1;
                    last >>= 1;
                }
            } else {
                hash = Domain.NODE.hash(hash, sibling);
            }
            at >>= 1;
            last >>= 1;
        }
        return last == 0 ? Optional.of(hash) : Optional.empty();
    }

    void encode(ByteWriter out) {
        out.u32(index).u32(leaves).hashes(siblings);
    }

    static BatchPath decode(ByteReader in) throws RefusedException {
        long index = in.u32("index of the leaf");
        long leaves = in.u32("leaves of the batch");
        if (leaves < 1 || leaves > BatchRecord.LEAVES_MAX || index >= leaves) {
            throw in.refused("leaf " + index + " of " + leaves);
        }
        return new BatchPath((int) index, (int) leaves, in.hashes(SIBLINGS_MAX, "siblings"));
    }
}
