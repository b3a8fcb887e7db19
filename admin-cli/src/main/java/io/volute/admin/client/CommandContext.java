package io.volute.admin.client;

import io.volute.adminapi.tls.Authorities;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The process in which a command runs: environment, clocks and input.
 *
 * @param launcher what a person writes to run a command
 * @param arguments in which arguments reached this process
 * @param nanos time that is never moved, as {@link System#nanoTime}
 * @param in where a person answers
 * @param pause until it is worth asking the server again
 */
public record CommandContext(
        String launcher,
        Map<String, String> environment,
        Charset arguments,
        InstantSource clock,
        LongSupplier nanos,
        InputStream in,
        Pause pause) {
    private static final String AUTHORITIES = "VOLUTE_CA_BUNDLE";

    /** Waits a little. */
    public interface Pause {
        void pass() throws InterruptedException;
    }

    public CommandContext {
        environment = Map.copyOf(environment);
    }

    /** Returns this context with another environment. */
    public CommandContext with(Map<String, String> variables) {
        return new CommandContext(launcher, variables, arguments, clock, nanos, in, pause);
    }

    /**
     * Returns a builder of clients that connect to an address. Over TLS they trust the certificates
     * in VOLUTE_CA_BUNDLE or AWS_CA_BUNDLE, or else those of Java.
     *
     * @throws IOException when that file cannot be used
     */
    public HttpClient.Builder http(URI address) throws IOException {
        HttpClient.Builder http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        if ("https".equals(address.getScheme())) {
            String variable = isSet(AUTHORITIES) ? AUTHORITIES : "AWS_CA_BUNDLE";
            Optional<Path> file =
                    isSet(variable)
                            ? Optional.of(Path.of(environment.get(variable)))
                            : Optional.empty();
            http.sslContext(Authorities.trusted(variable, file));
        }
        return http;
    }

    private boolean isSet(String variable) {
        return !environment.getOrDefault(variable, "").isEmpty();
    }

    /** Returns why a server cannot be reached, and what to do about it. */
    public static String why(IOException failure) {
        if (Authorities.areMissing(failure)) {
            return "its certificate is not trusted: set "
                    + AUTHORITIES
                    + " to a PEM file of the certificate or of its authority";
        }
        return failure.getMessage() == null
                ? failure.getClass().getSimpleName()
                : failure.getMessage();
    }

    /** The root command, which has the context of every command. */
    public interface Holder {
        CommandContext context();
    }

    /** Returns the context of the command line that the command is part of. */
    public static CommandContext of(CommandSpec spec) {
        return ((Holder) spec.root().userObject()).context();
    }
}
