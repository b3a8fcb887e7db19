package io.volute.system.operate;

import static io.volute.system.operate.DeploymentFiles.at;
import static io.volute.system.operate.DeploymentFiles.list;
import static io.volute.system.operate.DeploymentFiles.map;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.EffectiveConfig;
import io.volute.server.config.ServerConfig;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the files for compose and Kubernetes name settings, secrets and parts that exist. */
class DeploymentFilesTest {
    private static final Set<String> NODES = Set.of("node1", "node2", "node3");

    /** Variables of the bookies' image that are no keys of the bookie. */
    private static final Set<String> OF_THE_IMAGE = Set.of("CLUSTER_ROOT_PATH");

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
