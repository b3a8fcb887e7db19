package io.volute.versioning.provenance.audit;

import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.record.SignedSettings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;

/**
 * The periods without entries: before settings were signed, and while signatures were off.
 * Immutable.
 */
final class UnsignedTimes {
    private final SettingsHistory settings;
    private final List<Time> times = new ArrayList<>();

    /**
     * The commits after one, up to another.
     *
     * @param isStated whether signed entries name the keys that changed in this time
     */
    private record Time(long from, long until, boolean isStated) {
        boolean has(long commit) {
            return commit > from && commit <= until;
        }
    }

    /**
     * Creates the periods of a store.
     *
     * @param commits last sequences of the commits that wrote the store's own chain
     */
    UnsignedTimes(SettingsHistory settings, NavigableSet<Long> commits) {
        this.settings = settings;
        if (settings.changes().isEmpty()) {
            times.add(new Time(-1, Long.MAX_VALUE, false));
            return;
        }
        SettingsHistory.Change first = settings.changes().getFirst();
        if (!first.settings().isBeginning()) {
            times.add(new Time(-1, first.commitSequence(), false));
        }
        for (SettingsHistory.UnsignedPeriod each : settings.unsigned()) {
            // The entry for off is the first commit of the period, and changes no key.
            long off = each.from().commitSequence();
            Long own = commits.higher(off);
            long from = own == null ? off : own;
            Optional<Long> on = each.until().map(SettingsHistory.Change::commitSequence);
            long until = on.orElse(Long.MAX_VALUE);
            if (from < until) {
                boolean isStated =
                        on.isPresent() && each.from().settings().areUnsignedChangesNamed();
                times.add(new Time(from, until, isStated));
            }
        }
    }

    /** Returns the periods that can excuse differences of a key whose entries are not read yet. */
    OfKey ofKey() {
        return new OfKey();
    }

    /** Returns whether an entry after this commit has the details that are compared. */
    boolean isComparable(long commit) {
        return settings.at(commit)
                .filter(each -> each.rules() >= SignedSettings.RULES_STATE)
                .isPresent();
    }

    /**
     * The periods that can excuse differences of one key: those without statements, and those for
     * which an entry of the key states that it changed. Not thread-safe.
     */
    final class OfKey {
        private final Set<Time> stated = new HashSet<>();

        /**
         * Adds an entry which states that the key changed in an unsigned time.
         *
         * @param commit last commit before the entry
         * @return whether it was made in such a time; a later one excuses nothing
         */
        boolean state(long commit) {
            return times.stream()
                    .filter(each -> each.isStated && each.has(commit))
                    .findFirst()
                    .map(
                            each -> {
                                stated.add(each);
                                return true;
                            })
                    .orElse(false);
        }

        private boolean isOpen(Time time) {
            return !time.isStated || stated.contains(time);
        }

        /** Returns whether a commit is in one of them. */
        boolean has(long commit) {
            return times.stream().anyMatch(each -> isOpen(each) && each.has(commit));
        }

        /** Returns whether a period without statements overlaps the time between two commits. */
        boolean isUnstatedBetween(long earlier, long later) {
            return times.stream()
                    .anyMatch(each -> !each.isStated && each.from < later && each.until > earlier);
        }
    }
}
