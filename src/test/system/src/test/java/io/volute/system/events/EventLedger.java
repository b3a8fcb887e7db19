package io.volute.system.events;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The messages that a target has received, in their order. Thread-safe. */
final class EventLedger {
    private static final Pattern RECORD =
            Pattern.compile(
                    "\"key\":\"([^\"]*)\".*\"versionId\":\"([^\"]*)\".*\"sequencer\":\"([^\"]*)\"");

    private final Set<String> versions = new HashSet<>();
    private final Map<String, String> lastOfKey = new HashMap<>();
    private final List<String> disorder = new ArrayList<>();
    private final List<String> others = new ArrayList<>();
    private long repeated;

    synchronized void take(String message) {
        Matcher record = RECORD.matcher(message);
        if (!record.find()) {
            others.add(message);
        } else if (versions.add(record.group(2))) {
            String key = record.group(1);
            String before = lastOfKey.put(key, record.group(3));
            if (before != null && before.compareTo(record.group(3)) >= 0) {
                disorder.add(key + ": " + record.group(3) + " follows " + before);
            }
        } else {
            repeated++;
        }
        notifyAll();
    }

    /** Waits until there is a message of each of these versions; returns those without one. */
    synchronized Set<String> missing(Set<String> expected, long seconds)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!versions.containsAll(expected) && System.nanoTime() < end) {
            wait(1000);
        }
        Set<String> missing = new HashSet<>(expected);
        missing.removeAll(versions);
        return missing;
    }

    /** Returns first deliveries that came behind a later event of their key. */
    synchronized List<String> disorder() {
        return List.copyOf(disorder);
    }

    /** Returns messages that are no records. */
    synchronized List<String> others() {
        return List.copyOf(others);
    }

    synchronized long repeated() {
        return repeated;
    }

    synchronized int received() {
        return versions.size();
    }
}
