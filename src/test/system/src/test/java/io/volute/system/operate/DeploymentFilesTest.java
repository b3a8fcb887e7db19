package io.volute.system.operate;

import static io.volute.system.operate.DeploymentFiles.at;
import static io.volute.system.operate.DeploymentFiles.list;
import static io.volute.system.operate.DeploymentFiles.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.EffectiveConfig;
import io.volute.server.config.ServerConfig;
import io.volute.server.config.cluster.LogStoreConfig;
import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.server.http.Tls;
import io.volute.system.ExternalClient;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.tls.BookieAuthZFactory;
import org.apache.bookkeeper.tls.TLSContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the files for compose and Kubernetes name settings, secrets and parts that exist. */
class DeploymentFilesTest {
    private static final Set<String> NODES = Set.of("node1", "node2", "node3");

    /** Variables of the bookies' image that are no keys of the bookie. */
    private static final Set<String> OF_THE_IMAGE = Set.of("CLUSTER_ROOT_PATH");

    private static final List<String> TLS_FILES =
            List.of("ca.pem", "both.pem", "server.pem", "server.key");

    @TempDir private Path directory;

    private static Map<String, Object> compose() throws IOException {
        return DeploymentFiles.documents(MonitoringFiles.file("compose-cluster.yaml")).getFirst();
    }

    /** Returns all objects of the Kubernetes files, by kind and name. */
    private static Map<String, Object> objects() throws IOException {
        Map<String, Object> all = new TreeMap<>();
        try (Stream<Path> files = Files.list(MonitoringFiles.file("kubernetes"))) {
            for (Path each : files.sorted().toList()) {
                if (!each.endsWith("kustomization.yaml")) {
                    for (Map<String, Object> object : DeploymentFiles.documents(each)) {
                        String name = object.get("kind") + " " + at(object, "metadata", "name");
                        assertThat(all.put(name, object)).as(name).isNull();
                    }
                }
            }
        }
        return all;
    }

    /** Reads variables as a server does, with an address of this machine for the node's name. */
    private static ServerConfig config(Map<String, String> environment) throws ConfigException {
        Map<String, String> here = new TreeMap<>(environment);
        String address = environment.get("VOLUTE_CLUSTER_ADDRESS");
        here.put("VOLUTE_CLUSTER_ADDRESS", "127.0.0.1" + address.substring(address.indexOf(':')));
        EffectiveConfig read = ConfigSource.effective(Optional.empty(), here, Map.of());
        assertThat(read.problems()).isEmpty();
        return read.checked();
    }

    private static void requireNode(ServerConfig config, String name, String zooKeeper) {
        assertThat(config.cluster().orElseThrow().name()).isEqualTo(name);
        assertThat(config.cluster().orElseThrow().address().getPort()).isEqualTo(9100);
        assertThat(config.cluster().orElseThrow().secretFile()).hasToString("/keys/cluster.secret");
        assertThat(config.provenance().masterKey()).contains(Path.of("/keys/provenance.key"));
        assertThat(config.logStore().zooKeeper()).isEqualTo(zooKeeper);
        assertThat(config.metrics().listen().orElseThrow().getPort()).isEqualTo(9464);
    }

    /** Requires that a node uses TLS with other nodes, ZooKeeper and bookies. */
    private static void requireTls(ServerConfig config, Path files) {
        TlsFiles tls = config.cluster().orElseThrow().tls().orElseThrow();
        assertThat(tls.certificate()).isEqualTo(files.resolve("server.pem"));
        assertThat(tls.key()).isEqualTo(files.resolve("server.key"));
        assertThat(tls.clientAuthorities()).contains(files.resolve("ca.pem"));
        LogStoreConfig.Security security = config.logStore().security();
        assertThat(security.authorities()).contains(files.resolve("ca.pem"));
        assertThat(security.certificate()).contains(files.resolve("both.pem"));
        assertThat(security.acl()).isEqualTo(LogStoreConfig.Acl.CREATOR);
    }

    /** Requires the settings of the guide, except for those that the start script adds. */
    private static void requireTlsOfBookie(Map<String, String> environment, String files)
            throws IOException {
        assertThat(environment)
                .containsEntry("BK_zkEnableSecurity", "true")
                .containsEntry("BK_tlsProviderFactoryClass", TLSContextFactory.class.getName())
                .containsEntry("BK_tlsClientAuthentication", "true")
                .containsEntry("BK_tlsKeyStore", files + "/both.pem")
                .containsEntry("BK_tlsCertificatePath", files + "/both.pem")
                .containsEntry("BK_tlsTrustStore", files + "/ca.pem")
                .containsEntry(
                        "BK_bookieAuthProviderFactoryClass", BookieAuthZFactory.class.getName())
                .containsEntry("BK_authorizedRoles", "volute");
        assertThat(environment.get("BOOKIE_EXTRA_OPTS").split(" "))
                .containsExactly(
                        "-Dzookeeper.client.secure=true",
                        "-Dzookeeper.clientCnxnSocket="
                                + "org.apache.zookeeper.ClientCnxnSocketNetty",
                        "-Dzookeeper.ssl.keyStore.location=" + files + "/both.pem",
                        "-Dzookeeper.ssl.keyStore.type=PEM",
                        "-Dzookeeper.ssl.trustStore.location=" + files + "/ca.pem",
                        "-Dzookeeper.ssl.trustStore.type=PEM");
        assertThat(Files.readString(MonitoringFiles.file("kubernetes-tls/bookie.sh")))
                .contains(
                        "clientKeyStoreType=PEM",
                        "clientKeyStore=$BK_tlsKeyStore",
                        "clientTrustStoreType=PEM",
                        "clientTrustStore=$BK_tlsTrustStore");
    }

    private static void requireTlsOfZooKeeper(Map<String, String> environment, String files) {
        assertThat(environment.get("ZOO_CFG_EXTRA").split(" "))
                .contains(
                        "secureClientPort=2281",
                        "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "authProvider.x509="
                                + "org.apache.zookeeper.server.auth.X509AuthenticationProvider",
                        "ssl.clientAuth=need",
                        "ssl.keyStore.location=" + files + "/both.pem",
                        "ssl.trustStore.location=" + files + "/ca.pem");
        assertThat(environment.get("ZOO_SERVERS").split(" "))
                .as("plain connections come from inside alone")
                .allMatch(each -> each.endsWith(":2888:3888;127.0.0.1:2181"));
    }

    @Test
    void composeWithTlsSecuresAllConnections() throws Exception {
        Map<String, Object> tls =
                DeploymentFiles.documents(MonitoringFiles.file("compose-tls.yaml")).getFirst();
        Map<String, Object> compose = DeploymentFiles.overridden(compose(), tls);
        Map<String, Object> services = map(compose.get("services"));
        for (String name : NODES) {
            ServerConfig config = config(texts(at(services, name, "environment")));
            requireNode(config, name, "zookeeper:2281");
            requireTls(config, Path.of("/run/secrets"));
            assertThat(list(at(services, name, "secrets")))
                    .containsExactlyInAnyOrderElementsOf(TLS_FILES);
        }
        for (String name : List.of("bookie1", "bookie2", "bookie3")) {
            Map<String, String> environment = texts(at(services, name, "environment"));
            requireBookie(environment, "zk+longhierarchical://zookeeper:2281/volute/ledgers");
            requireTlsOfBookie(environment, "/run/secrets");
            assertThat(at(services, name, "entrypoint", 1))
                    .isEqualTo("/opt/bookkeeper/scripts/bookie-tls.sh");
            assertThat(list(at(services, name, "volumes")))
                    .contains(
                            "./kubernetes-tls/bookie.sh:/opt/bookkeeper/scripts/bookie-tls.sh:ro");
        }
        requireTlsOfZooKeeper(texts(at(services, "zookeeper", "environment")), "/run/secrets");
        for (String name : List.of("zookeeper", "bookie1", "bookie2", "bookie3")) {
            assertThat(list(at(services, name, "secrets")))
                    .containsExactlyInAnyOrder("ca.pem", "both.pem");
        }
        assertThat(map(compose.get("secrets")).keySet())
                .containsExactlyInAnyOrderElementsOf(TLS_FILES);
        TLS_FILES.forEach(
                file ->
                        assertThat(at(compose, "secrets", file, "file"))
                                .isEqualTo("./tls/" + file));
    }

    @Test
    void podsWithTlsSecureAllConnections() throws Exception {
        ExternalClient kubectl =
                ExternalClient.orSkip(directory, List.of("kubectl"), "version", "--client");
        String made =
                kubectl.run("kustomize", MonitoringFiles.file("kubernetes-tls").toString())
                        .orFail();
        Map<String, Object> sets = new TreeMap<>();
        Set<Object> scripts = new HashSet<>();
        for (Map<String, Object> object : DeploymentFiles.documents(made)) {
            if (object.get("kind").equals("StatefulSet")) {
                sets.put(at(object, "metadata", "name").toString(), object);
                requireVolumes(object);
                assertThat(at(object, "spec", "template", "spec", "volumes").toString())
                        .contains("secretName=volute-tls");
            } else if (object.get("kind").equals("ConfigMap")) {
                scripts.add(at(object, "metadata", "name"));
            }
        }
        ServerConfig node = config(environment(sets.get("node"), "node-2"));
        requireNode(
                node,
                "node-2",
                "zookeeper-0.zookeeper:2281,zookeeper-1.zookeeper:2281,zookeeper-2.zookeeper:2281");
        requireTls(node, Path.of("/tls"));
        Map<String, String> bookie = environment(sets.get("bookie"), "bookie-1");
        requireBookie(
                bookie,
                "zk+longhierarchical://zookeeper-0.zookeeper:2281;zookeeper-1.zookeeper:2281;"
                        + "zookeeper-2.zookeeper:2281/volute/ledgers");
        requireTlsOfBookie(bookie, "/tls");
        requireTlsOfZooKeeper(environment(sets.get("zookeeper"), "zookeeper-0"), "/tls");
        Object pod = at(sets.get("bookie"), "spec", "template", "spec");
        assertThat(at(pod, "containers", 0, "command", 1)).isEqualTo("/start/bookie.sh");
        assertThat(list(at(pod, "volumes")))
                .filteredOn(each -> map(each).get("name").equals("start"))
                .singleElement()
                .satisfies(each -> assertThat(scripts).contains(at(each, "configMap", "name")));
    }

    @Test
    void theScriptMakesCertificatesThatNodesAccept() throws Exception {
        ExternalClient openssl = ExternalClient.orSkip(directory, List.of("openssl"), "version");
        assertThat(openssl).isNotNull();
        ExternalClient script = ExternalClient.orSkip(directory, List.of("sh"), "-c", "true");
        Path files = directory.resolve("tls");
        String made = MonitoringFiles.file("certificates.sh").toString();
        script.run(made, files.toString(), "node1", "bookie1").orFail();
        Map<String, String> environment =
                new TreeMap<>(texts(at(compose(), "services", "node1", "environment")));
        environment.put("VOLUTE_CLUSTER_TLS_CERTIFICATE", files.resolve("server.pem").toString());
        environment.put("VOLUTE_CLUSTER_TLS_KEY", files.resolve("server.key").toString());
        environment.put("VOLUTE_CLUSTER_TLS_CA", files.resolve("ca.pem").toString());
        Tls tls = Tls.open(config(environment).cluster().orElseThrow().tls()).orElseThrow();
        tls.requireAccepted("node1");
        assertThatThrownBy(() -> tls.requireAccepted("node2"))
                .hasMessageContaining("it must name node2");
        assertThat(Files.readString(files.resolve("both.pem")))
                .isEqualTo(
                        Files.readString(files.resolve("server.key"))
                                + Files.readString(files.resolve("server.pem")));
    }

    private static Set<String> bookieKeys() throws IllegalAccessException {
        Set<String> keys = new HashSet<>();
        for (Class<?> type : List.of(AbstractConfiguration.class, ServerConfiguration.class)) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
                    field.setAccessible(true);
                    keys.add((String) field.get(null));
                }
            }
        }
        return keys;
    }

    private static void requireBookie(Map<String, String> environment, String metadata)
            throws IllegalAccessException {
        Set<String> unknown = new TreeSet<>();
        environment.keySet().stream()
                .filter(name -> name.startsWith("BK_"))
                .map(name -> name.substring("BK_".length()))
                .filter(name -> !OF_THE_IMAGE.contains(name))
                .forEach(unknown::add);
        assertThat(unknown).hasSizeGreaterThan(5);
        unknown.removeAll(bookieKeys());
        assertThat(unknown).isEmpty();
        assertThat(environment)
                .containsEntry("BK_CLUSTER_ROOT_PATH", "/volute")
                .containsEntry("BK_metadataServiceUri", metadata);
    }

    private static Map<String, String> texts(Object node) {
        Map<String, String> texts = new TreeMap<>();
        map(node).forEach((key, value) -> texts.put(key, value.toString()));
        return texts;
    }

    @Test
    void nodesOfComposeHaveSettingsThatAServerAccepts() throws Exception {
        Map<String, Object> services = map(compose().get("services"));
        for (String name : NODES) {
            Map<String, String> environment = texts(at(services, name, "environment"));
            assertThat(environment).containsEntry("VOLUTE_CLUSTER_ADDRESS", name + ":9100");
            requireNode(config(environment), name, "zookeeper:2181");
            assertThat(list(at(services, name, "volumes")))
                    .containsExactlyInAnyOrder(name + "-data:/data", "cluster-keys:/keys:ro");
        }
        for (String name : List.of("bookie1", "bookie2", "bookie3")) {
            requireBookie(
                    texts(at(services, name, "environment")),
                    "zk+longhierarchical://zookeeper:2181/volute/ledgers");
            assertThat(at(services, name, "hostname")).isEqualTo(name);
        }
        assertThat(list(at(services, "keys", "command")))
                .containsExactly("cluster", "keys", "/data");
    }

    @Test
    void composeUsesWhatItDefines() throws Exception {
        Map<String, Object> compose = compose();
        Set<String> volumes = new TreeSet<>();
        Set<String> networks = new TreeSet<>();
        Map<String, Object> services = map(compose.get("services"));
        services.forEach(
                (name, service) -> {
                    Map<String, Object> fields = map(service);
                    list(fields.getOrDefault("volumes", List.of())).stream()
                            .map(each -> each.toString().split(":", -1)[0])
                            .filter(each -> !each.startsWith("."))
                            .forEach(volumes::add);
                    list(fields.getOrDefault("networks", List.of()))
                            .forEach(each -> networks.add(each.toString()));
                    Object needs = fields.getOrDefault("depends_on", List.of());
                    assertThat(services.keySet())
                            .as(name)
                            .containsAll(
                                    needs instanceof Map<?, ?> conditions
                                            ? texts(conditions).keySet()
                                            : list(needs).stream().map(Object::toString).toList());
                    assertThat(fields).as(name).containsKey("image");
                    boolean isPublished = fields.containsKey("ports");
                    boolean isInside = name.startsWith("bookie") || name.equals("zookeeper");
                    assertThat(isPublished && isInside).as(name).isFalse();
                });
        assertThat(volumes).isEqualTo(map(compose.get("volumes")).keySet());
        assertThat(networks).isEqualTo(map(compose.get("networks")).keySet());
        assertThat(at(compose, "networks", "cluster", "internal")).isEqualTo(true);
        Path monitored = MonitoringFiles.file("prometheus/prometheus-cluster.yml");
        Object job = at(DeploymentFiles.documents(monitored).getFirst(), "scrape_configs", 0);
        List<String> targets =
                list(at(job, "static_configs", 0, "targets")).stream()
                        .map(Object::toString)
                        .toList();
        assertThat(targets)
                .containsExactlyInAnyOrderElementsOf(
                        NODES.stream().map(each -> each + ":9464").toList());
    }

    /** Returns the variables of the only container, those of secrets and of fields as texts. */
    private static Map<String, String> environment(Object set, String pod) {
        Map<String, String> environment = new TreeMap<>();
        for (Object each : list(at(set, "spec", "template", "spec", "containers", 0, "env"))) {
            Map<String, Object> variable = map(each);
            String name = variable.get("name").toString();
            String value =
                    variable.containsKey("value")
                            ? variable.get("value").toString()
                            : variable.toString().contains("metadata.name") ? pod : "secret-text";
            String seen = value;
            for (Map.Entry<String, String> before : environment.entrySet()) {
                seen = seen.replace("$(" + before.getKey() + ")", before.getValue());
            }
            environment.put(name, seen);
        }
        return environment;
    }

    @Test
    void podsHaveSettingsThatTheirProgramsAccept() throws Exception {
        Map<String, Object> objects = objects();
        Map<String, String> node = environment(objects.get("StatefulSet node"), "node-2");
        assertThat(node)
                .containsEntry(
                        "VOLUTE_CLUSTER_ADDRESS", "node-2.node.volute.svc.cluster.local:9100");
        requireNode(
                config(node),
                "node-2",
                "zookeeper-0.zookeeper:2181,zookeeper-1.zookeeper:2181,zookeeper-2.zookeeper:2181");
        Map<String, String> bookie = environment(objects.get("StatefulSet bookie"), "bookie-1");
        requireBookie(
                bookie,
                "zk+longhierarchical://zookeeper-0.zookeeper:2181;zookeeper-1.zookeeper:2181;"
                        + "zookeeper-2.zookeeper:2181/volute/ledgers");
        assertThat(bookie)
                .containsEntry("BK_advertisedAddress", "bookie-1.bookie.volute.svc.cluster.local");
        String servers =
                environment(objects.get("StatefulSet zookeeper"), "zookeeper-0").get("ZOO_SERVERS");
        for (int i = 0; i < 3; i++) {
            assertThat(servers)
                    .contains(
                            "server." + (i + 1) + "=zookeeper-" + i + ".zookeeper:2888:3888;2181");
        }
    }

    @Test
    void setsHaveServicesBudgetsProbesAndNoRightsTheyDoNotNeed() throws Exception {
        Map<String, Object> objects = objects();
        for (String name : List.of("zookeeper", "bookie", "node")) {
            Object set = objects.get("StatefulSet " + name);
            assertThat(at(set, "spec", "replicas")).isEqualTo(3);
            Map<String, String> labels = texts(at(set, "spec", "template", "metadata", "labels"));
            assertThat(texts(at(set, "spec", "selector", "matchLabels"))).isEqualTo(labels);
            Object service = objects.get("Service " + at(set, "spec", "serviceName"));
            assertThat(at(service, "spec", "clusterIP")).isEqualTo("None");
            assertThat(texts(at(service, "spec", "selector"))).isEqualTo(labels);
            Object budget = objects.get("PodDisruptionBudget " + name);
            assertThat(at(budget, "spec", "maxUnavailable")).isEqualTo(1);
            assertThat(texts(at(budget, "spec", "selector", "matchLabels"))).isEqualTo(labels);
            Object pod = at(set, "spec", "template", "spec");
            assertThat(at(pod, "enableServiceLinks")).isEqualTo(false);
            assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
            Object container = at(pod, "containers", 0);
            assertThat(at(container, "securityContext", "allowPrivilegeEscalation"))
                    .isEqualTo(false);
            assertThat(map(container)).containsKeys("readinessProbe", "livenessProbe", "resources");
            requireVolumes(set);
        }
        Object node = at(objects.get("StatefulSet node"), "spec", "template", "spec");
        Object container = at(node, "containers", 0);
        assertThat(at(container, "readinessProbe", "httpGet", "path")).isEqualTo("/health/ready");
        assertThat(at(container, "livenessProbe", "httpGet", "path")).isEqualTo("/health/live");
        assertThat(at(node, "volumes", 0, "secret", "secretName")).isEqualTo("volute-keys");
        assertThat(texts(at(objects.get("Service s3"), "spec", "selector")))
                .containsEntry("app.kubernetes.io/name", "volute");
    }

    private static void requireVolumes(Object set) {
        Object pod = at(set, "spec", "template", "spec");
        Set<String> defined = new TreeSet<>();
        list(map(pod).getOrDefault("volumes", List.of()))
                .forEach(each -> defined.add(map(each).get("name").toString()));
        list(at(set, "spec", "volumeClaimTemplates"))
                .forEach(each -> defined.add(at(each, "metadata", "name").toString()));
        Set<String> mounted = new TreeSet<>();
        list(at(pod, "containers", 0, "volumeMounts"))
                .forEach(each -> mounted.add(map(each).get("name").toString()));
        assertThat(mounted).isEqualTo(defined);
    }

    @Test
    void kustomizeMakesAllObjectsInOneNamespace() throws Exception {
        ExternalClient kubectl =
                ExternalClient.orSkip(directory, List.of("kubectl"), "version", "--client");
        String made =
                kubectl.run("kustomize", MonitoringFiles.file("kubernetes").toString()).orFail();
        List<String> names = new ArrayList<>();
        for (Map<String, Object> object : DeploymentFiles.documents(made)) {
            names.add(object.get("kind") + " " + at(object, "metadata", "name"));
            if (!object.get("kind").equals("Namespace")) {
                assertThat(at(object, "metadata", "namespace")).isEqualTo("volute");
            }
        }
        assertThat(names).containsExactlyInAnyOrderElementsOf(objects().keySet());
        assertThat(made)
                .contains(
                        "image: zookeeper:3.9",
                        "image: apache/bookkeeper:4.18.0",
                        "image: registry.example.org/volute:0.1.0");
    }
}
