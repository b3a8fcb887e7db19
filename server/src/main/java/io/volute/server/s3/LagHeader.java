package io.volute.server.s3;

import io.volute.server.s3.call.StandbyRead;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Adds the lag to answers of requests that accept the state of a standby.
 *
 * @param lagNanos returns the lag in nanoseconds, as of before the request
 */
public record LagHeader(S3Handler next, LongSupplier lagNanos) implements S3Handler {
    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        if (!StandbyRead.isAccepted(head)) {
            return next.handle(head, body);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(lagNanos.getAsLong());
        S3Response answer = next.handle(head, body);
        List<Header> headers = new ArrayList<>(answer.headers());
        headers.add(new Header(StandbyRead.LAG, BigDecimal.valueOf(millis, 3).toPlainString()));
        return new S3Response(answer.status(), headers, answer.content(), answer.about());
    }
}
