package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Pages of ListBuckets with buckets that the caller may not see between the others. */
final class ReadableBucketsTest extends S3TestCase {
    private static final String POLICY =
            "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":"
                    + "\"arn:aws:iam::000000000000:user/bob\"},\"Action\":\"s3:ListBucket\","
                    + "\"Resource\":\"arn:aws:s3:::%s\"}}";

    private static List<String> texts(TestResponse answer, String element) {
        Matcher found = Pattern.compile("<" + element + ">([^<]*)<").matcher(answer.text());
        List<String> texts = new ArrayList<>();
        while (found.find()) {
            texts.add(found.group(1));
        }
        return texts;
    }

    @Test
    void pagesLeaveNothingOutAndRepeatNothing() {
        List<String> readable = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            String name = "paged-" + i;
            assertThat(bed.request("PUT", "/" + name).sendAs(bed.alice()).status()).isEqualTo(200);
            if (i % 3 != 1) {
                readable.add(name);
                assertThat(
                                bed.request("PUT", "/" + name + "?policy")
                                        .body(POLICY.formatted(name))
                                        .sendAs(bed.alice())
                                        .status())
                        .isEqualTo(204);
            }
        }
        bed.request("PUT", "/paged-own").sendAs(bed.bob());
        readable.add("paged-own");
        for (int max : new int[] {1, 2, 3, 7, 8, 100}) {
            List<String> listed = new ArrayList<>();
            Optional<String> token = Optional.empty();
            do {
                TestResponse page =
                        bed.request(
                                        "GET",
                                        "/?prefix=paged-&max-buckets="
                                                + max
                                                + token.map(ReadableBucketsTest::parameter)
                                                        .orElse(""))
                                .sendAs(bed.bob());
                assertThat(page.status()).as(page.text()).isEqualTo(200);
                List<String> names = texts(page, "Name");
                token = texts(page, "ContinuationToken").stream().findFirst();
                assertThat(names).hasSizeLessThanOrEqualTo(max);
                assertThat(token.isEmpty() || names.size() == max).isTrue();
                listed.addAll(names);
            } while (token.isPresent());
            assertThat(listed).isEqualTo(readable);
        }
        S3Protocol own =
                S3TestBed.protocolOver(
                        bed.store(),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                                .withOwnBucketsOnly());
        TestResponse alone = bed.request("GET", "/?prefix=paged-").over(own).sendAs(bed.bob());
        assertThat(texts(alone, "Name")).containsExactly("paged-own");
    }

    private static String parameter(String token) {
        return "&continuation-token=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
    }
}
