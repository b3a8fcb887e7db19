package io.volute.adminapi;

import java.util.List;
import java.util.Optional;

/** The targets of event notifications. */
public final class NotificationApi {
    private NotificationApi() {}

    public record Targets(List<Target> targets) {}

    /**
     * A target.
     *
     * @param arn for the configurations of buckets; empty when the settings do not have the target
     * @param delivered messages since the start
     * @param failures attempts since the start that failed
     * @param waiting messages that the target does not have yet
     * @param lagMillis age of the oldest of them; 0 without one
     * @param omitted events since the start without a message, because too many waited
     * @param failure why the last attempt failed
     */
    public record Target(
            String name,
            @Described(
                            "ARN for the configurations of buckets; absent if the"
                                    + " settings do not have the target")
                    Optional<String> arn,
            @Described("Messages since the start") long delivered,
            @Described("Attempts since the start that failed") long failures,
            @Described("Messages that the target does not have yet") long waiting,
            @Described("Age of the oldest of them") long lagMillis,
            @Described("Events since the start without a message, because too many waited")
                    long omitted,
            @Described("Cause of the failure of the last attempt") Optional<String> failure) {}
}
