package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.volute.adminapi.ClusterApi.MissingOwner;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The use of the bytes of cubes, and cleaning. */
public final class SpaceApi {
    private SpaceApi() {}

    /**
     * All cubes of a store.
     *
     * @param missing owners of other cubes whose part is missing
     */
    public record Spaces(
            List<Space> cubes,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(value = OwnersAnswer.MISSING, canBeMissing = true)
                    List<MissingOwner> missing)
            implements OwnersAnswer<Spaces> {
        public Spaces(List<Space> cubes) {
            this(cubes, List.of());
        }

        @Override
        public Spaces with(String node, Spaces part) {
            return new Spaces(OwnersAnswer.both(cubes, part.cubes()), missing);
        }

        @Override
        public Spaces without(List<MissingOwner> owners) {
            return new Spaces(cubes, OwnersAnswer.both(missing, owners));
        }
    }

    /**
     * The use of a cube's bytes.
     *
     * @param cube its name
     * @param state {@code open}, or why it takes no writes
     * @param clientFreeBytes what clients may still write: free without the reserve of the cleaner
     * @param compactableBytes dead bytes that compaction can return to the file system
     * @param expansion used bytes divided by live ones
     * @param spareSegments segments without content, ready for use
     * @param segments by kind
     */
    public record Space(
            String cube,
            @Described(oneOf = {"recovering", "healthy", "read_only", "closed"}) String state,
            long capacityBytes,
            long usedBytes,
            long freeBytes,
            long clientFreeBytes,
            long liveBytes,
            long deadBytes,
            long tombstoneBytes,
            long holeBytes,
            long compactableBytes,
            double expansion,
            long segmentBytes,
            long spareSegments,
            List<Segments> segments,
            Writes writes,
            Decision decision,
            Cleaner cleaner,
            Images images) {}

    /** All segments of a kind. */
    public record Segments(
            @Described(oneOf = {"head", "stream", "survivor"}) String kind,
            long count,
            long sealed,
            long writtenBytes,
            long liveBytes,
            long deadBytes,
            long tombstoneBytes,
            long holeBytes) {}

    /**
     * Bytes written since start.
     *
     * @param amplification the ratio to the bytes of clients; 0 without any
     * @param causes by the cause's name
     */
    public record Writes(long bytes, double amplification, Map<String, Cause> causes) {}

    /** Bytes written for one cause, and their ratio to the bytes of clients. */
    public record Cause(long bytes, double amplification) {}

    /**
     * The cleaner's last decision and the figures that it looked at.
     *
     * @param action {@code nothing}, {@code compact} or {@code combined}
     * @param reason why, in words
     */
    public record Decision(
            @Described(oneOf = {"nothing", "compact", "combine"}) String action,
            String reason,
            long capacityBytes,
            long freeBytes,
            long liveBytes,
            long tombstoneBytes,
            long usedBytes,
            double freeShare,
            double liveShare,
            double tombstoneShare,
            double expansion) {}

    /** The work of the cleaner since start. */
    public record Cleaner(
            long passes, long freedSegments, long copiedBytes, long damagedSegments) {}

    /** The images of segments in memory. */
    public record Images(
            long budgetBytes,
            long allocatedBytes,
            long liveBytes,
            long hits,
            long misses,
            long compactions,
            long evictions,
            long evictedEntries) {}

    /**
     * Asks for one pass of the cleaner.
     *
     * @param cube empty for the first one
     * @param level {@code compact} or {@code combined}
     */
    public record CleanRequest(
            Optional<String> cube, @Described(oneOf = {"compact", "combined"}) String level) {}

    /** The bytes that a pass of the cleaner freed; 0 when nothing is left to do. */
    public record Cleaned(
            String cube,
            @Described(oneOf = {"compact", "combined"}) String level,
            long freedBytes) {}
}
