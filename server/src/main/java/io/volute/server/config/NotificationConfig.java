package io.volute.server.config;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.ValueType;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.config.targets.TargetConfig.Login;
import io.volute.server.config.targets.TargetConfig.Servers;
import io.volute.server.s3.notification.TargetArn;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /** The fields of a target, which {@link ConfigSource} reads from the configuration file. */
    static final class TargetFields {
        private static final String URI_FORM =
                "https?://(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\])"
                        + "(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/%-]{0,1024})?"
                        + "(?:\\?[A-Za-z0-9._~=&%-]{0,1024})?";
        private static final String SERVER_FORM =
                "(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\]):[0-9]{1,5}";
        private static final ValueType<List<String>> SERVER_LIST =
                ValueType.required(ValueType.list("HOST:PORT, several with commas", SERVER_FORM));
        private static final ValueType<Optional<Path>> FILE_PATH =
                ValueType.pathOrNone("the path of a file");

        private static final Key.Section ANY = new Key.Section("any");
        private static final Key.Section WEBHOOK = new Key.Section("webhook");
        private static final Key.Section FILE = new Key.Section("file");
        private static final Key.Section KAFKA = new Key.Section("kafka");
        private static final Key.Section NATS = new Key.Section("nats");
        private static final Key.Section BROKERED = new Key.Section("kafka, nats");

        /** All fields, in the order of the reference page. */
        static final List<Key.Section> SECTIONS =
                List.of(ANY, WEBHOOK, FILE, KAFKA, NATS, BROKERED);

        /** The fields of each type. */
        private static final Map<String, List<Key.Section>> OF_TYPE =
                Map.of(
                        "webhook", List.of(ANY, WEBHOOK),
                        "file", List.of(ANY, FILE),
                        "kafka", List.of(ANY, KAFKA, BROKERED),
                        "nats", List.of(ANY, NATS, BROKERED));

        private static final Key<String> NAME =
                ANY.field(
                        "name",
                        "",
                        ValueType.matching(
                                "a name of 1 to 64 letters, digits, - and _", TargetArn.NAME),
                        "Name of the target, which its ARN has.");
        private static final Key<String> TYPE =
                ANY.field(
                        "type",
                        "",
                        ValueType.matching(
                                "one of webhook, file, kafka, nats", "webhook|file|kafka|nats"),
                        "Type of the target.");

        private static final Key<String> URL =
                WEBHOOK.field(
                        "url",
                        "",
                        ValueType.matching("https://HOST/PATH", URI_FORM),
                        "Address of the POST.");
        private static final Key<Optional<Path>> BEARER =
                WEBHOOK.field(
                        "token-file",
                        "",
                        FILE_PATH,
                        "File (mode 0600) with a bearer token. The server reads it for each"
                                + " message.");
        private static final Key<Optional<Path>> CA =
                WEBHOOK.field(
                        "ca-file",
                        "",
                        FILE_PATH,
                        "PEM file of the certificates that TLS trusts. Without it, the authorities"
                                + " of Java.");
        private static final Key<Boolean> LOOPBACK =
                WEBHOOK.field(
                        "allow-loopback",
                        "false",
                        ValueType.FLAG,
                        "`true` allows a loopback address.");
        private static final Key<Boolean> PLAIN =
                WEBHOOK.field(
                        "allow-http",
                        "false",
                        ValueType.FLAG,
                        "`true` allows `http`: everyone on the way can read messages and token.");

        private static final Key<Path> PATH = FILE.field("path", "", ValueType.path(), "The file.");
        private static final Key<Long> ROTATE =
                FILE.field(
                        "rotate-size",
                        "64 MiB",
                        ValueType.size(1 << 10, 1L << 40, 1),
                        "Size at which the file is renamed.");

        private static final Key<List<String>> BROKERS =
                KAFKA.field("brokers", "", SERVER_LIST, "Brokers to begin with.");
        private static final Key<String> TOPIC =
                KAFKA.field(
                        "topic",
                        "",
                        ValueType.matching(
                                "1 to 249 letters, digits, dots, - and _", "[A-Za-z0-9._-]{1,249}"),
                        "The topic.");
        private static final Key<String> MECHANISM =
                KAFKA.field(
                        "mechanism",
                        "SCRAM-SHA-512",
                        ValueType.matching(
                                "one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
                                "PLAIN|SCRAM-SHA-(256|512)"),
                        "Mechanism of the login.");

        private static final Key<List<String>> SERVERS =
                NATS.field("servers", "", SERVER_LIST, "Servers to begin with.");
        private static final Key<String> SUBJECT =
                NATS.field(
                        "subject",
                        "",
                        ValueType.matching(
                                "words of letters, digits, - and _ with dots between them",
                                "(?=.{1,249}$)[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*"),
                        "The subject, which a stream of JetStream must have.");
        private static final Key<Optional<Path>> CREDENTIALS =
                NATS.field(
                        "credentials-file",
                        "",
                        FILE_PATH,
                        "File (mode 0600) with a token and a key of NATS, as `nsc` writes it.");
        private static final Key<Optional<Path>> TOKEN =
                NATS.field("token-file", "", FILE_PATH, "File (mode 0600) with a token.");

        private static final Key<String> USER =
                BROKERED.field(
                        "user",
                        "",
                        ValueType.matching("visible ASCII", "[\\x21-\\x7E]{0,255}"),
                        "User of the login.");
        private static final Key<Optional<Path>> PASSWORD =
                BROKERED.field(
                        "password-file",
                        "",
                        FILE_PATH,
                        "File (mode 0600) with the password of the user.");
        private static final Key<Boolean> TLS =
                BROKERED.field(
                        "tls",
                        "true",
                        ValueType.FLAG,
                        "`false` turns TLS off: everyone on the way can read messages and"
                                + " password.");
        private static final Key<Optional<Path>> BROKER_CA =
                BROKERED.field(
                        "ca-file",
                        "",
                        FILE_PATH,
                        "PEM file of the certificates that TLS trusts. Without it, the authorities"
                                + " of Java.");
        private static final Key<Boolean> BROKER_LOOPBACK =
                BROKERED.field(
                        "allow-loopback",
                        "false",
                        ValueType.FLAG,
                        "`true` allows loopback addresses.");

        private static final URI UNUSABLE = URI.create("https://unusable.invalid");

        private TargetFields() {}

        /** Reads a target; empty if its type is not known. */
        static Optional<TargetConfig> read(ObjectList.Element from) {
            String name = from.get(NAME, "");
            String type = from.get(TYPE, "");
            if (type.isEmpty()) {
                return Optional.empty();
            }
            from.accept(OF_TYPE.get(type));
            return Optional.of(
                    switch (type) {
                        case "webhook" -> webhook(name, from);
                        case "kafka" -> kafka(name, from);
                        case "nats" -> nats(name, from);
                        default ->
                                new TargetConfig.File(
                                        name,
                                        from.get(PATH, Path.of("unusable")).toAbsolutePath(),
                                        from.get(ROTATE));
                    });
        }

        private static TargetConfig webhook(String name, ObjectList.Element from) {
            String url = from.get(URL, "");
            boolean isPlainAllowed = from.get(PLAIN);
            if (url.startsWith("http:") && !isPlainAllowed) {
                from.problem(
                        name
                                + " has the url "
                                + url
                                + "; write https, or allow-http = true if the network between is"
                                + " trusted");
            }
            Optional<URI> address = ValueType.withHost(url);
            if (!url.isEmpty() && address.isEmpty()) {
                from.problem(name + " has the url " + url + ", which names no host; write one");
            }
            return new TargetConfig.Webhook(
                    name,
                    address.orElse(UNUSABLE),
                    file(from, BEARER),
                    file(from, CA),
                    from.get(LOOPBACK),
                    isPlainAllowed);
        }

        private static TargetConfig kafka(String name, ObjectList.Element from) {
            Servers brokers = servers(from, BROKERS);
            String topic = from.get(TOPIC, "");
            Optional<Login> login = login(name, from);
            if (from.has(MECHANISM) && login.isEmpty()) {
                from.problem(name + " has a mechanism without user; write user and password-file");
            }
            return new TargetConfig.Kafka(name, brokers, topic, login, from.get(MECHANISM));
        }

        private static TargetConfig nats(String name, ObjectList.Element from) {
            TargetConfig.Nats target =
                    new TargetConfig.Nats(
                            name,
                            servers(from, SERVERS),
                            from.get(SUBJECT, ""),
                            login(name, from),
                            file(from, CREDENTIALS),
                            file(from, TOKEN));
            long proofs =
                    Stream.of(target.login(), target.credentials(), target.tokenFile())
                            .filter(Optional::isPresent)
                            .count();
            if (proofs > 1) {
                from.problem(
                        name
                                + " has several of user, credentials-file and token-file; write"
                                + " one of them");
            }
            return target;
        }

        private static Servers servers(ObjectList.Element from, Key<List<String>> addresses) {
            Optional<Path> authorities = file(from, BROKER_CA);
            boolean isTls = from.get(TLS);
            if (!isTls && authorities.isPresent()) {
                from.problem("a ca-file without TLS; remove it, or tls = false");
            }
            return new Servers(
                    from.get(addresses, List.of()), isTls, authorities, from.get(BROKER_LOOPBACK));
        }

        private static Optional<Login> login(String name, ObjectList.Element from) {
            String user = from.get(USER);
            Optional<Path> password = file(from, PASSWORD);
            if (user.isEmpty() == password.isPresent()) {
                from.problem(name + " has one of user and password-file; write both");
                return Optional.empty();
            }
            return password.map(file -> new Login(user, file));
        }

        private static Optional<Path> file(ObjectList.Element from, Key<Optional<Path>> field) {
            return from.get(field).map(Path::toAbsolutePath);
        }
    }
}
