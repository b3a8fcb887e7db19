package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.volute.adminapi.HistoryApi.Actor;
import io.volute.adminapi.HistoryApi.State;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Restores: back to an instant, or without what somebody did. */
public final class RestoreApi {
    private RestoreApi() {}

    /** Asks for a page of what a restore would do. */
    public record PlanRequest(
            Restoration request,
            @Described(min = 1, max = 1000, byDefault = "1000") OptionalLong max,
            Optional<String> from) {}

    /** Starts a restore. */
    public record StartRequest(Restoration request) {}

    /** Asks for a restore; without an id, for all. */
    public record RunsRequest(@Described("Without it, all restores") Optional<String> id) {}

    /** Cancels a restore. */
    public record CancelRequest(String id) {}

    /**
     * What a restore is to do.
     *
     * @param prefix of the keys; empty for all
     * @param onConflict {@code skip} or {@code overwrite} keys that somebody else has written since
     */
    public record Restoration(
            String bucket,
            Optional<String> prefix,
            Goal goal,
            @Described(
                            oneOf = {"skip", "overwrite"},
                            byDefault = "skip")
                    Optional<String> onConflict) {}

    /** The state that a restore brings back. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = ToInstant.class, name = "to-instant"),
        @JsonSubTypes.Type(value = UndoActor.class, name = "undo-actor"),
        @JsonSubTypes.Type(value = UndoName.class, name = "undo-name"),
        @JsonSubTypes.Type(value = UndoAccessKey.class, name = "undo-access-key"),
        @JsonSubTypes.Type(value = UndoUser.class, name = "undo-user"),
        @JsonSubTypes.Type(value = BeforeTaint.class, name = "before-taint"),
        @JsonSubTypes.Type(value = Undo.class, name = "undo"),
        @JsonSubTypes.Type(value = UndoRestore.class, name = "undo-restore")
    })
    public sealed interface Goal {}

    /** The keys as they were at an instant. */
    public record ToInstant(Instant instant) implements Goal {}

    /** The keys without what an actor has done, and without what came of it. */
    public record UndoActor(long actor, Instant since) implements Goal {}

    /** The same for actors of a name; of one user, if one is named. */
    public record UndoName(String name, Optional<String> user, Instant since) implements Goal {}

    /** The same for an access key and the sessions that it began. */
    public record UndoAccessKey(String accessKey, Instant since) implements Goal {}

    /** The same for a user. */
    public record UndoUser(String user, Instant since) implements Goal {}

    /**
     * The keys without what several sources have done, and without what came of it; at least one
     * source is given.
     *
     * @param actors ids of runs of clients
     * @param names names of clients, or beginnings of them
     * @param user user of the names
     * @param accessKeys access keys, with the sessions that they began
     * @param users users, with all access keys and sessions
     * @param since earlier writes are not undone
     * @param derived false to undo the writes of the sources alone; true by default
     */
    public record Undo(
            Optional<List<Long>> actors,
            Optional<List<String>> names,
            Optional<String> user,
            Optional<List<String>> accessKeys,
            Optional<List<String>> users,
            Instant since,
            Optional<Boolean> derived)
            implements Goal {}

    /**
     * The keys without what a restore has done.
     *
     * @param id as in {@link Run}
     */
    public record UndoRestore(String id) implements Goal {}

    /**
     * The keys without what followed from a version of a key; at most one of the causes is given.
     *
     * @param versionId empty for the current version
     */
    public record BeforeTaint(
            String bucket,
            String key,
            Optional<String> versionId,
            Optional<String> causeName,
            Optional<String> causeAccessKey,
            Optional<String> causeUser)
            implements Goal {}

    /**
     * A page of a plan.
     *
     * @param elsewhere other buckets that the goal concerns, which the restore leaves alone
     * @param authors those of whom most is undone
     * @param authorsTotal all of them
     * @param sessions how many of them are sessions
     * @param warnings sentences about the whole plan
     */
    public record Plan(
            List<Line> lines,
            @Described("Start of the next page; missing on the last one") Optional<String> next,
            @Described("Other buckets that the goal concerns; not there when there are none")
                    Optional<List<Elsewhere>> elsewhere,
            @Described(
                            "Runs of clients whose writes are undone, at most 100: the"
                                    + " sources first, then by number of writes")
                    List<Author> authors,
            @Described("Authors, also those that are not shown") long authorsTotal,
            @Described("Sessions that the access keys of the goal began; 0 for other goals")
                    long sessions,
            @Described("Sentences about the whole plan; not there when there are none")
                    Optional<List<String>> warnings) {}

    /**
     * What a restore does to a key.
     *
     * @param now empty when the key has no state
     * @param then empty when the key goes
     * @param why in words
     * @param exact whether the state was kept as it was at that time
     * @param lost why the state is not known
     * @param conflict a later write by somebody else, in words
     * @param undoneBy the undo that condemned the state to put back, in words
     */
    public record Line(
            String key,
            Optional<State> now,
            Optional<State> then,
            String why,
            @Described("False when the state was written again later, or the key is lost")
                    boolean exact,
            @Described("Cause of an unknown past state") Optional<String> lost,
            @Described(
                            "Author of later writes, or the cause of an unwanted or"
                                    + " unknown past state")
                    Optional<String> conflict,
            @Described("The undo that condemned the state to put back")
                    Optional<String> undoneBy) {}

    /** Writes to another bucket that a restore leaves alone. */
    public record Elsewhere(
            String bucket,
            @Described("Writes and deletes there that a restore of that bucket would undo")
                    long writes) {}

    /**
     * A run of an actor of whom something is undone, and the user behind it.
     *
     * @param first time of the first undone write
     * @param last time of the last undone write
     * @param derived whether its writes are undone only because they came of others
     */
    public record Author(
            Actor actor,
            String user,
            @Described("Writes and deletes in all buckets that a restore would undo") long writes,
            @Described("First of these writes") Optional<Instant> first,
            @Described("Last of these writes") Optional<Instant> last,
            @Described(
                            "True if they are undone only because they derive from"
                                    + " other undone writes")
                    boolean derived) {}

    /** All restores, the newest first. */
    public record Runs(List<Run> runs) {}

    /**
     * A restore.
     *
     * @param id joined by hyphens of the ids of its runs, when a bucket is divided over cubes
     * @param looked keys that were looked at, of a total
     * @param restored those of them that were put back or removed
     * @param removed those of the restored that were removed
     * @param skipped those of them that were left
     * @param unknown those of the skipped of which it is not known what they held
     */
    public record Run(
            String id,
            Restoration request,
            @Described(oneOf = {"running", "done", "failed", "cancelled"}) String phase,
            Instant began,
            @Described("Name of the actor that its writes have in the history") String actor,
            long looked,
            @Described("Keys that it will have looked at; 0 when that is not known") long total,
            @Described("Keys that were put back or removed") long restored,
            @Described("Restored keys that were removed") long removed,
            @Described("Keys that were left: with conflicts, or unknown") long skipped,
            @Described("Skipped keys without a known past state") long unknown,
            String message) {}
}
