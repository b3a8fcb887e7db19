package io.volute.server.auditlog;

import io.volute.provenance.format.Hash;
import io.volute.storage.DamagedException;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How far the audit log has come, in a note of the data directory ({@code audit.mark}) outside the
 * log. Lines and files that are missing later show by it. It is written behind the lines, so the
 * log may be longer.
 *
 * @param directory of the log; relative to the data directory when it is inside
 * @param first sequence of the first line of the oldest file
 * @param last sequence of a durable line; 0 when there is none
 * @param hash of that line
 * @param unproven sequence of the first line behind the loss of a record, or 0: what was before it
 *     may have been longer
 */
record AuditRecord(String directory, long first, long last, Hash hash, long unproven) {
    /** Name of the note. */
    static final String NAME = "audit";

    private static final String DIRECTORY = "directory";
    private static final String FIRST = "first";
    private static final String LAST = "last";
    private static final String HASH = "hash";
    private static final String UNPROVEN = "unproven";

    /**
     * The record of a data directory.
     *
     * @param record empty when there is none
     * @param loss what happened to it, if there was one that cannot be read any more; else empty
     */
    record Known(Optional<AuditRecord> record, String loss) {}

    /** Reads the record of a data directory, which a server may use. */
    static Known read(FileSystem files, Path data) throws IOException {
        try {
            Optional<Map<String, String>> lines = StoreDirectory.remembered(files, data, NAME);
            if (lines.isPresent()) {
                return new Known(Optional.of(of(lines.get())), "");
            }
            return new Known(
                    Optional.empty(),
                    StoreDirectory.hasForGood(files, data, NAME)
                            ? "audit.mark and audit.mark.copy are missing"
                            : "");
        } catch (DamagedException | IllegalArgumentException e) {
            return new Known(Optional.empty(), "audit.mark cannot be read: " + e.getMessage());
        }
    }

    private static AuditRecord of(Map<String, String> lines) {
        return new AuditRecord(
                lines.getOrDefault(DIRECTORY, ""),
                number(lines, FIRST),
                number(lines, LAST),
                Hash.ofHex(lines.getOrDefault(HASH, "")),
                number(lines, UNPROVEN));
    }

    private static long number(Map<String, String> lines, String name) {
        return Long.parseLong(lines.getOrDefault(name, ""));
    }

    /** Returns the lines of the note. */
    Map<String, String> lines() {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(DIRECTORY, directory);
        lines.put(FIRST, Long.toString(first));
        lines.put(LAST, Long.toString(last));
        lines.put(HASH, hash.hex());
        lines.put(UNPROVEN, Long.toString(unproven));
        return lines;
    }

    /** Returns the directory of a log as a record has it. */
    static String shown(Path data, Path directory) {
        Path around = data.toAbsolutePath().normalize();
        Path log = directory.toAbsolutePath().normalize();
        return log.startsWith(around) ? around.relativize(log).toString() : log.toString();
    }
}
