package io.volute.provenance.chain;

import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.BatchPath;
import java.util.ArrayList;
import java.util.List;

/**
 * The Merkle tree over the links of a batch, in the shape of RFC 6962. Level by level: a node
 * without a right neighbour moves up as it is.
 */
public final class BatchTree {
    private final List<List<Hash>> levels = new ArrayList<>();

    /**
     * @throws IllegalArgumentException when there is no link
     */
    public BatchTree(List<Hash> links) {
        if (links.isEmpty()) {
            throw new IllegalArgumentException("a batch has at least one entry");
        }
        List<Hash> level = links.stream().map(Domain.LEAF::hash).toList();
        levels.add(level);
        while (level.size() > 1) {
            List<Hash> above = new ArrayList<>(level.size() / 2 + 1);
            for (int i = 0; i + 1 < level.size(); i += 2) {
                above.add(Domain.NODE.hash(level.get(i), level.get(i + 1)));
            }
            if (level.size() % 2 == 1) {
                above.add(level.getLast());
            }
            level = above;
            levels.add(level);
        }
    }

    public int leaves() {
        return levels.getFirst().size();
    }

    public Hash root() {
        return levels.getLast().getFirst();
    }

    public BatchPath path(int index) {
        List<Hash> siblings = new ArrayList<>();
        int at = index;
        for (List<Hash> level : levels) {
            int sibling = at ^ 1;
            if (sibling < level.size()) {
                siblings.add(level.get(sibling));
            }
            at >>= 1;
        }
        return new BatchPath(index, leaves(), siblings);
    }
}
