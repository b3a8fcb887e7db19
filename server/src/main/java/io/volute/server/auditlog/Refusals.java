package io.volute.server.auditlog;

import io.volute.server.Limits;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts refused callers, so that many refusals are one line: refused requests cannot fill the
 * disk. Thread-safe.
 */
final class Refusals {
    private record Who(String remoteAddress, String user, String operation, String code) {}

    /** The first one of its kind, and how many there were. */
    private static final class Count {
        private final String requestId;
        private final String accessKey;
        private long refused;

        Count(String requestId, String accessKey) {
            this.requestId = requestId;
            this.accessKey = accessKey;
        }
    }

    private final Map<Who, Count> counts = new LinkedHashMap<>();
    private long others;

    synchronized void add(HttpHead head, About about, String code) {
        Who who = new Who(head.remoteAddress(), about.user(), about.operation(), code);
        Count known = counts.get(who);
        if (known == null && counts.size() < Limits.AUDIT_LOG_REFUSALS_MAX) {
            known = new Count(head.requestId(), about.accessKey());
            counts.put(who, known);
        }
        if (known == null) {
            others++;
        } else {
            known.refused++;
        }
    }

    /** Returns the refusals since the last call; empty when there are none. */
    synchronized Optional<AuditEvent> take() {
        if (counts.isEmpty()) {
            return Optional.empty();
        }
        List<Object> list = new ArrayList<>();
        counts.forEach(
                (who, count) -> {
                    Map<String, Object> shown = new LinkedHashMap<>();
                    shown.put("count", count.refused);
                    shown.put("code", who.code());
                    shown.put("remoteAddress", who.remoteAddress());
                    shown.put("operation", who.operation());
                    shown.put("user", who.user());
                    shown.put("accessKey", count.accessKey);
                    shown.put("firstRequestId", count.requestId);
                    list.add(shown);
                });
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("refused", list);
        details.put("others", others);
        counts.clear();
        others = 0;
        return Optional.of(AuditEvent.of(AuditEvent.Kind.REFUSALS, details));
    }
}
