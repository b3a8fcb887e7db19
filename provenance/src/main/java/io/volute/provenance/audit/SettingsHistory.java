package io.volute.provenance.audit;

import io.volute.provenance.record.SignedSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The settings of provenance over time, as the store's own chain records them. Immutable.
 *
 * @param changes ascending; empty for a store from before settings were signed
 */
public record SettingsHistory(List<Change> changes) {
    /** Nothing is known. */
    public static final SettingsHistory UNKNOWN = new SettingsHistory(List.of());

    /**
     * One entry of the store's own chain.
     *
     * @param commitSequence of the last commit before the entry's own
     * @param timeMillis since 1970 UTC
     */
    public record Change(long commitSequence, long timeMillis, SignedSettings settings) {}

    /**
     * A period without signatures, between two signed entries.
     *
     * @param from the change that turns signatures off
     * @param until the change that turns them on again; empty if there is none
     */
    public record UnsignedPeriod(Change from, Optional<Change> until) {
        /** Returns whether a commit lies in this period. */
        public boolean has(long commit) {
            return commit > from.commitSequence()
                    && (until.isEmpty() || commit <= until.get().commitSequence());
        }
    }

    public SettingsHistory {
        changes = List.copyOf(changes);
    }

    /** Returns the settings under which a commit was made; empty before the first entry. */
    public Optional<SignedSettings> at(long commit) {
        Optional<SignedSettings> found = Optional.empty();
        for (Change each : changes) {
            if (each.commitSequence() < commit) {
                found = Optional.of(each.settings());
            }
        }
        return found;
    }

    /** Returns the times without signatures, ascending. */
    public List<UnsignedPeriod> unsigned() {
        List<UnsignedPeriod> found = new ArrayList<>();
        Optional<Change> off = Optional.empty();
        for (Change each : changes) {
            if (each.settings().areSigned()) {
                off.ifPresent(from -> found.add(new UnsignedPeriod(from, Optional.of(each))));
                off = Optional.empty();
            } else if (off.isEmpty()) {
                off = Optional.of(each);
            }
        }
        off.ifPresent(from -> found.add(new UnsignedPeriod(from, Optional.empty())));
        return found;
    }
}
