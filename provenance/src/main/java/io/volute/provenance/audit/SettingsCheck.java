package io.volute.provenance.audit;

import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignedSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks that settings stand in the store's own chain, and nothing else does; collects them. Not
 * thread-safe.
 */
final class SettingsCheck {
    /** A store changes its settings a few times a year; a forger's chain must not fill the heap. */
    private static final int CHANGES_MAX = 10_000;

    private final ChainIdentity chain;
    private final Findings findings;
    private final List<SettingsHistory.Change> changes = new ArrayList<>();

    SettingsCheck(ChainIdentity chain, Findings findings) {
        this.chain = chain;
        this.findings = findings;
    }

    /** Takes the next entry that is looked at. */
    void check(Entry entry) {
        if (chain.isOfStore() != (entry.kind() == EventKind.SETTINGS)) {
            findings.add(
                    entry.sequence(),
                    Cause.TRANSPLANTED,
                    chain.isOfStore()
                            ? "only settings stand in the store's own chain"
                            : "settings stand in the store's own chain only");
            return;
        }
        try {
            Optional<SignedSettings> settings = SignedSettings.of(entry);
            if (settings.isPresent()) {
                add(entry, settings.get());
            }
        } catch (RefusedException e) {
            findings.add(entry.sequence(), Cause.UNREADABLE, e.getMessage());
        }
    }

    private void add(Entry entry, SignedSettings settings) {
        if (changes.size() == CHANGES_MAX) {
            findings.add(
                    entry.sequence(),
                    Cause.UNVERIFIABLE,
                    "more than " + CHANGES_MAX + " changes of settings");
            return;
        }
        changes.add(
                new SettingsHistory.Change(
                        entry.placement().commitSequence(),
                        entry.placement().timeMillis(),
                        settings));
    }

    SettingsHistory history() {
        return changes.isEmpty() ? SettingsHistory.UNKNOWN : new SettingsHistory(changes);
    }

    SettingsCheck copy(Findings into) {
        SettingsCheck copy = new SettingsCheck(chain, into);
        copy.changes.addAll(changes);
        return copy;
    }
}
