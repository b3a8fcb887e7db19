package io.volute.versioning.provenance.audit;

import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The extent of an audit.
 *
 * @param commit the last commit; the next audit takes later ones
 * @param since last commit of an earlier audit; 0 for none
 * @param checkpoint commit of the newest checkpoint, which contains all chains of that time
 * @param settings settings of the store over time
 */
record AuditStand(
        long commit, KeyList list, long since, OptionalLong checkpoint, SettingsHistory settings) {
    AuditStand with(SettingsHistory known) {
        return new AuditStand(commit, list, since, checkpoint, known);
    }

    /** Returns the same extent with all entries. */
    AuditStand whole() {
        return new AuditStand(commit, list, 0, checkpoint, settings);
    }

    /** Returns the extent for a chain whose beginning was removed later. */
    AuditStand removedAt(long removal, KeyList now) {
        return removal > commit ? new AuditStand(removal, now, since, checkpoint, settings) : this;
    }

    /** Adds the head of a chain in the checkpoints to the terms. */
    AuditTerms trusting(AuditTerms terms, ChainSource chain) {
        OptionalLong known = since == 0 ? checkpoint : OptionalLong.of(since);
        if (known.isEmpty()) {
            return terms;
        }
        AuditTerms at = terms.at(known.getAsLong());
        Optional<ChainHead> head = chain.headAt(known.getAsLong());
        return head.map(each -> since == 0 ? at.with(each) : at.since(each)).orElse(at);
    }
}
