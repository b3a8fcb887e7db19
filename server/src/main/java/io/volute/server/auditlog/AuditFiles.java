package io.volute.server.auditlog;

import io.volute.provenance.format.Hash;
import io.volute.server.auditlog.AuditEvent.Kind;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The sequence of the log's files, each named by the sequence of its first line. Appended lines are
 * durable when the call returns. Used by one thread at a time.
 *
 * <p>The possible states after a crash or a failure, and their treatment:
 *
 * <ol>
 *   <li>A file without a whole line: it was just begun, and nothing in it was acknowledged. It is
 *       put aside, under another name, before the next line is written.
 *   <li>Bytes behind the last whole batch: not acknowledged. They stay in place. The next line
 *       begins a new file, behind a line ({@link Kind#TORN}) with the offset from which on the
 *       previous file is no part of the log.
 *   <li>A file that a {@link Kind#FILE_REMOVED} line names: it is removed the next time.
 * </ol>
 */
final class AuditFiles implements AutoCloseable {
    private static final String PREFIX = "audit-";
    private static final String SUFFIX = ".log";
    private static final Pattern NAME = Pattern.compile("audit-[0-9]{19}\\.log");

    private final FileSystem files;
    private final Path directory;
    private final InstantSource clock;

    /** Names of files without a whole line. */
    private final List<String> begun = new ArrayList<>();

    private long sequence;
    private Hash hash = Hash.ZERO;
    private Optional<StoredFile> file = Optional.empty();
    private long fileBegins;
    private long bytes;
    private Optional<Torn> torn = Optional.empty();

    /** Until a removal is not known to be durable. */
    private boolean removes = true;

    /**
     * The offset from which on a file is no part of the log.
     *
     * @param file sequence of its first line
     */
    private record Torn(long file, long offset) {}

    private AuditFiles(FileSystem files, Path directory, InstantSource clock) {
        this.files = files;
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Continues behind the end of the log.
     *
     * @param scan of its files, which are not written since
     * @throws IOException when the existing files cannot be read or made durable
     */
    static AuditFiles open(FileSystem files, Path directory, InstantSource clock, AuditScan scan)
            throws IOException {
        AuditFiles log = new AuditFiles(files, directory, clock);
        log.begun.addAll(scan.begun());
        boolean isCut =
                scan.record().isPresent()
                        && scan.record().get().last()
                                > scan.end().map(each -> each.line().sequence()).orElse(0L);
        if (scan.end().isPresent()) {
            log.goOn(scan.end().get(), isCut);
        }
        if (isCut) {
            // The missing lines fit again when they are put back.
            log.sequence = scan.record().get().last();
            log.hash = scan.record().get().hash();
        }
        return log;
    }

    /** The names of files, ascending. */
    private List<String> names() throws IOException {
        return names(files, directory);
    }

    /** The names of the files of a log, ascending. */
    static List<String> names(FileSystem files, Path directory) throws IOException {
        return files.list(directory).stream().filter(NAME.asMatchPredicate()).toList();
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Returns the name of the file whose first line has this sequence. */
    static String name(long first) {
        return PREFIX + String.format(Locale.ROOT, "%019d", first) + SUFFIX;
    }

    static long first(String name) {
        return Long.parseLong(name.substring(PREFIX.length(), name.length() - SUFFIX.length()));
    }

    /**
     * Goes on behind the last line of a file.
     *
     * @param isCut whether the file had more lines; it stays as it is then
     */
    private void goOn(AuditScan.End end, boolean isCut) throws IOException {
        StoredFile found = files.open(directory.resolve(end.name()), Access.READ_WRITE);
        boolean isKept = false;
        try {
            // The last batch may be there in memory only: a process was killed before it forced
            // it, or its force failed, and then a force alone would pass these pages by.
            byte[] batch = AuditScan.bytes(found, end.batchBegin(), end.end());
            found.write(ByteBuffer.wrap(batch), end.batchBegin(), WriteCause.CHECKPOINT);
            found.force();
            files.forceDirectory(directory);
            sequence = end.line().sequence();
            hash = end.line().hash();
            isKept = !isCut && end.end() == found.size();
            if (isKept) {
                file = Optional.of(found);
                fileBegins = first(end.name());
                bytes = found.size();
            } else if (!isCut) {
                torn = Optional.of(new Torn(first(end.name()), end.end()));
            }
        } finally {
            if (!isKept) {
                found.close();
            }
        }
    }

    /** Returns the sequence of the last line; 0 when there is none. */
    long sequence() {
        return sequence;
    }

    /** Returns the hash of the last line; zeros when there is none. */
    Hash hash() {
        return hash;
    }

    /** Returns the bytes of the current file; 0 when the next line begins a new one. */
    long bytes() {
        return file.isPresent() ? bytes : 0;
    }

    /**
     * Appends lines, which are one batch.
     *
     * @param lostBefore lines that could not be written before them
     * @throws IOException when they are not durable; the next attempt goes on in another file
     */
    void append(List<AuditEvent> events, long lostBefore) throws IOException {
        putBegunAside();
        boolean isNew = file.isEmpty();
        if (isNew) {
            begin();
        }
        List<AuditEvent> batch = new ArrayList<>();
        if (isNew && torn.isPresent()) {
            Map<String, Object> where = new LinkedHashMap<>();
            where.put("file", torn.get().file());
            where.put("offset", torn.get().offset());
            batch.add(AuditEvent.of(Kind.TORN, where));
        }
        batch.addAll(events);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        AuditLine.Place place = new AuditLine.Place(sequence + 1, sequence + 1, hash);
        Hash last = hash;
        for (AuditEvent each : batch) {
            boolean isFirst = place.sequence() == place.batch();
            AuditLine line = AuditLine.of(place, clock.instant(), each, isFirst ? lostBefore : 0);
            written.writeBytes(line.text());
            written.write('\n');
            last = line.hash();
            place = new AuditLine.Place(place.sequence() + 1, place.batch(), last);
        }
        write(written.toByteArray(), isNew);
        sequence = place.sequence() - 1;
        hash = last;
        bytes += written.size();
        torn = Optional.empty();
    }

    private void write(byte[] lines, boolean isNew) throws IOException {
        boolean isDurable = false;
        StoredFile target = file.orElseThrow();
        try {
            target.write(ByteBuffer.wrap(lines), bytes, WriteCause.CHECKPOINT);
            target.force();
            if (isNew) {
                files.forceDirectory(directory);
            }
            isDurable = true;
        } finally {
            if (!isDurable) {
                abandon();
            }
        }
    }

    /**
     * Ends the current file. The extent of the failed write is unknown, so nothing is appended to
     * it.
     */
    private void abandon() throws IOException {
        if (bytes > 0) {
            torn = Optional.of(new Torn(fileBegins, bytes));
        }
        close();
    }

    private void begin() throws IOException {
        DurableDirectories.create(files, directory);
        Path path = directory.resolve(name(sequence + 1));
        putAside(path);
        file = Optional.of(files.createPrivate(path));
        fileBegins = sequence + 1;
        bytes = 0;
    }

    private void putBegunAside() throws IOException {
        while (!begun.isEmpty()) {
            putAside(directory.resolve(begun.getLast()));
            files.forceDirectory(directory);
            begun.removeLast();
        }
    }

    private void putAside(Path path) throws IOException {
        if (files.exists(path)) {
            files.rename(path, path.resolveSibling(path.getFileName() + ".torn"));
        }
    }

    /** The next line begins another file. */
    void endFile() throws IOException {
        close();
    }

    /**
     * A file that may go.
     *
     * @param last sequence of its last line
     * @param lastHash hash of that line, as the next file has it
     */
    record Oldest(String name, long first, long last, Hash lastHash) {
        AuditEvent removal() {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("file", name);
            details.put("first", first);
            details.put("last", last);
            details.put("lastHash", lastHash.hex());
            return AuditEvent.of(Kind.FILE_REMOVED, details);
        }
    }

    /** The oldest file, when there are more than so many. */
    Optional<Oldest> oldest(long filesMax) throws IOException {
        List<String> names = names();
        if (!removes || names.size() <= Math.max(1, filesMax)) {
            return Optional.empty();
        }
        long next = first(names.get(1));
        try (StoredFile following = files.open(directory.resolve(names.get(1)), Access.READ)) {
            Hash last =
                    AuditFileLines.first(AuditScan.bytes(following, 0, following.size()))
                            .map(AuditLine::previous)
                            .orElse(Hash.ZERO);
            return Optional.of(new Oldest(names.get(0), first(names.get(0)), next - 1, last));
        }
    }

    /**
     * Removes it for good, or no other one: should the one after it go first, lines would seem to
     * be missing.
     */
    void remove(Oldest oldest) throws IOException {
        files.delete(directory.resolve(oldest.name()));
        removes = false;
        files.forceDirectory(directory);
        removes = true;
    }

    @Override
    public void close() throws IOException {
        Optional<StoredFile> open = file;
        file = Optional.empty();
        bytes = 0;
        if (open.isPresent()) {
            open.get().close();
        }
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
