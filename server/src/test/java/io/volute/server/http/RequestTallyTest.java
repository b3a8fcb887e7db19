package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.http.RequestTally.Counts;
import io.volute.server.http.RequestWatch.Answered;
import io.volute.server.http.RequestWatch.Bytes;
import io.volute.server.http.RequestWatch.Refused;
import io.volute.server.http.RequestWatch.Times;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response.About;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTallyTest {
    private static final HttpHead HEAD =
            new HttpHead("GET", "/b/k", "", new HeaderList(List.of()), false, "192.0.2.7", 0, "id");

    private static final RequestBody BODY =
            new RequestBody() {
                @Override
                public boolean next() {
                    return false;
                }

                @Override
                public ByteBuffer buffer() {
                    return ByteBuffer.allocate(0);
                }
            };

    private final List<String> heard = new ArrayList<>();

    private final RequestTally tally =
            new RequestTally(
                    new RequestWatch() {
                        @Override
                        public long now() {
                            return 17;
                        }

                        @Override
                        public RequestBody begun(HttpHead head, RequestBody body) {
                            heard.add("begun");
                            return body;
                        }

                        @Override
                        public void answered(HttpHead head, Answered how) {
                            heard.add("answered " + how.status());
                        }

                        @Override
                        public void refused(Refused what) {
                            heard.add("refused " + what.code());
                        }
                    });

    private void answered(String operation, int status, long nanos) {
        tally.answered(
                HEAD,
                new Answered(
                        new About(operation, "ann", "AK", "", "b", "k", ""),
                        status,
                        true,
                        new Bytes(12, 345),
                        new Times(1000, 1001, 1000 + nanos)));
    }

    @Test
    void countsByOperation() {
        answered("PutObject", 200, 60_000);
        answered("GetObject", 200, 50_000);
        answered("GetObject", 404, 900);
        answered("GetObject", 503, 100_001);
        answered("", 400, 1);
        assertThat(tally.counts())
                .extracting(Counts::operation)
                .containsExactly("GetObject", "PutObject", "unknown");
        Counts gets = tally.counts().getFirst();
        assertThat(gets.clientErrors()).isEqualTo(1);
        assertThat(gets.serverErrors()).isEqualTo(1);
        assertThat(gets.bytes()).isEqualTo(new Bytes(36, 1035));
        assertThat(gets.nanos().sum()).isEqualTo(150_901);
        assertThat(gets.nanos().values().subList(0, 3))
                .as("within 50, 100 and 200 us")
                .containsExactly(2L, 0L, 1L);
    }

    @Test
    void knowsHowManyAreUnderWay() {
        assertThat(tally.begun(HEAD, BODY)).isSameAs(BODY);
        assertThat(tally.begun(HEAD, BODY)).isSameAs(BODY);
        answered("GetObject", 200, 1);
        assertThat(tally.underWay()).isEqualTo(1);
    }

    @Test
    void whoListensBehindItHearsEverything() {
        assertThat(tally.begun(HEAD, BODY)).isSameAs(BODY);
        answered("GetObject", 206, 1);
        tally.refused(new Refused("id", "192.0.2.7", 400, "InvalidRequest"));
        assertThat(heard).containsExactly("begun", "answered 206", "refused InvalidRequest");
        assertThat(tally.now()).isEqualTo(17);
    }
}
