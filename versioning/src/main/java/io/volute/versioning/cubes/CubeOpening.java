package io.volute.versioning.cubes;

import io.volute.storage.Cube;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.move.MoveSide;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens and closes the cubes of a store and the catalogs on them. Thread-safe; the caller handles
 * one cube in one thread at a time.
 */
record CubeOpening(
        StoreCubes.Files files,
        Function<Cube, StoreOptions> options,
        Federation federation,
        Placements placements,
        boolean isForReading)
        implements ViewCatalogs.Opening {
    private static final Logger LOG = LoggerFactory.getLogger(CubeOpening.class);

    /** Creates the opening of cubes whose list is in a system cube. */
    static CubeOpening of(
            StoreCubes.Files files,
            Function<Cube, StoreOptions> options,
            Cube system,
            boolean isForReading) {
        RandomGenerator random = options.apply(system).random();
        UUID run = new UUID(random.nextLong(), random.nextLong());
        return new CubeOpening(
                files, options, new Federation(run), new Placements(system), isForReading);
    }

    /**
     * Opens the cube of a slot.
     *
     * @param rebuildIndex whether its index is deleted before
     * @throws IOException when it cannot be opened, is missing, or is the cube of another store
     */
    Cube open(CubeSlot slot, boolean rebuildIndex) throws IOException {
        requireIdentity(slot);
        if (rebuildIndex) {
            files.discardIndex(slot.name());
        }
        return files.open(slot.name());
    }

    /** Logs that a cube cannot be opened. A standby that is not ready yet is no failure. */
    void failed(CubeSlot slot, Throwable why) {
        if (isForReading()) {
            LOG.debug("cube {} cannot be read: {}", slot.name(), why.getMessage());
        } else if (why instanceof IOException) {
            LOG.error(
                    "cube {} is not open, and the others serve: {}. After the repair, run volute"
                            + " cube reopen {}",
                    slot.name(),
                    why.getMessage(),
                    slot.name());
        } else {
            LOG.error("cube {} is not open, and the others serve", slot.name(), why);
        }
    }

    /** Returns the present time of a cube, in whole milliseconds. */
    Instant now(Cube cube) {
        return options.apply(cube).clock().instant().truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns whether the directory of a deleted cube is still in its place. */
    boolean isLeft(CubeSlot deleted) throws IOException {
        return !isForReading()
                && files.identity(deleted.name()).equals(Optional.of(deleted.row().id()));
    }

    private void requireIdentity(CubeSlot slot) throws IOException {
        Optional<UUID> found = files.identity(slot.name());
        if (found.isEmpty() && isForReading()) {
            throw new IOException("its standby is not ready");
        }
        if (found.isEmpty()) {
            throw new IOException(
                    "cubes/"
                            + slot.name()
                            + " is missing in the data directory: put it back from a copy");
        }
        if (!found.get().equals(slot.row().id())) {
            throw new IOException(
                    "cubes/"
                            + slot.name()
                            + " is cube "
                            + found.get()
                            + ", and this store has cube "
                            + slot.row().id()
                            + " there: it is of another store; put the right directory back");
        }
    }

    /** Opens the catalog on a cube, which is closed when that fails. */
    CubeSlot.Open serve(CubeSlot slot, Cube cube) throws IOException {
        boolean serves = false;
        try {
            CubeSlot.Open open = new CubeSlot.Open(cube, catalog(slot.number(), cube));
            serves = true;
            return open;
        } finally {
            if (!serves) {
                try (cube) {
                    LOG.debug("cube {} does not serve", slot.name());
                } finally {
                    files.closed(slot.name());
                }
            }
        }
    }

    @Override
    public Map<BucketName, KeyRange> ranges(int number) {
        return placements.rangesIn(number);
    }

    /** {@inheritDoc} It is no member of the store: the cube has one owner. */
    @Override
    public Catalog open(int number, Cube view, Map<BucketName, KeyRange> ranges)
            throws IOException {
        Catalog catalog = new Catalog(options.apply(view), Membership.ofView(number, federation));
        ranges.forEach(catalog.buckets()::restrict);
        return catalog;
    }

    /** Opens the catalog on a cube. */
    Catalog catalog(int number, Cube cube) throws IOException {
        Catalog catalog = new Catalog(options.apply(cube), new Membership(number, federation));
        boolean serves = false;
        try {
            MoveSide side = catalog.copies().side();
            placements.requireDecided(number);
            // Before a restore resumes or a client reads: rows outside of the ranges are leftovers.
            placements.rangesIn(number).forEach(side.buckets()::restrict);
            if (!isForReading()) {
                catalog.resume();
                BucketMoves.tidy(placements, number, side);
            }
            serves = true;
            return catalog;
        } finally {
            if (!serves) {
                catalog.close();
            }
        }
    }

    /** Closes a catalog, then its cube. Failures are logged: the cube is not used again. */
    void close(String name, CubeSlot.Open open) {
        try (Cube cube = open.cube()) {
            LOG.debug("cube {} is closed in state {}", name, cube.state());
            open.catalog().close();
        } catch (IOException | RuntimeException e) {
            LOG.warn("cube {} was not closed in order", name, e);
        } finally {
            files.closed(name);
        }
    }
}
