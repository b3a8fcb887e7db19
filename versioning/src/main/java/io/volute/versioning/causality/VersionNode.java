package io.volute.versioning.causality;

import java.util.Comparator;

/**
 * One version of an object or actor: A<sub>i</sub> in the paper.
 *
 * @param id unique among objects and actors
 * @param version 1 at first; each freeze adds 1
 */
public record VersionNode(long id, long version) implements Comparable<VersionNode> {
    private static final Comparator<VersionNode> ORDER =
            Comparator.comparingLong(VersionNode::id).thenComparingLong(VersionNode::version);

    public VersionNode {
        if (version < 1) {
            throw new IllegalArgumentException("version " + version + " of " + id + " is below 1");
        }
    }

    /** Returns the first version of an object or actor. */
    public static VersionNode first(long id) {
        return new VersionNode(id, 1);
    }

    /** Returns the version that a freeze of this one begins. */
    public VersionNode next() {
        return new VersionNode(id, version + 1);
    }

    /** Orders by id, then oldest version first. */
    @Override
    public int compareTo(VersionNode other) {
        return ORDER.compare(this, other);
    }
}
