package io.volute.testkit.sim;

import io.volute.testkit.sim.EntryChange.Edit;
import io.volute.testkit.sim.SimNode.Directory;
import io.volute.testkit.sim.SimNode.FileNode;
import io.volute.testkit.sim.SimNode.PendingWrite;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Builds one possible disk after a crash now. The source is not changed and shares its pages. */
final class CrashImage {
    private static final double[] KEEP_CHANCES = {0.1, 0.5, 0.9};
    private static final int TORN_ONE_IN = 8;

    private final Namespace source;
    private final PersistencePolicy policy;
    private final SplittableRandom random;
    private final double keepChance;
    private final long cut;
    private final Map<Directory, TreeMap<String, SimNode>> entries = new IdentityHashMap<>();
    private final Map<SimNode, SimNode> copies = new IdentityHashMap<>();

    CrashImage(Namespace source, PersistencePolicy policy, long seed) {
        this.source = source;
        this.policy = policy;
        this.random = new SplittableRandom(seed);
        this.keepChance = KEEP_CHANCES[random.nextInt(KEEP_CHANCES.length)];
        this.cut = chooseCut();
    }

    Directory build() {
        List<EntryChange> dropped = new ArrayList<>();
        for (EntryChange change : source.pending) {
            if (keeps(change) && dropped.stream().noneMatch(change::dependsOn)) {
                change.edits().forEach(this::apply);
            } else {
                dropped.add(change);
            }
        }
        return copy(source.root);
    }

    private long chooseCut() {
        Set<Long> events = new java.util.TreeSet<>();
        source.pending.forEach(change -> events.add(change.event()));
        for (FileNode file : source.files()) {
            file.pending.forEach(write -> events.add(write.event()));
        }
        return events.isEmpty() ? 0 : List.copyOf(events).get(random.nextInt(events.size()));
    }

    private boolean keeps(EntryChange change) {
        return switch (policy) {
            case ALL_LOST, ENTRIES_LOST -> false;
            case ALL_KEPT, GROWN_ZEROS, ENTRIES_ONLY -> true;
            case RANDOM_BLOCKS -> random.nextDouble() < keepChance;
            case PREFIX_KEPT -> change.event() <= cut;
            case LATER_KEPT -> change.event() >= cut;
        };
    }

    private TreeMap<String, SimNode> entriesOf(Directory directory) {
        return entries.computeIfAbsent(directory, key -> new TreeMap<>(key.durable));
    }

    private void apply(Edit edit) {
        if (edit.node().isPresent()) {
            entriesOf(edit.directory()).put(edit.name(), edit.node().orElseThrow());
        } else {
            entriesOf(edit.directory()).remove(edit.name());
        }
    }

    private SimNode copy(SimNode node) {
        SimNode known = copies.get(node);
        if (known != null) {
            return known;
        }
        SimNode made =
                switch (node) {
                    case FileNode file -> FileNode.restored(content(file));
                    case Directory directory -> copy(directory);
                };
        copies.put(node, made);
        return made;
    }

    private Directory copy(Directory directory) {
        Directory made = new Directory();
        entriesOf(directory).forEach((name, node) -> made.durable.put(name, copy(node)));
        made.current.putAll(made.durable);
        return made;
    }

    private FileContent content(FileNode file) {
        FileContent content = file.durable.copy();
        for (PendingWrite write : file.pending) {
            switch (policy) {
                case ALL_LOST, ENTRIES_ONLY -> {}
                case ALL_KEPT, ENTRIES_LOST -> write.applyTo(content);
                case RANDOM_BLOCKS -> keepBlocks(write, content);
                case PREFIX_KEPT -> keepPrefix(write, content);
                case LATER_KEPT -> {
                    if (write.event() >= cut) {
                        write.applyTo(content);
                    }
                }
                case GROWN_ZEROS -> content.growTo(file.current.size());
            }
        }
        return content;
    }

    private void keepPrefix(PendingWrite write, FileContent content) {
        if (write.event() < cut) {
            write.applyTo(content);
        } else if (write.event() == cut) {
            long units = write.length() / unitBytes(write);
            long kept = random.nextLong(units + 1) * unitBytes(write);
            long torn = kept - write.offset() % unitBytes(write);
            write.applyTo(content, 0, Math.max(0, torn));
        }
    }

    /**
     * Returns the size of the unit that a crash loses or keeps as a whole: a sector of data, or a
     * page of a punched hole.
     */
    private static int unitBytes(PendingWrite write) {
        return write.bytes().isPresent() ? FileContent.SECTOR_BYTES : FileContent.PAGE_BYTES;
    }

    private void keepBlocks(PendingWrite write, FileContent content) {
        forEachUnit(
                write.offset(),
                0,
                write.length(),
                FileContent.PAGE_BYTES,
                (from, to) -> {
                    if (random.nextDouble() >= keepChance) {
                        return;
                    }
                    if (write.bytes().isEmpty() || random.nextInt(TORN_ONE_IN) > 0) {
                        write.applyTo(content, from, to);
                    } else {
                        keepSectors(write, content, from, to);
                    }
                });
    }

    private void keepSectors(PendingWrite write, FileContent content, long from, long to) {
        forEachUnit(
                write.offset(),
                from,
                to,
                FileContent.SECTOR_BYTES,
                (sectorFrom, sectorTo) -> {
                    if (random.nextBoolean()) {
                        write.applyTo(content, sectorFrom, sectorTo);
                    }
                });
    }

    /** A part of a write, by index. */
    interface Part {
        void take(long from, long to);
    }

    /** Splits a range of a write at the file's multiples of {@code unitBytes}. */
    static void forEachUnit(long offset, long from, long to, int unitBytes, Part part) {
        long index = from;
        while (index < to) {
            long next = Math.min(to, index + unitBytes - (offset + index) % unitBytes);
            part.take(index, next);
            index = next;
        }
    }
}
