package io.volute.versioning.causality;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The rule for keeping overwritten states. Each constant is named after its algorithm. */
public enum HistoryPolicy {
    /** Keeps none. */
    NONE("none"),

    /** Keeps a state when the sessions that wrote it have ended. May form cycles. */
    OPEN_CLOSE("open-close"),

    /** Keeps a state when an ancestor is new to it, or newer than known. */
    CYCLE_AVOIDANCE("cycle-avoidance"),

    /**
     * Keeps a state when the sessions that wrote it have ended, or the graph would become cyclic.
     */
    GRAPH_FINESSE("graph-finesse"),

    /** Keeps all. */
    EVERY_WRITE("every-write");

    private final String text;

    HistoryPolicy(String text) {
        this.text = text;
    }

    /** Returns the name in settings and requests. */
    public String text() {
        return text;
    }

    /**
     * Returns the policy of this name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the valid names
     */
    public static HistoryPolicy parse(String text) {
        for (HistoryPolicy policy : values()) {
            if (policy.text.equals(text)) {
                return policy;
            }
        }
        String allowed =
                Arrays.stream(values()).map(HistoryPolicy::text).collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                "unknown history policy '" + text + "'; allowed are " + allowed);
    }
}
