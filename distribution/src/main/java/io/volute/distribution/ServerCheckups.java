package io.volute.distribution;

import io.volute.admin.client.AdminClient;
import io.volute.admin.operate.CubeCommand;
import io.volute.admin.operate.ScrubCommand;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.AuditApi.Checkpoints;
import io.volute.adminapi.AuditApi.CheckpointsRequest;
import io.volute.adminapi.CheckApi.Check;
import io.volute.adminapi.CheckApi.Checks;
import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.CubesApi.ClockInfo;
import io.volute.adminapi.CubesApi.CubeChoice;
import io.volute.adminapi.CubesApi.CubeInfo;
import io.volute.adminapi.CubesApi.LogInfo;
import io.volute.adminapi.CubesApi.UnderReplicated;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.adminapi.EncryptionApi.KeyServiceState;
import io.volute.adminapi.Routes;
import io.volute.adminapi.SpaceApi.Space;
import io.volute.adminapi.StoreVerdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Checks the state of a server through the admin API. */
final class ServerCheckups {
    private static final double WARN_SHARE = 0.15;
    private static final double FAIL_SHARE = 0.05;
    private static final String SIGNED_HISTORY = "signed history";
    private static final String KEY_SERVICE = "key service";

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
        Damages damages = client.ask(Routes.DAMAGE).value();
        for (Space cube : client.ask(Routes.SPACE).value().cubes()) {
            all.add(state(cube, damages));
            all.add(space(cube));
        }
        List<Check> checks = new ArrayList<>();
        Set<String> elsewhere = new TreeSet<>();
        for (CubeInfo cube : client.ask(Routes.LIST_CUBES).value().cubes()) {
            if (cube.isElsewhere()) {
                elsewhere.add(cube.cube());
            } else if (cube.state().isEmpty()) {
                all.add(notOpen(cube));
            }
            cube.clock().ifPresent(clock -> all.add(clock(cube.cube(), clock)));
            cube.log()
                    .flatMap(LogInfo::underReplicated)
                    .ifPresent(some -> all.add(copies(cube.cube(), some)));
        }
        if (!elsewhere.isEmpty()) {
            for (ClusterCube each : client.ask(Routes.CLUSTER).value().cubes()) {
                if (elsewhere.contains(each.cube())) {
                    all.add(placed(each));
                    checks.addAll(checks(Optional.of(each.cube())));
                }
            }
        }
        all.add(scrub(client.ask(Routes.SCRUB).value(), clock.instant()));
        checks.addAll(checks(Optional.empty()));
        all.add(check(new Checks(checks)));
        all.add(signedHistory());
        keyService().ifPresent(all::add);
        return all;
    }

    /** Returns the last checks of one cube by the node that has it, or of those of this node. */
    private List<Check> checks(Optional<String> cube) throws IOException, InterruptedException {
        return client.ask(Routes.CHECK, new CubeChoice(cube)).value().checks();
    }

    private Optional<Checkup> keyService() throws IOException, InterruptedException {
        try {
            return client.ask(Routes.ENCRYPTION_KEYS)
                    .value()
                    .service()
                    .map(ServerCheckups::keyService);
        } catch (AdminClient.RefusedException e) {
            if (e.isOf("NoKeyring")) {
                return Optional.empty();
            }
            throw e;
        }
    }

    static Checkup keyService(KeyServiceState service) {
        return service.failure()
                .map(
                        why ->
                                Checkup.fail(
                                        KEY_SERVICE,
                                        service.address() + " fails: " + why,
                                        "objects under its keys answer 503 until it answers: see to"
                                                + " the service, and to the token of this server"))
                .orElseGet(() -> Checkup.ok(KEY_SERVICE, service.address() + " answers"));
    }

    private Checkup signedHistory() throws IOException, InterruptedException {
        try {
            CheckpointsRequest one =
                    new CheckpointsRequest(OptionalLong.of(1), Optional.empty(), Optional.empty());
            return checkpoints(client.ask(Routes.CHECKPOINTS, one).value());
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

    static Checkup checkpoints(Checkpoints checkpoints) {
        return checkpoints
                .refused()
                .map(
                        why ->
                                Checkup.fail(
                                        SIGNED_HISTORY,
                                        why,
                                        "keep the data directory as it is; volute audit --all names"
                                                + " the entries that are wrong"))
                .orElseGet(
                        () ->
                                Checkup.ok(
                                        SIGNED_HISTORY, "its chains continue the last checkpoint"));
    }

    private static Checkup notOpen(CubeInfo cube) {
        return Checkup.fail(
                "cube " + cube.cube(),
                "it is " + cube.phase() + cube.why().map(why -> ": " + why).orElse(""),
                "repair the cause, then volute cube reopen " + cube.cube());
    }

    /** Returns the checkup of a cube that another node has. */
    private static Checkup placed(ClusterCube cube) {
        String name = "cube " + cube.cube();
        String found = "it is " + cube.state() + " at node " + cube.owner();
        return cube.state().equals("serving")
                ? Checkup.ok(name, found)
                : Checkup.warn(name, found, "wait, then look at volute cluster status");
    }

    /** Returns the checkup of a clock that went back. */
    static Checkup clock(String cube, ClockInfo clock) {
        String name = "clock of " + cube;
        return clock.unknown().getLast().until().isEmpty()
                ? Checkup.warn(
                        name,
                        CubeCommand.clock(clock),
                        "if the clock is right now, wait until it has passed the last write; else"
                                + " set it, and let chrony or ntpd slew it")
                : Checkup.ok(name, CubeCommand.clock(clock));
    }

    static Checkup copies(String cube, UnderReplicated some) {
        return Checkup.warn(
                "copies of " + cube,
                CubeCommand.underReplicated(some),
                "start the missing bookies; the server rewrites these segments then");
    }

    static Checkup state(Space cube, Damages damages) {
        String name = "cube " + cube.cube();
        long damaged =
                damages.more()
                        + damages.damaged().stream()
                                .filter(each -> each.cube().equals(cube.cube()))
                                .count();
        StoreVerdict verdict =
                StoreVerdict.of(
                        cube.state(),
                        cube.clientFreeBytes() == 0,
                        damaged,
                        damages.unnamed().getOrDefault(cube.cube(), 0L));
        return verdict.advice()
                .map(advice -> Checkup.fail(name, verdict.found(), advice))
                .orElseGet(() -> Checkup.ok(name, verdict.found()));
    }

    static Checkup space(Space cube) {
        String name = "space of " + cube.cube();
        long capacity = cube.capacityBytes();
        long free = cube.clientFreeBytes();
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
                "volute space shows the use of space, volute history usage the part of the history."
                        + " Delete, and run volute clean --now, shorten history.retention, raise"
                        + " log.capacity if it is set, else add disk";
        return share < FAIL_SHARE
                ? Checkup.fail(name, found, advice)
                : Checkup.warn(name, found, advice);
    }

    static Checkup scrub(Scrub scrub, Instant now) {
        if (!ScrubCommand.isSound(scrub)) {
            return Checkup.fail(
                    "scrub",
                    scrub.failure()
                            .map(failure -> "it failed: " + failure)
                            .orElse("the last one found something wrong"),
                    "volute scrub and volute damage list name it; volute damage repair; see to the"
                            + " disk (smartctl -a)");
        }
        long interval = scrub.intervalSeconds();
        if (scrub.last().isEmpty()) {
            return interval == 0
                    ? Checkup.warn(
                            "scrub",
                            "there was none, and none will be",
                            "set scrub.interval, so that damage is found while there are copies")
                    : Checkup.ok("scrub", "there was none yet");
        }
        Instant began = scrub.last().get().began();
        return interval > 0 && began.plusSeconds(2 * interval).isBefore(now)
                ? Checkup.warn(
                        "scrub",
                        "the last one began " + began,
                        "it is overdue: raise scrub.rate, or let the server run on")
                : Checkup.ok("scrub", "the last one began " + began + " and found nothing");
    }

    static Checkup check(Checks checks) {
        long problems =
                checks.checks().stream()
                        .map(Check::found)
                        .filter(Objects::nonNull)
                        .mapToLong(found -> found.problems().size() + found.moreProblems())
                        .sum();
        return problems > 0
                ? Checkup.fail(
                        "check",
                        "the last one found " + problems + " problems",
                        "volute check names them")
                : Checkup.ok("check", "no problems are known");
    }
}
