package io.volute.provenance.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Findings of one chain, bounded. */
final class Findings {
    private static final int COUNT_MAX = 1_000;

    private final List<Finding> findings = new ArrayList<>();
    private final Map<Long, Integer> contradicted = new HashMap<>();
    private long omitted;

    void add(long sequence, Cause cause, String detail) {
        if (findings.size() < COUNT_MAX) {
            findings.add(new Finding(sequence, cause, detail));
        } else {
            omitted++;
        }
    }

    /** A later entry does not fit one that was found to be bad. */
    void contradict(long sequence) {
        if (contradicted.size() < COUNT_MAX || contradicted.containsKey(sequence)) {
            contradicted.merge(sequence, 1, Integer::sum);
        }
    }

    /** Grows with each finding. */
    long count() {
        return findings.size() + omitted;
    }

    long omitted() {
        return omitted;
    }

    List<Finding> list() {
        return findings;
    }

    Map<Long, Integer> contradicted() {
        return contradicted;
    }

    Findings copy() {
        Findings copy = new Findings();
        copy.findings.addAll(findings);
        copy.contradicted.putAll(contradicted);
        copy.omitted = omitted;
        return copy;
    }
}
