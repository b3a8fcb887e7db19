package io.volute.server.auditlog;

import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.util.Map;

/** Is told what is worth being remembered of requests. Thread-safe. */
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

    /** What becomes of a deed of which no line can be written. */
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
     * Something is about to be done; the line is durable when this returns.
     *
     * @param about who asks for what
     * @param details on what; without secrets
     * @throws AuditUnavailableException when it cannot be written: then it must not be done
     */
    Deed begin(HttpHead head, About about, Map<String, ?> details, IfUnwritten then);

    /**
     * Something is about to be answered that changes nothing; the line is durable when this
     * returns.
     *
     * @throws AuditUnavailableException when it cannot be written: then it must not be answered
     */
    void done(HttpHead head, About about, Map<String, ?> details);

    /** Somebody was refused; counted, and told some time later. */
    void refused(HttpHead head, About about, String code);
}
