package io.volute.storage.log.migration;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.log.space.SegmentReserve;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.UnderReplication;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store of segments that can be replaced by another one while the log is open. The log above
 * notices a pause of its writes, and nothing else. Thread-safe.
 */
public final class SwitchedSegmentStore implements SegmentStore {
    private static final Logger LOG = LoggerFactory.getLogger(SwitchedSegmentStore.class);

    /** Time that a switch waits for writes under way; afterwards it is tried again. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    static final Comparator<SegmentFileName> BY_ID =
            Comparator.comparingLong(SegmentFileName::number).thenComparing(SegmentFileName::state);

    private final SwitchGate gate = new SwitchGate();
    private final Set<SwitchedFile> files = ConcurrentHashMap.newKeySet();
    private final Set<SegmentFileName> names = new ConcurrentSkipListSet<>(BY_ID);
    private volatile SegmentStore current;
    private volatile LongSupplier usedBytes = () -> 0;
    private volatile ToLongFunction<SpacePriority> leftAlone = priority -> 0;
    private volatile AutoCloseable migration = () -> {};

    /** Creates a store that begins as another one, which it closes. */
    public SwitchedSegmentStore(SegmentStore first) {
        current = first;
    }

    /** Sets the migration, which ends before this store is closed. */
    void migratedBy(AutoCloseable running) {
        migration = running;
    }

    /** Returns the store in force. */
    SegmentStore current() {
        return current;
    }

    /** Returns the names of all segments, by id. */
    List<SegmentFileName> names() {
        return List.copyOf(names);
    }

    /**
     * Returns the segments that nobody writes any more, by id. The newest head is never one of
     * them: the next start may go on with it.
     */
    List<SegmentFileName> sealed() {
        Set<SegmentFileName> some = new TreeSet<>(BY_ID);
        some.addAll(names);
        some.removeAll(writers().keySet());
        names.stream()
                .filter(name -> name.state() == SegmentFileName.State.HEAD)
                .reduce((before, last) -> last)
                .ifPresent(some::remove);
        return List.copyOf(some);
    }

    /** Returns whether a segment is in the log. */
    boolean has(SegmentFileName name) {
        return names.contains(name);
    }

    /** Returns the files that are open for writing, by segment. */
    private Map<SegmentFileName, SwitchedFile> writers() {
        Map<SegmentFileName, SwitchedFile> writers = new TreeMap<>(BY_ID);
        files.stream()
                .filter(SwitchedFile::isWriter)
                .forEach(each -> writers.put(each.name(), each));
        return writers;
    }

    /** The rest of a copy, made while nothing changes. */
    interface Rest {
        /**
         * Copies what is missing and takes the decision.
         *
         * @param ends ends of the segments that are being written
         * @return files of the segments that are being written, in the other store
         */
        Map<SegmentFileName, StoredFile> copy(Map<SegmentFileName, Long> ends) throws IOException;
    }

    /**
     * Replaces the store while nothing changes.
     *
     * @return false when writes under way did not end in time; nothing has changed then
     */
    boolean trySwitch(SegmentStore other, Rest rest) throws IOException, InterruptedException {
        return gate.trySwitch(
                () -> {
                    Map<SegmentFileName, Long> ends = new TreeMap<>(BY_ID);
                    writers().forEach((name, file) -> ends.put(name, file.end()));
                    Map<SegmentFileName, StoredFile> opened = rest.copy(ends);
                    other.useReserve(current.reserve());
                    other.measureUseBy(usedBytes);
                    other.reserveForOthers(leftAlone);
                    current = other;
                    try {
                        switchFiles(opened);
                    } catch (IOException e) {
                        gate.fail(e);
                        throw e;
                    }
                },
                PATIENCE_NANOS);
    }

    /** Lets every open file go on in the store in force. What cannot be opened fails its users. */
    private void switchFiles(Map<SegmentFileName, StoredFile> opened) throws IOException {
        for (SwitchedFile file : files) {
            StoredFile next = file.isWriter() ? opened.remove(file.name()) : null;
            if (next == null) {
                next = current.open(file.name(), file.isWriter() ? Access.READ_WRITE : Access.READ);
            }
            file.switchTo(next);
        }
        for (StoredFile unused : opened.values()) {
            unused.close();
        }
    }

    /** Lets all changes fail; see {@link SwitchGate#fail}. */
    void fail(IOException cause) {
        gate.fail(cause);
    }

    void whileNotSwitching(SwitchGate.Change change) throws IOException {
        gate.run(change);
    }

    void closing(SwitchedFile file) {
        files.remove(file);
    }

    private SwitchedFile opened(SegmentFileName name, boolean isWriter, StoredFile file, long end) {
        SwitchedFile opened = new SwitchedFile(this, name, isWriter, file, end);
        files.add(opened);
        return opened;
    }

    @Override
    public void open() throws IOException {
        current.open();
    }

    @Override
    public List<SegmentFileName> list() throws IOException {
        List<SegmentFileName> listed = current.list();
        names.addAll(listed);
        return listed;
    }

    @Override
    public void measureUseBy(LongSupplier source) {
        usedBytes = source;
        current.measureUseBy(source);
    }

    @Override
    public void startWriting() throws IOException {
        current.startWriting();
    }

    @Override
    public Draft create(Claim claim) throws IOException {
        return created(() -> current.create(claim));
    }

    @Override
    public Draft createCopy(long segmentBytes) throws IOException {
        return created(() -> current.createCopy(segmentBytes));
    }

    private Draft created(SwitchGate.Call<Draft> call) throws IOException {
        gate.draftBegins();
        boolean isCreated = false;
        try {
            Draft draft = new CountedDraft(call.run());
            isCreated = true;
            return draft;
        } finally {
            if (!isCreated) {
                gate.draftEnded();
            }
        }
    }

    /** A draft of the store in force, which stays in force until it ends. */
    private final class CountedDraft implements Draft {
        private final Draft draft;
        private long end;

        CountedDraft(Draft draft) {
            this.draft = draft;
        }

        @Override
        public StoredFile open() throws IOException {
            return new DraftFile(draft.open(), written -> end = Math.max(end, written));
        }

        @Override
        public StoredFile publish(SegmentFileName name) throws IOException {
            try {
                SwitchedFile file = opened(name, true, draft.publish(name), end);
                names.add(name);
                return file;
            } finally {
                gate.draftEnded();
            }
        }

        @Override
        public void putBack() {
            try {
                draft.putBack();
            } finally {
                gate.draftEnded();
            }
        }

        @Override
        public IOException discard(IOException cause) {
            try {
                return draft.discard(cause);
            } finally {
                gate.draftEnded();
            }
        }

        @Override
        public String toString() {
            return draft.toString();
        }
    }

    @Override
    public StoredFile open(SegmentFileName name, Access access) throws IOException {
        return gate.call(
                () -> {
                    StoredFile file = current.open(name, access);
                    return opened(name, access == Access.READ_WRITE, file, file.size());
                });
    }

    @Override
    public void retire(SegmentFileName name) throws IOException {
        whileNotSwitching(
                () -> {
                    names.remove(name);
                    current.retire(name);
                });
    }

    @Override
    public boolean resumesHeads() {
        return current.resumesHeads();
    }

    @Override
    public boolean sharesStreams() {
        return current.sharesStreams();
    }

    @Override
    public OptionalLong recoverHead(SegmentFileName name, IOException failure) throws IOException {
        return gate.call(() -> current.recoverHead(name, failure));
    }

    @Override
    public boolean awaitReturn(int attempts) throws IOException {
        return current.awaitReturn(attempts);
    }

    @Override
    public boolean concernsOneSegment(IOException failure) {
        return current.concernsOneSegment(failure);
    }

    @Override
    public boolean hasSaferPlace(SegmentFileName head) {
        return current.hasSaferPlace(head);
    }

    @Override
    public UnderReplication underReplication() {
        return current.underReplication();
    }

    @Override
    public boolean restore(SegmentFileName name) throws IOException {
        return gate.call(() -> current.restore(name));
    }

    @Override
    public int ready() {
        return current.ready();
    }

    @Override
    public void prepareSoon() {
        current.prepareSoon();
    }

    @Override
    public long available(SpacePriority priority) {
        return current.available(priority);
    }

    @Override
    public SegmentReserve reserve() {
        return current.reserve();
    }

    @Override
    public void useReserve(SegmentReserve other) {
        current.useReserve(other);
    }

    @Override
    public void reserveForOthers(ToLongFunction<SpacePriority> bytes) {
        leftAlone = bytes;
        current.reserveForOthers(bytes);
    }

    /**
     * {@inheritDoc} A log that leaves its list has no owner there. The second check follows the
     * switch.
     */
    @Override
    public void requireOwned() throws IOException {
        gate.requireKnown();
        try {
            current.requireOwned();
        } catch (IOException e) {
            LOG.debug("checks the owner again after a switch", e);
            whileNotSwitching(() -> current.requireOwned());
        }
    }

    @Override
    public boolean isContinued() {
        return current.isContinued();
    }

    @Override
    public String remedy() {
        return current.remedy();
    }

    @Override
    public void close() throws IOException {
        try {
            migration.close();
        } catch (Exception e) {
            LOG.warn("the migration of the log did not end in order", e);
        }
        current.close();
    }
}
