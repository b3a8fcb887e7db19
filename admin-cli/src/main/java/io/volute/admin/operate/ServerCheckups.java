package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.output.AnswerFormat;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Checks the state of a server through the admin API. */
final class ServerCheckups {
    private static final double WARN_SHARE = 0.15;
    private static final double FAIL_SHARE = 0.05;
    private static final String SIGNED_HISTORY = "signed history";

    private final AdminClient client;
    private final InstantSource clock;

    ServerCheckups(AdminClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Runs the checks that need no credentials. */
    List<Checkup> unsigned() throws IOException, InterruptedException {
        Instant theirs = client.serverTime();
        return List.of(HostCheckups.serverClock(Duration.between(clock.instant(), theirs)));
    }

    /** Looks at all that the root user can ask. */
    List<Checkup> signed() throws IOException, InterruptedException {
        List<Checkup> all = new ArrayList<>();
        for (Map<String, Object> cube :
                AnswerFormat.maps(client.get("/_volute/v1/space"), "cubes")) {
            all.add(state(cube));
            all.add(space(cube));
        }
        all.add(scrub(client.get("/_volute/v1/scrub"), clock.instant()));
        all.add(check(AnswerFormat.maps(client.get("/_volute/v1/check"), "checks")));
        all.add(signedHistory());
        return all;
    }

    private Checkup signedHistory() throws IOException, InterruptedException {
        try {
            return checkpoints(
                    client.get("/_volute/v1/provenance/checkpoints", Map.of("max", "1")));
        } catch (AdminClient.RefusedException e) {
            if (e.isOf("ProvenanceOff")) {
                return Checkup.warn(
                        SIGNED_HISTORY,
                        "it is off",
                        "set provenance.signatures, so that changes of the past show");
            }
            throw e;
        }
    }

    static Checkup checkpoints(Map<String, Object> checkpoints) {
        return checkpoints.containsKey("refused")
                ? Checkup.fail(
                        SIGNED_HISTORY,
                        AnswerFormat.text(checkpoints, "refused"),
                        "keep the data directory as it is; volute audit --all names what is wrong")
                : Checkup.ok(SIGNED_HISTORY, "its chains continue the last checkpoint");
    }

    static Checkup state(Map<String, Object> cube) {
        String name = "cube " + AnswerFormat.text(cube, "cube");
        String state = AnswerFormat.text(cube, "state");
        long damaged = AnswerFormat.number(AnswerFormat.map(cube, "cleaner"), "damagedSegments");
        if (!state.equals("healthy")) {
            return Checkup.fail(
                    name,
                    "it is " + state,
                    "the server's log says why; a failed disk has to be replaced before the next"
                            + " start");
        }
        return damaged > 0
                ? Checkup.fail(
                        name,
                        damaged + " damaged segments are not cleaned",
                        "volute check names what is damaged; restore that from a copy")
                : Checkup.ok(name, "it is healthy");
    }

    static Checkup space(Map<String, Object> cube) {
        String name = "space of " + AnswerFormat.text(cube, "cube");
        long capacity = AnswerFormat.number(cube, "capacityBytes");
        long free = AnswerFormat.number(cube, "clientFreeBytes");
        String found =
                AnswerFormat.bytes(free)
                        + " of "
                        + AnswerFormat.bytes(capacity)
                        + " are free for clients";
        double share = capacity == 0 ? 0 : (double) free / capacity;
        if (share >= WARN_SHARE) {
            return Checkup.ok(name, found);
        }
        String advice =
                "volute space shows what takes it, volute history usage what is kept of the past;"
                        + " delete, shorten history.retention, or add disk";
        return share < FAIL_SHARE
                ? Checkup.fail(name, found, advice)
                : Checkup.warn(name, found, advice);
    }

    static Checkup scrub(Map<String, Object> scrub, Instant now) {
        Map<String, Object> last = AnswerFormat.map(scrub, "last");
        if (!ScrubCommand.isSound(scrub)) {
            return Checkup.fail(
                    "scrub",
                    scrub.containsKey("failure")
                            ? "it failed: " + AnswerFormat.text(scrub, "failure")
                            : "the last one found something wrong",
                    "volute scrub names it; restore what is damaged from a copy, and see to the"
                            + " disk (smartctl -a)");
        }
        long interval = AnswerFormat.number(scrub, "intervalSeconds");
        if (last.isEmpty()) {
            return interval == 0
                    ? Checkup.warn(
                            "scrub",
                            "there was none, and none will be",
                            "set scrub.interval, so that damage is found while there are copies")
                    : Checkup.ok("scrub", "there was none yet");
        }
        Instant began = Instant.parse(AnswerFormat.text(last, "began"));
        return interval > 0 && began.plusSeconds(2 * interval).isBefore(now)
                ? Checkup.warn(
                        "scrub",
                        "the last one began " + began,
                        "it is overdue: raise scrub.rate, or let the server run on")
                : Checkup.ok("scrub", "the last one began " + began + " and found nothing");
    }

    static Checkup check(List<Map<String, Object>> checks) {
        long problems =
                checks.stream()
                        .mapToLong(
                                each ->
                                        AnswerFormat.maps(each, "problems").size()
                                                + AnswerFormat.number(each, "moreProblems"))
                        .sum();
        return problems > 0
                ? Checkup.fail(
                        "check",
                        "the last one found " + problems + " problems",
                        "volute check names them")
                : Checkup.ok("check", "no problems are known");
    }
}
