package io.volute.adminapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The cubes of a store. */
public final class CubesApi {
    private CubesApi() {}

    /** All cubes, the system cube first. */
    public record Cubes(List<CubeInfo> cubes) {}

    /**
     * A cube.
     *
     * @param id identity of its log
     * @param created absent for the system cube, which is as old as the store
     * @param phase {@code open}, {@code opening}, {@code failed}, {@code closed}, {@code elsewhere}
     * @param state of an open cube: {@code healthy}, or {@code read-only}
     * @param why why it could not be opened
     * @param buckets number of the buckets of which it has keys
     * @param log place of the log of an open cube
     * @param clock of an open cube whose clock went back; absent otherwise
     */
    public record CubeInfo(
            String cube,
            @Described("Never used again") long number,
            @Described("Identity of its log") String id,
            Optional<Instant> created,
            @Described(oneOf = {"opening", "open", "failed", "closed", "elsewhere"}) String phase,
            @Described(
                            value = "State of an open cube",
                            oneOf = {"recovering", "healthy", "read_only", "closed"})
                    Optional<String> state,
            @Described("Cause of a failed opening") Optional<String> why,
            long buckets,
            Optional<LogInfo> log,
            Optional<ClockInfo> clock) {
        /** Returns whether another node of the cluster has it. */
        public boolean isElsewhere() {
            return phase.equals("elsewhere");
        }

        /** Returns whether this or another node has it open. */
        public boolean isOpenSomewhere() {
            return phase.equals("open") || isElsewhere();
        }
    }

    /**
     * The clock beside the commits of a cube.
     *
     * @param behindSeconds by how much it is behind the last write; 0 when it is not
     * @param unknown the stretches of time whose past is refused, the oldest first
     */
    @Described("The clock of an open cube, if it went back; absent otherwise")
    public record ClockInfo(
            @Described(
                            "Seconds by which the clock is earlier than the last"
                                    + " write; 0 if it is not")
                    double behindSeconds,
            List<UnknownPast> unknown) {
        public ClockInfo {
            unknown = List.copyOf(unknown);
        }
    }

    /**
     * A stretch of time whose past is refused.
     *
     * @param until the last instant; absent until the clock has caught up with the last write
     */
    @Described("A stretch of time whose past is refused")
    public record UnknownPast(
            Instant from,
            @Described("Absent until the clock has caught up with the last write")
                    Optional<Instant> until) {}

    /**
     * The place of a log, and the state of its migration.
     *
     * @param store {@code local} or {@code bookkeeper}
     * @param state {@code settled}; {@code copying} or {@code switching} to the other place; {@code
     *     leaving} while the copy in the other place is removed
     * @param running whether the migration goes on now
     * @param copied segments that are in both places
     * @param segments segments of the log, once the migration has counted them
     * @param bytes bytes copied since the migration began or went on
     * @param why why it does not go on
     * @param underReplicated segments whose ledgers have fewer copies than wanted; empty if none
     */
    public record LogInfo(
            @Described(
                            value = "The place of the log",
                            oneOf = {"local", "bookkeeper"})
                    String store,
            @Described(
                            value = "State of a migration to the other place",
                            oneOf = {"settled", "copying", "switching", "leaving"})
                    String state,
            boolean running,
            @Described("Segments that are in both places") long copied,
            @Described("Segments of the log") long segments,
            @Described("Copied since it began or went on") long bytes,
            @Described("Cause of a halt") Optional<String> why,
            Optional<UnderReplicated> underReplicated) {}

    /**
     * Segments of a log that have fewer copies than wanted.
     *
     * @param bytes written bytes in them
     */
    @Described(
            "Segments whose ledgers have fewer copies than configured;"
                    + " absent if there are none")
    public record UnderReplicated(long segments, @Described("Written bytes in them") long bytes) {}

    /**
     * Begins, resumes or gives up the migration of a cube's log.
     *
     * @param to {@code local} or {@code bookkeeper}; the place that it is in gives up the migration
     */
    public record MigrateRequest(
            String cube, @Described(oneOf = {"local", "bookkeeper"}) String to) {}

    /**
     * Asks for something of one cube.
     *
     * @param cube empty for the system cube, or for all where an answer has several
     */
    public record CubeChoice(
            @Described("Without it, the system cube, or all cubes if the answer has several")
                    Optional<String> cube) {}

    /** Creates a cube, or takes one without buckets out of the store. */
    public record CubeRequest(
            @Described("1 to 63 lower-case letters, digits and hyphens") String cube) {}

    /**
     * Closes a cube and opens it again.
     *
     * @param rebuildIndex whether its index is deleted in between
     */
    public record ReopenRequest(
            String cube,
            @Described("True to delete the index between closing and opening")
                    boolean rebuildIndex) {}

    /**
     * Begins, resumes or gives up the move of a bucket.
     *
     * @param cube where it moves; the cube that it is in gives up the move
     */
    public record MoveRequest(String bucket, @Described("Target of the move") String cube) {}

    /**
     * Begins, resumes or gives up a split: the move of the keys from one on to another cube.
     *
     * @param key first key that moves
     * @param cube where they move
     */
    public record SplitRequest(
            String bucket,
            @Described("First key that moves") String key,
            @Described("Target of the keys") String cube) {}

    /**
     * Begins, resumes or gives up a merge: the move of a part to the cube of the keys before it.
     *
     * @param key first key of the part
     */
    public record MergeRequest(String bucket, @Described("First key of the part") String key) {}

    /** Asks for buckets, in the order of names. */
    public record BucketsRequest(
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    /** A page of the buckets of all cubes and nodes. It ends early behind a large bucket. */
    public record Buckets(
            List<Bucket> buckets,
            @Described("Start of the next page; missing on the last one") Optional<String> next) {}

    /**
     * A bucket.
     *
     * @param versioning {@code unversioned}, {@code enabled} or {@code suspended}
     * @param cubes cubes that have keys of it
     * @param size empty when one of the cubes is not open
     * @param why why there is no size
     */
    public record Bucket(
            String bucket,
            String owner,
            Instant created,
            @Described(oneOf = {"unversioned", "enabled", "suspended"}) String versioning,
            @Described("Cubes that have keys of the bucket") List<String> cubes,
            Optional<Size> size,
            @Described("Cause of a missing size") Optional<String> why) {}

    /**
     * The size of a bucket, in bytes of content.
     *
     * @param objects current versions, without delete markers
     * @param versions noncurrent versions, with delete markers
     * @param states states that S3's clients cannot see
     */
    @Described("Bytes of content, including bytes shared with other states")
    public record Size(
            @Described("Current versions without delete markers") long objects,
            long bytes,
            @Described("Noncurrent versions with delete markers") long versions,
            long versionBytes,
            @Described("States that S3 clients cannot see") long states,
            long stateBytes) {}

    /** Asks for the parts of a bucket. */
    public record PartsRequest(String bucket) {}

    /** The parts of a bucket in the order of their keys. */
    public record BucketParts(List<BucketPart> parts) {}

    /**
     * The keys of a bucket in one cube.
     *
     * @param first first key; absent for the keys from the beginning
     */
    public record BucketPart(
            @Described("First key, absent for the keys from the beginning") Optional<String> first,
            String cube) {}

    /** The moves that have not ended. */
    public record Moves(List<Move> moves) {}

    /**
     * A move of a bucket, or of a range of its keys.
     *
     * @param first first key of the range; absent for the whole bucket
     * @param end first key behind the range; absent when there is none
     * @param phase {@code copying}, {@code clearing} or {@code abandoning}
     * @param running whether it goes on now
     * @param keys number of keys that the present pass has compared or removed
     * @param keysTotal about how many there are: clients write meanwhile; 0 before they are counted
     * @param pass number of the present pass, from 1; 0 before the first one
     * @param why why it does not go on
     */
    public record Move(
            String bucket,
            @Described("Name of a cube") String from,
            @Described("Name of a cube") String to,
            @Described("First key of the range that moves, absent for the whole bucket")
                    Optional<String> first,
            @Described("First key after the range; absent if there is none") Optional<String> end,
            @Described(oneOf = {"copying", "clearing", "abandoning"}) String phase,
            Instant began,
            @Described("True while the move goes on") boolean running,
            @Described("Keys that the present pass has compared or removed") long keys,
            @Described(
                            "Approximate number of keys, because clients write; 0"
                                    + " before they are counted")
                    long keysTotal,
            @Described("Number of the present pass, from 1; 0 before the first one") long pass,
            @Described("Cause of a halt") Optional<String> why) {}

    /**
     * A cube that left the store.
     *
     * @param directory where its files are now
     */
    public record RemovedCube(String cube, @Described("Directory of the files") String directory) {}
}
