package io.volute.server.s3.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallersTest {
    /** As the AWS SDK for Java sends them for GetObject, PutObject and a paginated listing. */
    private static final List<String> OF_ONE_PROGRAM =
            List.of(
                    "aws-sdk-java/2.45.0 md/io#sync md/http#Apache ua/2.1 api/S3#2.45.x"
                            + " os/Linux#6.18 lang/java#25 app/reports m/D,N,N,AJ,Z,b,U,e",
                    "aws-sdk-java/2.45.0 md/io#sync md/http#Apache ua/2.1 api/S3#2.45.x"
                            + " os/Linux#6.18 lang/java#25 app/reports m/D,N,AJ,b,e",
                    "aws-sdk-java/2.45.0 md/io#sync ua/2.1 api/S3#2.45.x app/reports"
                            + " PAGINATED/2.45.0 m/D,C,N");

    @Test
    void aProgramIsTheSameWhateverItsSdkTellsOfARequest() {
        assertThat(OF_ONE_PROGRAM.stream().map(agent -> Callers.program(Optional.of(agent))))
                .containsOnly("aws-sdk-java/2.45.0 app/reports");
    }

    @ParameterizedTest
    @CsvSource({
        "Boto3/1.43.11 md/Botocore#1.43.11 ua/2.1 m/b Botocore/1.43.11, Boto3/1.43.11",
        "rclone/v1.60.1, rclone/v1.60.1",
        "MinIO (linux; amd64) minio-go/v7.0.90 mc/2026, MinIO",
        "'', ''",
        "'  ', ''",
        "app/only, app/only",
        "a app/one app/two, a app/one",
    })
    void theProductAndTheApplicationStay(String agent, String program) {
        assertThat(Callers.program(Optional.of(agent))).isEqualTo(program);
    }

    @Test
    void nothingIsSaidByWhoSaysNothing() {
        assertThat(Callers.program(Optional.empty())).isEmpty();
        assertThat(Callers.program(Optional.of("x".repeat(1000)))).hasSize(256);
    }
}
