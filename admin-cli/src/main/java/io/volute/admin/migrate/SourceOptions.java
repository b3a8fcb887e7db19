package io.volute.admin.migrate;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Profiles;
import io.volute.admin.client.Profiles.Profile;
import io.volute.admin.s3.S3Client;
import io.volute.adminapi.signing.RequestSigner;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The store to import from, and the keys there. */
final class SourceOptions {
    private static final String DEFAULT_REGION = "us-east-1";

    @Option(
            names = "--from-endpoint",
            paramLabel = "URL",
            description = "The store to import from.")
    private Optional<URI> endpoint = Optional.empty();

    @Option(
            names = "--from-region",
            paramLabel = "REGION",
            description = "Its region (default: " + DEFAULT_REGION + ").")
    private Optional<String> region = Optional.empty();

    @Option(
            names = "--from-server",
            paramLabel = "NAME",
            description = "The store by its name (volute alias), instead of these two.")
    private Optional<String> name = Optional.empty();

    /** Returns a client of the store. */
    S3Client client(CommandSpec spec) throws IOException {
        Profile profile = profile(spec);
        CommandContext context = CommandContext.of(spec);
        Optional<String> token =
                name.isPresent()
                        ? Optional.empty()
                        : Optional.ofNullable(context.environment().get("SOURCE_SESSION_TOKEN"));
        return new S3Client(
                URI.create(profile.endpoint()),
                new RequestSigner(
                        profile.accessKey(), profile.secretKey(), profile.region(), token),
                context);
    }

    /** Returns the address of the store as imported versions name it. */
    String place(CommandSpec spec) throws IOException {
        return profile(spec).endpoint();
    }

    private Profile profile(CommandSpec spec) throws IOException {
        Map<String, String> environment = CommandContext.of(spec).environment();
        if (name.isPresent()) {
            return Optional.ofNullable(Profiles.of(environment).all().get(name.get()))
                    .orElseThrow(
                            () ->
                                    wrong(
                                            spec,
                                            "there is no server named "
                                                    + name.get()
                                                    + ": volute alias set names one"));
        }
        URI url = endpoint.orElseThrow(() -> wrong(spec, "write --from-endpoint URL"));
        if (url.getHost() == null || !url.getPath().matches("/?")) {
            throw wrong(spec, "--from-endpoint is " + url + "; write http://HOST:PORT");
        }
        String access = environment.getOrDefault("SOURCE_ACCESS_KEY", "");
        String secret = environment.getOrDefault("SOURCE_SECRET_KEY", "");
        if (access.isEmpty() || secret.isEmpty()) {
            throw wrong(
                    spec,
                    "no keys of the source: set SOURCE_ACCESS_KEY and SOURCE_SECRET_KEY, or name"
                            + " it with --from-server");
        }
        return new Profile(
                url.getScheme() + "://" + url.getRawAuthority(),
                region.orElse(DEFAULT_REGION),
                access,
                secret);
    }

    private static ParameterException wrong(CommandSpec spec, String text) {
        return new ParameterException(spec.commandLine(), text);
    }
}
