package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.volute.adminapi.ClusterApi.MissingOwner;
import io.volute.adminapi.DamageApi.Damaged;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks of cubes, and the scrub. */
public final class CheckApi {
    private CheckApi() {}

    /**
     * Asks for a check.
     *
     * @param cube empty for the first one
     * @param bytesPerSecond the most that it reads
     */
    public record CheckRequest(Optional<String> cube, OptionalLong bytesPerSecond) {}

    /**
     * The latest checks of all cubes or of one. Each node has those that it made.
     *
     * @param missing owners of other cubes whose part is missing
     */
    public record Checks(
            List<Check> checks,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(value = OwnersAnswer.MISSING, canBeMissing = true)
                    List<MissingOwner> missing)
            implements OwnersAnswer<Checks> {
        public Checks(List<Check> checks) {
            this(checks, List.of());
        }

        @Override
        public Checks with(String node, Checks part) {
            return new Checks(OwnersAnswer.both(checks, part.checks()), missing);
        }

        @Override
        public Checks without(List<MissingOwner> owners) {
            return new Checks(checks, OwnersAnswer.both(missing, owners));
        }
    }

    /**
     * The latest check of a cube.
     *
     * @param found null before the first one
     */
    public record Check(
            String cube,
            @JsonUnwrapped Run run,
            @Described(canBeMissing = true) @JsonUnwrapped Found found) {
        public Check {
            found = run.id().isEmpty() ? null : found;
        }
    }

    /**
     * The state of a long task.
     *
     * @param state {@code none}, {@code running}, {@code finished}, {@code stopped} or {@code
     *     failed}
     * @param id counts since start; empty before the first one
     * @param started empty before the first one
     * @param failure why it failed
     */
    public record Run(
            @Described(oneOf = {"none", "running", "finished", "stopped", "failed"}) String state,
            @Described("Counts audits since the server's start") OptionalLong id,
            Optional<Instant> started,
            Optional<String> failure) {
        public boolean isRunning() {
            return state.equals("running");
        }

        /** Returns whether it came to its end. */
        public boolean isFinished() {
            return state.equals("finished");
        }
    }

    /**
     * What a check has found so far.
     *
     * @param records that were read
     * @param moreProblems those that are only counted
     */
    public record Found(
            long records,
            long blobs,
            long segments,
            long segmentsTotal,
            long bytesRead,
            List<Problem> problems,
            long moreProblems) {}

    /**
     * A damage: its kind, its place, and what it is.
     *
     * @param concerns the states that need the damaged bytes; empty when none does
     * @param moreConcerns number of those that are not in the list
     */
    public record Problem(
            @Described(oneOf = {"accounting", "reference", "checksum"}) String kind,
            String where,
            String what,
            @Described("The states that need the damaged bytes") List<Damaged> concerns,
            long moreConcerns) {
        public Problem {
            concerns = concerns == null ? List.of() : List.copyOf(concerns);
        }
    }

    /**
     * The state of the scrub.
     *
     * @param intervalSeconds between two passes; 0 when it is off
     * @param failure why the last pass failed
     * @param others the scrubs of the other owners, each of its cubes
     * @param missing owners of other cubes whose part is missing
     */
    public record Scrub(
            @Described("Interval of passes; 0 if each pass needs a request") long intervalSeconds,
            @Described("A pass is under way") Optional<ScrubRunning> running,
            @Described("The last pass that came to its end") Optional<ScrubPass> last,
            @Described("Instant at which the next pass is due") Optional<Instant> next,
            @Described("Cause of the failure of the latest attempt") Optional<String> failure,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(
                            value = "Scrubs of the other owners, each of its cubes; absent if none",
                            canBeMissing = true)
                    List<NodeScrub> others,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(value = OwnersAnswer.MISSING, canBeMissing = true)
                    List<MissingOwner> missing)
            implements OwnersAnswer<Scrub> {
        public Scrub(
                long intervalSeconds,
                Optional<ScrubRunning> running,
                Optional<ScrubPass> last,
                Optional<Instant> next,
                Optional<String> failure) {
            this(intervalSeconds, running, last, next, failure, List.of(), List.of());
        }

        @Override
        public Scrub with(String node, Scrub part) {
            NodeScrub other =
                    new NodeScrub(
                            node,
                            part.intervalSeconds(),
                            part.running(),
                            part.last(),
                            part.next(),
                            part.failure());
            return new Scrub(
                    intervalSeconds,
                    running,
                    last,
                    next,
                    failure,
                    OwnersAnswer.both(others, List.of(other)),
                    missing);
        }

        @Override
        public Scrub without(List<MissingOwner> owners) {
            return new Scrub(
                    intervalSeconds,
                    running,
                    last,
                    next,
                    failure,
                    others,
                    OwnersAnswer.both(missing, owners));
        }
    }

    /** The scrub of another owner in a cluster, with the fields of {@link Scrub}. */
    public record NodeScrub(
            String node,
            long intervalSeconds,
            Optional<ScrubRunning> running,
            Optional<ScrubPass> last,
            Optional<Instant> next,
            Optional<String> failure) {}

    /** A pass of the scrub in progress. */
    public record ScrubRunning(
            Instant began,
            long segments,
            long segmentsTotal,
            long bytesRead,
            @Described("Verified chains; they come after the segments") long chains,
            long found) {}

    /**
     * The last whole pass of the scrub.
     *
     * @param problems of stored bytes
     * @param findings of signed history
     * @param found the first of both, in words
     * @param moreFound those without words
     */
    public record ScrubPass(
            Instant began,
            Instant ended,
            @Described("Problems of stored data") long problems,
            @Described("Problems of chains and checkpoints") long findings,
            @Described("The first of both") List<String> found,
            long moreFound) {}
}
