package io.volute.storage.log.file;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.FormatException;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.format.SegmentHeader;
import io.volute.storage.format.UnknownVersionException;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.SegmentWalk;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Discovers the log from its segments alone: the newest head holds the newest digest, and the
 * digest lists the segments. It changes nothing, but makes durable what it relies on: after a kill
 * that may have been in the page cache only.
 */
final class LogDiscovery {
    private static final String MISSING = "the segment file is missing";

    private final LogOptions options;
    private final SegmentStore store;
    private final TreeMap<Long, SegmentFileName> byId = new TreeMap<>();
    private final List<SegmentFileName> strays = new ArrayList<>();
    private final List<DamagedException> damages = new ArrayList<>();
    private final List<DiscoveredLog.FoundSegment> found = new ArrayList<>();
    private final Map<Long, Long> firstBatchEnds = new TreeMap<>();
    private Optional<SegmentFileName> newestHead = Optional.empty();
    private Optional<LogEntry.Digest> digest = Optional.empty();
    private long newestEnd = SegmentFormat.PAGE_BYTES;
    private long idHighWater;

    /** Greatest id of a stream segment that an entry of the walked heads names. */
    private long greatestNamed;

    LogDiscovery(LogOptions options, SegmentStore store) {
        this.options = options;
        this.store = store;
    }

    DiscoveredLog discover() throws IOException {
        list();
        if (!byId.isEmpty()) {
            findDigest();
            if (digest.isPresent()) {
                int known = damages.size();
                takeListed(digest.get());
                List<DamagedException> later = takeLater(digest.get());
                // First: a digest in a missing head may have freed those that seem missing.
                damages.addAll(known, later);
            } else {
                for (SegmentFileName name : byId.values()) {
                    take(name, -1);
                }
            }
        }
        long next = byId.isEmpty() ? 1 : Math.max(byId.lastKey(), greatestNamed) + 1;
        next = Math.max(next, digest.map(LogEntry.Digest::nextSegmentId).orElse(1L));
        LogPosition end =
                newestHead
                        .map(name -> new LogPosition(name.number(), newestEnd))
                        .orElse(LogPosition.START);
        return new DiscoveredLog(found, next, end, firstBatchEnds, idHighWater, damages, strays);
    }

    private void list() throws IOException {
        for (SegmentFileName name : store.list()) {
            SegmentFileName other = byId.put(name.number(), name);
            if (other != null) {
                damages.add(
                        new DamagedException(
                                name.toString(),
                                0,
                                other + " has the same segment id; one is foreign"));
            }
        }
    }

    /** Finds the digest in the newest head, or, when it is damaged there, in the head before. */
    private void findDigest() throws IOException {
        for (SegmentFileName name : byId.descendingMap().values()) {
            if (name.state() != SegmentFileName.State.HEAD) {
                continue;
            }
            boolean newest = newestHead.isEmpty();
            if (newest) {
                newestHead = Optional.of(name);
            }
            scanHead(name, newest);
            if (digest.isPresent()) {
                return;
            }
            damages.add(
                    new DamagedException(
                            name.toString(),
                            SegmentFormat.PAGE_BYTES,
                            "a head begins with a log digest; this one holds none"));
        }
        if (newestHead.isEmpty()) {
            damages.add(
                    new DamagedException(
                            byId.lastEntry().getValue().toString(),
                            0,
                            "there are segments, but no head segment: the newest are missing"));
        }
    }

    private void scanHead(SegmentFileName name, boolean newest) throws IOException {
        boolean isResumed = newest && store.resumesHeads();
        Access scanned = isResumed ? Access.READ_WRITE : Access.READ;
        try (StoredFile file = store.open(name, scanned)) {
            SegmentWalk.Target target =
                    new SegmentWalk.Target(
                            name.number(),
                            name.toString(),
                            file,
                            file.size(),
                            SegmentWalk.Ending.OPEN);
            SegmentWalk walk = new SegmentWalk(options.cubeId(), file);
            SegmentWalk.Walked walked =
                    walk.walk(target, SegmentFormat.PAGE_BYTES, new DigestSink());
            if (isResumed) {
                writeAgain(file, walked.last(), walked.end());
            }
            if (newest) {
                newestEnd = walked.end();
            }
        }
    }

    /**
     * Writes a range again: the one batch that need not be durable. To force the file is not
     * enough. After a failed force the pages are marked clean without having reached the disk, and
     * a later force passes them by (Rebello et al., "Can Applications Recover from fsync
     * Failures?", ATC 2020).
     */
    private static void writeAgain(StoredFile file, long from, long to) throws IOException {
        ByteBuffer batch = ByteBuffer.allocateDirect((int) (to - from));
        if (batch.hasRemaining()) {
            file.read(batch, from);
            file.write(batch.flip(), from, WriteCause.CHECKPOINT);
        }
        file.force();
    }

    /** Keeps the last digest. The replay walks here again and reports damage. */
    private final class DigestSink implements SegmentWalk.Sink {
        @Override
        public void batch(SegmentLog.LoggedBatch batch) {
            idHighWater = Math.max(idHighWater, batch.idHighWater());
            for (SegmentLog.LoggedEntry logged : batch.entries()) {
                if (logged.entry() instanceof LogEntry.Digest last) {
                    digest = Optional.of(last);
                }
                if (logged.entry() instanceof LogEntry.StreamBlob blob) {
                    for (Place extent : blob.extents()) {
                        greatestNamed = Math.max(greatestNamed, extent.segmentId());
                    }
                }
            }
        }

        @Override
        public void damage(DamagedException damage) {}
    }

    private void takeListed(LogEntry.Digest last) throws IOException {
        Map<Long, LogEntry.DigestSegment> listed = new TreeMap<>();
        for (LogEntry.DigestSegment segment : last.segments()) {
            listed.put(segment.segmentId(), segment);
            SegmentFileName name = SegmentFileName.of(segment.segmentId(), segment.kind());
            if (!name.equals(byId.get(segment.segmentId()))) {
                damages.add(new DamagedException(name.toString(), 0, MISSING));
                addMissing(name);
            } else {
                take(name, segment.sealedBytes());
            }
        }
        for (SegmentFileName name : byId.headMap(last.nextSegmentId()).values()) {
            if (!listed.containsKey(name.number())) {
                strays.add(name);
            }
        }
    }

    /**
     * Adds the segments opened after the digest. Each was durable before the next was opened, and
     * before an entry named it. None of them has been freed, because that takes another digest.
     *
     * @return the missing ones
     */
    private List<DamagedException> takeLater(LogEntry.Digest last) throws IOException {
        List<DamagedException> missing = new ArrayList<>();
        long end = Math.max(byId.lastKey(), greatestNamed);
        for (long id = last.nextSegmentId(); id <= end; id++) {
            SegmentFileName name = byId.get(id);
            if (name == null) {
                SegmentFileName head = SegmentFileName.of(id, Kind.HEAD);
                missing.add(new DamagedException(head + " or .stream", 0, MISSING));
                addMissing(SegmentFileName.of(id, Kind.STREAM));
            } else {
                take(name, -1);
            }
        }
        return missing;
    }

    /** Adds a missing segment by its name, so that a read of it reports that it is missing. */
    private void addMissing(SegmentFileName name) {
        long bytes = options.settings().segmentBytes();
        found.add(new DiscoveredLog.FoundSegment(name, bytes, true, SegmentFormat.PAGE_BYTES));
    }

    private void take(SegmentFileName name, long sealedBytes) throws IOException {
        long bytes;
        try (StoredFile file = store.open(name, Access.READ)) {
            bytes = file.size();
            try {
                bytes = checkHeader(name, file);
                if (name.state() == SegmentFileName.State.SURVIVOR) {
                    firstBatchEnds.put(name.number(), firstBatchEnd(name, file));
                }
            } catch (FormatException e) {
                damages.add(new DamagedException(name.toString(), 0, e.getMessage()));
            } catch (UnknownVersionException e) {
                throw new IOException(name + ": " + e.getMessage(), e);
            }
        }
        boolean newest = newestHead.isPresent() && newestHead.get().equals(name);
        long whole = firstBatchEnds.getOrDefault(name.number(), bytes);
        long sealed = sealedBytes < 0 ? whole : sealedBytes;
        found.add(
                new DiscoveredLog.FoundSegment(name, bytes, !newest, newest ? newestEnd : sealed));
    }

    /**
     * Returns the end of a survivor's first batch. A survivor that no digest lists as sealed has
     * origins which are still in the log. Only the index has the end up to which it counts; without
     * the index, only the first batch counts.
     */
    private long firstBatchEnd(SegmentFileName name, StoredFile file) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(BatchHeader.BYTES);
        file.read(header, SegmentFormat.PAGE_BYTES);
        return BatchHeader.decode(
                        header.flip(),
                        0,
                        new PlaceChecksum(options.cubeId()),
                        name.number(),
                        SegmentFormat.PAGE_BYTES)
                .map(first -> SegmentFormat.PAGE_BYTES + first.paddedBytes())
                .orElseThrow(() -> new FormatException("does not begin with its origins"));
    }

    /** Returns the size that the segment must have. */
    private long checkHeader(SegmentFileName name, StoredFile file) throws IOException {
        SegmentHeader header = LogFiles.readHeader(file);
        if (!header.cubeId().equals(options.cubeId())) {
            throw new FormatException(
                    "belongs to cube " + header.cubeId() + ", not to " + options.cubeId());
        }
        if (header.segmentId() != name.number()
                || !name.state().kind().equals(Optional.of(header.kind()))) {
            throw new FormatException(
                    "the header names segment " + header.segmentId() + ", kind " + header.kind());
        }
        if (file.size() < header.segmentBytes()) {
            throw new FormatException(
                    "is " + file.size() + " bytes long instead of " + header.segmentBytes());
        }
        return header.segmentBytes();
    }
}
