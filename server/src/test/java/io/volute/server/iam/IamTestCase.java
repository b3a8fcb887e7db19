package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.ROOT;
import static io.volute.server.iam.IamTestBed.allowing;
import static io.volute.server.iam.IamTestBed.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.TestResponse;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store behind IAM's API, and what the tests of policies have in common. */
abstract class IamTestCase {
    static final String LISTING = allowing("s3:ListAllMyBuckets", "*");
    static final String AWS = "arn:aws:iam::aws:policy/";
    static final String TRUST =
            "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"sts:AssumeRole\","
                    + "\"Principal\":{\"AWS\":\"arn:aws:iam::000000000000:user/carol\"}}}";

    IamTestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = new IamTestBed();
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    void assertRefused(String code, String action, String... parameters) {
        assertRefused(bed.call(ROOT, action, parameters), code);
    }

    static void assertRefused(TestResponse answer, String code) {
        assertThat(texts(answer.text(), "Code")).as(answer.text()).containsExactly(code);
    }
}
