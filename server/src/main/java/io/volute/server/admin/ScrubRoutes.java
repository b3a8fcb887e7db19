package io.volute.server.admin;

import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.CheckApi.ScrubPass;
import io.volute.adminapi.CheckApi.ScrubRunning;
import io.volute.server.admin.Scrubber.Pass;
import io.volute.server.admin.Scrubber.Running;
import io.volute.server.admin.Scrubber.Status;
import java.util.Optional;

/** The routes that start the scrub and show its state. */
final class ScrubRoutes {
    private final Scrubber scrubber;

    ScrubRoutes(Scrubber scrubber) {
        this.scrubber = scrubber;
    }

    Scrub begin() {
        if (!scrubber.begin()) {
            throw new AdminException(
                    409,
                    "ScrubInProgress",
                    "a scrub is running: GET /_volute/v1/scrub tells how far");
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
