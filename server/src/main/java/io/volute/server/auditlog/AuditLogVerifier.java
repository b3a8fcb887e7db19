package io.volute.server.auditlog;

import io.volute.provenance.anchor.LogSeal;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.server.auditlog.AuditEvent.Kind;
import io.volute.server.auditlog.AuditFileLines.Chunk;
import io.volute.server.auditlog.AuditLogReport.Cause;
import io.volute.server.auditlog.AuditLogReport.Finding;
import io.volute.server.auditlog.AuditLogReport.Sealing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Verifies files of an audit log, with nothing but them. Finds, and throws only when a file cannot
 * be read. Used once.
 */
public final class AuditLogVerifier {
    private static final int FINDINGS_SHOWN = 100;

    private final Terms terms;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<Long, String> removed = new HashMap<>();
    private long moreFindings;
    private long lines;
    private long lost;
    private int tornPlaces;
    private long tornBytes;
    private long seals;
    private Optional<LogSeal> lastSeal = Optional.empty();
    private Optional<AuditLine> first = Optional.empty();
    private Optional<AuditLine> last = Optional.empty();

    // Of the file that is read.
    private String name = "";

    /** Chunks since the last whole line that are none. */
    private long broken;

    /**
     * The conditions of a verification.
     *
     * @param keys of the store, to verify seals by; when empty, seals are not verified
     * @param isComplete whether every line before the first one must be recorded as dropped
     * @param seen hashes of lines that were seen before, by their sequence
     */
    public record Terms(Optional<KeyList> keys, boolean isComplete, Map<Long, Hash> seen) {
        public Terms {
            seen = Map.copyOf(seen);
        }
    }

    public AuditLogVerifier(Terms terms) {
        this.terms = terms;
    }

    /**
     * The files of a directory that are of an audit log, in their order.
     *
     * @throws IOException when it cannot be listed
     */
    public static List<Path> files(Path directory) throws IOException {
        try (var all = Files.list(directory)) {
            return all.filter(each -> AuditFiles.isName(each.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    /** A file of a log. */
    interface Part {
        String name();

        byte[] read() throws IOException;
    }

    private record PartOfDisk(Path file) implements Part {
        @Override
        public String name() {
            return String.valueOf(file.getFileName());
        }

        @Override
        public byte[] read() throws IOException {
            return Files.readAllBytes(file);
        }
    }

    /**
     * Verifies files.
     *
     * @param files in their order
     */
    public AuditLogReport verify(List<Path> files) throws IOException {
        List<Part> parts = new ArrayList<>();
        files.forEach(each -> parts.add(new PartOfDisk(each)));
        return verifyParts(parts);
    }

    AuditLogReport verifyParts(List<Part> parts) throws IOException {
        AuditFileLines next = new AuditFileLines(List.of());
        for (int i = 0; i < parts.size(); i++) {
            AuditFileLines file = i == 0 ? AuditFileLines.of(parts.get(0).read()) : next;
            next =
                    i == parts.size() - 1
                            ? new AuditFileLines(List.of())
                            : AuditFileLines.of(parts.get(i + 1).read());
            name = parts.get(i).name();
            verify(file, cut(file, next));
        }
        end();
        return report(parts.size());
    }

    /**
     * Returns the offset from which on a file is no part of the log, according to the next file.
     */
    private long cut(AuditFileLines file, AuditFileLines next) {
        Optional<Map<?, ?>> torn =
                next.chunks().stream()
                        .findFirst()
                        .flatMap(Chunk::line)
                        .flatMap(line -> line.details(Kind.TORN));
        Optional<Long> begins =
                file.whole().stream().findFirst().map(each -> each.line().orElseThrow().sequence());
        boolean isMeant =
                torn.isPresent() && begins.equals(Optional.ofNullable(torn.get().get("file")));
        return isMeant && torn.get().get("offset") instanceof Long offset ? offset : Long.MAX_VALUE;
    }

    private void verify(AuditFileLines file, long cut) {
        int bytes = file.chunks().isEmpty() ? 0 : file.chunks().getLast().end();
        for (Chunk chunk : file.chunks()) {
            if (chunk.offset() >= cut) {
                behindTheEnd(chunk);
            } else if (chunk.line().isEmpty()) {
                damaged(chunk, chunk.end() == bytes);
            } else {
                next(chunk, chunk.line().get());
            }
        }
        if (cut != Long.MAX_VALUE) {
            tornPlaces++;
            if (cut > bytes) {
                find(
                        0,
                        Cause.REMOVED,
                        "is shorter than the next file records: its end was cut off");
            }
        }
    }

    /**
     * Checks a chunk behind the end. A crash leaves bytes of the batch being written, and of no
     * later one.
     */
    private void behindTheEnd(Chunk chunk) {
        tornBytes += chunk.end() - chunk.offset();
        long expected = last.map(each -> each.sequence() + 1).orElse(1L);
        if (chunk.line().filter(each -> each.batch() > expected).isPresent()) {
            find(
                    chunk.number(),
                    Cause.CHANGED,
                    "follows the recorded end, but was written later: lines before it were changed"
                            + " or cut while the server did not run");
        }
    }

    private void damaged(Chunk chunk, boolean isEnd) {
        broken++;
        if (isEnd) {
            find(
                    chunk.number(),
                    Cause.UNFINISHED,
                    "is not whole: left by a crash (the server records it at the next start), being"
                            + " written just now, or cut");
        } else {
            find(chunk.number(), Cause.CHANGED, "was changed: its hash is another");
        }
    }

    private void next(Chunk chunk, AuditLine line) {
        lines++;
        Map<String, Object> fields = line.fields();
        lost += fields.get("lostBefore") instanceof Long more ? more : 0;
        if (last.isEmpty()) {
            first = Optional.of(line);
            begins(chunk, line);
            last = first;
        } else {
            follows(chunk, line, last.get());
        }
        broken = 0;
        Optional<Hash> before = Optional.ofNullable(terms.seen().get(line.sequence()));
        if (before.isPresent() && !before.get().equals(line.hash())) {
            find(
                    chunk.number(),
                    Cause.REPLACED,
                    "is another line " + line.sequence() + " than the one that was seen");
        }
        if (Kind.SEALED.title().equals(fields.get("event"))) {
            seal(chunk, line, fields.get("details"));
        }
        if (Kind.FILE_REMOVED.title().equals(fields.get("event"))
                && fields.get("details") instanceof Map<?, ?> details
                && details.get("last") instanceof Long end) {
            removed.put(end, String.valueOf(details.get("lastHash")));
        }
    }

    private void begins(Chunk chunk, AuditLine line) {
        if (line.sequence() == 1 && !line.previous().equals(Hash.ZERO)) {
            find(chunk.number(), Cause.CHANGED, "is line 1, yet names one before it");
        }
    }

    private void follows(Chunk chunk, AuditLine line, AuditLine before) {
        long expected = before.sequence() + 1;
        if (line.sequence() < expected) {
            find(
                    chunk.number(),
                    Cause.MISPLACED,
                    "is line "
                            + line.sequence()
                            + ", behind line "
                            + before.sequence()
                            + ": copied, moved or put in");
            return;
        }
        last = Optional.of(line);
        if (line.sequence() > expected + broken) {
            find(
                    chunk.number(),
                    Cause.REMOVED,
                    "is line "
                            + line.sequence()
                            + ": lines from "
                            + expected
                            + " on are missing or changed");
        } else if (line.sequence() == expected
                && broken == 0
                && !line.previous().equals(before.hash())) {
            find(
                    chunk.number(),
                    Cause.REPLACED,
                    "does not follow the line before: one of them was put in its place");
        }
    }

    private void seal(Chunk chunk, AuditLine line, Object details) {
        try {
            Object text = details instanceof Map<?, ?> map ? map.get("seal") : null;
            LogSeal seal =
                    LogSeal.decode(Bytes.of(Base64.getDecoder().decode(String.valueOf(text))));
            boolean isOfLine =
                    seal.body().sequence() == line.sequence() - 1
                            && seal.body().hash().equals(line.previous());
            List<String> wrong = new ArrayList<>(terms.keys().map(seal::wrong).orElse(List.of()));
            if (!isOfLine) {
                wrong.add("is over another line than the one before it");
            }
            if (wrong.isEmpty()) {
                seals++;
                lastSeal = Optional.of(seal);
            } else {
                find(chunk.number(), Cause.SEAL, "the seal " + String.join(", and ", wrong));
            }
        } catch (IllegalArgumentException | RefusedException e) {
            find(chunk.number(), Cause.SEAL, "has no seal that can be read: " + e.getMessage());
        }
    }

    private void find(int line, Cause cause, String detail) {
        if (findings.size() < FINDINGS_SHOWN) {
            long after = last.map(AuditLine::sequence).orElse(0L);
            findings.add(new Finding(name, line, after, cause, detail));
        } else {
            moreFindings++;
        }
    }

    private void end() {
        if (first.isPresent() && first.get().sequence() > 1) {
            String said = removed.getOrDefault(first.get().sequence() - 1, "");
            boolean isRight = said.equals(first.get().previous().hex());
            if (!said.isEmpty() && !isRight) {
                find(0, Cause.REMOVED, "the first line does not follow the dropped lines");
            } else if (terms.isComplete() && !isRight) {
                find(
                        0,
                        Cause.REMOVED,
                        "lines before "
                                + first.get().sequence()
                                + " are missing, and no line records that they were dropped");
            }
        }
        long ends = last.map(AuditLine::sequence).orElse(0L);
        for (long seen : terms.seen().keySet()) {
            if (seen > ends) {
                find(
                        0,
                        Cause.REMOVED,
                        "the log ends with line " + ends + ", but line " + seen + " was seen");
            }
        }
        if (terms.keys().isPresent() && seals == 0 && last.isPresent()) {
            find(0, Cause.SEAL, "no line has a seal by these keys");
        }
    }

    private AuditLogReport report(int files) {
        Optional<Sealing> sealing =
                lastSeal.map(
                        each ->
                                new Sealing(
                                        each.body().sequence(),
                                        Instant.ofEpochMilli(each.body().timeMillis()),
                                        terms.keys().isPresent()));
        return new AuditLogReport(
                files,
                new AuditLogReport.Extent(
                        lines,
                        first.map(AuditLine::sequence).orElse(0L),
                        last.map(AuditLine::sequence).orElse(0L),
                        last.map(AuditLine::hash).orElse(Hash.ZERO)),
                new AuditLogReport.Gaps(tornPlaces, tornBytes, lost),
                seals,
                sealing,
                new AuditLogReport.Findings(findings, moreFindings));
    }
}
