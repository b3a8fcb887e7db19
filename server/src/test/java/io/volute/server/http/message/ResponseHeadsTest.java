package io.volute.server.http.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.FullHttpResponse;
import io.volute.server.s3.request.HeaderList;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The headers that every response has. */
class ResponseHeadsTest {
    private final ResponseHeads heads = new ResponseHeads(() -> Instant.EPOCH);

    private String retryAfter(int status, HeaderList.Header... headers) {
        return heads.head(status, List.of(headers), "ID", true, 0).headers().get("retry-after");
    }

    @Test
    void each503SaysWhenToTryAgain() {
        assertThat(retryAfter(503)).isEqualTo("1");
        FullHttpResponse refusal = heads.refusal(Refusal.busy(), "ID", false, false);
        assertThat(refusal.headers().get("retry-after")).isEqualTo("1");
    }

    @Test
    void anAnswerKeepsItsOwnTime() {
        assertThat(retryAfter(503, new HeaderList.Header("Retry-After", "5"))).isEqualTo("5");
    }

    @Test
    void noOtherStatusHasATime() {
        assertThat(retryAfter(200)).isNull();
        assertThat(retryAfter(500)).isNull();
        assertThat(retryAfter(507)).isNull();
    }
}
