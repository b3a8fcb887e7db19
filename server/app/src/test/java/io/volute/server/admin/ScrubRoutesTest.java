package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.storage.report.CheckReport.Progress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ScrubRoutesTest extends AdminTestCase {
    private static final String PATH = "/_volute/v1/scrub";

    @Test
    @Tag("slow")
    void tellsOfTheLastPassAndTheOneUnderWay() throws IOException {
        assertThat(bed.get(PATH, Map.of()).document())
                .isEqualTo(Map.of("intervalSeconds", Duration.ofDays(14).toSeconds()));
        bed.scrubber.status =
                new Scrubber.Status(
                        Duration.ofDays(1),
                        Optional.of(
                                new Scrubber.Running(
                                        AdminTestBed.NOW, new Progress(1, 2, 3, 4, 5), 6, 7)),
                        Optional.of(
                                new Scrubber.Pass(
                                        AdminTestBed.NOW.minusSeconds(9),
                                        AdminTestBed.NOW,
                                        2,
                                        1,
                                        List.of("segment 1: damaged"))),
                        "the disk is gone");
        assertThat(bed.get(PATH, Map.of()).document())
                .containsEntry("failure", "the disk is gone")
                .containsEntry("next", "2026-11-22T09:59:51Z")
                .containsEntry(
                        "running",
                        Map.of(
                                "began", "2026-11-21T10:00:00Z",
                                "segments", 3L,
                                "segmentsTotal", 4L,
                                "bytesRead", 5L,
                                "chains", 6L,
                                "found", 7L))
                .containsEntry(
                        "last",
                        Map.of(
                                "began",
                                "2026-11-21T09:59:51Z",
                                "ended",
                                "2026-11-21T10:00:00Z",
                                "problems",
                                2L,
                                "findings",
                                1L,
                                "found",
                                List.of("segment 1: damaged"),
                                "moreFound",
                                2L));
    }

    @Test
    void beginsOneAtATime() throws IOException {
        assertThat(bed.post(PATH, Map.of()).status()).isEqualTo(202);
        bed.scrubber.begins = false;
        Answer refused = bed.post(PATH, Map.of());
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("ScrubInProgress");
    }
}
