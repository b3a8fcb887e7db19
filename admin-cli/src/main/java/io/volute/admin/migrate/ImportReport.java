package io.volute.admin.migrate;

import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts what an import does, and collects what it cannot carry over. A line that cannot be written
 * throws {@link UncheckedIOException}. Thread-safe.
 */
final class ImportReport {
    private static final int MOST_EXAMPLES = 20;
    private static final int MOST_CHARACTERS = 4000;

    private final Optional<Writer> file;
    private final List<Problem> problems = new ArrayList<>();
    private long problemsTotal;
    private long versions;
    private long markers;
    private long bytes;
    private long present;

    /**
     * Something that was not carried over.
     *
     * @param key empty for a setting of the bucket
     * @param version the id at the source; empty for the key itself
     */
    record Problem(String bucket, String key, String version, String what) {
        @Override
        public String toString() {
            String text =
                    (bucket.isEmpty() ? "" : "s3://" + bucket + (key.isEmpty() ? "" : "/" + key))
                            + (version.isEmpty() ? "" : " version " + version)
                            + (bucket.isEmpty() ? "" : ": ")
                            + what;
            // The source chooses names and words, which shall not control a terminal.
            return AnswerFormat.visible(
                    text.length() > MOST_CHARACTERS ? text.substring(0, MOST_CHARACTERS) : text);
        }
    }

    /** The figures at one moment. */
    record Figures(long versions, long markers, long bytes, long present, long problems) {
        long done() {
            return versions + markers + present;
        }
    }

    /**
     * @param file receives a line of JSON for each version and each problem
     */
    ImportReport(Optional<Writer> file) {
        this.file = file;
    }

    synchronized Figures figures() {
        return new Figures(versions, markers, bytes, present, problemsTotal);
    }

    /** Counts versions that the target has already. */
    synchronized void present(int count) {
        present += count;
    }

    /**
     * Counts an imported version.
     *
     * @param id its id at the target; empty without one
     */
    synchronized void imported(String bucket, String key, StoredVersion version, String id) {
        if (version.isMarker()) {
            markers++;
        } else {
            versions++;
            bytes += version.bytes();
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("bucket", bucket);
        line.put("key", key);
        line.put("sourceVersionId", version.id());
        line.put("sourceLastModified", version.modified());
        line.put("deleteMarker", version.isMarker());
        line.put("etag", version.etag());
        line.put("versionId", id);
        write(line);
    }

    /** Records something that was not carried over. */
    synchronized void problem(Problem problem) {
        problemsTotal++;
        if (problems.size() < MOST_EXAMPLES) {
            problems.add(problem);
        }
        write(AdminJson.fields(problem));
    }

    /**
     * Writes a line to the disk.
     *
     * @throws UncheckedIOException when it cannot be written, which ends the import
     */
    private void write(Map<String, Object> line) {
        if (file.isEmpty()) {
            return;
        }
        try {
            file.get().write(new String(AdminJson.write(line), StandardCharsets.UTF_8) + "\n");
            file.get().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the report: " + e.getMessage(), e);
        }
    }

    /** Returns the outcome as a document. */
    synchronized Map<String, Object> document() {
        Map<String, Object> document = AdminJson.fields(figures());
        document.put("examples", List.copyOf(problems));
        return document;
    }

    /** Returns the outcome in lines for people. */
    synchronized List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(
                "imported: versions "
                        + versions
                        + ", bytes "
                        + bytes
                        + ", delete markers "
                        + markers
                        + "; there already: "
                        + present);
        lines.addAll(problemLines());
        return lines;
    }

    /** Returns what was not carried over, in lines for people; none if there is nothing. */
    synchronized List<String> problemLines() {
        List<String> lines = new ArrayList<>();
        if (problemsTotal > 0) {
            lines.add("not carried over: " + problemsTotal);
            problems.forEach(each -> lines.add("  " + each));
            if (problemsTotal > problems.size()) {
                lines.add("  and " + (problemsTotal - problems.size()) + " more: see --report");
            }
        }
        return lines;
    }
}
