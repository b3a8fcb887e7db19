package io.volute.versioning.causality;

import java.util.Arrays;
import java.util.stream.Collectors;

/** When an overwritten state is kept. Each constant is named after the algorithm that decides. */
public enum HistoryPolicy {
    /** Never. */
    NONE("none"),

    /** When the sessions that wrote it have ended. May form cycles. */
    OPEN_CLOSE("open-close"),

    /** When an ancestor is new to it, or newer than known. */
    CYCLE_AVOIDANCE("cycle-avoidance"),

    /** When the sessions that wrote it have ended, or the graph of all versions would be cyclic. */
    GRAPH_FINESSE("graph-finesse"),

    /** Always. */
    EVERY_WRITE("every-write");

    private final String text;

    HistoryPolicy(String text) {
        this.text = text;
    }

    /** The name in settings and requests. */
    public String text() {
        return text;
    }

    /**
     * The policy of this name.
     *
     * @throws IllegalArgumentException if there is none; names those that there are
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
                "no history policy is called '" + text + "'; allowed are " + allowed);
    }
}
