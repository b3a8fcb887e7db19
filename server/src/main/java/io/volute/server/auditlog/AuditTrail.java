package io.volute.server.auditlog;

import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.util.Map;

/** Records the requests that an audit needs. Thread-safe. */
public interface AuditTrail {
    /** A trail that records nothing. */
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
        /** The action frees space, or ends something: the log itself may need it. */
        DONE_ALL_THE_SAME
    }

    /** An action that was begun. */
    @FunctionalInterface
    interface Deed {
        /**
         * Records the end of the action. The line is durable when this returns. A line that cannot
         * be written is only counted, because the begin of the action is recorded.
         *
         * @param code of the error; empty when there was none
         * @param details facts about the outcome
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
     * Records an action without changes, before its answer; the line is durable when this returns.
     *
     * @throws AuditUnavailableException when the line cannot be written; no answer must be sent
     *     then
     */
    void done(HttpHead head, About about, Map<String, ?> details);

    /** Counts a refused request; the counts are recorded later. */
    void refused(HttpHead head, About about, String code);
}
