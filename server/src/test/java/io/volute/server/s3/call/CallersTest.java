package io.volute.server.s3.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.auth.sigv4.PayloadMode;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Session;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.versioning.causality.ActorKey;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.Caller.Parent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallersTest {
    /** The user agents of the AWS SDK for Java for GetObject, PutObject and a paginated listing. */
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

    private static Caller caller(
            String accessKey, Optional<Session> session, String address, String... headers) {
        List<Header> all = new ArrayList<>();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(new Header(headers[i], headers[i + 1]));
        }
        HeaderList list = new HeaderList(all);
        Credential credential =
                new Credential(
                        accessKey, "secret", "alice", "alice", Credential.Kind.USER, 0, session);
        Verified verified =
                new Verified(
                        credential,
                        AuthResult.Kind.HEADER,
                        PayloadMode.UNSIGNED_PAYLOAD,
                        "",
                        list,
                        null,
                        Instant.EPOCH);
        HttpHead head = new HttpHead("GET", "/b/k", "", list, true, address, 0, "REQ");
        return Callers.of(head, verified);
    }

    /** No choice of a client's name makes it the actor of another client. */
    @Test
    void noTwoClientsAreOneActor() {
        String victim = "192.0.2.7";
        String thief = "198.51.100.66";
        Optional<Session> session =
                Optional.of(new Session("s", "KEY", "alice", Instant.EPOCH, Optional.empty()));
        List<Caller> callers =
                List.of(
                        caller("KEY", Optional.empty(), victim, "user-agent", "tool/1"),
                        caller("KEY", Optional.empty(), thief, "user-agent", "tool/1"),
                        caller(
                                "KEY",
                                Optional.empty(),
                                victim,
                                "x-volute-actor",
                                "192.0.2.7 tool/1"),
                        caller(
                                "KEY",
                                Optional.empty(),
                                thief,
                                "x-volute-actor",
                                "192.0.2.7 tool/1"),
                        caller(
                                "KEY",
                                Optional.empty(),
                                thief,
                                "user-agent",
                                "198.51.100.66 tool/1"),
                        caller("KEY", Optional.empty(), victim, "x-volute-actor", "session s"),
                        caller("VT1", session, victim),
                        caller("VT1", session, thief),
                        caller("VT1", session, thief, "x-volute-actor", "s 192.0.2.7"),
                        caller("VT2", session, victim),
                        caller("KEY", Optional.empty(), thief, "x-volute-actor", "x\" 192.0.2.7"),
                        caller("KEY", Optional.empty(), victim, "x-volute-actor", "x"));
        assertThat(callers.stream().map(who -> new ActorKey(who.accessKey(), who.actor().text())))
                .doesNotHaveDuplicates();
        assertThat(callers.get(6).parent()).contains(new Parent("alice", "KEY"));
        assertThat(callers.get(0).parent()).isEmpty();
    }
}
