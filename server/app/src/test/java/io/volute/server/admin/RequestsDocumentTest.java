package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestsDocumentTest extends AdminTestCase {
    private static final String PATH = "/_volute/v1/requests";

    @Test
    void tellsWhatWasAnswered() throws IOException {
        bed.requests.answered(
                new HttpHead(
                        "PUT", "/b/k", "", new HeaderList(List.of()), false, "192.0.2.7", 0, "id"),
                new Answered(
                        new About("PutObject", "ann", "AK", "", "b", "k", "NoSuchBucket"),
                        404,
                        true,
                        new Bytes(12, 345),
                        new Times(0, 1, 150_000)));
        Answer answer = bed.get(PATH, Map.of());
        assertThat(answer.status()).isEqualTo(200);
        List<?> operations = (List<?>) answer.document().get("operations");
        assertThat(operations).hasSize(1);
        Map<?, ?> put = (Map<?, ?>) operations.getFirst();
        List<?> durations = (List<?>) put.get("durations");
        assertThat(put.get("operation")).isEqualTo("PutObject");
        assertThat(put.get("requests")).isEqualTo(1L);
        assertThat(put.get("clientErrors")).isEqualTo(1L);
        assertThat(put.get("serverErrors")).isEqualTo(0L);
        assertThat(put.get("receivedBytes")).isEqualTo(12L);
        assertThat(put.get("sentBytes")).isEqualTo(345L);
        assertThat(put.get("micros")).isEqualTo(150L);
        assertThat(durations.get(1)).isEqualTo(Map.of("withinMicros", 100L, "requests", 0L));
        assertThat(durations.get(2)).isEqualTo(Map.of("withinMicros", 200L, "requests", 1L));
        assertThat(durations.getLast()).isEqualTo(Map.of("requests", 0L));
    }

    @Test
    void takesNoArguments() throws IOException {
        assertThat(bed.get(PATH, Map.of("since", "today")).status()).isEqualTo(400);
    }
}
