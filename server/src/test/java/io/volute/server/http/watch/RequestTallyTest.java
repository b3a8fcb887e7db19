package io.volute.server.http.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.volute.server.Limits;
import io.volute.server.http.watch.RequestTally.Counts;
import io.volute.server.http.watch.RequestTally.Outcome;
import io.volute.server.http.watch.RequestTally.UserCounts;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Refused;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response.About;
import java.nio.ByteBuffer;
import java.time.Duration;
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

    private long now = 1000;
    private final RequestTally tally = new RequestTally(() -> now);

    /** Records a request that begins now, and moves the clock to its end. */
    private void answered(About about, int status, long nanos) {
        long begun = now;
        now += nanos;
        tally.answered(
                HEAD,
                new Answered(
                        about,
                        status,
                        status != 206,
                        new Bytes(12, 345),
                        new Times(begun, begun + 1, now)));
    }

    private void answered(String operation, int status, long nanos) {
        answered(about(operation, "ann", status == 404 ? "NoSuchKey" : ""), status, nanos);
    }

    private static About about(String operation, String user, String code) {
        return new About(operation, user, "AK", "", "b", "k", code);
    }

    @Test
    void countsByOperation() {
        answered("PutObject", 200, 60_000);
        answered("GetObject", 200, 50_000);
        answered("GetObject", 206, 7);
        answered("GetObject", 404, 900);
        answered("GetObject", 503, 100_001);
        answered("", 400, 1);
        assertThat(tally.counts())
                .extracting(Counts::operation)
                .containsExactly("GetObject", "PutObject", "unknown");
        Counts gets = tally.counts().getFirst();
        assertThat(gets.outcomes())
                .containsOnly(
                        entry(new Outcome(2, ""), 2L),
                        entry(new Outcome(4, "NoSuchKey"), 1L),
                        entry(new Outcome(5, ""), 1L));
        assertThat(gets.ended(2)).isEqualTo(2);
        assertThat(gets.ended(3)).isZero();
        assertThat(gets.brokenOff()).isEqualTo(1);
        assertThat(gets.bytes()).isEqualTo(new Bytes(48, 1380));
        assertThat(gets.total().nanos().sum()).isEqualTo(150_908);
        assertThat(gets.total().nanos().values().subList(0, 3))
                .as("within 50, 100 and 200 us")
                .containsExactly(3L, 0L, 1L);
        assertThat(gets.total().longest()).isEqualTo(100_001);
        assertThat(gets.firstByte().nanos().sum()).isEqualTo(4);
        assertThat(gets.firstByte().longest()).isEqualTo(1);
    }

    @Test
    void theLongestIsForgottenAfterMinutes() {
        answered("GetObject", 200, 100_001);
        answered("GetObject", 200, 17);
        now += Duration.ofSeconds(59).toNanos();
        assertThat(longest()).isEqualTo(100_001);
        answered("GetObject", 200, Duration.ofSeconds(1).toNanos());
        assertThat(longest()).isEqualTo(Duration.ofSeconds(1).toNanos());
        now += Duration.ofSeconds(60).toNanos();
        assertThat(longest()).as("of the minute before").isEqualTo(1_000_000_000);
        now += Duration.ofSeconds(60).toNanos();
        assertThat(longest()).isZero();
    }

    private long longest() {
        return tally.counts().getFirst().total().longest();
    }

    @Test
    void countsByUserAndThoseBeyondTheFirstTogether() {
        for (int i = 0; i < Limits.METERED_USERS_MAX + 2; i++) {
            answered(about("GetObject", "user-" + i, ""), 200, 1);
        }
        answered(about("GetObject", "user-0", ""), 200, 1);
        answered(about("GetObject", "", "AccessDenied"), 403, 1);
        assertThat(tally.users()).hasSize(Limits.METERED_USERS_MAX + 1);
        assertThat(tally.users())
                .contains(
                        new UserCounts("user-0", 2, new Bytes(24, 690)),
                        new UserCounts("other", 2, new Bytes(24, 690)));
    }

    @Test
    void knowsHowManyAreUnderWay() {
        assertThat(tally.begun(HEAD, BODY)).isSameAs(BODY);
        assertThat(tally.begun(HEAD, BODY)).isSameAs(BODY);
        answered("GetObject", 200, 1);
        assertThat(tally.underWay()).isEqualTo(1);
    }

    @Test
    void countsWhatIsRefused() {
        tally.refused(new Refused("id", "192.0.2.7", 400, "InvalidRequest"));
        tally.refused(new Refused("id", "192.0.2.8", 400, "InvalidRequest"));
        assertThat(tally.refusals()).containsOnly(entry("InvalidRequest", 2L));
        assertThat(tally.counts()).isEmpty();
    }
}
