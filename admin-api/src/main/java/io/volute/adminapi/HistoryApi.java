package io.volute.adminapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The past of keys: their states, who wrote them, and why they are as they are. */
public final class HistoryApi {
    private HistoryApi() {}

    /** Asks for the states of a key, the newest first. */
    public record StatesRequest(
            String bucket,
            @Described("1 to 1024 bytes of UTF-8") String key,
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    public record States(
            List<State> states,
            @Described("Start of the next page; missing on the last one") Optional<String> next) {}

    /**
     * A state of a key.
     *
     * @param versionId as S3's clients see it
     * @param stateId the same for no other state of the key
     * @param visible whether S3's clients can see it
     * @param began when it became the key's state
     * @param written when its bytes were
     * @param ended empty for the current one
     * @param actor empty when it is not known
     */
    public record State(
            String key,
            @Described("Version id that S3 clients see or saw") String versionId,
            @Described(
                            "Names the state as a versionId of traces and restores,"
                                    + " hidden null versions too")
                    String stateId,
            long causalVersion,
            boolean deleteMarker,
            @Described("S3 clients can see it") boolean visible,
            Instant began,
            @Described("Later than began when the same actor wrote again") Instant written,
            @Described("Absent for the current state") Optional<Instant> ended,
            long bytes,
            String etag,
            Optional<Actor> actor) {}

    /** Asks for actors with these credentials and names; without any, for all. */
    public record ActorsRequest(
            @Described("Access key of the actor, or the lasting key that began its session")
                    Optional<String> accessKey,
            @Described("User of the access key, or of the lasting key that began the session")
                    Optional<String> user,
            @Described(
                            "Label of a name of any kind; in quotation marks, a name"
                                    + " that the client chose")
                    Optional<String> name,
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    /**
     * A page of actors.
     *
     * @param notOpen names of the cubes that are open nowhere, whose actors are left out
     */
    public record Actors(
            List<Actor> actors,
            @Described("Start of the next page; missing on the last one") Optional<String> next,
            @Described("Names of the cubes that no node has open; their actors are left out")
                    List<String> notOpen) {}

    /**
     * A client program under a credential.
     *
     * @param parentAccessKey the key that began its session
     * @param name what the client calls itself
     * @param naming {@code chosen} by the client, of the {@code session}, or {@code derived}
     * @param version its causal version; empty in lists of actors
     */
    public record Actor(
            long id,
            String principal,
            @Described("Empty for requests that were not signed") String accessKey,
            @Described(
                            "The lasting access key that began its session; absent"
                                    + " without a session")
                    Optional<String> parentAccessKey,
            @Described("The user of that key") Optional<String> parentPrincipal,
            @Described("Label of the name") String name,
            @Described(
                            value = "Origin of the name; unknown in records of earlier versions",
                            oneOf = {"unknown", "chosen", "session", "program", "server"})
                    String naming,
            @Described("Address of the client; empty if unknown") String address,
            Instant began,
            OptionalLong version) {}

    /** Asks for what actors did in a time. */
    public record ActivityRequest(
            @Described(value = "Id of one run of an actor", min = 0) OptionalLong actor,
            @Described("Access key of the actor, or the lasting key that began its session")
                    Optional<String> accessKey,
            @Described("User of the access key, or of the lasting key that began the session")
                    Optional<String> user,
            @Described(
                            "Label of a name of any kind; in quotation marks, a name"
                                    + " that the client chose")
                    Optional<String> name,
            Optional<Instant> since,
            Optional<Instant> until,
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    /**
     * A page of activities.
     *
     * @param notOpen names of the cubes that are open nowhere, whose activities are left out
     */
    public record Activities(
            List<Activity> activity,
            @Described("Start of the next page; missing on the last one") Optional<String> next,
            @Described(
                            "Names of the cubes that no node has open; their"
                                    + " activities are left out")
                    List<String> notOpen) {}

    /**
     * One act.
     *
     * @param source what was copied
     */
    public record Activity(
            Instant at,
            @Described(schema = "Action") String action,
            @Described("Name of the bucket; id of a deleted one") String bucket,
            String key,
            long causalVersion,
            Actor actor,
            Optional<Place> source) {}

    /** A causal version of a key. */
    public record Place(String bucket, String key, long causalVersion) {}

    /**
     * Asks for causes or consequences.
     *
     * @param direction {@code back} or {@code forward}
     * @param versionId empty for the current version
     */
    public record TraceRequest(
            @Described(oneOf = {"back", "forward"}) String direction,
            String bucket,
            @Described("1 to 1024 bytes of UTF-8") String key,
            @Described("Version id of S3, or a stateId; without it, the current version")
                    Optional<String> versionId,
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    /**
     * A page of a trace.
     *
     * @param notOpen names of the cubes that are not open: the trace leaves out what they have
     */
    public record Steps(
            List<Step> steps,
            @Described("Start of the next page; missing on the last one") Optional<String> next,
            @Described(
                            "Names of the cubes that no node has open; their part of"
                                    + " the trace is left out")
                    List<String> notOpen) {}

    /**
     * A step of a trace.
     *
     * @param node what was reached
     * @param through from where
     */
    public record Step(
            Instant at, @Described(schema = "Action") String action, Node node, Node through) {}

    /**
     * Either an actor or a key, at a causal version; neither for a key that the caller may not
     * list.
     */
    @Described("One of both; none for a key that the caller may not list")
    public record Node(Optional<Actor> actor, Optional<Place> object) {}

    /** Asks for the policy of a bucket's history. */
    public record PolicyRequest(String bucket) {}

    /**
     * Sets the policy of a bucket's history.
     *
     * @param policy needed unless there is a resolution
     * @param resolution a time such as {@code 500ms}, or {@code inherit}
     */
    public record SetPolicyRequest(
            String bucket,
            @Described(
                            value = "Needed without resolution",
                            oneOf = {
                                "none",
                                "open-close",
                                "cycle-avoidance",
                                "graph-finesse",
                                "every-write"
                            })
                    Optional<String> policy,
            @Described("0, 1ms to 1d such as 500ms or 1m, or inherit: that of the settings")
                    Optional<String> resolution) {}

    /**
     * The policy of a bucket's history.
     *
     * @param inherited whether the resolution is that of the settings
     */
    public record Policy(
            String bucket,
            @Described(
                            oneOf = {
                                "none",
                                "open-close",
                                "cycle-avoidance",
                                "graph-finesse",
                                "every-write"
                            })
                    String policy,
            @Described(
                            "The past is exact at multiples of this time; 0: the"
                                    + " policy decides alone")
                    long resolutionMillis,
            @Described("The resolution is that of the settings") boolean inherited) {}

    /** Asks for what the past takes; without a bucket, of all. */
    public record UsageRequest(@Described("Without it, all buckets") Optional<String> bucket) {}

    /** The size of the past, in sum and by bucket. */
    public record Usage(List<Kept> buckets, long states, long bytes) {}

    /** The hidden states of a bucket that are kept. */
    public record Kept(String bucket, long states, long bytes) {}

    /** Removes hidden states that ended before an instant. */
    public record PurgeRequest(String bucket, Instant before) {}

    public record Purged(String bucket, Instant before, long purgedStates) {}
}
