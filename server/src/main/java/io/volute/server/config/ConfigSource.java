package io.volute.server.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException.IO;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.volute.server.config.EffectiveConfig.Origin;
import io.volute.server.config.EffectiveConfig.Setting;
import io.volute.server.config.ProvenanceConfig.OnMissingSettings;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.config.cluster.LogStoreConfig;
import io.volute.server.config.key.Key;
import io.volute.server.config.key.KeyValues;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.credentials.Credential;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.KeyPattern;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Combines file, environment and flags; the later wins. All errors are reported at once. */
public final class ConfigSource implements KeyValues {
    /** Variables that are no keys of the configuration. */
    private static final Set<String> RESERVED =
            Set.of(
                    "VOLUTE_ACCESS_KEY",
                    "VOLUTE_SECRET_KEY",
                    "VOLUTE_CA_BUNDLE",
                    "VOLUTE_CONFIG",
                    "VOLUTE_ENDPOINT",
                    "VOLUTE_JAVA_OPTS");

    private static final int MOST_TARGETS = 64;

    private record Given(String text, Origin origin, String where) {}

    private final Map<String, Given> given = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private List<Credential> users = List.of();
    private List<ReplicationConfig.Target> replicas = List.of();
    private List<TargetConfig> targets = List.of();

    private ConfigSource() {}

    /**
     * Reads and checks.
     *
     * @param file the configuration file, if there is one
     * @param environment variables that begin with VOLUTE_ count
     * @param flags by key name
     * @throws ConfigException naming each key that is wrong, and what to write instead
     */
    public static ServerConfig read(
            Optional<Path> file, Map<String, String> environment, Map<String, String> flags)
            throws ConfigException {
        return effective(file, environment, flags).checked();
    }

    /**
     * Reads the configuration, with the origin of each value.
     *
     * @throws ConfigException when the file cannot be read at all
     */
    public static EffectiveConfig effective(
            Optional<Path> file, Map<String, String> environment, Map<String, String> flags)
            throws ConfigException {
        ConfigSource source = new ConfigSource();
        if (file.isPresent()) {
            source.readFile(file.get());
        }
        source.readEnvironment(new TreeMap<>(environment));
        flags.forEach(
                (name, text) ->
                        source.take(name, new Given(text, Origin.FLAG, "the command line")));
        source.checkValues();
        ServerConfig config = source.build();
        return new EffectiveConfig(config, source.settings(), source.problems);
    }

    private List<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        for (Key<?> key : Keys.all().values()) {
            Given value =
                    given.getOrDefault(
                            key.name(), new Given(key.defaultText(), Origin.DEFAULT, ""));
            settings.add(new Setting(key, value.text(), value.origin(), value.where()));
        }
        return settings;
    }

    // ---- sources

    private void readFile(Path file) throws ConfigException {
        Config config;
        try {
            config =
                    ConfigFactory.parseFile(
                                    file.toFile(),
                                    ConfigParseOptions.defaults().setAllowMissing(false))
                            .resolve(ConfigResolveOptions.defaults());
        } catch (IO e) {
            throw new ConfigException(
                    "cannot read the configuration file "
                            + file
                            + ": check the path given with --config");
        } catch (com.typesafe.config.ConfigException e) {
            throw new ConfigException(
                    "the configuration file cannot be understood: " + e.getMessage());
        }
        for (Map.Entry<String, ConfigValue> entry : config.entrySet()) {
            String name = String.join(".", ConfigUtil.splitPath(entry.getKey()));
            ConfigValue value = entry.getValue();
            String where = file + " line " + value.origin().lineNumber();
            if (value instanceof ConfigList list && isOfObjects(Keys.all().get(name))) {
                String shown = String.join(", ", objects(name, list, where));
                given.put(name, new Given(shown, Origin.FILE, where));
            } else {
                take(name, new Given(text(value), Origin.FILE, where));
            }
        }
    }

    private static boolean isOfObjects(Key<?> key) {
        return key != null && key.type().isObjects();
    }

    /** Reads a list of objects. Returns the name of each, because others may be secrets. */
    private List<String> objects(String name, ConfigList list, String where) {
        if (name.equals(Keys.USERS.name())) {
            users =
                    new ObjectList(Keys.USERS, where, problems)
                            .read(list, Integer.MAX_VALUE, UserFields::read, Credential::accessKey);
            return users.stream().map(Credential::accessKey).toList();
        }
        if (name.equals(Keys.TARGETS.name())) {
            targets =
                    new ObjectList(Keys.TARGETS, where, problems)
                            .read(
                                    list,
                                    MOST_TARGETS,
                                    NotificationConfig.TargetFields::read,
                                    TargetConfig::name);
            return targets.stream().map(TargetConfig::name).toList();
        }
        replicas =
                new ObjectList(Keys.REPLICATION_TARGETS, where, problems)
                        .read(
                                list,
                                MOST_TARGETS,
                                ReplicationConfig.TargetFields::read,
                                ReplicationConfig.Target::name);
        return replicas.stream().map(ReplicationConfig.Target::name).toList();
    }

    private static String text(ConfigValue value) {
        if (value.valueType() == ConfigValueType.LIST) {
            List<String> parts = new ArrayList<>();
            ((ConfigList) value).forEach(part -> parts.add(text(part)));
            return String.join(",", parts);
        }
        return String.valueOf(value.unwrapped());
    }

    private void readEnvironment(TreeMap<String, String> environment) {
        Map<String, String> names = KeyNames.variables();
        environment
                .tailMap("VOLUTE_")
                .forEach(
                        (variable, text) -> {
                            if (!variable.startsWith("VOLUTE_") || RESERVED.contains(variable)) {
                                return;
                            }
                            if (names.containsKey(variable)) {
                                take(
                                        names.get(variable),
                                        new Given(
                                                text,
                                                Origin.ENVIRONMENT,
                                                "environment variable " + variable));
                            } else {
                                problems.add(
                                        "unknown environment variable "
                                                + variable
                                                + SpellingAdvice.advice(variable, names.keySet()));
                            }
                        });
    }

    private void take(String name, Given value) {
        Key<?> key = Keys.all().get(name);
        if (key == null) {
            problems.add(KeyNames.refusal(name, value.where()));
        } else if (isOfObjects(key)) {
            // The value may have a secret.
            problems.add(name + " in " + value.where() + " is none; write " + key.type().expects());
        } else {
            given.put(name, value);
        }
    }

    private void checkValues() {
        for (Key<?> key : Keys.all().values()) {
            Given value = given.get(key.name());
            if (value != null && key.type().parser().parse(value.text()).isEmpty()) {
                problems.add(
                        key.name()
                                + " is \""
                                + value.text()
                                + "\" in "
                                + value.where()
                                + "; write "
                                + key.type().expects());
            }
        }
    }

    // ---- values

    private Optional<Path> passphrase() {
        Optional<Path> file = get(Keys.PROVENANCE_PASSPHRASE);
        if (file.isPresent() && get(Keys.PROVENANCE_MASTER_KEY).isPresent()) {
            problems.add(
                    "provenance.master-key and provenance.passphrase-file each make the master key;"
                            + " write one of them");
        }
        return file.map(Path::toAbsolutePath);
    }

    private ServerConfig build() {
        return new ServerConfig(
                get(Keys.DATA).toAbsolutePath().normalize(),
                HttpConfig.of(this),
                new ServerConfig.Protocol(
                        get(Keys.REGION),
                        get(Keys.DOMAINS),
                        get(Keys.SIGNATURE_V2),
                        get(Keys.OBJECT_OWNERSHIP),
                        get(Keys.LIST_READABLE_BUCKETS),
                        get(Keys.ENCRYPTION_KEYS),
                        get(Keys.RESTRICTED_KEYS),
                        get(Keys.ON_MISSING_KEYRING) == OnMissingSettings.BEGIN_ANEW,
                        VaultConfig.of(this),
                        get(Keys.CUSTOMER_KEYS_OVER_HTTP),
                        get(Keys.UNSIGNED_PAYLOAD),
                        get(Keys.BUCKETS_PER_USER).intValue()),
                LogConfig.of(this),
                LogStoreConfig.of(this),
                ClusterConfig.of(this, LogStoreConfig.of(this)),
                LogConfig.memory(this),
                get(Keys.PLACEMENT),
                new HistorySettings(
                        get(Keys.HISTORY_POLICY),
                        get(Keys.HISTORY_RESOLUTION),
                        get(Keys.ACTOR_IDLE),
                        get(Keys.RETENTION),
                        Math.toIntExact(get(Keys.HISTORY_STATES)),
                        get(Keys.CAUSALITY_IGNORE).stream().map(KeyPattern::new).toList()),
                new HistoryRoom(get(Keys.HISTORY_SHARE), get(Keys.HISTORY_UNDER_PRESSURE)),
                new ProvenanceConfig(
                        get(Keys.PROVENANCE_SIGNATURES).algorithms(),
                        get(Keys.PROVENANCE_CONSTRUCTION).shape(get(Keys.PROVENANCE_SPIRAL)),
                        get(Keys.PROVENANCE_MASTER_KEY).map(Path::toAbsolutePath),
                        passphrase(),
                        confidentiality(),
                        get(Keys.CHECKPOINT_INTERVAL),
                        get(Keys.CHECKPOINT_DIRECTORY).map(Path::toAbsolutePath),
                        CheckpointExport.of(this),
                        get(Keys.PROVENANCE_RETENTION),
                        get(Keys.ON_MISSING_SETTINGS)),
                new ServerConfig.ScrubConfig(get(Keys.SCRUB_INTERVAL), get(Keys.SCRUB_RATE)),
                get(Keys.LIFECYCLE_DAY),
                new ServerConfig.MetricsListener(
                        get(Keys.METRICS_LISTEN),
                        get(Keys.METRICS_TOKEN_FILE),
                        get(Keys.METRICS_HOSTS)),
                AccessLogConfig.of(get(Keys.ACCESS_LOG)),
                AuditLogConfig.of(this),
                TracingConfig.of(this),
                OidcConfig.of(this),
                BackupConfig.of(this),
                new NotificationConfig(targets, get(Keys.QUEUE_LIMIT)),
                new ReplicationConfig(replicas),
                get(Keys.SHUTDOWN),
                get(Keys.ADMIN_ADDRESS),
                users);
    }

    private Confidentiality confidentiality() {
        Set<EntryField> encrypted = fields(Keys.PROVENANCE_ENCRYPT);
        Set<EntryField> committed = fields(Keys.PROVENANCE_COMMIT);
        for (EntryField field : encrypted) {
            if (committed.remove(field)) {
                problems.add(
                        "either provenance.encrypt or provenance.commit can name " + field.text());
            }
        }
        int needed = Math.toIntExact(get(Keys.PROVENANCE_AUDITORS_NEEDED));
        return new Confidentiality(new HiddenFields(encrypted, committed), needed);
    }

    private Set<EntryField> fields(Key<List<String>> key) {
        List<String> names = get(key);
        return Arrays.stream(EntryField.values())
                .filter(each -> names.contains(each.text()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void problem(String message) {
        problems.add(message);
    }

    @Override
    public <T> T get(Key<T> key) {
        return Optional.ofNullable(given.get(key.name()))
                .flatMap(value -> key.type().parser().parse(value.text()))
                .orElseGet(() -> key.type().parser().parse(key.defaultText()).orElseThrow());
    }
}
