package io.volute.versioning.cubes;

import io.volute.storage.Cube;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cubes of a store, by number. The system cube is open from the beginning; the others are
 * opened in parallel, each by a thread of its own. Thread-safe.
 */
public final class CubeRegistry implements StoreCubes {
    private static final Logger LOG = LoggerFactory.getLogger(CubeRegistry.class);

    private final Files files;
    private final CubeOpening opening;
    private final CubeSlot system;
    private final Map<Integer, CubeSlot> slots = new ConcurrentSkipListMap<>();
    private final CubedStore store;

    /** Held while the list of cubes or the phase of one changes. */
    private final ReentrantLock changes = new ReentrantLock();

    private final Condition changed = changes.newCondition();
    private Optional<Follower> follower = Optional.empty();
    private int lastNumber;
    private boolean isClosing;

    private CubeRegistry(CubeOpening opening, Cube cube, Placement rule) throws IOException {
        this.files = opening.files();
        this.opening = opening;
        StoreOptions own = opening.options().apply(cube);
        UUID id = files.identity(SYSTEM).orElse(new UUID(0, 0));
        system = new CubeSlot(0, new CubeRow(SYSTEM, id, Instant.EPOCH, false));
        slots.put(0, system);
        Catalog catalog = opening.catalog(0, cube);
        system.opened(new CubeSlot.Open(cube, catalog));
        Placing placing = new Placing(this, rule);
        store = new CubedStore(this, new CubeBuckets(this, opening.placements(), placing, own));
    }

    /**
     * Opens the store in the system cube, and begins to open all other cubes.
     *
     * @param cube the system cube, which stays the caller's
     * @param options options of the store on a cube
     * @throws IOException when the store in the system cube cannot be opened; the message has the
     *     next step
     */
    public static CubeRegistry open(
            Files files, Cube cube, Function<Cube, StoreOptions> options, Placement rule)
            throws IOException {
        CubeOpening opening =
                new CubeOpening(files, options, new Federation(), new Placements(cube), false);
        CubeRegistry registry = new CubeRegistry(opening, cube, rule);
        registry.listOthers(cube);
        registry.store.buckets().moves().tidy(registry.system);
        registry.others().forEach(slot -> registry.inBackground(slot, false));
        return registry;
    }

    /**
     * Opens the store in a system cube that another server owns, and in all other cubes, for
     * reading. It commits nothing.
     */
    public static CubeRegistry read(Files files, Cube cube, Function<Cube, StoreOptions> options)
            throws IOException {
        CubeOpening opening =
                new CubeOpening(files, options, new Federation(), new Placements(cube), true);
        CubeRegistry registry = new CubeRegistry(opening, cube, Placement.DEFAULT);
        registry.listOthers(cube);
        registry.others().forEach(slot -> registry.open(slot, false));
        return registry;
    }

    private void listOthers(Cube cube) throws IOException {
        for (CubeSlot each : CubeSlot.all(cube)) {
            lastNumber = Math.max(lastNumber, each.number());
            if (!each.row().isDeleted()) {
                slots.put(each.number(), each);
            } else if (opening.isLeft(each)) {
                // The process ended between the commit of the deletion and the renaming.
                retire(each.number(), each.row());
            }
        }
    }

    @Override
    public VersionedStore store() {
        return store;
    }

    @Override
    public List<CubeInfo> list() {
        return slots.values().stream().map(this::info).toList();
    }

    private CubeInfo info(CubeSlot slot) {
        return slot.info(store.buckets().count(slot));
    }

    @Override
    public List<Opened> opened() {
        return slots.values().stream().flatMap(slot -> slot.opened().stream()).toList();
    }

    @Override
    public Optional<String> cubeOf(BucketName bucket) {
        return store.buckets().routing().slotOf(bucket).map(CubeSlot::name);
    }

    CubeSlot system() {
        return system;
    }

    boolean hasSeveral() {
        return slots.size() > 1;
    }

    /** Returns all cubes, by number. */
    List<CubeSlot> slots() {
        return List.copyOf(slots.values());
    }

    private List<CubeSlot> others() {
        return slots.values().stream().filter(slot -> slot != system).toList();
    }

    /** Returns a cube by its number; empty after its deletion. */
    Optional<CubeSlot> find(int number) {
        return Optional.ofNullable(slots.get(number));
    }

    /**
     * Returns a cube by its name.
     *
     * @throws StoreException INVALID_ARGUMENT with the names that there are
     */
    CubeSlot require(String name) {
        return slots.values().stream()
                .filter(slot -> slot.name().equals(name))
                .findFirst()
                .orElseThrow(() -> refused("no cube " + name + ": there are " + names()));
    }

    private List<String> names() {
        return slots.values().stream().map(CubeSlot::name).toList();
    }

    static StoreException refused(String why) {
        return new StoreException(Reason.INVALID_ARGUMENT, why);
    }

    @Override
    public CubeInfo create(String name) throws IOException {
        changes.lock();
        try {
            requireOpen();
            if (!name.matches(NAME_FORM)) {
                throw refused(
                        "a cube has a name of 1 to 63 lower-case letters, digits and hyphens");
            }
            if (names().contains(name)) {
                throw refused("there is a cube " + name);
            }
            if (slots.size() >= MOST_CUBES || lastNumber >= Membership.LAST_NUMBER) {
                throw refused("a store has at most " + MOST_CUBES + " cubes");
            }
            if (files.identity(name).isPresent()) {
                throw refused(
                        "cubes/"
                                + name
                                + " in the data directory holds a cube that is not in the list of"
                                + " this store: move that directory away, or choose another name");
            }
            files.allowSeveralCubes();
            int number = lastNumber + 1;
            Cube cube = files.open(name);
            boolean isListed = false;
            try {
                UUID id = files.identity(name).orElseThrow();
                Instant now = opening.now(cube);
                CubeRow row = new CubeRow(name, id, now, false);
                write(number, row);
                isListed = true;
                lastNumber = number;
                CubeSlot slot = new CubeSlot(number, row);
                slots.put(number, slot);
                serve(slot, cube);
                store.keys().copyTo(slot);
                LOG.info("cube {} was created, number {}", name, number);
                return info(slot);
            } finally {
                if (!isListed) {
                    cube.close();
                    LOG.warn("cube {} is not in the list: {}", name, files.retire(name, number));
                }
            }
        } finally {
            changes.unlock();
        }
    }

    private void write(int number, CubeRow row) throws IOException {
        Commits.join(system.open().orElseThrow().cube(), row.at(number));
    }

    @Override
    public Moves moves() {
        return store.buckets().moves();
    }

    @Override
    public String delete(String name) throws IOException {
        changes.lock();
        try {
            requireOpen();
            CubeSlot slot = require(name);
            requireOther(slot);
            while (slot.phase() == Phase.OPENING) {
                changed.awaitUninterruptibly();
            }
            long buckets = store.buckets().closeForNew(slot);
            if (buckets > 0) {
                throw refused("cube " + name + " has " + buckets + " buckets: delete them first");
            }
            boolean isDeleted = false;
            try {
                write(slot.number(), slot.row().asDeleted());
                isDeleted = true;
            } finally {
                if (!isDeleted) {
                    store.buckets().openForNew(slot);
                }
            }
            slots.remove(slot.number());
            close(slot);
            return retire(slot.number(), slot.row());
        } finally {
            changes.unlock();
        }
    }

    private String retire(int number, CubeRow row) throws IOException {
        String aside = files.retire(row.name(), number);
        LOG.info("cube {} was deleted; its files stay in {}", row.name(), aside);
        return aside;
    }

    private void requireOther(CubeSlot slot) {
        if (slot == system) {
            throw refused(
                    SYSTEM
                            + " is the system cube, which has the users and the list of buckets: it"
                            + " is opened and closed with the server");
        }
    }

    @Override
    public CubeInfo reopen(String name, boolean rebuildIndex) throws IOException {
        changes.lock();
        try {
            requireOpen();
            CubeSlot slot = require(name);
            requireOther(slot);
            if (slot.phase() == Phase.OPENING) {
                throw refused("cube " + name + " is being opened already");
            }
            close(slot);
            slot.opening();
            inBackground(slot, rebuildIndex);
            return info(slot);
        } finally {
            changes.unlock();
        }
    }

    private void requireOpen() {
        if (isClosing) {
            throw refused("the server is shutting down");
        }
    }

    private void inBackground(CubeSlot slot, boolean rebuildIndex) {
        Thread started =
                Thread.ofPlatform()
                        .name("open-cube-" + slot.name())
                        .start(() -> open(slot, rebuildIndex));
        LOG.debug("{} begins", started.getName());
    }

    /** Opens a cube. A failure concerns this cube alone. */
    private void open(CubeSlot slot, boolean rebuildIndex) {
        Optional<Cube> cube = Optional.empty();
        String why = "";
        try {
            cube = Optional.of(opening.open(slot, rebuildIndex));
        } catch (IOException | RuntimeException | LinkageError e) {
            why = String.valueOf(e.getMessage());
            opening.failed(slot, e);
        }
        changes.lock();
        try {
            if (cube.isPresent()) {
                serve(slot, cube.get());
                if (!opening.isForReading()) {
                    store.buckets().reconcile(slot);
                }
            } else {
                slot.failed(why);
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("cube {} cannot be used; others serve", slot.name(), e);
            slot.failed(String.valueOf(e.getMessage()));
        } finally {
            changed.signalAll();
            changes.unlock();
        }
    }

    private void serve(CubeSlot slot, Cube cube) throws IOException {
        slot.opened(opening.serve(slot.number(), cube));
        follower.ifPresent(each -> each.opened(slot.opened().orElseThrow()));
    }

    private void close(CubeSlot slot) {
        Optional<CubeSlot.Open> open = slot.open();
        store.buckets().moves().pause(slot);
        if (open.isPresent()) {
            follower.ifPresent(each -> each.closing(slot.opened().orElseThrow()));
        }
        slot.closed();
        open.ifPresent(each -> opening.close(slot.name(), each));
    }

    @Override
    public void follow(Follower follows) {
        changes.lock();
        try {
            follower = Optional.of(follows);
            opened().forEach(follows::opened);
        } finally {
            changes.unlock();
        }
    }

    @Override
    public void awaitOpened(Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        changes.lock();
        try {
            while (isOpening() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            changes.unlock();
        }
    }

    private boolean isOpening() {
        return others().stream().anyMatch(slot -> slot.phase() == Phase.OPENING);
    }

    @Override
    public void close() throws IOException {
        changes.lock();
        try {
            isClosing = true;
            while (isOpening()) {
                // A cube that is being opened has no owner who could close it.
                changed.awaitUninterruptibly();
            }
            others().forEach(this::close);
            store.buckets().moves().pause(system);
            system.open().orElseThrow().catalog().close();
        } finally {
            changes.unlock();
        }
    }
}
