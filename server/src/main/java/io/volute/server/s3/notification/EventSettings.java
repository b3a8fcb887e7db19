package io.volute.server.s3.notification;

import java.util.Map;
import java.util.Set;

/**
 * The receivers of events and replicas.
 *
 * @param targets types of the targets that configurations of buckets can name, by their names
 * @param replicas names of the targets of replication
 * @param streams the clients that listen
 */
public record EventSettings(
        Map<String, String> targets, Set<String> replicas, EventStreams streams) {
    public EventSettings {
        targets = Map.copyOf(targets);
        replicas = Set.copyOf(replicas);
    }

    /** Creates settings without targets of replication. */
    public EventSettings(Map<String, String> targets, EventStreams streams) {
        this(targets, Set.of(), streams);
    }

    /** Returns settings without targets, whose streams get no events. */
    public static EventSettings none() {
        return new EventSettings(Map.of(), new EventStreams(""));
    }
}
