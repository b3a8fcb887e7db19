package io.volute.server.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import io.volute.server.config.key.ValueType;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.config.targets.TargetConfig.Login;
import io.volute.server.config.targets.TargetConfig.Servers;
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
public record NotificationConfig(List<TargetConfig> targets, long queueLimit) {
    public NotificationConfig {
        targets = List.copyOf(targets);
    }

    /** Returns the types of the targets by their names, in the order of the settings. */
    public Map<String, String> types() {
        Map<String, String> types = new LinkedHashMap<>();
        targets.forEach(each -> types.put(each.name(), each.type()));
        return types;
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
                        List.of("path", "rotate-size"),
                        "kafka",
                        List.of(
                                "brokers",
                                "topic",
                                "tls",
                                "ca-file",
                                "allow-loopback",
                                "user",
                                "password-file",
                                "mechanism"),
                        "nats",
                        List.of(
                                "servers",
                                "subject",
                                "tls",
                                "ca-file",
                                "allow-loopback",
                                "user",
                                "password-file",
                                "token-file",
                                "credentials-file"));

        private static final String SERVER =
                "(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\]):[0-9]{1,5}";
        private static final ValueType<List<String>> SERVERS =
                ValueType.list("HOST:PORT, several with commas", SERVER);
        private static final ValueType<String> TOPIC =
                ValueType.matching(
                        "1 to 249 letters, digits, dots, - and _", "[A-Za-z0-9._-]{1,249}");
        private static final ValueType<String> SUBJECT =
                ValueType.matching(
                        "words of letters, digits, - and _ with dots between them",
                        "(?=.{1,249}$)[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");
        private static final ValueType<String> USER =
                ValueType.matching("visible ASCII", "[\\x21-\\x7E]{1,255}");
        private static final ValueType<String> MECHANISM =
                ValueType.matching(
                        "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", "PLAIN|SCRAM-SHA-(256|512)");

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

        List<TargetConfig> read(ConfigList list) {
            List<TargetConfig> targets = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (ConfigValue value : list) {
                if (value instanceof ConfigObject object) {
                    Optional<TargetConfig> target = target(object);
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
            problems.add(Keys.TARGETS.name() + " in " + where + ": " + what);
        }

        private Optional<TargetConfig> target(ConfigObject object) {
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
            TargetConfig target =
                    switch (type) {
                        case "webhook" -> webhook(name, object);
                        case "kafka" -> kafka(name, object);
                        case "nats" -> nats(name, object);
                        default -> file(name, object);
                    };
            return problems.size() == before ? Optional.of(target) : Optional.empty();
        }

        private static String types() {
            return String.join(", ", FIELDS.keySet().stream().sorted().toList());
        }

        private TargetConfig webhook(String name, ConfigObject object) {
            String url = required(object, "url", ValueType.matching("https://HOST/PATH", URL));
            boolean isPlainAllowed = field(object, "allow-http", ANSWER).orElse(false);
            if (url.startsWith("http:") && !isPlainAllowed) {
                problem(
                        name
                                + " has the url "
                                + url
                                + "; write https, or allow-http = true if the network between is"
                                + " trusted");
            }
            URI address = URI.create(url);
            if (!url.isEmpty() && address.getHost() == null) {
                problem(name + " has the url " + url + ", which names no host; write one");
            }
            return new TargetConfig.Webhook(
                    name,
                    address,
                    file(object, "token-file"),
                    file(object, "ca-file"),
                    field(object, "allow-loopback", ANSWER).orElse(false),
                    isPlainAllowed);
        }

        private TargetConfig file(String name, ConfigObject object) {
            Optional<Path> path = file(object, "path");
            if (path.isEmpty()) {
                problem(name + " has no path; write one");
            }
            return new TargetConfig.File(
                    name,
                    path.orElse(Path.of("unusable")),
                    field(object, "rotate-size", ValueType.size(1 << 10, 1L << 40, 1))
                            .orElse(64L << 20));
        }

        private TargetConfig kafka(String name, ConfigObject object) {
            Servers brokers = servers(object, "brokers");
            String topic = required(object, "topic", TOPIC);
            Optional<Login> login = login(name, object);
            Optional<String> mechanism = field(object, "mechanism", MECHANISM);
            if (mechanism.isPresent() && login.isEmpty()) {
                problem(name + " has a mechanism without user; write user and password-file");
            }
            return new TargetConfig.Kafka(
                    name, brokers, topic, login, mechanism.orElse("SCRAM-SHA-512"));
        }

        private TargetConfig nats(String name, ConfigObject object) {
            TargetConfig.Nats target =
                    new TargetConfig.Nats(
                            name,
                            servers(object, "servers"),
                            required(object, "subject", SUBJECT),
                            login(name, object),
                            file(object, "credentials-file"),
                            file(object, "token-file"));
            long proofs =
                    Stream.of(target.login(), target.credentials(), target.tokenFile())
                            .filter(Optional::isPresent)
                            .count();
            if (proofs > 1) {
                problem(
                        name
                                + " has several of user, credentials-file and token-file; write"
                                + " one of them");
            }
            return target;
        }

        private Servers servers(ConfigObject object, String key) {
            List<String> addresses = List.of();
            if (object.containsKey(key)) {
                addresses = field(object, key, SERVERS).orElse(List.of("unusable"));
            }
            if (addresses.isEmpty()) {
                problem("a target has no " + key + "; write " + SERVERS.expects());
            }
            Optional<Path> authorities = file(object, "ca-file");
            boolean isTls = field(object, "tls", ANSWER).orElse(true);
            if (!isTls && authorities.isPresent()) {
                problem("a ca-file without TLS; remove it, or tls = false");
            }
            return new Servers(
                    addresses,
                    isTls,
                    authorities,
                    field(object, "allow-loopback", ANSWER).orElse(false));
        }

        private Optional<Login> login(String name, ConfigObject object) {
            Optional<String> user = field(object, "user", USER);
            Optional<Path> password = file(object, "password-file");
            if (user.isPresent() != password.isPresent()) {
                problem(name + " has one of user and password-file; write both");
                return Optional.empty();
            }
            return user.map(known -> new Login(known, password.orElseThrow()));
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
