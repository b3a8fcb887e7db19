package io.volute.admin.audit;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.volute.adminapi.AuditApi.Audit;
import io.volute.adminapi.AuditApi.Found;
import io.volute.adminapi.AuditTotals;
import io.volute.adminapi.CheckApi.Run;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The result of an audit by the server, or from files alone.
 *
 * @param checkpoint that an export was compared with
 */
record AuditResult(
        @JsonUnwrapped Run run, Optional<Compared> checkpoint, @JsonUnwrapped Found found) {
    /**
     * A checkpoint, and who has co-signed it.
     *
     * @param heads chains that it covers
     */
    record Compared(long number, Instant time, long heads, List<String> witnesses) {}

    static AuditResult of(Audit audit) {
        Found found = audit.found() == null ? new AuditTotals().snapshot() : audit.found();
        return new AuditResult(audit.run(), Optional.empty(), found);
    }

    /** Returns the result of the audits of all cubes, with the first run that did not finish. */
    static AuditResult joined(List<AuditResult> cubes) {
        Run run =
                cubes.stream()
                        .map(AuditResult::run)
                        .filter(each -> !each.isFinished())
                        .findFirst()
                        .orElse(cubes.getFirst().run());
        Found found = cubes.stream().map(AuditResult::found).reduce(Found::plus).orElseThrow();
        return new AuditResult(run, Optional.empty(), found);
    }

    /** Returns the result of an audit of files, which came to its end. */
    static AuditResult ofFiles(Optional<Compared> checkpoint, Found found) {
        Run ended = new Run("finished", OptionalLong.empty(), Optional.empty(), Optional.empty());
        return new AuditResult(ended, checkpoint, found);
    }
}
