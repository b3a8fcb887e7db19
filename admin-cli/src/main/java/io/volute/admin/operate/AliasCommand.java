package io.volute.admin.operate;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.Printing;
import io.volute.admin.client.Profiles;
import io.volute.admin.client.Profiles.Profile;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Names for servers, so that --server NAME stands for endpoint, region and keys. */
@Command(
        name = "alias",
        mixinStandardHelpOptions = true,
        description = {
            "Names servers: --server NAME then stands for endpoint, region and keys.",
            "They are kept in ~/.config/volute/servers.json, which only you may read."
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:no such name, or the file cannot be used", "2:wrong usage"})
public final class AliasCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "One of set, list and remove is needed");
    }

    /** A server without its secret. */
    private record NamedServer(String name, String endpoint, String region, String accessKey) {}

    private CommandContext context() {
        return CommandContext.of(spec);
    }

    private Profiles profiles() {
        return Profiles.of(context().environment());
    }

    /** Does something with all names. */
    private interface Use {
        void of(Map<String, Profile> all) throws IOException, InterruptedException;
    }

    private int use(Use use) throws InterruptedException {
        try {
            use.of(profiles().all());
            return ServerOptions.OK;
        } catch (IOException e) {
            new Printing(spec).error(e.getMessage());
            return ServerOptions.FAILED;
        }
    }

    @Example(
            value = "volute alias set prod --endpoint https://s3.example --access-key VUEXAMPLE",
            does = "Name a server.")
    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = {
                "Names a server, or changes the server and keys of a name.",
                "The secret key is VOLUTE_SECRET_KEY, or else asked for: a line of the input."
            })
    int set(
            @Parameters(paramLabel = "NAME", description = "Letters, digits, - and _.") String name,
            @Option(
                            names = "--endpoint",
                            paramLabel = "URL",
                            required = true,
                            description = "The server.")
                    URI endpoint,
            @Option(
                            names = "--region",
                            paramLabel = "REGION",
                            defaultValue = "us-east-1",
                            description = "Its s3.region (default: ${DEFAULT-VALUE}).")
                    String region,
            @Option(
                            names = "--access-key",
                            paramLabel = "KEY",
                            required = true,
                            description = "Access key that signs the requests.")
                    String accessKey)
            throws InterruptedException {
        if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new ParameterException(
                    spec.commandLine(), "NAME has letters, digits, - and _, 64 at most");
        }
        return use(
                all -> {
                    String secret = secret();
                    all.put(name, new Profile(endpoint.toString(), region, accessKey, secret));
                    profiles().write(all);
                });
    }

    private String secret() throws IOException {
        Optional<String> known =
                Optional.ofNullable(context().environment().get("VOLUTE_SECRET_KEY"));
        if (known.isPresent()) {
            return known.get();
        }
        new Printing(spec).line("Secret key:");
        BufferedReader in =
                new BufferedReader(new InputStreamReader(context().in(), StandardCharsets.UTF_8));
        return Optional.ofNullable(in.readLine())
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .orElseThrow(() -> new IOException("no secret key was given"));
    }

    @Example(value = "volute alias list", does = "List the named servers.")
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Shows the names with their servers and access keys, without secrets.")
    int list(
            @Option(names = "--json", description = "Print JSON.") boolean isJson,
            @Option(names = "--wide", description = "Show the table in full, as pipes get it.")
                    boolean isWide)
            throws InterruptedException {
        return use(
                all -> {
                    List<NamedServer> shown = new ArrayList<>();
                    all.forEach(
                            (name, profile) ->
                                    shown.add(
                                            new NamedServer(
                                                    name,
                                                    profile.endpoint(),
                                                    profile.region(),
                                                    profile.accessKey())));
                    Printing printing = new Printing(spec);
                    if (isJson) {
                        printing.json(Map.of("servers", shown));
                        return;
                    }
                    Table<NamedServer> table =
                            new Table<>(
                                    NamedServer.class,
                                    new Column<>("NAME", NamedServer::name),
                                    new Column<>("ENDPOINT", NamedServer::endpoint),
                                    Column.once(new Column<>("REGION", NamedServer::region)),
                                    Column.whole(
                                            new Column<>("ACCESS KEY", NamedServer::accessKey)));
                    table.print(shown, printing.tables(isWide));
                    if (table.isEmpty()) {
                        printing.line("none");
                    }
                });
    }

    @Example(value = "volute alias remove prod", does = "Forget a name.")
    @Command(name = "remove", mixinStandardHelpOptions = true, description = "Forgets a name.")
    int remove(
            @Parameters(paramLabel = "NAME", description = "The name (volute alias list).")
                    String name,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return use(
                all -> {
                    confirmation.requireAnswer();
                    Profile gone = all.remove(name);
                    if (gone == null) {
                        throw new IOException(
                                "there is no server named "
                                        + name
                                        + ": 'volute alias list' lists the names");
                    }
                    confirmation.require(
                            () ->
                                    "The secret of key "
                                            + gone.accessKey()
                                            + " at "
                                            + gone.endpoint()
                                            + " goes with the name. Forget "
                                            + name
                                            + "?");
                    profiles().write(all);
                });
    }
}
