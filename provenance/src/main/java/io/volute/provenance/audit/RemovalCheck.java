package io.volute.provenance.audit;

import io.volute.provenance.record.Entry;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Removal;
import io.volute.provenance.record.SignedSettings;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks a removal of entries against the signed settings of its time. */
final class RemovalCheck {
    private RemovalCheck() {}

    /**
     * Returns why the store was not permitted to remove these entries. Empty if it was permitted,
     * or if the settings of that time are unknown.
     *
     * @param summary the entry that records the removal
     */
    static Optional<String> refusal(Entry summary, Removal removal, SettingsHistory settings) {
        if (removal.through() >= summary.sequence()) {
            return Optional.of("claims that entries up to " + removal.through() + " are gone");
        }
        Optional<SignedSettings> then = settings.at(summary.placement().commitSequence());
        if (then.isEmpty()) {
            return Optional.empty();
        }
        long retention = then.get().retentionMillis();
        if (retention == 0) {
            return Optional.of("provenance.retention was 0 then: nothing is removed");
        }
        return then.get().rules() < SignedSettings.RULES_REMOVAL_TIME
                ? Optional.empty()
                : tooSoon(summary, retention);
    }

    private static Optional<String> tooSoon(Entry summary, long retention) {
        long time = summary.placement().timeMillis();
        OptionalLong until = until(summary);
        return until.isPresent() && time - until.getAsLong() >= retention
                ? Optional.empty()
                : Optional.of(
                        "the last entry that is gone was not "
                                + retention
                                + " ms old, which provenance.retention was then");
    }

    /** When the last entry that is gone was made; empty when that is not said. */
    private static OptionalLong until(Entry summary) {
        Field field = summary.details().get(Removal.UNTIL);
        return field != null && field.form() == Field.Form.PLAIN
                ? Field.decimal(field.value().text())
                : OptionalLong.empty();
    }
}
