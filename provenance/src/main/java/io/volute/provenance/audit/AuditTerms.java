package io.volute.provenance.audit;

import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignedSettings;
import io.volute.provenance.secrecy.EntryReader;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The prior knowledge and the requirements of an auditor.
 *
 * @param acceptsSummaries whether entries may be gone from chains of construction 2
 * @param required algorithms that must be among each entry's signers
 * @param trust what the auditor knows from elsewhere about the chain
 * @param reader reads what is encrypted for the auditor, so that it is compared too
 */
public record AuditTerms(
        KeyList keys,
        AuditScope scope,
        boolean acceptsSummaries,
        Set<SignatureAlgorithm> required,
        Trust trust,
        Contents contents,
        Optional<EntryReader> reader) {
    /**
     * What an auditor knows from elsewhere about a chain and its store.
     *
     * @param heads of this chain, from checkpoints that the auditor trusts
     * @param since one of them, from which on entries are looked at; before it they are not. Empty:
     *     all
     * @param checkpoint commit of a trusted checkpoint all of whose heads are known; when there is
     *     none of this chain, the checkpoint lacks the chain
     * @param later head of this chain at a trusted checkpoint behind that one; the chain must have
     *     it, and everything before it is still compared with the earlier checkpoint
     * @param settings of the store over time
     */
    public record Trust(
            List<ChainHead> heads,
            Optional<ChainHead> since,
            OptionalLong checkpoint,
            Optional<ChainHead> later,
            SettingsHistory settings) {
        /** Nothing is known. */
        public static final Trust NOTHING =
                new Trust(
                        List.of(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        SettingsHistory.UNKNOWN);

        public Trust {
            heads = List.copyOf(heads);
        }

        /** Returns all heads that the chain must have. */
        List<ChainHead> fixed() {
            List<ChainHead> fixed = new ArrayList<>(heads);
            later.ifPresent(fixed::add);
            return fixed;
        }

        /** Returns the commit of the checkpoint, of an entry that the checkpoint lacks. */
        OptionalLong lackedAt(long sequence) {
            boolean isLacked = heads.stream().allMatch(each -> each.sequence() < sequence);
            return isLacked ? checkpoint : OptionalLong.empty();
        }

        /** Returns whether an entry absent from the checkpoint must not claim an earlier commit. */
        boolean isStrict() {
            return checkpoint.isPresent()
                    && settings.at(checkpoint.getAsLong())
                            .filter(each -> each.rules() >= SignedSettings.RULES_CHECKPOINT)
                            .isPresent();
        }
    }

    public AuditTerms {
        if (trust.since().isPresent() && !(scope instanceof AuditScope.Linear)) {
            throw new IllegalArgumentException("from a head on all entries are looked at");
        }
        required = Set.copyOf(required);
    }

    /** Everything is looked at, nothing may be gone. */
    public static AuditTerms of(KeyList keys) {
        return new AuditTerms(
                keys,
                new AuditScope.Linear(),
                false,
                Set.of(),
                Trust.NOTHING,
                Contents.UNKNOWN,
                Optional.empty());
    }

    /** Returns heads of this chain, from checkpoints that the auditor trusts. */
    public List<ChainHead> heads() {
        return trust.heads();
    }

    /** Returns the head from which on entries are looked at; empty: all are. */
    public Optional<ChainHead> since() {
        return trust.since();
    }

    /** Returns the settings of the store over time. */
    public SettingsHistory settings() {
        return trust.settings();
    }

    /** Returns the rules that can be applied with what is known. */
    Set<Rule> rules() {
        Set<Rule> rules = EnumSet.noneOf(Rule.class);
        if (!settings().changes().isEmpty()) {
            rules.add(Rule.REMOVALS_FOLLOW_SETTINGS);
        }
        if (!heads().isEmpty()) {
            rules.add(Rule.TRUSTED_HEADS_STAY);
        }
        if (trust.checkpoint().isPresent()) {
            rules.add(Rule.KEYS_OF_CHECKPOINT);
        }
        if (trust.isStrict()) {
            rules.add(Rule.NOTHING_BEFORE_CHECKPOINT);
        }
        return rules;
    }

    public AuditTerms with(AuditScope other) {
        return new AuditTerms(keys, other, acceptsSummaries, required, trust, contents, reader);
    }

    public AuditTerms acceptingSummaries() {
        return new AuditTerms(keys, scope, true, required, trust, contents, reader);
    }

    public AuditTerms requiring(SignatureAlgorithm... algorithms) {
        return requiring(Set.of(algorithms));
    }

    public AuditTerms requiring(Set<SignatureAlgorithm> algorithms) {
        return new AuditTerms(keys, scope, acceptsSummaries, algorithms, trust, contents, reader);
    }

    private AuditTerms with(Trust other) {
        return new AuditTerms(keys, scope, acceptsSummaries, required, other, contents, reader);
    }

    public AuditTerms with(ChainHead... trusted) {
        return with(
                new Trust(
                        List.of(trusted), since(), trust.checkpoint(), trust.later(), settings()));
    }

    /** Knows all heads of a trusted checkpoint; those of this chain are given before or behind. */
    public AuditTerms at(long checkpointCommit) {
        OptionalLong commit = OptionalLong.of(checkpointCommit);
        return with(new Trust(heads(), since(), commit, trust.later(), settings()));
    }

    /** From the last entry on that a trusted checkpoint has. */
    public AuditTerms since(ChainHead trusted) {
        Optional<ChainHead> since = Optional.of(trusted);
        return with(
                new Trust(List.of(trusted), since, trust.checkpoint(), trust.later(), settings()));
    }

    /** Up to the head at a later trusted checkpoint at least. */
    public AuditTerms upTo(ChainHead later) {
        Optional<ChainHead> reached = Optional.of(later);
        return with(new Trust(heads(), since(), trust.checkpoint(), reached, settings()));
    }

    /** Knows the settings of the store over time. */
    public AuditTerms with(SettingsHistory known) {
        return with(new Trust(heads(), since(), trust.checkpoint(), trust.later(), known));
    }

    public AuditTerms with(Contents compared) {
        return new AuditTerms(keys, scope, acceptsSummaries, required, trust, compared, reader);
    }

    public AuditTerms with(EntryReader reading) {
        Optional<EntryReader> own = Optional.of(reading);
        return new AuditTerms(keys, scope, acceptsSummaries, required, trust, contents, own);
    }
}
