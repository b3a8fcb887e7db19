package io.volute.server.admin;

import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.CheckApi.ScrubPass;
import io.volute.adminapi.CheckApi.ScrubRunning;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.adminapi.DamageApi.Repair;
import io.volute.server.admin.Scrubber.Pass;
import io.volute.server.admin.Scrubber.Running;
import io.volute.server.admin.Scrubber.Status;
import io.volute.server.backup.BackupControl;
import io.volute.server.backup.SegmentCopies;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.replication.ReplicationControl;
import io.volute.versioning.Damages.Source;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/** The routes of the scrub, and of the damages that it and the checks found. */
final class ScrubRoutes {
    private final Scrubber scrubber;

    private final BackupControl backups;

    private final ReplicationControl replication;

    ScrubRoutes(Scrubber scrubber, BackupControl backups, ReplicationControl replication) {
        this.scrubber = scrubber;
        this.backups = backups;
        this.replication = replication;
    }

    Damages damages() {
        return scrubber.damages().list();
    }

    /** Others could name a target that they may not read. */
    Repair repair(Caller caller, Arguments asked) throws IOException {
        Optional<String> target = asked.text("target");
        if (target.isPresent() && !caller.principal().equals(Credential.ROOT_PRINCIPAL)) {
            throw new AdminException(
                    403,
                    "AccessDenied",
                    "only the root user may name a target; others use that of backup.target");
        }
        String from = asked.neededText("from");
        return switch (from) {
            case "noncurrent" -> repair(asked, cube -> new Source.OfStates());
            case "replica" -> repair(asked, cube -> replication.replicas());
            case "backup" -> {
                try (SegmentCopies copies = copies(target)) {
                    yield repair(
                            asked,
                            cube ->
                                    (Source.OfLog)
                                            (stretch, isRight) ->
                                                    copies.read(cube, stretch, isRight));
                }
            }
            default ->
                    throw AdminException.badRequest(
                            "from is \"backup\", \"replica\" or \"noncurrent\"");
        };
    }

    private SegmentCopies copies(Optional<String> target) {
        try {
            return backups.copies(target);
        } catch (IOException e) {
            throw AdminException.badRequest("target: " + e.getMessage());
        }
    }

    private Repair repair(Arguments asked, Function<String, Source> sources) throws IOException {
        if (asked.text("bucket").isEmpty()) {
            return scrubber.damages().repairAll(sources);
        }
        return scrubber.damages()
                .repair(asked.neededBucket(), asked.key(), asked.text("versionId"), sources);
    }

    Scrub begin() {
        if (!scrubber.begin()) {
            throw new AdminException(
                    409,
                    "ScrubInProgress",
                    "a scrub is running: GET /_volute/v1/scrub shows its progress");
        }
        return document();
    }

    Scrub status() {
        return document();
    }

    private Scrub document() {
        Status status = scrubber.status();
        return new Scrub(
                status.interval().toSeconds(),
                status.running().map(ScrubRoutes::running),
                status.last().map(ScrubRoutes::last),
                status.interval().isZero()
                        ? Optional.empty()
                        : status.last().map(last -> last.began().plus(status.interval())),
                Optional.of(status.failure()).filter(failure -> !failure.isEmpty()));
    }

    private static ScrubRunning running(Running running) {
        return new ScrubRunning(
                running.began(),
                running.stored().segments(),
                running.stored().segmentsTotal(),
                running.stored().bytesRead(),
                running.chains(),
                running.found());
    }

    private static ScrubPass last(Pass last) {
        return new ScrubPass(
                last.began(),
                last.ended(),
                last.problems(),
                last.findings(),
                last.found(),
                last.problems() + last.findings() - last.found().size());
    }
}
