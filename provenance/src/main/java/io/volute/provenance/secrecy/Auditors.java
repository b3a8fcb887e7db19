package io.volute.provenance.secrecy;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whoever sets the auditors up: makes all keys, and gives each auditor its own. */
final class Auditors {
    private final AuditorTree tree;
    private final List<NodeKey> keys = new ArrayList<>();

    /**
     * @param height of the tree: room for 2^height auditors, height 0 to 16
     */
    public Auditors(int height, SecureRandom random) {
        if (height < 0 || height > AuditorTree.HEIGHT_MAX) {
            throw new IllegalArgumentException("a height is 0 to 16, not " + height);
        }
        for (int node = 1; node < 1 << height + 1; node++) {
            keys.add(new NodeKey(random));
        }
        tree = new AuditorTree(height, keys.stream().map(NodeKey::open).toList());
    }

    /** Returns the public tree. */
    public AuditorTree tree() {
        return tree;
    }

    /** Returns an auditor with the private keys from its leaf to the root. */
    public Auditor auditor(int number) {
        Map<Integer, NodeKey> own = new HashMap<>();
        tree.way(number).forEach(node -> own.put(node, keys.get(node - 1)));
        return new Auditor(tree, own);
    }
}
