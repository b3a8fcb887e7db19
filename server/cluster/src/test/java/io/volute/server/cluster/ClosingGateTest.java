package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.http.watch.RequestWatch;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.S3Response.Content;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosingGateTest {
    private static final Answered DONE =
            new Answered(About.UNKNOWN, 200, true, new Bytes(0, 0), new Times(0, 0, 0));

    private final ClosingGate gate = new ClosingGate(RequestWatch.NONE);
    private final S3Handler handler = gate.before(answering(200), answering(299));

    private static HttpHead head(String id) {
        return new HttpHead("GET", "/b/k", "", new HeaderList(List.of()), false, "", 0, id);
    }

    private static S3Handler answering(int status) {
        return (head, body) -> new S3Response(status, List.of(), new Content.None(-1));
    }

    private int begin(String id) {
        gate.begun(head(id), null);
        return handler.handle(head(id), null).status();
    }

    @Test
    void aRequestIsUnderWayUntilItsAnswerHasGoneOut() throws InterruptedException {
        assertThat(begin("1")).isEqualTo(200);
        gate.close();
        assertThat(gate.awaitNone(1)).isFalse();
        gate.answered(head("1"), DONE);
        assertThat(gate.awaitNone(1)).isTrue();
    }

    /** It waits for the next owner: the store must not wait for it. */
    @Test
    void aRequestThatIsPassedOnIsNotWaitedFor() throws InterruptedException {
        begin("1");
        gate.close();
        assertThat(begin("2")).isEqualTo(299);
        assertThat(gate.awaitNone(1)).isFalse();
        gate.answered(head("1"), DONE);
        assertThat(gate.awaitNone(1)).isTrue();
        gate.answered(head("2"), DONE);
        assertThat(gate.awaitNone(1)).isTrue();
        begin("3");
        assertThat(gate.awaitNone(1)).isTrue();
    }
}
