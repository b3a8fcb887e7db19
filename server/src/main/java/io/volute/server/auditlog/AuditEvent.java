package io.volute.server.auditlog;

import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The content of a line of the audit log.
 *
 * @param requestId empty for events without a request
 * @param remoteAddress of the client, without port; empty likewise
 * @param about the caller, the operation and its target; the error code when it failed
 * @param outcome empty for events without a request
 * @param details more about it: texts, numbers, booleans, lists and maps
 */
record AuditEvent(
        Kind kind,
        String requestId,
        String remoteAddress,
        About about,
        String outcome,
        Map<String, ?> details) {

    /** The kind of an event. */
    enum Kind {
        /** A request that changes something, or reads secrets. */
        REQUEST,
        /** Requests that were refused, counted. */
        REFUSALS,
        SERVER_STARTED,
        SERVER_STOPPED,
        /** A finding of the scrub. */
        DAMAGE,
        /** The store signs the line before. */
        SEALED,
        /** The bytes from an offset of the previous file on are no part of the log. */
        TORN,
        /** An old file of the log goes. */
        FILE_REMOVED;

        String title() {
            return About.name(this);
        }
    }

    /** The outcome of a request. */
    enum Outcome {
        /** The request is about to be executed. */
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
