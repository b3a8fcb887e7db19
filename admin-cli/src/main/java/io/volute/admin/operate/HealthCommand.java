package io.volute.admin.operate;

import io.volute.admin.client.Printing;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a running server whether it is ready, for health checks where there is no other client. */
@Command(
        name = "health",
        mixinStandardHelpOptions = true,
        description = "Ends with 0 when the server answers that it is ready, else with 1. No TLS.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:the server is ready", "1:it is not, or not there", "2:wrong usage"})
public final class HealthCommand implements Callable<Integer> {
    private static final int WAIT_MILLIS = 4_000;
    private static final int PORT_MAX = 65_535;

    @Spec private CommandSpec spec;

    @Option(
            names = "--address",
            paramLabel = "HOST:PORT",
            description = "Address of the server (default: 127.0.0.1:9000).")
    private String address = "127.0.0.1:9000";

    @Option(names = "--json", description = "Print JSON.")
    private boolean isJson;

    @Override
    public Integer call() {
        int colon = address.lastIndexOf(':');
        String digits = address.substring(colon + 1);
        int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : 0;
        if (colon <= 0 || port == 0 || port > PORT_MAX) {
            spec.commandLine().getErr().println("volute: --address must be HOST:PORT");
            return 2;
        }
        String host = address.substring(0, colon);
        try {
            String status = ask(host, port);
            boolean isReady = status.startsWith("HTTP/1.1 200 ");
            if (isJson) {
                new Printing(spec).json(Map.of("ready", isReady, "status", status));
            } else {
                new Printing(spec).line(status);
            }
            return isReady ? 0 : 1;
        } catch (IOException e) {
            spec.commandLine().getErr().println("volute: no answer from " + address + ": " + e);
            return 1;
        }
    }

    private static String ask(String host, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), WAIT_MILLIS);
            socket.setSoTimeout(WAIT_MILLIS);
            String request =
                    "GET /health/ready HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            BufferedReader answer =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.ISO_8859_1));
            return Optional.ofNullable(answer.readLine())
                    .orElseThrow(() -> new IOException("the connection was closed"));
        }
    }
}
