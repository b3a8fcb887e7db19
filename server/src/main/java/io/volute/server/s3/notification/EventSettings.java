package io.volute.server.s3.notification;

import java.util.Map;

/**
 * The receivers of events.
 *
 * @param targets types of the targets that configurations of buckets can name, by their names
 * @param streams the clients that listen
 */
public record EventSettings(Map<String, String> targets, EventStreams streams) {
    public EventSettings {
        targets = Map.copyOf(targets);
    }

    /** Returns settings without targets, whose streams get no events. */
    public static EventSettings none() {
        return new EventSettings(Map.of(), new EventStreams(""));
    }
}
