package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.volute.adminapi.ClusterApi.MissingOwner;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Damaged versions, and their repair. */
public final class DamageApi {
    private DamageApi() {}

    /**
     * A state of a key whose stored bytes are damaged, or a row of the store itself.
     *
     * @param use {@code current}, {@code noncurrent}, {@code history}, {@code upload-part} or
     *     {@code row}
     * @param bucket empty for a row that belongs to no bucket, and for a bucket that is gone
     * @param key empty for a row that belongs to no key
     * @param versionId empty when it has none
     * @param bytes length of the content
     * @param modified empty if unknown
     * @param what what a row or part is
     */
    @Described("A state of a key whose stored bytes are damaged, or a row of the store itself")
    public record Damaged(
            String cube,
            @Described(oneOf = {"current", "noncurrent", "history", "upload-part", "row"})
                    String use,
            Optional<String> bucket,
            Optional<String> key,
            Optional<String> versionId,
            long bytes,
            Optional<Instant> modified,
            Optional<String> what) {

        /** Returns the state in words, as {@code s3://BUCKET/KEY (current version ID)}. */
        public String words() {
            String place =
                    bucket.map(name -> "s3://" + name + key.map(each -> "/" + each).orElse(""))
                            .orElse("cube " + cube);
            String uses =
                    switch (use) {
                        case "current" -> "current version";
                        case "noncurrent" -> "noncurrent version";
                        case "history" -> "state in the history";
                        default -> what.orElse(use);
                    };
            return place + " (" + uses + versionId.map(id -> " " + id).orElse("") + ")";
        }

        /** Returns the next step, a command where there is one. */
        public String remedy() {
            if (use.equals("upload-part")) {
                return "upload the part again, or abort the upload";
            }
            if (use.equals("row") || bucket.isEmpty() || key.isEmpty()) {
                return "volute damage repair --all --from backup";
            }
            return "volute damage repair "
                    + quoted("s3://" + bucket.get() + "/" + key.get())
                    + versionId.map(id -> " --version-id " + id).orElse("")
                    + " --from backup";
        }

        /** Returns a word of a command line for a POSIX shell. */
        private static String quoted(String word) {
            return word.matches("[A-Za-z0-9._/:=+@%-]+")
                    ? word
                    : "'" + word.replace("'", "'\\''") + "'";
        }
    }

    /**
     * What checks and scrubs found damaged and was not repaired since.
     *
     * @param more number of those that are not in the list
     * @param unnamed number of reads that met damage since the last check, by cube
     * @param missing owners of other cubes whose part is missing
     */
    public record Damages(
            List<Damaged> damaged,
            long more,
            @Described("Number of reads that met damage since the last check, by cube")
                    Map<String, Long> unnamed,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(value = OwnersAnswer.MISSING, canBeMissing = true)
                    List<MissingOwner> missing)
            implements OwnersAnswer<Damages> {
        public Damages {
            damaged = List.copyOf(damaged);
            unnamed = Map.copyOf(unnamed);
        }

        public Damages(List<Damaged> damaged, long more, Map<String, Long> unnamed) {
            this(damaged, more, unnamed, List.of());
        }

        @Override
        public Damages with(String node, Damages part) {
            Map<String, Long> sums = new LinkedHashMap<>(unnamed);
            part.unnamed().forEach((cube, reads) -> sums.merge(cube, reads, Long::sum));
            return new Damages(
                    OwnersAnswer.both(damaged, part.damaged()), more + part.more(), sums, missing);
        }

        @Override
        public Damages without(List<MissingOwner> owners) {
            return new Damages(damaged, more, unnamed, OwnersAnswer.both(missing, owners));
        }
    }

    /**
     * Asks for a repair.
     *
     * @param bucket empty for all that is damaged
     * @param versionId empty for all states of the key
     * @param from {@code backup}, {@code noncurrent} or {@code replica}
     * @param target of the backup, as in BackupRequest; empty for the configured one
     */
    public record RepairRequest(
            @Described("Without it, everything that is listed as damaged is repaired")
                    Optional<String> bucket,
            Optional<String> key,
            @Described("Without it, all states of the key are repaired") Optional<String> versionId,
            @Described(oneOf = {"backup", "noncurrent"}) String from,
            @Described("Target of the backup; only the root user may name one")
                    Optional<String> target) {}

    /** The outcome of a repair, state by state. */
    public record Repair(List<Repaired> states) {
        public Repair {
            states = List.copyOf(states);
        }
    }

    /**
     * The outcome for a state.
     *
     * @param damaged number of damaged entries and chunks before; 0 when it was sound
     * @param left number of them that are still damaged
     * @param verified by what the content was verified: {@code content hash}, {@code MD5} or {@code
     *     checksum}
     * @param failure why some are left
     */
    public record Repaired(
            Damaged state,
            long damaged,
            long left,
            @Described(oneOf = {"content hash", "MD5", "checksum"}) String verified,
            Optional<String> failure) {}
}
