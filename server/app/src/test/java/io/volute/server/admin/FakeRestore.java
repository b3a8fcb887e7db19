package io.volute.server.admin;

import io.volute.versioning.History.Page;
import io.volute.versioning.Restore;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.Caller;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Restores that do nothing, and always have the state running. */
final class FakeRestore implements Restore {
    final List<Request> asked = new ArrayList<>();
    final List<Line> lines = new ArrayList<>();
    final List<Elsewhere> elsewhere = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    Authors authors = Authors.NONE;
    private final List<Run> runs = new ArrayList<>();

    @Override
    public Plan plan(Caller caller, Request request, Optional<String> from, int max) {
        asked.add(request);
        Page<Line> page = FakeHistory.page(lines, from, max);
        return new Plan(page.entries(), page.next(), elsewhere, authors, warnings);
    }

    @Override
    public Run start(Caller caller, Request request) {
        asked.add(request);
        Run run = run("run-" + (runs.size() + 1), request, Phase.RUNNING);
        runs.addFirst(run);
        return run;
    }

    private static Run run(String id, Request request, Phase phase) {
        return new Run(
                id,
                request,
                phase,
                Instant.parse("2026-11-21T10:00:00Z"),
                "restore " + id,
                5,
                3,
                1,
                1,
                1,
                9,
                "one \"key\" is <skipped>");
    }

    @Override
    public Run run(String id) {
        return runs.stream()
                .filter(run -> run.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new StoreException(Reason.INVALID_ARGUMENT, "no run " + id));
    }

    @Override
    public List<Run> runs() {
        return List.copyOf(runs);
    }

    @Override
    public Run cancel(String id) {
        Run cancelled = run(id, run(id).request(), Phase.CANCELLED);
        runs.replaceAll(run -> run.id().equals(id) ? cancelled : run);
        return cancelled;
    }
}
