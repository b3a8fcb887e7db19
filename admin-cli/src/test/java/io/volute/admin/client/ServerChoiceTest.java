package io.volute.admin.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which server a command asks, and with which keys. */
class ServerChoiceTest {
    /** Nothing listens there, so a request that goes there fails. */
    private static final String NOWHERE = "http://127.0.0.1:1";

    @RegisterExtension private final FakeServer server = new FakeServer();
    @TempDir private Path home;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void live() {
        environment.put("HOME", home.toString());
        environment.put("AWS_ACCESS_KEY_ID", "AWSKEY");
        environment.put("AWS_SECRET_ACCESS_KEY", "awssecret");
        server.answer("GET space", "{\"cubes\": []}");
    }

    private Outcome ask(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "space";
        System.arraycopy(options, 0, arguments, 1, options.length);
        return server.with(environment).runExactly("", arguments);
    }

    private void assertAskedAs(String accessKey, String region, String... options) {
        Outcome outcome = ask(options);
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(server.lastHeader("authorization"))
                .contains("Credential=" + accessKey + "/")
                .contains("/" + region + "/s3/");
    }

    private void aws(String file, String... lines) throws IOException {
        Files.createDirectories(home.resolve(".aws"));
        Files.writeString(home.resolve(".aws").resolve(file), String.join("\n", lines) + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"VOLUTE_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"})
    void aVariableNamesTheServer(String variable) {
        environment.put(variable, server.endpoint());
        assertAskedAs("AWSKEY", "us-east-1");
    }

    @Test
    void theMoreSpecificSettingPrecedes() throws IOException {
        aws("config", "[default]", "endpoint_url = " + NOWHERE);
        environment.put("AWS_ENDPOINT_URL", NOWHERE);
        environment.put("AWS_ENDPOINT_URL_S3", server.endpoint());
        assertAskedAs("AWSKEY", "us-east-1");
        environment.put("AWS_ENDPOINT_URL_S3", NOWHERE);
        environment.put("VOLUTE_ENDPOINT", server.endpoint());
        assertAskedAs("AWSKEY", "us-east-1");
        environment.put("VOLUTE_ENDPOINT", NOWHERE);
        assertAskedAs("AWSKEY", "us-east-1", "--endpoint", server.endpoint());
    }

    @Test
    void aProfileHasServerKeysAndRegion() throws IOException {
        environment.keySet().removeIf(each -> each.startsWith("AWS_"));
        environment.put("AWS_PROFILE", "shelf");
        aws(
                "config",
                "# of the shelf",
                "[default]",
                "endpoint_url = " + NOWHERE,
                "[profile shelf]",
                "region = eu-north-1",
                "services = own",
                "endpoint_url = " + NOWHERE,
                "[services own]",
                "dynamodb =",
                "  endpoint_url = " + NOWHERE,
                "s3 =",
                "  endpoint_url = " + server.endpoint());
        aws(
                "credentials",
                "[default]",
                "aws_access_key_id = OTHER",
                "aws_secret_access_key = other",
                "[shelf]",
                "aws_access_key_id = SHELF",
                "aws_secret_access_key = shelfsecret",
                "aws_session_token = TOKEN");
        assertAskedAs("SHELF", "eu-north-1");
        assertThat(server.lastHeader("x-amz-security-token")).isEqualTo("TOKEN");
        assertThat(server.lastHeader("authorization")).contains("x-amz-security-token");
    }

    @Test
    void keysOfTheEnvironmentPrecedeAProfileThatNoOptionNames() throws IOException {
        aws(
                "credentials",
                "[default]",
                "endpoint_url = " + server.endpoint(),
                "aws_access_key_id = FILED",
                "aws_secret_access_key = filedsecret");
        assertAskedAs("AWSKEY", "us-east-1");
        assertAskedAs("FILED", "us-east-1", "--profile", "default");
    }

    @Test
    void theRegionOfOtherServersIsNotTheirs() {
        environment.put("AWS_REGION", "eu-north-1");
        assertAskedAs("AWSKEY", "us-east-1", "--endpoint", server.endpoint());
    }

    @Test
    void keysAreNotMixed() {
        environment.put("VOLUTE_ENDPOINT", server.endpoint());
        environment.put("VOLUTE_ACCESS_KEY", "ROOT");
        Outcome outcome = ask();
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("VOLUTE_ACCESS_KEY is set and VOLUTE_SECRET_KEY is not");
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void aMissingProfileIsNamed() {
        environment.put("AWS_PROFILE", "shelf");
        Outcome outcome = ask("--endpoint", server.endpoint());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("there is no profile shelf", "AWS_PROFILE");
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void aMissingProfileIsOfNoConcernWhereNothingOfItIsNeeded() throws IOException {
        environment.put("AWS_PROFILE", "shelf");
        environment.put("VOLUTE_ENDPOINT", server.endpoint());
        environment.put("VOLUTE_ACCESS_KEY", "ROOT");
        environment.put("VOLUTE_SECRET_KEY", "rootsecret");
        assertAskedAs("ROOT", "us-east-1");
        // Not even a file: it would be refused as unreadable.
        Files.createDirectories(home.resolve(".aws/config"));
        assertAskedAs("ROOT", "eu-north-1", "--region", "eu-north-1");
    }

    @Test
    void keysThatOnlyTheAwsCommandUnderstandsAreNamed() throws IOException {
        environment.keySet().removeIf(each -> each.startsWith("AWS_"));
        aws("config", "[default]", "credential_process = /bin/keys");
        Outcome outcome = ask("--endpoint", server.endpoint());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("credential_process", "export-credentials");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9000", "127.0.0.1:9000", "store.example.com"})
    void anAddressWithoutASchemeIsExplained(String address) {
        Outcome outcome = ask("--endpoint", address);
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err()).contains("--endpoint is " + address, "http://" + address);
        environment.put("AWS_ENDPOINT_URL", address);
        assertThat(ask().err()).contains("AWS_ENDPOINT_URL is " + address);
    }

    @Test
    void tlsToAServerWithoutItIsExplained() throws Exception {
        assertThat(askOneThatAnswers("https", "HTTP/1.1 400 Bad Request\r\n\r\n"))
                .contains("it does not speak TLS: write http://127.0.0.1:");
    }

    /** A server with TLS takes what is no handshake for an attack, and closes the connection. */
    @Test
    void aServerWithTlsThatIsAskedWithoutItIsExplained() throws Exception {
        assertThat(askOneThatAnswers("http", ""))
                .contains("if it has TLS, write https://127.0.0.1:");
    }

    /** Returns the error of a command whose server gives the same answer to every request. */
    private String askOneThatAnswers(String scheme, String text) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            // Java's client repeats a request whose connection ends, so there are several.
            Thread answering = Thread.ofVirtual().start(() -> answerAll(listener, text));
            Outcome outcome = ask("--endpoint", scheme + "://127.0.0.1:" + listener.getLocalPort());
            listener.close();
            answering.join();
            assertThat(outcome.code()).isEqualTo(1);
            return outcome.err();
        }
    }

    private static void answerAll(ServerSocket listener, String text) {
        while (!listener.isClosed()) {
            try (Socket accepted = listener.accept()) {
                assertThat(accepted.getInputStream().read()).isNotNegative();
                accepted.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // The client went first, or the test has ended.
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "restroe --bucket b, restore",
        "cube lst, list",
        "space --endpiont x, --endpoint",
        "restore b --prefx p, --prefix"
    })
    void aMisspelledWordGetsSuggestions(String line, String meant) {
        Outcome outcome = server.with(environment).runExactly("", line.split(" "));
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err()).containsPattern("Did you mean [^?]*" + meant + "[^?]*\\?");
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void aWrongClockIsExplainedWithBothTimes() {
        server.answer(
                "GET cubes",
                403,
                "{\"code\": \"RequestTimeTooSkewed\", \"message\": \"too far\", \"requestId\":"
                        + " \"R\"}");
        environment.put("VOLUTE_ENDPOINT", server.endpoint());
        Outcome outcome = server.with(environment).runExactly("", "cube", "list");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("RequestTimeTooSkewed: too far (the server's clock: ")
                .contains("this machine's: Sat, 21 Nov 2026 10:00:00 GMT")
                .contains("set the wrong one");
    }

    /** Whatever answers, the command does not read it without end. */
    @Test
    void longAnswersAreRefused() {
        server.answer("GET cubes", 500, "x".repeat((1 << 20) + 1));
        Outcome outcome = server.run("cube", "list");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("answered 500 with more than 1 MiB");
    }

    /** The parser has words of its own. */
    @Test
    void mistakesAreNamedInWordsOfTheCommandLine() {
        assertThat(server.run("user", "lst").err())
                .startsWith("volute: unknown command: volute user lst. Did you mean list?\n");
        assertThat(server.run("user", "show", "a", "b").err())
                .startsWith("volute: too many arguments: b.\n");
        assertThat(server.run("history", "photos").err())
                .startsWith("volute: s3://BUCKET/KEY: write s3://BUCKET/KEY, not \"photos\"\n");
        assertThat(server.run("activity", "--since", "5m").err())
                .startsWith("volute: --since: \"5m\" has no sign: -5m is before now; write");
        assertThat(server.run("cube", "migrate", "c", "--to", "local", "--timeout", "5").err())
                .startsWith("volute: --timeout: ");
    }
}
