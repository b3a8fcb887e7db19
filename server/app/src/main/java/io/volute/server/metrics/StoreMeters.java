package io.volute.server.metrics;

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
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The metrics of history: causality, provenance, and their background tasks. */
final class StoreMeters {
    private static final double MILLIS = 1e-3;
    private static final Outcomes NO_OUTCOMES = new Outcomes(0, 0, 0);

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
            Supplier<UpkeepFigures> upkeep) {
        private Now now() {
            return new Now(
                    history.stats(),
                    provenance.map(Provenance::stats).orElse(ProvenanceStats.NONE),
                    lastCheckpoint(),
                    provenance.flatMap(Provenance::refusal).isPresent(),
                    audits.get(),
                    upkeep.get());
        }

        private Optional<Checkpoint> lastCheckpoint() {
            try {
                return provenance.isPresent()
                        ? provenance.get().lastCheckpoint()
                        : Optional.empty();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final MeterTable<Now> CAUSALITY =
            new MeterTable<Now>("causality and history")
                    .counters(
                            "volute_causality_records_total",
                            "Causality records, by policy and outcome: `duplicate` (dropped),"
                                    + " `edge`, `freeze` (an edge, and a new version)",
                            "Much more `freeze` than usual: a program reads and writes the same"
                                    + " keys in turn; see `causality.ignore`",
                            List.of("policy", "outcome"),
                            StoreMeters::records)
                    .counter(
                            "volute_causality_readable_total",
                            "Causal versions ended because clients can read their last state by"
                                    + " its time (`history.resolution`)",
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
                            "Reads missing in the history: more than 32 MiB of reads waited for"
                                    + " the log (24 MiB for readers without a signature; 8 MiB for"
                                    + " one actor)",
                            "Any increase: the store takes no writes, or reads come faster than"
                                    + " the log takes them; traces lack these edges",
                            now -> now.causality().droppedReads())
                    .gauge(
                            "volute_causality_pending_bytes",
                            "Bytes of heap used by reads that are not yet in the log; at most 32"
                                    + " MiB",
                            now -> now.causality().pendingBytes())
                    .gauge(
                            "volute_causality_actors",
                            "Actors with an open session",
                            now -> now.causality().actors())
                    .counters(
                            "volute_history_removed_states_total",
                            "States removed from the history: `age` (`history.retention`),"
                                    + " `share` (`history.max-share`), `space`",
                            "`share` or `space`: history is shorter than configured; add space",
                            "reason",
                            now -> now.upkeep().historyRemoved());

    private static final MeterTable<Now> PROVENANCE =
            new MeterTable<Now>("provenance")
                    .counter(
                            "volute_provenance_entries_total",
                            "Durable entries of signed chains",
                            now -> now.provenance().entries())
                    .counter(
                            "volute_provenance_signatures_total",
                            "Signatures made; each covers a batch of entries",
                            now -> now.provenance().signatures())
                    .histogram(
                            "volute_provenance_signing_seconds",
                            "Seconds to sign a batch of entries",
                            "",
                            now -> now.provenance().signing())
                    .counter(
                            "volute_provenance_audits_total",
                            "Audits by the server that ended; `volute audit --export` is not"
                                    + " counted",
                            now -> now.audits().ended())
                    .counter(
                            "volute_provenance_audited_chains_total",
                            "Chains verified by audits",
                            now -> now.audits().chains())
                    .counter(
                            "volute_provenance_audit_findings_total",
                            "Problems found by audits",
                            "Any: `volute audit` names it; [possible"
                                    + " causes](promises.md#what-signed-history-protects-against)",
                            now -> now.audits().findings())
                    .gauge(
                            "volute_provenance_checkpoint_number",
                            "Number of the last checkpoint; -1 before the first",
                            now -> now.checkpoint().map(each -> each.body().number()).orElse(-1L))
                    .gauge(
                            "volute_provenance_checkpoint_timestamp_seconds",
                            "Time of the last checkpoint, in seconds since 1970; 0 before the"
                                    + " first",
                            "Older than twice `provenance.checkpoint-interval`: the log has the"
                                    + " cause",
                            now ->
                                    now.checkpoint()
                                                    .map(each -> each.body().timeMillis())
                                                    .orElse(0L)
                                            * MILLIS)
                    .gauge(
                            "volute_provenance_checkpoints_refused",
                            "1 while no checkpoint is made, because the chains contradict the"
                                    + " last one; else 0",
                            "1: somebody changed the data directory, or put an older copy back;"
                                    + " `volute audit --all`",
                            now -> now.isRefused() ? 1 : 0)
                    .gauge(
                            "volute_provenance_copies_missing",
                            "Checkpoints without a copy in `provenance.checkpoint-directory`; 0"
                                    + " where none is configured",
                            "Above 0 for longer than a checkpoint takes: the directory cannot be"
                                    + " written",
                            now -> now.upkeep().copiesMissing())
                    .gauge(
                            "volute_provenance_undelivered",
                            "Checkpoints not yet delivered to `provenance.checkpoint-export`; 1"
                                    + " when only the heads of the last are missing; 0 without"
                                    + " this setting",
                            "Above 0 for longer than a few minutes: the log has the cause",
                            now -> now.upkeep().delivery().missing())
                    .counter(
                            "volute_provenance_delivery_failures_total",
                            "Failed attempts to deliver checkpoints",
                            "Rising: the log has the cause",
                            now -> now.upkeep().delivery().failures());

    private static final MeterTable<Now> UPKEEP =
            new MeterTable<Now>("backup and scrub")
                    .counters(
                            "volute_backups_total",
                            "Ended backups: `finished` or `failed`",
                            "`failed` grows: see the log",
                            "outcome",
                            now ->
                                    Map.of(
                                            "finished",
                                            now.upkeep().backups().finished(),
                                            "failed",
                                            now.upkeep().backups().failed()))
                    .counter(
                            "volute_backup_sent_bytes_total",
                            "Bytes that complete backups sent to their targets",
                            now -> now.upkeep().backups().sentBytes())
                    .gauge(
                            "volute_backup_last_duration_seconds",
                            "Duration of the last complete backup, in seconds; 0 before the first",
                            "Near `backup.schedule`: raise `backup.rate`",
                            now -> now.upkeep().backups().lastSeconds())
                    .gauge(
                            "volute_backup_last_good_timestamp_seconds",
                            "Start of the newest complete backup, in seconds since 1970; 0"
                                    + " without one",
                            "Older than twice `backup.schedule`: see the log",
                            now -> seconds(now.upkeep().backups().lastGood()))
                    .counter(
                            "volute_scrub_passes_total",
                            "Completed scrubs of the whole store",
                            now -> now.upkeep().scrub().passes())
                    .counter(
                            "volute_scrub_read_bytes_total",
                            "Bytes read and verified by scrubs",
                            now -> now.upkeep().scrub().bytes())
                    .counters(
                            "volute_scrub_findings_total",
                            "Problems that scrubs found: `accounting`, `reference`, `checksum`,"
                                    + " `chain`, `checkpoint`; `more` for the rest",
                            "Any: the log names it; `volute check`, `volute audit`",
                            "kind",
                            now -> now.upkeep().scrub().findings())
                    .gauge(
                            "volute_damaged_states",
                            "Versions and other states that checks and scrubs found damaged and"
                                    + " no repair has cleared",
                            "Any: `volute damage list` names them and the next step; replace the"
                                    + " disk",
                            now -> now.upkeep().scrub().damagedStates())
                    .gauge(
                            "volute_damages_unnamed",
                            "Reads that found damage since the last check of the whole cube, or"
                                    + " since the repair that emptied the list",
                            "Any: `volute check` names it, `volute damage repair` repairs it",
                            now -> now.upkeep().scrub().unnamedDamages())
                    .gauge(
                            "volute_scrub_last_pass_timestamp_seconds",
                            "Start of the last complete scrub, in seconds since 1970; 0 before"
                                    + " the first",
                            "Older than twice `scrub.interval`: raise `scrub.rate`",
                            now -> seconds(now.upkeep().scrub().lastBegan()));

    static final List<MeterTable<?>> TABLES = List.of(CAUSALITY, PROVENANCE, UPKEEP);

    private StoreMeters() {}

    static void add(Meters meters, Sources sources) {
        meters.add(List.of(CAUSALITY, PROVENANCE, UPKEEP), sources::now);
    }

    private static Map<List<String>, Long> records(Now now) {
        Map<List<String>, Long> byLabels = new HashMap<>();
        for (HistoryPolicy each : HistoryPolicy.values()) {
            Outcomes outcomes = now.causality().byPolicy().getOrDefault(each, NO_OUTCOMES);
            byLabels.put(List.of(each.text(), "duplicate"), outcomes.duplicates());
            byLabels.put(List.of(each.text(), "edge"), outcomes.added());
            byLabels.put(List.of(each.text(), "freeze"), outcomes.frozen());
        }
        return byLabels;
    }

    private static double seconds(Optional<Instant> at) {
        return at.map(Instant::toEpochMilli).orElse(0L) * MILLIS;
    }
}
