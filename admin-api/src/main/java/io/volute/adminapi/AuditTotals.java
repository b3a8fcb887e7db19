package io.volute.adminapi;

import io.volute.adminapi.AuditApi.Found;
import io.volute.adminapi.AuditApi.NotCompared;
import io.volute.adminapi.AuditApi.UnsignedPeriod;
import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.Rule;
import io.volute.provenance.audit.SettingsHistory;
import io.volute.provenance.audit.Uncompared;
import io.volute.provenance.record.SignedSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The totals of an audit of many chains, in bounded memory. Not thread-safe. */
public final class AuditTotals {
    /** Most findings that are listed; further ones are only counted. */
    public static final int MOST_FINDINGS = 1000;

    private final List<AuditApi.Finding> findings = new ArrayList<>();
    private final Set<Rule> rules = EnumSet.noneOf(Rule.class);
    private final Map<Uncompared, Long> uncompared = new EnumMap<>(Uncompared.class);
    private List<UnsignedPeriod> unsigned = List.of();
    private long unopened;
    private long shredded;
    private boolean areSettingsKnown;
    private boolean isStateCompared;
    private long chains;
    private long expected;
    private long entries;
    private long verified;
    private long removed;
    private long encrypted;
    private long read;
    private long withheld;
    private long more;

    /** Adds the findings in a chain. */
    public void add(AuditReport report) {
        rules.addAll(report.rules());
        report.uncompared().forEach(this::addUncompared);
        if (report.isOfStore()) {
            add(report.settings());
            report.findings().forEach(each -> add(report.chain(), each));
            more += report.omitted();
            return;
        }
        chains++;
        entries += report.entries();
        verified += report.verified();
        removed += report.removed();
        encrypted += report.hidden().encrypted();
        read += report.hidden().read();
        withheld += report.hidden().withheld();
        more += report.omitted();
        for (Finding finding : report.findings()) {
            int witnesses = report.contradicted().getOrDefault(finding.sequence(), 0);
            add(report.chain(), finding, witnesses);
        }
    }

    /** Adds a rule that the audit applied outside of chains. */
    public void add(Rule applied) {
        rules.add(applied);
    }

    /** Takes the settings of the store over time. */
    public void add(SettingsHistory settings) {
        unsigned = settings.unsigned().stream().map(ProvenanceView::unsigned).toList();
        areSettingsKnown |= !settings.changes().isEmpty();
        long lost =
                settings.changes().stream()
                        .filter(each -> each.settings().before() == SignedSettings.Before.LOST)
                        .count();
        uncompared.put(Uncompared.LOST_SETTINGS, lost);
    }

    /** Takes the number of versions that cannot be compared with entries. */
    public void addUnproven(long versions) {
        isStateCompared = true;
        addUncompared(Uncompared.UNSIGNED_TIMES, versions);
    }

    /** Takes the number of sources of copies and restores that could not be compared. */
    public void addUnverifiedSources(long sources) {
        addUncompared(Uncompared.SOURCES, sources);
    }

    /** Adds to the number of things of a kind that could not be compared. */
    public void addUncompared(Uncompared what, long count) {
        uncompared.merge(what, count, Long::sum);
    }

    /**
     * Adds the number of encrypted versions that cannot be opened.
     *
     * @param explained number of those that a signed shred explains
     */
    public void addUnopened(long versions, long explained) {
        unopened += versions;
        shredded += explained;
    }

    private List<NotCompared> notCompared() {
        Map<Uncompared, Long> all = new EnumMap<>(uncompared);
        if (!isStateCompared) {
            all.put(Uncompared.UNSIGNED_PERIODS, (long) unsigned.size());
        }
        if (!areSettingsKnown) {
            all.put(Uncompared.REMOVALS, removed);
        }
        return all.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .map(
                        each ->
                                new NotCompared(
                                        Words.of(each.getKey()),
                                        each.getValue(),
                                        each.getKey().text()))
                .toList();
    }

    /**
     * Adds a finding that no chain's audit made.
     *
     * @param chain its name, or what else it is about
     */
    public void add(String chain, Finding finding) {
        add(chain, finding, 0);
    }

    private void add(String chain, Finding finding, int witnesses) {
        if (findings.size() < MOST_FINDINGS) {
            findings.add(ProvenanceView.finding(chain, finding, witnesses));
        } else {
            more++;
        }
    }

    /** Returns the number of findings of all kinds, including those that are only counted. */
    public long found() {
        return findings.size() + more;
    }

    /**
     * Adds to the number of chains that will be looked at.
     *
     * @param chains negative for chains that need not be
     */
    public void expect(long chains) {
        expected += chains;
    }

    /** Chains of keys that were looked at. */
    public long chains() {
        return chains;
    }

    /** Returns the figures and findings so far. */
    public Found snapshot() {
        return new Found(
                chains,
                expected <= 0 ? 0 : Math.max(chains, expected),
                entries,
                verified,
                removed,
                encrypted,
                read,
                withheld,
                uncompared.getOrDefault(Uncompared.UNSIGNED_TIMES, 0L),
                uncompared.getOrDefault(Uncompared.SOURCES, 0L),
                unopened,
                shredded,
                unsigned,
                rules.stream().map(Words::of).toList(),
                List.copyOf(findings),
                more,
                notCompared());
    }
}
