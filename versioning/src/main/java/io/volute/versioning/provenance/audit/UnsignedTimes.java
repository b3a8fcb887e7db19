package io.volute.versioning.provenance.audit;

import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.record.SignedSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * The periods without entries: before settings were signed, and while signatures were off.
 * Immutable.
 */
final class UnsignedTimes {
    private final SettingsHistory settings;
    private final List<Time> times = new ArrayList<>();

    /** The commits after one, up to another. */
    private record Time(long from, long until) {
        boolean has(long commit) {
            return commit > from && commit <= until;
        }
    }

    UnsignedTimes(SettingsHistory settings) {
        this.settings = settings;
        if (settings.changes().isEmpty()) {
            times.add(new Time(-1, Long.MAX_VALUE));
            return;
        }
        SettingsHistory.Change first = settings.changes().getFirst();
        if (!first.settings().isBeginning()) {
            times.add(new Time(-1, first.commitSequence()));
        }
        for (SettingsHistory.UnsignedPeriod each : settings.unsigned()) {
            times.add(
                    new Time(
                            each.from().commitSequence(),
                            each.until()
                                    .map(SettingsHistory.Change::commitSequence)
                                    .orElse(Long.MAX_VALUE)));
        }
    }

    /** Returns whether a commit is in one of them. */
    boolean has(long commit) {
        return times.stream().anyMatch(each -> each.has(commit));
    }

    /** Returns whether one of them overlaps the time between two commits. */
    boolean isBetween(long earlier, long later) {
        return times.stream().anyMatch(each -> each.from < later && each.until > earlier);
    }

    /** Returns whether an entry after this commit has the details that are compared. */
    boolean isComparable(long commit) {
        return settings.at(commit)
                .filter(each -> each.rules() >= SignedSettings.RULES_STATE)
                .isPresent();
    }
}
