package io.volute.admin.client;

import io.volute.admin.output.Screen;
import io.volute.adminapi.tls.Authorities;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The process in which a command runs: environment, clocks and input.
 *
 * @param launcher what a person writes to run a command
 * @param arguments in which arguments reached this process
 * @param nanos time that is never moved, as {@link System#nanoTime}
 * @param in where a person answers
 * @param screen where the output goes
 * @param pause until it is worth asking the server again
 */
public record CommandContext(
        String launcher,
        Map<String, String> environment,
        Charset arguments,
        InstantSource clock,
        LongSupplier nanos,
        InputStream in,
        Screen screen,
        Pause pause) {
    private static final String AUTHORITIES = "VOLUTE_CA_BUNDLE";

    /** Waits a little. */
    @FunctionalInterface
    public interface Pause {
        void pass() throws InterruptedException;

        /**
         * Has something run when the process is ended by Ctrl-C or another signal, until the result
         * is closed.
         */
        default Watch whenEnded(Runnable last) {
            return () -> {};
        }
    }

    /** Ends what {@link Pause#whenEnded} began. */
    @FunctionalInterface
    public interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    public CommandContext {
        environment = Map.copyOf(environment);
    }

    /** Returns this context with another environment. */
    public CommandContext with(Map<String, String> variables) {
        return new CommandContext(launcher, variables, arguments, clock, nanos, in, screen, pause);
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
        } else {
            http.sslContext(withoutAuthorities());
        }
        return http;
    }

    /**
     * Returns a context that trusts nobody. Java's client makes one for plain HTTP too, and reading
     * all authorities of Java for it takes more than the heap of a health check.
     */
    private static SSLContext withoutAuthorities() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS cannot be used: " + e.getMessage(), e);
        }
    }

    private boolean isSet(String variable) {
        return !environment.getOrDefault(variable, "").isEmpty();
    }

    /** Returns why a server cannot be reached, and what to do about it. */
    public static String why(URI endpoint, IOException failure) {
        if (Authorities.areMissing(failure)) {
            return "its certificate is not trusted: set "
                    + AUTHORITIES
                    + " to a PEM file of the certificate or of its authority";
        }
        if (Authorities.areOutdated(failure)) {
            return "its certificate is not valid at this time: renew it at the server"
                    + " (tls.certificate, read again without a restart), or set the clock of"
                    + " this machine";
        }
        if (failure instanceof ConnectException) {
            return refused(endpoint);
        }
        String message = Objects.requireNonNullElse(failure.getMessage(), "");
        boolean isTls = "https".equals(endpoint.getScheme());
        if (isTls && message.contains("nrecognized SSL message")) {
            return "it does not speak TLS: write http://" + endpoint.getRawAuthority();
        }
        if (!isTls && (failure instanceof EOFException || isCut(message))) {
            return "it closed the connection without an answer: if it has TLS, write https://"
                    + endpoint.getRawAuthority();
        }
        return message.isEmpty() ? failure.getClass().getSimpleName() : message;
    }

    /** Java's HTTP client has no type for a connection that ends before the answer. */
    private static boolean isCut(String message) {
        return message.contains("received no bytes") || message.contains("Connection reset");
    }

    private static String refused(URI endpoint) {
        try {
            InetAddress known = InetAddress.getByName(endpoint.getHost());
            return "connection refused: is the server running? (" + known + ")";
        } catch (UnknownHostException unknown) {
            return "no host of that name: check --endpoint (" + unknown.getMessage() + ")";
        }
    }

    /** Returns the times of both clocks if they are why a request was refused, else nothing. */
    public String clocks(String code, HttpHeaders answer) {
        if (!code.equals("RequestTimeTooSkewed")) {
            return "";
        }
        return " (the server's clock: "
                + answer.firstValue("date").orElse("unknown")
                + "; this machine's: "
                + DateTimeFormatter.RFC_1123_DATE_TIME.format(
                        clock.instant().atOffset(ZoneOffset.UTC))
                + "; set the wrong one)";
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
