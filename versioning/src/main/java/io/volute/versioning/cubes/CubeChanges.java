package io.volute.versioning.cubes;

import io.volute.storage.Cube;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.event.Membership;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates and deletes cubes. The caller runs within {@link CubePhases#changing}.
 *
 * @param root the system cube, which has the list of cubes
 */
record CubeChanges(CubeRegistry cubes, CubeOpening opening, CubePhases phases, Cube root) {
    private static final Logger LOG = LoggerFactory.getLogger(CubeChanges.class);

    /** Creates a cube; refuses as {@link StoreCubes#create} does. */
    CubeSlot create(String name) throws IOException {
        cubes.requireSystem();
        if (!name.matches(StoreCubes.NAME_FORM)) {
            throw CubeRegistry.refused(
                    "a cube has a name of 1 to 63 lower-case letters, digits and hyphens");
        }
        if (cubes.names().contains(name)) {
            throw CubeRegistry.refused("there is a cube " + name);
        }
        if (cubes.slots().size() >= StoreCubes.MOST_CUBES
                || cubes.lastNumber() >= Membership.LAST_NUMBER) {
            throw CubeRegistry.refused("a store has at most " + StoreCubes.MOST_CUBES + " cubes");
        }
        if (opening.files().isElsewhere(name)) {
            throw CubeRegistry.refused(
                    "the cluster has a place for cube "
                            + name
                            + " on another node, though it is not in the list of this store: choose"
                            + " another name");
        }
        if (opening.files().identity(name).isPresent()) {
            throw CubeRegistry.refused(
                    "cubes/"
                            + name
                            + " in the data directory holds a cube that is not in the list of"
                            + " this store: move that directory away, or choose another name");
        }
        opening.files().allowSeveralCubes();
        int number = cubes.lastNumber() + 1;
        Cube cube = opening.files().open(name);
        boolean isListed = false;
        try {
            UUID id = opening.files().identity(name).orElseThrow();
            CubeRow row = new CubeRow(name, id, opening.now(cube), false);
            write(number, row);
            isListed = true;
            CubeSlot slot = new CubeSlot(number, row);
            cubes.add(slot);
            phases.serve(slot, cube);
            cubes.keys().follow(slot);
            LOG.info("cube {} was created, number {}", name, number);
            return slot;
        } finally {
            if (!isListed) {
                cube.close();
                LOG.warn(
                        "cube {} is not in the list: {}",
                        name,
                        opening.files().retire(name, number));
            }
        }
    }

    private void write(int number, CubeRow row) throws IOException {
        Commits.join(root, row.at(number));
    }

    /** Deletes a cube; refuses as {@link StoreCubes#delete} does. */
    String delete(CubeSlot slot) throws IOException {
        cubes.requireSystem();
        phases.settle(slot);
        slot.requireHere();
        long buckets = cubes.buckets().closeForNew(slot);
        if (buckets > 0) {
            throw CubeRegistry.refused(
                    "cube " + slot.name() + " has " + buckets + " buckets: delete them first");
        }
        boolean isDeleted = false;
        try {
            write(slot.number(), slot.row().asDeleted());
            isDeleted = true;
        } finally {
            if (!isDeleted) {
                cubes.buckets().openForNew(slot);
            }
        }
        cubes.remove(slot);
        phases.close(slot, CubeSlot::closed);
        return retire(slot);
    }

    /** Reads the list of cubes and their placements again, which another server changes. */
    boolean readAgain() {
        // Before the list, which has the cubes of all placements then.
        Placements placements = new Placements(root);
        for (CubeSlot each : CubeSlot.all(root)) {
            Optional<CubeSlot> known = cubes.find(each.number());
            if (!each.row().isDeleted() && known.isEmpty()) {
                each.elsewhere();
                cubes.add(each);
            } else if (each.row().isDeleted()
                    && known.filter(slot -> slot.phase() == Phase.ELSEWHERE).isPresent()) {
                cubes.remove(each);
            }
        }
        opening.placements().replace(placements);
        return true;
    }

    /** Takes the directory of a deleted cube out of the store; returns its new path. */
    String retire(CubeSlot slot) throws IOException {
        String aside = opening.files().retire(slot.name(), slot.number());
        LOG.info("cube {} was deleted; its files stay in {}", slot.name(), aside);
        return aside;
    }
}
