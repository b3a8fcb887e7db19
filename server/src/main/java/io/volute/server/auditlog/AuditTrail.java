package io.volute.server.auditlog;

import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.util.Map;

/** Records the requests that an audit needs. Thread-safe. */
public interface AuditTrail {
    /** Nothing is remembered. */
    AuditTrail NONE =
            new AuditTrail() {
                @Override
                public Deed begin(
                        HttpHead head, About about, Map<String, ?> details, IfUnwritten then) {
                    return (code, more) -> {};
                }

                @Override
                public void done(HttpHead head, About about, Map<String, ?> details) {}

                @Override
                public void refused(HttpHead head, About about, String code) {}
            };

    /** The fate of an action whose line cannot be written. */
    enum IfUnwritten {
        REFUSED,
        /** It makes room, or ends something: the log may need it itself. */
        DONE_ALL_THE_SAME
    }

    /** Something that was begun. */
    @FunctionalInterface
    interface Deed {
        /**
         * It has ended; the line is durable when this returns, unless it cannot be written, which
         * is counted: that it was begun is known.
         *
         * @param code of the error; empty when there was none
         * @param details what came of it
         */
        void ended(String code, Map<String, ?> details);
    }

    /**
     * Records that an action is about to begin; the line is durable when this returns.
     *
     * @param about the caller, the operation and its target
     * @param details further facts about the action; no secrets
     * @throws AuditUnavailableException when the line cannot be written; the action must not begin
     *     then
     */
    Deed begin(HttpHead head, About about, Map<String, ?> details, IfUnwritten then);

    /**
     * Something is about to be answered that changes nothing; the line is durable when this
     * returns.
     *
     * @throws AuditUnavailableException when it cannot be written: then it must not be answered
     */
    void done(HttpHead head, About about, Map<String, ?> details);

    /** Counts a refused request; the counts are recorded later. */
    void refused(HttpHead head, About about, String code);
}
