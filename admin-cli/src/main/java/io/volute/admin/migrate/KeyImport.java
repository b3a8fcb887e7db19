package io.volute.admin.migrate;

import io.volute.admin.migrate.ImportReport.Problem;
import io.volute.admin.migrate.VersionCopy.Copied;
import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Reply;
import io.volute.admin.s3.S3Request;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Imports the versions of keys that the target does not have yet, the oldest first. A run that
 * ended early is continued: what is there decides what is missing. Thread-safe.
 */
final class KeyImport {
    private final S3Client target;
    private final BucketPair pair;
    private final VersionCopy copy;
    private final ImportReport report;

    KeyImport(S3Client target, BucketPair pair, VersionCopy copy, ImportReport report) {
        this.target = target;
        this.pair = pair;
        this.copy = copy;
        this.report = report;
    }

    /**
     * Imports what is missing of a key. A failure ends the import of this key, because versions
     * must arrive in their order.
     *
     * @param there the versions at the target
     */
    void run(KeyVersions found, KeyVersions there) throws InterruptedException {
        String version = "";
        try {
            int from = missingFrom(found, there);
            report.present(from);
            List<StoredVersion> missing = found.versions().subList(from, found.versions().size());
            for (StoredVersion each : missing) {
                version = each.id();
                Copied copied = copy.copy(found.key(), each);
                report.imported(pair.target(), found.key(), each, copied.id());
                for (String lost : copied.lost()) {
                    report.problem(problem(found.key(), version, lost));
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            // The HTTP client refuses a header in which the source has control characters.
            report.problem(problem(found.key(), version, "not imported: " + e.getMessage()));
        }
    }

    private Problem problem(String key, String version, String what) {
        return new Problem(pair.target(), key, version, what);
    }

    /**
     * Returns the index of the first version that the target lacks.
     *
     * @throws IOException if the target has the key from elsewhere
     */
    private int missingFrom(KeyVersions found, KeyVersions there)
            throws IOException, InterruptedException {
        if (there.isStartOf(found)) {
            return there.versions().size();
        }
        List<StoredVersion> own = there.versions();
        int markers = 0;
        while (markers < own.size() && own.get(own.size() - 1 - markers).isMarker()) {
            markers++;
        }
        Optional<StoredVersion> last =
                markers < own.size()
                        ? Optional.of(own.get(own.size() - 1 - markers))
                        : Optional.empty();
        Optional<Origin> origin =
                last.isEmpty() ? Optional.empty() : origin(found.key(), last.get());
        int index = origin.map(each -> indexOf(found, each.id())).orElse(-1);
        if (index < 0) {
            throw new IOException("the target has other versions of it, which stay as they are");
        }
        // A version with the id null is replaced when its key is written again.
        return found.versions().get(index).modified().equals(origin.get().modified())
                ? afterMarkers(found, index + 1, markers)
                : index;
    }

    private static int indexOf(KeyVersions found, String id) {
        for (int i = 0; i < found.versions().size(); i++) {
            if (found.versions().get(i).id().equals(id)) {
                return i;
            }
        }
        return -1;
    }

    private static int afterMarkers(KeyVersions found, int from, int markers) {
        int at = from;
        while (at < found.versions().size()
                && at < from + markers
                && found.versions().get(at).isMarker()) {
            at++;
        }
        return at;
    }

    /** Returns the identity of a version at the source; empty if it is from elsewhere. */
    private Optional<Origin> origin(String key, StoredVersion version)
            throws IOException, InterruptedException {
        S3Request head = S3Request.of("HEAD", pair.target(), key).with("versionId", version.id());
        try (S3Reply reply = target.send(head)) {
            return reply.header("x-volute-source")
                    .filter(pair.place()::equals)
                    .map(
                            place ->
                                    new Origin(
                                            reply.header("x-volute-source-version-id").orElse(""),
                                            reply.header("x-volute-source-last-modified")
                                                    .orElse("")));
        }
    }

    private record Origin(String id, String modified) {}
}
