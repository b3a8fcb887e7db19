package io.volute.server.admin;

import io.volute.server.admin.Scrubber.Pass;
import io.volute.server.admin.Scrubber.Running;
import io.volute.server.admin.Scrubber.Status;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The routes that start the scrub and show its state. Schemas: {@code Scrub} in
 * docs/reference/openapi.yaml.
 */
final class ScrubRoutes {
    private final Scrubber scrubber;

    ScrubRoutes(Scrubber scrubber) {
        this.scrubber = scrubber;
    }

    Map<String, Object> begin(Arguments asked) {
        asked.only();
        if (!scrubber.begin()) {
            throw new AdminException(
                    409,
                    "ScrubInProgress",
                    "a scrub is running: GET /_volute/v1/scrub tells how far");
        }
        return document();
    }

    Map<String, Object> status(Arguments asked) {
        asked.only();
        return document();
    }

    private Map<String, Object> document() {
        Status status = scrubber.status();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("intervalSeconds", status.interval().toSeconds());
        status.running().ifPresent(running -> document.put("running", running(running)));
        status.last().ifPresent(last -> document.put("last", last(last)));
        if (!status.interval().isZero()) {
            status.last()
                    .ifPresent(last -> document.put("next", last.began().plus(status.interval())));
        }
        if (!status.failure().isEmpty()) {
            document.put("failure", status.failure());
        }
        return document;
    }

    private static Map<String, Object> running(Running running) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("began", running.began());
        document.put("segments", running.stored().segments());
        document.put("segmentsTotal", running.stored().segmentsTotal());
        document.put("bytesRead", running.stored().bytesRead());
        document.put("chains", running.chains());
        document.put("found", running.found());
        return document;
    }

    private static Map<String, Object> last(Pass last) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("began", last.began());
        document.put("ended", last.ended());
        document.put("problems", last.problems());
        document.put("findings", last.findings());
        document.put("found", last.found());
        document.put("moreFound", last.problems() + last.findings() - last.found().size());
        return document;
    }
}
