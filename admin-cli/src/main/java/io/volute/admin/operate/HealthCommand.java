package io.volute.admin.operate;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Printing;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Asks a running server whether it is ready, for health checks where there is no other client. */
@OldSpelling(value = "--address HOST:PORT", now = "--endpoint http://HOST:PORT")
@Example(value = "volute health", does = "Ask the server on this machine.")
@Example(
        value = "volute health --endpoint https://s3.example:9000",
        does = "Ask another one, with TLS.")
@Command(
        name = "health",
        mixinStandardHelpOptions = true,
        description = {
            "Ends with 0 when the server answers that it is ready, else with 1. Needs no keys.",
            "Load balancers and containers use this check. A ready server with a problem adds the"
                    + " problem and the next step: it is full, read-only, or has damaged data."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:the server is ready", "1:it is not, or not there", "2:wrong usage"})
public final class HealthCommand implements Callable<Integer> {
    private static final int OK = 200;
    private static final int VERDICT_BYTES_MAX = 4096;
    private static final Duration WAIT = Duration.ofSeconds(4);

    @Spec private CommandSpec spec;

    @Mixin private ServerOptions server;

    @Override
    public Integer call() throws InterruptedException {
        Printing printing = new Printing(spec);
        URI address;
        try {
            address = server.address();
        } catch (IOException e) {
            return printing.failed(e);
        }
        try (HttpClient client = server.context().http(address).connectTimeout(WAIT).build()) {
            HttpRequest request =
                    HttpRequest.newBuilder(address.resolve("/health/ready")).timeout(WAIT).build();
            HttpResponse<InputStream> answer = client.send(request, BodyHandlers.ofInputStream());
            String verdict;
            try (InputStream body = answer.body()) {
                byte[] bytes = body.readNBytes(VERDICT_BYTES_MAX);
                verdict = new String(bytes, StandardCharsets.UTF_8).strip();
            }
            boolean isReady = answer.statusCode() == OK;
            String status = "HTTP/1.1 " + answer.statusCode();
            if (server.isJson()) {
                printing.json(Map.of("ready", isReady, "status", status, "verdict", verdict));
            } else {
                printing.line(status);
                printing.line(AnswerFormat.visible(verdict));
            }
            return isReady ? ServerOptions.OK : ServerOptions.FAILED;
        } catch (IOException e) {
            printing.error("no answer from " + address + ": " + CommandContext.why(address, e));
            return ServerOptions.FAILED;
        }
    }
}
