package io.volute.testkit.sim;

import io.volute.testkit.sim.SimNode.Directory;
import java.util.List;
import java.util.Optional;

/**
 * A change of directory entries that no directory force has made durable. Atomic: a rename is one
 * change with two edits.
 *
 * @param event that made it
 */
record EntryChange(long event, List<Edit> edits) {

    /** One name in one directory gets a node or loses it. {@code before} is what was there. */
    record Edit(
            Directory directory, String name, Optional<SimNode> node, Optional<SimNode> before) {}

    boolean touches(Directory directory) {
        return edits.stream().anyMatch(edit -> edit.directory() == directory);
    }

    /**
     * Returns true if the earlier change must be on disk first, because both share a name or a
     * node.
     */
    boolean dependsOn(EntryChange earlier) {
        return edits.stream()
                .anyMatch(mine -> earlier.edits.stream().anyMatch(its -> related(mine, its)));
    }

    private static boolean related(Edit one, Edit other) {
        boolean sameName = one.directory() == other.directory() && one.name().equals(other.name());
        return sameName
                || shares(one.node(), other.node())
                || shares(one.before(), other.node())
                || shares(one.node(), other.before());
    }

    private static boolean shares(Optional<SimNode> one, Optional<SimNode> other) {
        return one.isPresent() && other.isPresent() && one.orElseThrow() == other.orElseThrow();
    }
}
