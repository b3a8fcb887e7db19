package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the limit on the number of buckets of one user. */
final class BucketNamesTest extends S3TestCase {
    private int count(String owner) {
        return bed.store().listBuckets(Optional.of(owner), "", "", 10_000).size();
    }

    private String create(S3Protocol protocol, TestSigner who, String name) {
        TestResponse answer = bed.request("PUT", "/" + name).over(protocol).sendAs(who);
        return answer.status() == 200 ? "" : answer.code();
    }

    @Test
    void aUserCannotTakeAllNames() {
        int before = count("alice");
        S3Protocol protocol =
                S3TestBed.protocolOver(
                        bed.store(),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                                .withBucketsOfUser(before + 2));
        long taken =
                IntStream.range(0, 16)
                        .parallel()
                        .filter(i -> create(protocol, bed.alice(), "taken-" + i).isEmpty())
                        .count();
        assertThat(taken).isEqualTo(2);
        assertThat(count("alice")).isEqualTo(before + 2);
        assertThat(create(protocol, bed.alice(), "one-more")).isEqualTo("TooManyBuckets");
        assertThat(create(protocol, bed.root(), "one-more")).isEmpty();
        String own =
                bed.store().listBuckets(Optional.of("alice"), "", "", 1).getFirst().name().value();
        assertThat(create(protocol, bed.alice(), own)).isEmpty();
    }
}
