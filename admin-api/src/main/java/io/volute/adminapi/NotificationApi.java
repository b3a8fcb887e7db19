package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.volute.adminapi.ClusterApi.MissingOwner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The targets of event notifications. */
public final class NotificationApi {
    private NotificationApi() {}

    /**
     * The targets. Each owner delivers the events of its cubes.
     *
     * @param missing owners of other cubes whose part is missing
     */
    public record Targets(
            List<Target> targets,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(value = OwnersAnswer.MISSING, canBeMissing = true)
                    List<MissingOwner> missing)
            implements OwnersAnswer<Targets> {
        public Targets(List<Target> targets) {
            this(targets, List.of());
        }

        @Override
        public Targets with(String node, Targets part) {
            Map<String, Target> byName = new LinkedHashMap<>();
            targets.forEach(each -> byName.put(each.name(), each));
            part.targets().forEach(each -> byName.merge(each.name(), each, Target::with));
            return new Targets(new ArrayList<>(byName.values()), missing);
        }

        @Override
        public Targets without(List<MissingOwner> owners) {
            return new Targets(targets, OwnersAnswer.both(missing, owners));
        }
    }

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
            @Described("Cause of the failure of the last attempt") Optional<String> failure) {
        private Target with(Target other) {
            return new Target(
                    name,
                    arn.or(other::arn),
                    delivered + other.delivered,
                    failures + other.failures,
                    waiting + other.waiting,
                    Math.max(lagMillis, other.lagMillis),
                    omitted + other.omitted,
                    failure.or(other::failure));
        }
    }
}
