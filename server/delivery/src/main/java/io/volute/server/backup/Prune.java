package io.volute.server.backup;

import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes old snapshots, and packs that no snapshot needs. It may run beside a backup:
 *
 * <ul>
 *   <li>A backup puts its unfinished manifest, and then reads the manifests whose packs it uses
 *       again.
 *   <li>Prune deletes snapshots, and then reads the list of unfinished manifests.
 * </ul>
 *
 * So a backup that began before the deletion is seen here. Prune then keeps all packs, and a later
 * one deletes them. A backup that began after it finds the deleted snapshots no more. Used by one
 * thread.
 */
public final class Prune {
    /**
     * The result of a prune.
     *
     * @param packs number of packs deleted
     * @param isBesideBackup whether packs were kept because of a backup that has not ended
     */
    public record Pruned(List<String> snapshots, long packs, boolean isBesideBackup) {
        public Pruned {
            snapshots = List.copyOf(snapshots);
        }
    }

    private final Repository repository;

    public Prune(Repository repository) {
        this.repository = repository;
    }

    /**
     * Prunes.
     *
     * @param keep number of snapshots to keep, the newest; at least 1
     */
    public Pruned run(int keep) throws IOException {
        if (keep < 1) {
            throw new IllegalArgumentException("a prune keeps at least one snapshot");
        }
        List<String> names = repository.snapshots();
        List<String> old = names.subList(0, Math.max(0, names.size() - keep));
        // Before anything is deleted: an unreadable manifest ends the prune.
        Set<String> needed = new HashSet<>();
        for (String name : names.subList(old.size(), names.size())) {
            repository.snapshot(name).packs().forEach(pack -> needed.add(pack.name()));
        }
        for (String name : old) {
            repository.target().delete(Repository.SNAPSHOTS + name);
        }
        Set<String> packs = new LinkedHashSet<>(repository.target().list(Repository.PACKS));
        List<String> unfinished = repository.unfinished();
        // A backup that ended since has a snapshot now, and its packs may be in the list.
        List<String> added = repository.snapshots();
        for (String name : added) {
            if (!names.contains(name)) {
                Optional<Manifest> manifest = repository.manifest(Repository.SNAPSHOTS, name);
                manifest.ifPresent(each -> each.packs().forEach(pack -> needed.add(pack.name())));
            }
        }
        if (!unfinished.isEmpty()) {
            return new Pruned(old, 0, true);
        }
        packs.removeAll(needed);
        for (String pack : packs) {
            repository.target().delete(pack);
        }
        return new Pruned(old, packs.size(), false);
    }
}
