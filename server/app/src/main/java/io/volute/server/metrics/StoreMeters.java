package io.volute.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.prometheus.metrics.model.snapshots.Labels;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.server.admin.AdminApi.Audits;
import io.volute.versioning.CausalityStats;
import io.volute.versioning.CausalityStats.Outcomes;
import io.volute.versioning.History;
import io.volute.versioning.Provenance;
import io.volute.versioning.ProvenanceStats;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Figures of what the store remembers: causality, provenance, and what looks after them. */
final class StoreMeters {
    private static final double MILLIS = 1e-3;

    /** All figures of one moment. */
    private record Now(
            CausalityStats causality,
            ProvenanceStats provenance,
            Optional<Checkpoint> checkpoint,
            boolean isRefused,
            Audits audits,
            UpkeepFigures upkeep) {}

    /**
     * The sources of the figures.
     *
     * @param provenance empty when nothing is signed: its figures are then 0
     */
    record Sources(
            History history,
            Optional<Provenance> provenance,
            Supplier<Audits> audits,
            Supplier<UpkeepFigures> upkeep) {}

    private final Sources sources;
    private final Figures<Now> figures;

    StoreMeters(MeterRegistry registry, Histograms histograms, Sources sources) {
        this.sources = sources;
        this.figures = new Figures<>(registry, this::take, Tags.empty());
        causality();
        provenance(histograms);
        audits();
        upkeep();
    }

    private Now take() {
        return new Now(
                sources.history().stats(),
                sources.provenance().map(Provenance::stats).orElse(ProvenanceStats.NONE),
                lastCheckpoint(),
                sources.provenance().flatMap(Provenance::refusal).isPresent(),
                sources.audits().get(),
                sources.upkeep().get());
    }

    private Optional<Checkpoint> lastCheckpoint() {
        try {
            return sources.provenance().isPresent()
                    ? sources.provenance().get().lastCheckpoint()
                    : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void refresh() {
        figures.refresh();
    }

    private void causality() {
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            records(policy, "duplicate", Outcomes::duplicates);
            records(policy, "edge", Outcomes::added);
            records(policy, "freeze", Outcomes::frozen);
        }
        figures.counter(
                        "volute_causality_readable_total",
                        "Causal versions ended because clients can read their last state by its"
                                + " time (history.resolution)",
                        now -> now.causality().readable())
                .counter(
                        "volute_causality_states_kept_total",
                        "Replaced states kept in the history",
                        now -> now.causality().kept())
                .counter(
                        "volute_causality_events_total",
                        "Edges and other events written to the log together with writes",
                        now -> now.causality().events())
                .counter(
                        "volute_causality_dropped_reads_total",
                        "Reads missing in the history because too many waited for the log",
                        now -> now.causality().droppedReads())
                .gauge(
                        "volute_causality_pending_bytes",
                        "Bytes of heap used by reads that are not yet in the log",
                        now -> now.causality().pendingBytes())
                .gauge(
                        "volute_causality_actors",
                        "Actors with an open session",
                        now -> now.causality().actors());
    }

    private void records(HistoryPolicy policy, String outcome, ToDoubleFunction<Outcomes> count) {
        Outcomes none = new Outcomes(0, 0, 0);
        figures.counter(
                "volute_causality_records_total",
                "Causality records, by policy and outcome",
                now -> count.applyAsDouble(now.causality().byPolicy().getOrDefault(policy, none)),
                "policy",
                policy.text(),
                "outcome",
                outcome);
    }

    private void provenance(Histograms histograms) {
        figures.counter(
                        "volute_provenance_entries_total",
                        "Durable entries of signed chains",
                        now -> now.provenance().entries())
                .counter(
                        "volute_provenance_signatures_total",
                        "Signatures made; each covers a batch of entries",
                        now -> now.provenance().signatures())
                .gauge(
                        "volute_provenance_checkpoint_number",
                        "Number of the last checkpoint; -1 before the first",
                        now -> now.checkpoint().map(each -> each.body().number()).orElse(-1L))
                .gauge(
                        "volute_provenance_checkpoint_timestamp_seconds",
                        "Time of the last checkpoint, in seconds since 1970; 0 before the first",
                        now ->
                                now.checkpoint().map(each -> each.body().timeMillis()).orElse(0L)
                                        * MILLIS)
                .gauge(
                        "volute_provenance_checkpoints_refused",
                        "1 while the chains contradict the last checkpoint, so that none is made;"
                                + " else 0",
                        now -> now.isRefused() ? 1 : 0)
                .gauge(
                        "volute_provenance_copies_missing",
                        "Checkpoints without a copy in provenance.checkpoint-directory",
                        now -> now.upkeep().copiesMissing())
                .gauge(
                        "volute_provenance_undelivered",
                        "Checkpoints not yet delivered to provenance.checkpoint-export",
                        now -> now.upkeep().delivery().missing())
                .counter(
                        "volute_provenance_delivery_failures_total",
                        "Failed attempts to deliver checkpoints",
                        now -> now.upkeep().delivery().failures());
        histograms.add(
                "volute_provenance_signing_seconds",
                "Seconds to sign a batch of entries",
                Histograms.Unit.NANOSECONDS,
                () -> Map.of(Labels.EMPTY, figures.now().provenance().signing()));
    }

    private void audits() {
        figures.counter(
                        "volute_provenance_audits_total",
                        "Ended audits by the server",
                        now -> now.audits().ended())
                .counter(
                        "volute_provenance_audited_chains_total",
                        "Chains verified by audits",
                        now -> now.audits().chains())
                .counter(
                        "volute_provenance_audit_findings_total",
                        "Problems found by audits",
                        now -> now.audits().findings());
    }

    private void backups() {
        figures.counter(
                        "volute_backups_total",
                        "Ended backups, by outcome",
                        now -> now.upkeep().backups().finished(),
                        "outcome",
                        "finished")
                .counter(
                        "volute_backups_total",
                        "Ended backups, by outcome",
                        now -> now.upkeep().backups().failed(),
                        "outcome",
                        "failed")
                .counter(
                        "volute_backup_sent_bytes_total",
                        "Bytes that complete backups sent to their targets",
                        now -> now.upkeep().backups().sentBytes())
                .gauge(
                        "volute_backup_last_duration_seconds",
                        "Duration of the last complete backup, in seconds; 0 before the first",
                        now -> now.upkeep().backups().lastSeconds())
                .gauge(
                        "volute_backup_last_good_timestamp_seconds",
                        "Start of the newest complete backup, in seconds since 1970; 0 without one",
                        now ->
                                now.upkeep()
                                        .backups()
                                        .lastGood()
                                        .map(at -> at.toEpochMilli() * MILLIS)
                                        .orElse(0.0));
    }

    private void upkeep() {
        figures.counter(
                        "volute_scrub_passes_total",
                        "Completed scrubs of the whole store",
                        now -> now.upkeep().scrub().passes())
                .counter(
                        "volute_scrub_read_bytes_total",
                        "Bytes read and verified by scrubs",
                        now -> now.upkeep().scrub().bytes())
                .gauge(
                        "volute_damaged_states",
                        "Known damaged versions and other states",
                        now -> now.upkeep().scrub().damagedStates())
                .gauge(
                        "volute_damages_unnamed",
                        "Reads that found damage since the last check, which identifies the"
                                + " versions",
                        now -> now.upkeep().scrub().unnamedDamages())
                .gauge(
                        "volute_scrub_last_pass_timestamp_seconds",
                        "Start of the last complete scrub, in seconds since 1970; 0 before the"
                                + " first",
                        now ->
                                now.upkeep()
                                        .scrub()
                                        .lastBegan()
                                        .map(at -> at.toEpochMilli() * MILLIS)
                                        .orElse(0.0));
        backups();
        for (String kind : figures.now().upkeep().scrub().findings().keySet()) {
            figures.counter(
                    "volute_scrub_findings_total",
                    "Problems found by scrubs, by kind",
                    now -> now.upkeep().scrub().findings().get(kind),
                    "kind",
                    kind);
        }
        for (String why : figures.now().upkeep().historyRemoved().keySet()) {
            figures.counter(
                    "volute_history_removed_states_total",
                    "States removed from the history, by reason",
                    now -> now.upkeep().historyRemoved().get(why),
                    "reason",
                    why);
        }
    }
}
