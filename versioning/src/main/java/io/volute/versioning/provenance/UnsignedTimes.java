package io.volute.versioning.provenance;

import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.record.SignedSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * The times of which no entry tells: before settings were signed, and while signatures were off.
 * Immutable.
 */
final class UnsignedTimes {
    private final SettingsHistory settings;
    private final List<Time> times = new ArrayList<>();

    /** Commits behind one, up to another. */
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
        for (SettingsHistory.Unsigned each : settings.unsigned()) {
            times.add(
                    new Time(
                            each.from().commitSequence(),
                            each.until()
                                    .map(SettingsHistory.Change::commitSequence)
                                    .orElse(Long.MAX_VALUE)));
        }
    }

    /** Whether a commit lies in one of them. */
    boolean has(long commit) {
        return times.stream().anyMatch(each -> each.has(commit));
    }

    /** Whether one of them lies between two commits, or has a part there. */
    boolean isBetween(long earlier, long later) {
        return times.stream().anyMatch(each -> each.from < later && each.until > earlier);
    }

    /** Whether an entry that was made behind this commit has the details that are compared. */
    boolean isComparable(long commit) {
        return settings.at(commit)
                .filter(each -> each.rules() >= SignedSettings.RULES_STATE)
                .isPresent();
    }
}
