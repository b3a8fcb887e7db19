package io.volute.server.auditlog;

import io.volute.provenance.format.Hash;
import io.volute.server.auditlog.AuditEvent.Kind;
import io.volute.server.auditlog.AuditFileLines.Chunk;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of the files of a log, as a start finds it: where it ends, and what is missing or
 * changed. Reads the newest file whole, and begin and end of the others, because a start must not
 * take the time that all of them need; {@code volute log verify} reads every line.
 *
 * <p>A crash leaves no problem here: a record has only durable lines, and the first line behind a
 * removed file only after the line about the removal.
 */
public final class AuditScan {
    /** More than the longest line. */
    private static final int WINDOW_BYTES = 256 << 10;

    private static final int PROBLEMS_SHOWN = 20;

    private final FileSystem files;
    private final Path directory;
    private final AuditRecord.Known known;
    private final String shown;
    private final List<String> names;

    /** Names of files without a whole line, the newest first. */
    private final List<String> begun = new ArrayList<>();

    private final List<String> problems = new ArrayList<>();
    private Optional<End> end = Optional.empty();

    /**
     * The end of the newest file with a whole line.
     *
     * @param line the last one of a whole batch
     * @param batchBegin offset of that batch
     * @param end behind it
     */
    record End(String name, AuditLine line, int batchBegin, int end) {}

    private AuditScan(FileSystem files, Path data, Path directory) throws IOException {
        this.files = files;
        this.directory = directory;
        known = AuditRecord.read(files, data);
        shown = AuditRecord.shown(data, directory);
        names = AuditFiles.names(files, directory);
    }

    /**
     * Looks at a log, which a server may be writing. Writes nothing.
     *
     * @param data the data directory, which has the record
     * @param directory of the log
     * @throws IOException when the files cannot be read
     */
    public static AuditScan of(FileSystem files, Path data, Path directory) throws IOException {
        AuditScan scan = new AuditScan(files, data, directory);
        scan.findEnd();
        scan.checkLinks();
        scan.checkRecord();
        return scan;
    }

    /** Returns what is missing or changed, with the names of the files; empty when nothing is. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** Adds a problem. Lists of many would not fit into the line of the start. */
    private void add(String problem) {
        if (problems.size() < PROBLEMS_SHOWN) {
            problems.add(problem);
        } else if (problems.size() == PROBLEMS_SHOWN) {
            problems.add("there are more: volute log verify names all");
        }
    }

    List<String> begun() {
        return begun;
    }

    Optional<End> end() {
        return end;
    }

    /** Returns the record, if it is of this log. */
    Optional<AuditRecord> record() {
        return known.record().filter(each -> each.directory().equals(shown));
    }

    /** Returns the record of the log before, which was in another directory. */
    Optional<AuditRecord> former() {
        return known.record().filter(each -> !each.directory().equals(shown));
    }

    /** Returns the record to begin with: what is missing stays missed until its file goes. */
    AuditRecord next() {
        long last = end.map(each -> each.line().sequence()).orElse(0L);
        long first = names.isEmpty() ? last + 1 : AuditFiles.first(names.getFirst());
        Hash hash = end.map(each -> each.line().hash()).orElse(Hash.ZERO);
        if (record().isEmpty()) {
            long unproven = known.loss().isEmpty() ? 0 : last + 1;
            return new AuditRecord(shown, first, last, hash, unproven);
        }
        AuditRecord before = record().get();
        boolean isLonger = before.last() > last;
        return new AuditRecord(
                shown,
                Math.min(first, before.first()),
                isLonger ? before.last() : last,
                isLonger ? before.hash() : hash,
                before.unproven());
    }

    // ---- the newest file

    private void findEnd() throws IOException {
        for (String name : names.reversed()) {
            AuditFileLines lines = AuditFileLines.of(bytes(name));
            Optional<Chunk> last = lines.last();
            if (last.isPresent()) {
                AuditLine line = last.get().line().orElseThrow();
                end = Optional.of(new End(name, line, lines.begin(line.batch()), last.get().end()));
                checkLines(name, lines, last.get().end());
                return;
            }
            begun.add(name);
        }
    }

    private byte[] bytes(String name) throws IOException {
        try (StoredFile file = files.open(directory.resolve(name), Access.READ)) {
            return bytes(file, 0, file.size());
        }
    }

    static byte[] bytes(StoredFile file, long begin, long end) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(end - begin));
        int read = file.read(all, begin);
        return Arrays.copyOf(all.array(), Math.max(0, read));
    }

    private void checkLines(String name, AuditFileLines lines, int end) {
        Optional<AuditLine> before = Optional.empty();
        for (Chunk chunk : lines.chunks()) {
            if (chunk.offset() >= end) {
                return;
            }
            Optional<AuditLine> line = chunk.line();
            if (line.isEmpty()) {
                add("line " + chunk.number() + " of " + name + " was changed");
            } else if (!isRight(name, chunk, before)) {
                add("line " + chunk.number() + " of " + name + " was put in place of another");
            }
            before = line;
        }
    }

    private boolean isRight(String name, Chunk chunk, Optional<AuditLine> before) {
        AuditLine line = chunk.line().orElseThrow();
        boolean isInPlace = chunk.number() > 1 || line.sequence() == AuditFiles.first(name);
        return isInPlace
                && before.stream().allMatch(each -> line.previous().equals(each.hash()))
                && record().stream()
                        .filter(each -> each.last() == line.sequence())
                        .allMatch(each -> each.hash().equals(line.hash()));
    }

    // ---- the files before

    private void checkLinks() throws IOException {
        int count = names.size() - begun.size();
        for (int i = 1; i < count; i++) {
            checkLink(names.get(i - 1), names.get(i));
        }
    }

    private void checkLink(String name, String next) throws IOException {
        Optional<AuditLine> following;
        try (StoredFile file = files.open(directory.resolve(next), Access.READ)) {
            following =
                    AuditFileLines.of(bytes(file, 0, Math.min(file.size(), WINDOW_BYTES)))
                            .chunks()
                            .stream()
                            .findFirst()
                            .flatMap(Chunk::line);
        }
        long expected = AuditFiles.first(next) - 1;
        if (following.isEmpty()) {
            add("line 1 of " + next + " was changed");
        }
        Optional<AuditLine> last = last(name, following);
        if (last.isEmpty()) {
            add("the last line of " + name + " was changed, or its end is missing");
        } else if (last.get().sequence() != expected) {
            add(missing(last.get().sequence() + 1, expected) + " between " + name + " and " + next);
        } else if (following
                .filter(line -> !line.previous().equals(last.get().hash()))
                .isPresent()) {
            add("the last line of " + name + " is not the one before " + next);
        }
    }

    /**
     * Returns the last line of a file.
     *
     * @param next the first line of the next file, which may say where this one ends
     */
    private Optional<AuditLine> last(String name, Optional<AuditLine> next) throws IOException {
        try (StoredFile file = files.open(directory.resolve(name), Access.READ)) {
            long end =
                    next.flatMap(line -> line.details(Kind.TORN))
                            .filter(torn -> isOf(torn, name))
                            .map(torn -> (Long) torn.get("offset"))
                            .orElse(file.size());
            if (end > file.size()) {
                return Optional.empty();
            }
            List<Chunk> chunks =
                    AuditFileLines.of(bytes(file, Math.max(0, end - WINDOW_BYTES), end)).chunks();
            return chunks.isEmpty() ? Optional.empty() : chunks.getLast().line();
        }
    }

    private static boolean isOf(Map<?, ?> torn, String name) {
        return torn.get("offset") instanceof Long
                && Optional.of(AuditFiles.first(name))
                        .equals(Optional.ofNullable(torn.get("file")));
    }

    private static String missing(long from, long to) {
        return from == to
                ? "line " + from + " is missing"
                : "lines " + from + " to " + to + " are missing";
    }

    // ---- the record

    private void checkRecord() throws IOException {
        if (!known.loss().isEmpty()) {
            add(known.loss() + ": it is not known whether the log was longer");
        }
        if (record().isEmpty()) {
            return;
        }
        AuditRecord before = record().get();
        long last = end.map(each -> each.line().sequence()).orElse(0L);
        if (before.last() > last) {
            String newest = end.map(End::name).orElse("");
            add(
                    missing(last + 1, before.last())
                            + (newest.isEmpty()
                                    ? ": there is no file of the log"
                                    : ": the end of "
                                            + newest
                                            + ", or "
                                            + AuditFiles.name(last + 1)
                                            + " and the files after it"));
        }
        if (end.isEmpty()) {
            return;
        }
        long first = AuditFiles.first(names.getFirst());
        if (first > before.first() && !isRemoved(first - 1)) {
            add(
                    missing(before.first(), first - 1)
                            + ": "
                            + AuditFiles.name(before.first())
                            + " and the files after it, up to "
                            + names.getFirst());
        }
        if (before.unproven() >= first) {
            add(
                    "audit.mark was lost before line "
                            + before.unproven()
                            + ": it is not known whether the log was longer then");
        }
    }

    /** Returns whether a line has recorded the removal; a release without records makes none. */
    private boolean isRemoved(long last) throws IOException {
        for (String name : names) {
            for (Chunk chunk : AuditFileLines.of(bytes(name)).whole()) {
                Optional<Map<?, ?>> removal = chunk.line().orElseThrow().details(Kind.FILE_REMOVED);
                if (removal.isPresent()
                        && Optional.of(last)
                                .equals(Optional.ofNullable(removal.get().get("last")))) {
                    return true;
                }
            }
        }
        return false;
    }
}
