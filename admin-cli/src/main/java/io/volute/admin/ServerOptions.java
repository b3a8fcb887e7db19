package io.volute.admin;

import io.volute.server.auth.sigv4.RequestSigner;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Which server a command, or its sub-command, asks, as whom, and how it answers. */
final class ServerOptions {
    /** What was asked for was done. */
    static final int OK = 0;

    /** The server cannot be reached or refused. */
    static final int FAILED = 1;

    /** Something wrong was found. */
    static final int FOUND_WRONG = 3;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:9000",
            scope = ScopeType.INHERIT,
            description = "The server (default: ${DEFAULT-VALUE}).")
    private URI endpoint;

    @Option(
            names = "--region",
            paramLabel = "REGION",
            defaultValue = "us-east-1",
            scope = ScopeType.INHERIT,
            description = "The server's s3.region (default: ${DEFAULT-VALUE}).")
    private String region;

    @Option(
            names = "--json",
            scope = ScopeType.INHERIT,
            description = "Print JSON, as the server answers.")
    private boolean json;

    /** A restore met keys that somebody else has written since, and began nothing. */
    static final int CONFLICTS = 4;

    /** A question to the server. */
    interface Question {
        int ask(AdminClient client) throws IOException, InterruptedException;
    }

    /** Asks; prints why when that fails. Returns the exit code. */
    int run(Question question) throws InterruptedException {
        try (AdminClient client = new AdminClient(address(), signer(), surroundings().clock())) {
            return question.ask(client);
        } catch (IOException e) {
            return failed(e);
        }
    }

    /** Something that needs no server. */
    interface Work {
        int run() throws IOException;
    }

    /** As {@link #run}, without a server. */
    int alone(Work work) {
        try {
            return work.run();
        } catch (IOException e) {
            return failed(e);
        }
    }

    private int failed(IOException e) {
        // Of a missing file, the message is its name alone.
        String what = e instanceof FileSystemException ? e.toString() : e.getMessage();
        new Printing(spec).error(what);
        return FAILED;
    }

    Surroundings surroundings() {
        return Main.surroundings(spec);
    }

    boolean isJson() {
        return json;
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    void print(Map<String, ?> document) {
        new Printing(spec).json(document);
    }

    private URI address() {
        boolean isServer =
                ("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
                        && endpoint.getHost() != null
                        && (endpoint.getRawPath().isEmpty() || endpoint.getRawPath().equals("/"));
        if (!isServer) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--endpoint is " + endpoint + "; write something like http://127.0.0.1:9000");
        }
        return endpoint;
    }

    private RequestSigner signer() {
        return new RequestSigner(
                variable("VOLUTE_ACCESS_KEY", "AWS_ACCESS_KEY_ID"),
                variable("VOLUTE_SECRET_KEY", "AWS_SECRET_ACCESS_KEY"),
                region);
    }

    private String variable(String name, String other) {
        Map<String, String> environment = surroundings().environment();
        return Optional.ofNullable(environment.get(name))
                .or(() -> Optional.ofNullable(environment.get(other)))
                .orElseThrow(
                        () ->
                                new ParameterException(
                                        spec.commandLine(),
                                        "no credentials: set VOLUTE_ACCESS_KEY and"
                                                + " VOLUTE_SECRET_KEY (or AWS_ACCESS_KEY_ID and"
                                                + " AWS_SECRET_ACCESS_KEY) to the root user's"));
    }
}
