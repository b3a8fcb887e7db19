package io.volute.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests are traced, and what clients can do about it. */
class SamplingTest {
    private static final long SECOND = 1_000_000_000;
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";
    private static final String SAMPLED = "00-" + TRACE + "-" + SPAN + "-01";
    private static final String NOT_SAMPLED = "00-" + TRACE + "-" + SPAN + "-00";

    /** The id of the last request; the ids differ by a fixed step, as in the server. */
    private long lastId = 42;

    private HttpHead head(String... parents) {
        List<Header> headers =
                Arrays.stream(parents).map(each -> new Header("traceparent", each)).toList();
        lastId += 0x9E3779B97F4A7C15L;
        return new HttpHead(
                "GET",
                "/b/k",
                "",
                new HeaderList(headers),
                false,
                "192.0.2.7",
                0,
                HexFormat.of().withUpperCase().toHexDigits(lastId));
    }

    private int traced(Sampling sampling, int requests, String... parents) {
        int count = 0;
        for (int i = 0; i < requests; i++) {
            count += sampling.of(head(parents), 0).isPresent() ? 1 : 0;
        }
        return count;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.001, 0.01, 0.25, 0.5, 0.9, 1})
    void theShareIsMet(double share) {
        assertThat((double) traced(new Sampling(share, 0, 0), 100_000))
                .isBetween(share * 100_000 - 5, share * 100_000 + 5);
    }

    @Test
    void aParentIsObeyed() {
        Optional<Context> parent = new Sampling(0, 1, 0).of(head(SAMPLED), 0);
        assertThat(Span.fromContext(parent.orElseThrow()).getSpanContext())
                .satisfies(
                        said -> {
                            assertThat(said.getTraceId()).isEqualTo(TRACE);
                            assertThat(said.getSpanId()).isEqualTo(SPAN);
                            assertThat(said.getTraceState().isEmpty()).isTrue();
                        });
        assertThat(traced(new Sampling(1, 1, 0), 100, NOT_SAMPLED)).isZero();
    }

    @Test
    void clientsCanAskForSoManyASecond() {
        Sampling sampling = new Sampling(0, 5, 0);
        assertThat(traced(sampling, 100, SAMPLED)).isEqualTo(5);
        assertThat(sampling.of(head(SAMPLED), SECOND / 5 - 1)).isEmpty();
        assertThat(sampling.of(head(SAMPLED), SECOND / 5)).isPresent();
        assertThat(sampling.of(head(SAMPLED), SECOND / 5)).isEmpty();
        // However long nobody asked, no more than those of a second.
        int later = 0;
        for (int i = 0; i < 100; i++) {
            later += sampling.of(head(SAMPLED), 1000 * SECOND).isPresent() ? 1 : 0;
        }
        assertThat(later).isEqualTo(5);
    }

    /** Nor does the id of a trace that a client makes up help. */
    @Test
    void whoAsksForMoreIsTracedAsOthersAre() {
        Sampling sampling = new Sampling(0.1, 5, 0);
        assertThat(traced(sampling, 5, SAMPLED)).isEqualTo(5);
        assertThat(traced(sampling, 10_000, "00-" + "0".repeat(31) + "1-" + SPAN + "-01"))
                .isBetween(995, 1005);
    }

    @Test
    void withoutARateNobodyIsListenedTo() {
        assertThat(traced(new Sampling(0, 0, 0), 100, SAMPLED)).isZero();
        Optional<Context> own = new Sampling(1, 0, 0).of(head(NOT_SAMPLED), 0);
        assertThat(own).contains(Context.root());
    }

    @Test
    void whatIsNoParentIsIgnored() {
        Sampling sampling = new Sampling(0, 1000, 0);
        assertThat(traced(sampling, 1, SAMPLED, SAMPLED)).isZero();
        assertThat(traced(sampling, 1, "")).isZero();
        assertThat(traced(sampling, 1, "00-" + "0".repeat(32) + "-" + SPAN + "-01")).isZero();
        assertThat(traced(sampling, 1, SAMPLED + "-more")).isZero();
        assertThat(traced(sampling, 1, SAMPLED.substring(1))).isZero();
        assertThat(traced(sampling, 1, "x".repeat(8000))).isZero();
        assertThat(traced(sampling, 1, SAMPLED)).isOne();
    }
}
