package io.volute.server.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import io.volute.server.s3.notification.TargetArn;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The event notifications.
 *
 * @param targets that configurations of buckets can name
 * @param queueLimit most messages that wait for one target
 */
public record NotificationConfig(List<Target> targets, long queueLimit) {
    public NotificationConfig {
        targets = List.copyOf(targets);
    }

    /** Returns the types of the targets by their names, in the order of the settings. */
    public Map<String, String> types() {
        Map<String, String> types = new LinkedHashMap<>();
        targets.forEach(each -> types.put(each.name(), each.type()));
        return types;
    }

    /** A target of event notifications. */
    public sealed interface Target {

        /** Returns the name, which is part of the ARN. */
        String name();

        /** Returns the type, which is part of the ARN. */
        String type();
    }

    /**
     * A server that takes messages by HTTP.
     *
     * @param tokenFile a private file with the bearer token
     * @param authorities PEM file of the certificates that TLS trusts; empty: those of Java
     * @param isLoopbackAllowed whether the host may be this machine
     * @param isPlainAllowed whether the address may be {@code http}
     */
    public record Webhook(
            String name,
            URI url,
            Optional<Path> tokenFile,
            Optional<Path> authorities,
            boolean isLoopbackAllowed,
            boolean isPlainAllowed)
            implements Target {
        @Override
        public String type() {
            return "webhook";
        }
    }

    /**
     * A file with one message a line.
     *
     * @param path absolute
     * @param rotateBytes size from which on the file is renamed, and a new one begun
     */
    public record File(String name, Path path, long rotateBytes) implements Target {
        @Override
        public String type() {
            return "file";
        }
    }

    /** Reads the targets of event notifications in the configuration file. */
    static final class TargetList {
        private static final int MOST_TARGETS = 64;
        private static final String URL =
                "https?://(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\])"
                        + "(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/%-]{0,1024})?"
                        + "(?:\\?[A-Za-z0-9._~=&%-]{0,1024})?";

        /** The fields of each type, besides name and type. */
        private static final Map<String, List<String>> FIELDS =
                Map.of(
                        "webhook",
                        List.of("url", "token-file", "ca-file", "allow-loopback", "allow-http"),
                        "file",
                        List.of("path", "rotate-size"));

        private static final ValueType<Boolean> ANSWER =
                new ValueType<>(
                        "true or false",
                        text ->
                                text.equals("true") || text.equals("false")
                                        ? Optional.of(text.equals("true"))
                                        : Optional.empty());

        private final String where;
        private final List<String> problems;

        TargetList(String where, List<String> problems) {
            this.where = where;
            this.problems = problems;
        }

        List<Target> read(ConfigList list) {
            List<Target> targets = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (ConfigValue value : list) {
                if (value instanceof ConfigObject object) {
                    Optional<Target> target = target(object);
                    target.ifPresent(targets::add);
                    if (target.isPresent() && !names.add(target.get().name())) {
                        problem("the name " + target.get().name() + " is there twice");
                    }
                } else {
                    problem("write a list of { name = ..., type = ... }");
                }
            }
            if (targets.size() > MOST_TARGETS) {
                problem(targets.size() + " targets; write at most " + MOST_TARGETS);
            }
            return targets;
        }

        private void problem(String what) {
            problems.add(KeyNames.TARGETS + " in " + where + ": " + what);
        }

        private Optional<Target> target(ConfigObject object) {
            int before = problems.size();
            String name =
                    required(
                            object,
                            "name",
                            ValueType.matching(
                                    "a name of 1 to 64 letters, digits, - and _", TargetArn.NAME));
            String type = required(object, "type", ValueType.text());
            if (!FIELDS.containsKey(type)) {
                problem("the type \"" + type + "\" is unknown; write " + types());
                return Optional.empty();
            }
            List<String> known =
                    Stream.concat(Stream.of("name", "type"), FIELDS.get(type).stream()).toList();
            object.keySet().stream()
                    .filter(field -> !known.contains(field))
                    .forEach(
                            field ->
                                    problem(
                                            "unknown key "
                                                    + field
                                                    + " of a "
                                                    + type
                                                    + SpellingAdvice.advice(field, known)));
            Target target = type.equals("webhook") ? webhook(name, object) : file(name, object);
            return problems.size() == before ? Optional.of(target) : Optional.empty();
        }

        private static String types() {
            return String.join(" or ", FIELDS.keySet().stream().sorted().toList());
        }

        private Target webhook(String name, ConfigObject object) {
            String url = required(object, "url", ValueType.matching("https://HOST/PATH", URL));
            boolean isPlainAllowed = field(object, "allow-http", ANSWER).orElse(false);
            if (url.startsWith("http:") && !isPlainAllowed) {
                problem(
                        name
                                + " has the url "
                                + url
                                + "; write https, or allow-http = true if nobody can read the"
                                + " network in between");
            }
            URI address = URI.create(url);
            if (!url.isEmpty() && address.getHost() == null) {
                problem(name + " has the url " + url + ", which names no host; write one");
            }
            return new Webhook(
                    name,
                    address,
                    file(object, "token-file"),
                    file(object, "ca-file"),
                    field(object, "allow-loopback", ANSWER).orElse(false),
                    isPlainAllowed);
        }

        private Target file(String name, ConfigObject object) {
            Optional<Path> path = file(object, "path");
            if (path.isEmpty()) {
                problem(name + " has no path; write one");
            }
            return new File(
                    name,
                    path.orElse(Path.of("unusable")),
                    field(object, "rotate-size", ValueType.size(1 << 10, 1L << 40, 1))
                            .orElse(64L << 20));
        }

        private Optional<Path> file(ConfigObject object, String name) {
            return field(object, name, ValueType.path()).map(Path::toAbsolutePath);
        }

        private String required(ConfigObject object, String name, ValueType<String> type) {
            if (!object.containsKey(name)) {
                problem("a target has no " + name + "; write " + type.expects());
            }
            return field(object, name, type).orElse("");
        }

        private <T> Optional<T> field(ConfigObject object, String name, ValueType<T> type) {
            ConfigValue value = object.get(name);
            if (value == null) {
                return Optional.empty();
            }
            Optional<T> parsed = type.parser().parse(String.valueOf(value.unwrapped()));
            if (parsed.isEmpty()) {
                problem(name + " is \"" + value.unwrapped() + "\"; write " + type.expects());
            }
            return parsed;
        }
    }
}
