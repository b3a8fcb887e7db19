package io.volute.admin.client;

import io.volute.admin.client.AwsSettings.Found;
import io.volute.admin.client.AwsSettings.Keys;
import io.volute.admin.client.Profiles.Profile;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Progress;
import io.volute.admin.output.TableOutput;
import io.volute.adminapi.signing.RequestSigner;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Which server a command, or its sub-command, asks, as whom, and how it answers. */
public final class ServerOptions {
    /** The exit code of a command that succeeded. */
    public static final int OK = 0;

    /** The server cannot be reached or refused. */
    public static final int FAILED = 1;

    /** Something wrong was found. */
    public static final int FOUND_WRONG = 3;

    /** Nothing wrong was found, and something could not be compared. */
    public static final int NOT_COMPARED = 5;

    private static final String DEFAULT_ENDPOINT = "http://127.0.0.1:9000";
    private static final String DEFAULT_REGION = "us-east-1";
    private static final int PORT_MAX = 65_535;
    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

    private Optional<String> usual = Optional.empty();
    private Optional<Target> found = Optional.empty();

    /** The options for which {@link #found} was found. */
    private List<Object> foundFor = List.of();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--server",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "The server by its name (volute alias).")
    private String name;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = {
                "The server (default: VOLUTE_ENDPOINT, AWS_ENDPOINT_URL_S3,",
                "AWS_ENDPOINT_URL, the AWS profile, " + DEFAULT_ENDPOINT + ")."
            })
    private String endpoint;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description = "The profile of ~/.aws with keys and endpoint (default: AWS_PROFILE).")
    private String profile;

    @Option(
            names = "--region",
            paramLabel = "REGION",
            scope = ScopeType.INHERIT,
            description = "The server's s3.region (default: " + DEFAULT_REGION + ").")
    private String region;

    @Option(
            names = "--json",
            scope = ScopeType.INHERIT,
            description = "Print JSON, as the server answers.")
    private boolean json;

    @Option(
            names = "--wide",
            scope = ScopeType.INHERIT,
            description = "Show tables in full, as pipes get them: whole values, exact times.")
    private boolean wide;

    /** A restore met keys that somebody else has written since, and began nothing. */
    public static final int CONFLICTS = 4;

    /** A question to the server. */
    public interface Question {
        int ask(AdminClient client) throws IOException, InterruptedException;
    }

    /** Asks; prints why when that fails. Returns the exit code. */
    public int run(Question question) throws InterruptedException {
        try {
            if (!hasCredentials()) {
                throw noCredentials();
            }
            return ask(question);
        } catch (IOException e) {
            return failed(e);
        }
    }

    private int ask(Question question) throws IOException, InterruptedException {
        try (AdminClient client = client()) {
            return question.ask(client);
        }
    }

    /** Creates a client. Requests that need no credentials work without them. */
    public AdminClient client() throws IOException {
        return new AdminClient(address(), signer(), context(), new Printing(spec)::error);
    }

    /** Returns scheme, host and port of the server. */
    public URI address() throws IOException {
        return target().address();
    }

    /**
     * Sets the address of the server for a command line that names none. It precedes the settings
     * of AWS clients.
     */
    public void useByDefault(String url) {
        usual = Optional.of(url);
    }

    /** Returns the signer of requests to the server. */
    public RequestSigner signer() throws IOException {
        return target().signer();
    }

    /** Returns the options by which another command asks the same server; empty for defaults. */
    public List<String> sameServer() {
        List<String> options = new ArrayList<>();
        Optional.ofNullable(name).ifPresent(each -> options.addAll(List.of("--server", each)));
        Optional.ofNullable(endpoint)
                .ifPresent(each -> options.addAll(List.of("--endpoint", each)));
        Optional.ofNullable(profile).ifPresent(each -> options.addAll(List.of("--profile", each)));
        Optional.ofNullable(region).ifPresent(each -> options.addAll(List.of("--region", each)));
        return options;
    }

    /** Returns a command that asks the same server, as a person writes it. */
    public String command(String... words) {
        List<String> all = new ArrayList<>(List.of(context().launcher()));
        all.addAll(List.of(words));
        all.addAll(sameServer());
        return all.stream().map(ServerOptions::quoted).collect(Collectors.joining(" "));
    }

    /** Returns a word as a shell reads it. */
    private static String quoted(String word) {
        return PLAIN_WORD.matcher(word).matches()
                ? word
                : "'" + AnswerFormat.visible(word).replace("'", "'\\''") + "'";
    }

    /** Returns true if both an access key and a secret key are configured. */
    public boolean hasCredentials() throws IOException {
        return !target().signer().accessKey().isEmpty();
    }

    /** Something that needs no server. */
    public interface Work {
        int run() throws IOException;
    }

    /** Runs work that needs no server. Handles failures in the same way as {@link #run}. */
    public int alone(Work work) {
        try {
            return work.run();
        } catch (IOException e) {
            return failed(e);
        }
    }

    /** Prints facts, or the answer. Returns the exit code. */
    public int done(Object document, Facts facts) {
        if (json) {
            print(document);
        } else {
            facts.print(tables());
        }
        return OK;
    }

    /** Says what was done: these lines, or the answer. Returns the exit code. */
    public int done(Answer<?> answer, String... lines) {
        return done(answer.fields(), lines);
    }

    /**
     * Says what was done: these lines, or the document. Returns the exit code.
     *
     * @param document a map or a record
     */
    public int done(Object document, String... lines) {
        if (json) {
            print(document);
        } else {
            List.of(lines).forEach(out()::println);
            out().flush();
        }
        return OK;
    }

    /** Says why something failed. Returns the exit code. */
    public int failed(IOException e) {
        return new Printing(spec).failed(e);
    }

    public CommandContext context() {
        return CommandContext.of(spec);
    }

    public boolean isJson() {
        return json;
    }

    /** Returns the progress of long work. Nothing is shown where JSON is wanted. */
    public Progress progress(String doing) {
        return new Printing(spec).progress(doing, json);
    }

    public PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Returns the output for tables. */
    public TableOutput tables() {
        return new Printing(spec).tables(wide);
    }

    /** Prints an answer as the server gave it. */
    public void print(Answer<?> answer) {
        print(answer.fields());
    }

    /**
     * Prints a document as JSON.
     *
     * @param document a map or a record
     */
    public void print(Object document) {
        new Printing(spec).json(document);
    }

    /** The server to ask, and the signer of requests to it, without keys if there are none. */
    private record Target(URI address, RequestSigner signer) {}

    /** Returns the target of these options, which is found once: files may change meanwhile. */
    private Target target() throws IOException {
        List<Object> options = Arrays.asList(name, endpoint, profile, region, usual);
        if (found.isEmpty() || !options.equals(foundFor)) {
            found = Optional.of(findTarget());
            foundFor = options;
        }
        return found.get();
    }

    private Target findTarget() throws IOException {
        if (name != null) {
            Profile known = named();
            return new Target(
                    address(new Found(known.endpoint(), "the endpoint of " + name)),
                    new RequestSigner(known.accessKey(), known.secretKey(), known.region()));
        }
        Map<String, String> environment = context().environment();
        Optional<Found> own =
                Optional.ofNullable(endpoint)
                        .map(url -> new Found(url, "--endpoint"))
                        .or(() -> variable("VOLUTE_ENDPOINT"))
                        .or(() -> usual.map(url -> new Found(url, "the configured address")));
        Optional<Keys> mine =
                profile != null
                        ? Optional.empty()
                        : AwsSettings.pair(
                                environment, "VOLUTE_ACCESS_KEY", "VOLUTE_SECRET_KEY", "", "");
        if (own.isPresent() && mine.isPresent()) {
            // A command line that needs nothing of the AWS settings does not fail for them.
            return target(own.get(), Optional.ofNullable(region), mine.get());
        }
        AwsSettings aws = new AwsSettings(environment, Optional.ofNullable(profile));
        Optional<Found> other = own.isPresent() ? Optional.empty() : aws.endpoint();
        Found server =
                own.or(() -> other).orElseGet(() -> new Found(DEFAULT_ENDPOINT, "the default"));
        // The region of AWS settings belongs to their server; another one has the usual region.
        Optional<String> place =
                Optional.ofNullable(region).or(() -> other.flatMap(unused -> aws.region()));
        Keys keys =
                (mine.isPresent() ? mine : aws.keys())
                        .orElseGet(() -> new Keys("", "", Optional.empty()));
        return target(server, place, keys);
    }

    private Target target(Found server, Optional<String> place, Keys keys) {
        return new Target(
                address(server),
                new RequestSigner(
                        keys.accessKey(),
                        keys.secretKey(),
                        place.orElse(DEFAULT_REGION),
                        keys.sessionToken()));
    }

    private Profile named() throws IOException {
        if (endpoint != null || region != null || profile != null) {
            throw wrong("Either --server, or --endpoint, --region and --profile");
        }
        Profiles profiles = Profiles.of(context().environment());
        return Optional.ofNullable(profiles.all().get(name))
                .orElseThrow(
                        () ->
                                wrong(
                                        "there is no server named "
                                                + name
                                                + " in "
                                                + profiles.file()
                                                + ": volute alias set "
                                                + name
                                                + " names one"));
    }

    private Optional<Found> variable(String variable) {
        return Optional.ofNullable(context().environment().get(variable))
                .filter(text -> !text.isBlank())
                .map(text -> new Found(text, variable));
    }

    private URI address(Found server) {
        String text = server.value().strip();
        if (!text.startsWith("http://") && !text.startsWith("https://")) {
            throw wrong(
                    server.setting()
                            + " is "
                            + text
                            + ", without a scheme; write http://"
                            + text
                            + ", or https:// for a server with TLS");
        }
        try {
            URI url = new URI(text);
            if (url.getHost() != null
                    && url.getPort() <= PORT_MAX
                    && url.getRawQuery() == null
                    && (url.getRawPath().isEmpty() || url.getRawPath().equals("/"))) {
                return url;
            }
        } catch (URISyntaxException e) {
            // Reported with the others.
        }
        throw wrong(
                server.setting() + " is " + text + "; write something like " + DEFAULT_ENDPOINT);
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    private ParameterException noCredentials() {
        return wrong(
                "no credentials. Set VOLUTE_ACCESS_KEY and VOLUTE_SECRET_KEY (or AWS_ACCESS_KEY_ID"
                        + " and AWS_SECRET_ACCESS_KEY) to the root user's; or name a server with"
                        + " --server or a profile of ~/.aws with --profile");
    }
}
