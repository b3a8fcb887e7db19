package io.volute.provenance.audit;

import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Checks the order of entries: sequences, commits, and the previous entry of each kind. */
final class OrderCheck {
    private final AuditTerms terms;
    private final Findings findings;
    private final BeginCheck begin;
    private final Map<EventKind, Long> lastOfKind = new EnumMap<>(EventKind.class);
    private final Set<EventKind> gapSince = EnumSet.noneOf(EventKind.class);
    private final long start;
    private long last;
    private long lastCommit;
    private long removed;

    OrderCheck(AuditTerms terms, Findings findings, BeginCheck begin) {
        this.terms = terms;
        this.findings = findings;
        this.begin = begin;
        start = terms.since().map(head -> head.sequence() - 1).orElse(-1L);
        last = start;
        if (start >= 0) {
            gapSince.addAll(EnumSet.allOf(EventKind.class));
        }
    }

    /** The last sequence taken in; before the first the one before it. */
    long last() {
        return last;
    }

    long removed() {
        return removed;
    }

    /** The sequence that would come next without gaps. */
    long expected() {
        return switch (terms.scope()) {
            case AuditScope.Linear() -> last + 1;
            case AuditScope.Dimension each ->
                    last < 0 ? each.head() % each.distance() : last + each.distance();
            case AuditScope.Kind ignored -> last + 1;
        };
    }

    /** From one entry that is looked at to the next. */
    private long distance() {
        return terms.scope() instanceof AuditScope.Dimension each ? each.distance() : 1;
    }

    /** A record that could not be read stands in the next place. */
    void skip() {
        if (!(terms.scope() instanceof AuditScope.Kind)) {
            last = expected();
            gapSince.addAll(EnumSet.allOf(EventKind.class));
        }
    }

    /**
     * Takes an entry in.
     *
     * @return false when it does not belong here at all
     */
    boolean check(Entry entry) {
        long sequence = entry.sequence();
        if (sequence < expected()) {
            findings.add(sequence, Cause.MISPLACED, "comes after entry " + last);
            return false;
        }
        switch (terms.scope()) {
            case AuditScope.Linear() -> {
                gap(entry);
                previousOfKind(entry);
            }
            case AuditScope.Dimension ignored -> gap(entry);
            case AuditScope.Kind ignored -> previousVisited(entry);
        }
        long commit = entry.placement().commitSequence();
        if (commit < lastCommit) {
            findings.add(sequence, Cause.BACKDATED, "commit " + commit + " after " + lastCommit);
        }
        OptionalLong checkpoint = terms.trust().lackedAt(sequence);
        if (terms.trust().isStrict() && commit < checkpoint.orElse(0)) {
            findings.add(
                    sequence,
                    Cause.BACKDATED,
                    "commit "
                            + commit
                            + ", and the checkpoint of commit "
                            + checkpoint.getAsLong()
                            + " lacks it");
        }
        lastCommit = Math.max(lastCommit, commit);
        last = sequence;
        return true;
    }

    private void gap(Entry entry) {
        long missing = entry.sequence() - expected();
        if (missing == 0) {
            return;
        }
        gapSince.addAll(EnumSet.allOf(EventKind.class));
        boolean mayBeSummary =
                entry.placement().shape().construction()
                        == SpiralShape.Construction.LINK_PER_DIMENSION;
        if (terms.acceptsSummaries()
                && mayBeSummary
                && last > start
                && terms.scope() instanceof AuditScope.Linear) {
            removed += missing;
            requireCompared(entry.sequence());
            return;
        }
        String detail = expected() + " to " + (entry.sequence() - 1) + " are missing";
        if (last == start) {
            begin.missing(expected(), entry.sequence() - distance(), detail);
        } else {
            findings.add(expected(), Cause.REMOVED, detail);
        }
    }

    /** A summary must not take away what a checkpoint fixes. */
    private void requireCompared(long behind) {
        for (ChainHead head : terms.heads()) {
            if (head.sequence() >= expected() && head.sequence() < behind) {
                findings.add(
                        head.sequence(),
                        Cause.UNVERIFIABLE,
                        "a checkpoint has this entry, and it was summarised away: take a summary"
                                + " for that checkpoint");
            }
        }
    }

    private void previousOfKind(Entry entry) {
        Optional<Long> known = Optional.ofNullable(lastOfKind.put(entry.kind(), entry.sequence()));
        OptionalLong claimed = entry.placement().previousOfKind();
        long seen = known.orElse(-1L);
        long said = claimed.orElse(-1L);
        // What it names may have been in a gap.
        boolean mayBeGone = said > seen && gapSince.contains(entry.kind());
        if (said != seen && !mayBeGone) {
            findings.add(
                    entry.sequence(),
                    Cause.HIDDEN_FROM_KIND,
                    "names " + said + " as the previous " + entry.kind() + ", not " + seen);
        }
        gapSince.remove(entry.kind());
    }

    private void previousVisited(Entry entry) {
        long said = entry.placement().previousOfKind().orElse(-1L);
        if (said > last) {
            String detail = "entry " + entry.sequence() + " has it as predecessor";
            if (last < 0) {
                begin.missing(said, said, detail);
            } else {
                findings.add(said, Cause.REMOVED, detail);
            }
        } else if (said < last) {
            findings.add(
                    last, Cause.MISPLACED, "entry " + entry.sequence() + " comes after " + said);
        }
    }

    OrderCheck copy(Findings into, BeginCheck beginning) {
        OrderCheck copy = new OrderCheck(terms, into, beginning);
        copy.lastOfKind.putAll(lastOfKind);
        copy.gapSince.addAll(gapSince);
        copy.last = last;
        copy.lastCommit = lastCommit;
        copy.removed = removed;
        return copy;
    }
}
