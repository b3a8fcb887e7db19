package io.volute.versioning.cubes;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.Provenance;
import io.volute.versioning.SharedReads;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.provenance.SystemKeys;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;

/**
 * The cubes of a store, by number. Each of them, the system cube included, is here or on another
 * node. Those that are not placed come and go with the system cube: they are opened in parallel,
 * each by a thread of its own. Thread-safe.
 */
public final class CubeRegistry implements StoreCubes {
    private final Files files;
    private final CubeOpening opening;
    private final CubeSlot system;
    private final Map<Integer, CubeSlot> slots = new ConcurrentSkipListMap<>();
    private final CubePhases phases;
    private final CubeChanges changes;
    private final ViewCatalogs views;

    /** The system cube while it is here, and else the view of it. */
    private final Cube root;

    private final SystemKeys systemKeys;
    private final CubedStore store;
    private int lastNumber;

    private CubeRegistry(CubeOpening opening, Cube cube, Placement rule, Elsewhere owners)
            throws IOException {
        this.files = opening.files();
        this.opening = opening;
        this.root = cube;
        this.phases = new CubePhases(this, opening);
        this.changes = new CubeChanges(this, opening, phases, cube);
        this.views = new ViewCatalogs(files.views(), opening);
        opening.federation().setElsewhere(() -> views.members(phases::elsewhere));
        opening.federation().setMissing(phases::missing);
        StoreOptions own = opening.options().apply(cube);
        systemKeys = new SystemKeys(cube, own.provenance());
        UUID id = files.identity(SYSTEM).orElse(new UUID(0, 0));
        system = new CubeSlot(0, new CubeRow(SYSTEM, id, Instant.EPOCH, false));
        slots.put(0, system);
        system.elsewhere();
        Placements placements = opening.placements();
        store =
                new CubedStore(
                        this,
                        new CubeBuckets(
                                this,
                                placements,
                                new Placing(this, rule),
                                new ForeignBuckets(this, placements, owners),
                                own));
    }

    /**
     * Opens the store in the system cube, and begins to open all other cubes that this server has.
     *
     * @param cube the system cube, which stays the caller's
     * @param options options of the store on a cube
     * @throws IOException when the store in the system cube cannot be opened; the message has the
     *     next step
     */
    public static CubeRegistry open(
            Files files, Cube cube, Function<Cube, StoreOptions> options, Placement rule)
            throws IOException {
        CubeRegistry registry =
                new CubeRegistry(
                        CubeOpening.of(files, options, cube, false), cube, rule, Elsewhere.NOBODY);
        registry.serveSystem(new CubeSlot.Open(cube, registry.opening.catalog(0, cube)));
        return registry;
    }

    /**
     * Opens the store in a system cube that another server owns, and in all other cubes, for
     * reading. It commits nothing.
     */
    public static CubeRegistry read(Files files, Cube cube, Function<Cube, StoreOptions> options)
            throws IOException {
        CubeRegistry registry =
                new CubeRegistry(
                        CubeOpening.of(files, options, cube, true),
                        cube,
                        Placement.DEFAULT,
                        Elsewhere.NOBODY);
        registry.system.opened(new CubeSlot.Open(cube, registry.opening.catalog(0, cube)));
        registry.listOthers();
        registry.others().forEach(slot -> registry.phases.open(slot, false));
        return registry;
    }

    /**
     * Opens no cube: the store has those that it {@linkplain #take takes}.
     *
     * @param cube the system cube while this node has it, and else a view of it
     */
    public static CubeRegistry ofNode(
            Files files,
            Cube cube,
            Function<Cube, StoreOptions> options,
            Placement rule,
            Elsewhere owners)
            throws IOException {
        CubeRegistry registry =
                new CubeRegistry(CubeOpening.of(files, options, cube, false), cube, rule, owners);
        registry.refresh();
        return registry;
    }

    /**
     * Serves the system cube from now on, and begins to open the cubes that no other node has. The
     * caller of a store that serves already runs within {@link CubePhases#changing}.
     */
    void serveSystem(CubeSlot.Open open) throws IOException {
        opening.placements().replace(new Placements(open.cube()));
        phases.serve(system, open);
        listOthers();
        for (CubeSlot slot : others()) {
            if (slot.open().isPresent()) {
                reconcile(slot);
            }
        }
        for (CubeSlot slot : others()) {
            if (slot.phase() == Phase.ELSEWHERE && !files.isElsewhere(slot.name())) {
                slot.opening();
                phases.openLater(slot, false);
            }
        }
    }

    /** Compares a cube that was open before. Its failure concerns it alone. */
    private void reconcile(CubeSlot slot) throws IOException {
        try {
            buckets().reconcile(slot);
        } catch (CubeUnavailableException e) {
            if (!system.isWritable()) {
                throw e;
            }
            opening.failed(slot, e);
        }
    }

    private void listOthers() throws IOException {
        for (CubeSlot each : CubeSlot.all(root)) {
            lastNumber = Math.max(lastNumber, each.number());
            if (!each.row().isDeleted()) {
                each.elsewhere();
                slots.putIfAbsent(each.number(), each);
            } else if (opening.isLeft(each)) {
                // The process ended between the commit of the deletion and the renaming.
                String unused = changes.retire(each);
            }
        }
    }

    @Override
    public void refresh() throws IOException {
        if (system.phase() == Phase.ELSEWHERE) {
            boolean unused = phases.changing(changes::readAgain);
        }
    }

    @Override
    public BucketInfo createHere(
            String cube,
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents)
            throws IOException {
        return buckets().own().create(requireOther(cube), caller, name, locking, documents);
    }

    @Override
    public void deleteHere(String cube, Caller caller, BucketRef bucket) throws IOException {
        buckets().own().delete(requireOther(cube), caller, bucket);
    }

    @Override
    public List<BucketInfo> bucketsHere(String cube) throws IOException {
        return buckets().own().of(requireOther(cube));
    }

    @Override
    public void deletedElsewhere(BucketName bucket) throws IOException {
        buckets().deletedElsewhere(bucket);
    }

    @Override
    public void reconcileElsewhere(String cube) throws IOException {
        buckets().reconcileElsewhere(requireOther(cube));
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
        return buckets().routing().slotOf(bucket).map(CubeSlot::name);
    }

    @Override
    public Optional<String> cubeOf(BucketName bucket, ObjectKey key) {
        CubeRouting routing = buckets().routing();
        return routing.slotOf(bucket).map(home -> routing.home(bucket, key).name());
    }

    CubeBuckets buckets() {
        return store.buckets();
    }

    /** Returns the keys of all cubes. */
    CubedProvenance keys() {
        return store.keys();
    }

    @Override
    public void followKeys(String cube) throws IOException {
        CubeSlot slot = require(cube);
        Optional<Provenance> own = slot.open().flatMap(open -> open.catalog().provenance());
        if (own.isPresent() && slot != system) {
            systemKeys.follow(slot.number(), own.get());
        }
    }

    /** Returns the catalogs over views of cubes that are elsewhere. */
    ViewCatalogs views() {
        return views;
    }

    CubeSlot system() {
        return system;
    }

    /** Returns whether the system cube is here, with the newest list of cubes and placements. */
    boolean hasSystem() {
        return system.phase() == Phase.OPEN;
    }

    /** Returns the system cube, or another open one where that is elsewhere. */
    CubeSlot first() {
        return hasSystem() ? system : listed().stream().findFirst().orElse(system);
    }

    /** Refuses a change of the list of cubes, or of the places of buckets. */
    void requireSystem() {
        if (!hasSystem()) {
            throw refused(
                    "this node has single cubes of the store: the node of cube "
                            + SYSTEM
                            + " does that");
        }
    }

    boolean hasSeveral() {
        return slots.size() > 1;
    }

    /** Returns all cubes, by number. */
    List<CubeSlot> slots() {
        return List.copyOf(slots.values());
    }

    /** Returns the cubes whose buckets listings have: where another server has some, the open. */
    List<CubeSlot> listed() {
        return slots.values().stream()
                .filter(slot -> hasSystem() || slot.open().isPresent())
                .toList();
    }

    /** Returns all cubes but the system cube. */
    List<CubeSlot> others() {
        return slots.values().stream().filter(slot -> slot != system).toList();
    }

    /** Returns the greatest number that a cube of the store had. */
    int lastNumber() {
        return lastNumber;
    }

    /** Adds a new cube. */
    void add(CubeSlot slot) {
        lastNumber = slot.number();
        slots.put(slot.number(), slot);
    }

    /** Removes a deleted cube. */
    void remove(CubeSlot slot) {
        slots.remove(slot.number());
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

    List<String> names() {
        return slots.values().stream().map(CubeSlot::name).toList();
    }

    static StoreException refused(String why) {
        return new StoreException(Reason.INVALID_ARGUMENT, why);
    }

    @Override
    public CubeInfo create(String name) throws IOException {
        return phases.changing(() -> info(changes.create(name)));
    }

    @Override
    public Moves moves() {
        return store.buckets().moves();
    }

    @Override
    public SharedReads reads() {
        return opening.federation().reads();
    }

    @Override
    public String delete(String name) throws IOException {
        return phases.changing(() -> changes.delete(requireOther(name)));
    }

    private CubeSlot requireOther(String name) {
        CubeSlot slot = require(name);
        if (slot == system) {
            throw refused(
                    SYSTEM
                            + " is the system cube, which has the users and the list of buckets: it"
                            + " is opened and closed with the server");
        }
        return slot;
    }

    @Override
    public CubeInfo reopen(String name, boolean rebuildIndex) throws IOException {
        return phases.changing(() -> info(phases.reopen(requireOther(name), rebuildIndex)));
    }

    @Override
    public void take(String cube) throws IOException {
        CubeSlot slot = require(cube);
        if (slot == system) {
            phases.takeSystem();
        } else {
            phases.take(slot);
        }
    }

    @Override
    public void release(String cube) throws IOException {
        CubeSlot slot = require(cube);
        if (slot == system) {
            phases.releaseSystem();
        } else {
            phases.release(slot);
        }
    }

    @Override
    public void follow(Follower follows) {
        phases.follow(follows);
    }

    @Override
    public void awaitOpened(Duration patience) throws InterruptedException {
        phases.awaitOpened(patience);
    }

    @Override
    public void close() throws IOException {
        phases.close();
    }
}
