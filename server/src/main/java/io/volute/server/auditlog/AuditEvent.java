package io.volute.server.auditlog;

import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a line tells.
 *
 * @param requestId empty when it is about no request
 * @param remoteAddress of the client, without port; empty likewise
 * @param about who asked for what; the code when it failed
 * @param outcome empty when it is about no request
 * @param details more about it: texts, numbers, booleans, lists and maps
 */
record AuditEvent(
        Kind kind,
        String requestId,
        String remoteAddress,
        About about,
        String outcome,
        Map<String, ?> details) {

    /** What it is about. */
    enum Kind {
        /** A request that changes something, or reads what is secret. */
        REQUEST,
        /** Requests that were refused, counted. */
        REFUSALS,
        SERVER_STARTED,
        SERVER_STOPPED,
        /** What the scrub has found. */
        DAMAGE,
        /** The store signs the line before. */
        SEALED,
        /** What is behind an offset of the file before is no part of the log. */
        TORN,
        /** An old file of the log goes. */
        FILE_REMOVED;

        String title() {
            return About.name(this);
        }
    }

    /** How a request went. */
    enum Outcome {
        /** It is about to be done. */
        BEGUN,
        DONE,
        FAILED;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    AuditEvent {
        details = new LinkedHashMap<>(details);
    }

    /** About no request. */
    static AuditEvent of(Kind kind, Map<String, ?> details) {
        return new AuditEvent(kind, "", "", About.UNKNOWN, "", details);
    }

    /** About a request. */
    static AuditEvent of(HttpHead head, About about, Outcome outcome, Map<String, ?> details) {
        return new AuditEvent(
                Kind.REQUEST,
                head.requestId(),
                head.remoteAddress(),
                about,
                outcome.text(),
                details);
    }
}
