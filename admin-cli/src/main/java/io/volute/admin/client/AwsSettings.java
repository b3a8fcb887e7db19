package io.volute.admin.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings that AWS clients share: variables of the environment, and a profile in the files of
 * {@code ~/.aws} (AWS SDKs and Tools Reference Guide, "Shared config and credentials files" and
 * "Service-specific endpoints"). Immutable.
 */
final class AwsSettings {
    private static final String NESTED = " ";

    private final Map<String, String> environment;
    private final Map<String, String> profile;
    private final Map<String, String> services;
    private final String name;
    private final boolean isChosen;

    /** A value and the name of the setting that it comes from. */
    record Found(String value, String setting) {}

    /**
     * Credentials of one source.
     *
     * @param sessionToken present for temporary credentials
     */
    record Keys(String accessKey, String secretKey, Optional<String> sessionToken) {}

    /**
     * Reads the files.
     *
     * @param chosen the profile that an option names; its keys then precede those of the
     *     environment, as in the AWS command
     * @throws IOException if a file cannot be read, or has no profile of the chosen name
     */
    AwsSettings(Map<String, String> environment, Optional<String> chosen) throws IOException {
        this.environment = environment;
        Optional<String> named =
                chosen.or(() -> variable("AWS_PROFILE")).or(() -> variable("AWS_DEFAULT_PROFILE"));
        name = named.orElse("default");
        isChosen = chosen.isPresent();
        Path config = file("AWS_CONFIG_FILE", "config");
        Path credentials = file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        Map<String, Map<String, String>> ofConfig = sections(config);
        Map<String, Map<String, String>> ofCredentials = sections(credentials);
        profile = new HashMap<>();
        String[] spellings = {"profile " + name, name.equals("default") ? name : ""};
        boolean isThere = ofCredentials.containsKey(name);
        for (String each : spellings) {
            isThere |= ofConfig.containsKey(each);
            profile.putAll(ofConfig.getOrDefault(each, Map.of()));
        }
        profile.putAll(ofCredentials.getOrDefault(name, Map.of()));
        services =
                ofConfig.getOrDefault("services " + profile.getOrDefault("services", ""), Map.of());
        if (named.isPresent() && !isThere) {
            throw new IOException(
                    "there is no profile "
                            + name
                            + " in "
                            + config
                            + " or "
                            + credentials
                            + ": correct AWS_PROFILE or --profile");
        }
    }

    private Path file(String variable, String usual) {
        return variable(variable)
                .map(Path::of)
                .orElseGet(
                        () ->
                                Path.of(environment.getOrDefault("HOME", "."), ".aws")
                                        .resolve(usual));
    }

    private Optional<String> variable(String variable) {
        return Optional.ofNullable(environment.get(variable)).filter(each -> !each.isBlank());
    }

    /** Returns the address of S3, from the most specific setting that has one. */
    Optional<Found> endpoint() {
        boolean isIgnored =
                Stream.of(
                                environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
                                profile.get("ignore_configured_endpoint_urls"))
                        .anyMatch("true"::equalsIgnoreCase);
        if (isIgnored) {
            return Optional.empty();
        }
        return ofVariable("AWS_ENDPOINT_URL_S3")
                .or(() -> ofVariable("AWS_ENDPOINT_URL"))
                .or(() -> ofFile(services, "s3" + NESTED + "endpoint_url"))
                .or(() -> ofFile(profile, "endpoint_url"));
    }

    private Optional<Found> ofVariable(String variable) {
        return variable(variable).map(value -> new Found(value, variable));
    }

    private Optional<Found> ofFile(Map<String, String> section, String key) {
        return Optional.ofNullable(section.get(key))
                .map(value -> new Found(value, "endpoint_url of the AWS profile " + name));
    }

    Optional<String> region() {
        return variable("AWS_REGION")
                .or(() -> variable("AWS_DEFAULT_REGION"))
                .or(() -> Optional.ofNullable(profile.get("region")));
    }

    /**
     * Returns the keys. Both are of one source.
     *
     * @throws IOException if a source has only one of the two, or keys of a kind that only the AWS
     *     command understands
     */
    Optional<Keys> keys() throws IOException {
        Optional<Keys> own =
                pair(
                        profile,
                        "aws_access_key_id",
                        "aws_secret_access_key",
                        "aws_session_token",
                        " in the AWS profile " + name);
        if (own.isPresent() && isChosen) {
            return own;
        }
        Optional<Keys> given =
                pair(
                        environment,
                        "AWS_ACCESS_KEY_ID",
                        "AWS_SECRET_ACCESS_KEY",
                        "AWS_SESSION_TOKEN",
                        "");
        Optional<Keys> keys = isChosen ? own : given.or(() -> own);
        Optional<String> other =
                Stream.of("role_arn", "credential_process", "sso_session", "sso_start_url")
                        .filter(profile::containsKey)
                        .findFirst();
        if (keys.isEmpty() && other.isPresent()) {
            throw new IOException(
                    "the AWS profile "
                            + name
                            + " gets its keys by "
                            + other.get()
                            + ", which volute does not do: put them into the environment with"
                            + " aws configure export-credentials --format env");
        }
        return keys;
    }

    /** Returns two values of one source, or nothing if it has neither. */
    static Optional<Keys> pair(
            Map<String, String> source, String access, String secret, String token, String where)
            throws IOException {
        String accessKey = source.getOrDefault(access, "");
        String secretKey = source.getOrDefault(secret, "");
        if (accessKey.isEmpty() != secretKey.isEmpty()) {
            String set = accessKey.isEmpty() ? secret : access;
            String missing = accessKey.isEmpty() ? access : secret;
            throw new IOException(set + " is set and " + missing + " is not" + where);
        }
        return accessKey.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Keys(
                                accessKey,
                                secretKey,
                                Optional.ofNullable(source.get(token))
                                        .filter(each -> !each.isEmpty())));
    }

    /**
     * Reads sections by name. A key below another one, as in a section {@code services}, is named
     * by both with a space between.
     */
    private static Map<String, Map<String, String>> sections(Path file) throws IOException {
        Map<String, Map<String, String>> sections = new HashMap<>();
        if (!Files.isRegularFile(file)) {
            return sections;
        }
        Map<String, String> section = new HashMap<>();
        String above = "";
        for (String line : Files.readAllLines(file)) {
            String text = line.strip();
            int equals = text.indexOf('=');
            if (text.isEmpty() || text.startsWith("#") || text.startsWith(";")) {
                continue;
            }
            if (text.startsWith("[") && text.endsWith("]")) {
                String title = text.substring(1, text.length() - 1).strip();
                section =
                        sections.computeIfAbsent(
                                title.replaceAll("\\s+", " ").replace("\"", ""),
                                unused -> new HashMap<>());
                above = "";
            } else if (equals > 0) {
                String key = text.substring(0, equals).strip();
                boolean isNested = Character.isWhitespace(line.charAt(0)) && !above.isEmpty();
                section.put(
                        isNested ? above + NESTED + key : key, text.substring(equals + 1).strip());
                above = isNested ? above : key;
            }
        }
        return sections;
    }
}
