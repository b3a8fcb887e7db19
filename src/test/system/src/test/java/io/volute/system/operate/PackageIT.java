package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.Clients;
import io.volute.system.ContainerEngine;
import io.volute.system.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** The packages of packaging/, installed and used in a Debian without Java. */
@Tag("packages")
class PackageIT {
    @TempDir private static Path directory;
    private static Path packages;
    private static DebianRoot debian;

    @BeforeAll
    static void build() throws Exception {
        assumeThat(ContainerEngine.repository().resolve("distribution/target/volute.jar"))
                .as("SKIPPED: Volute has not been packaged; run mvn verify")
                .exists();
        debian = DebianRoot.orSkip(directory.resolve("debian"));
        packages = build("packages");
    }

    /** JUnit would warn of each link that leads out of the root file system. */
    @AfterAll
    static void remove() throws Exception {
        DebianRoot.run(Map.of(), "rm", "-rf", directory.resolve("debian").toString());
    }

    private static Path build(String name) throws Exception {
        Path target = directory.resolve(name);
        DebianRoot.run(
                        Map.of("JAVA_HOME", System.getProperty("java.home")),
                        ContainerEngine.repository().resolve("packaging/build.sh").toString(),
                        target.toString())
                .orFail();
        return target;
    }

    private static Path file(String ending) throws IOException {
        try (Stream<Path> files = Files.list(packages)) {
            return files.filter(each -> each.toString().endsWith(ending)).findFirst().orElseThrow();
        }
    }

    @Test
    void twoBuildsHaveTheSameBytes() throws Exception {
        assertThat(build("again").resolve("SHA256SUMS"))
                .hasSameTextualContentAs(packages.resolve("SHA256SUMS"));
        String check = "cd '" + packages + "' && sha256sum --check SHA256SUMS";
        assertThat(DebianRoot.run(Map.of(), "sh", "-c", check).orFail())
                .contains(".tar.gz: OK", ".deb: OK");
    }

    @Test
    void theArchiveRunsWhereThereIsNoJava() throws Exception {
        debian.bring(file(".tar.gz"), "/opt");
        debian.shell("cd /opt && tar -xzf *.tar.gz && rm *.tar.gz").orFail();
        debian.shell("ln -s /opt/volute-*/volute /usr/local/bin/volute").orFail();
        assertThat(debian.shell("command -v java").code()).isNotZero();
        try (DebianRoot.Server server = debian.start("volute server --data /srv/data")) {
            firstUse(server, "/usr/local/bin/volute");
            assertThat(server.stop()).isZero();
        }
        try (DebianRoot.Server server = debian.start("volute server --data /srv/data")) {
            assertThat(text(server)).isEqualTo("world");
        }
    }

    private static void firstUse(DebianRoot.Server server, String volute) throws Exception {
        try (S3Client s3 = Clients.once(server.endpoint())) {
            s3.createBucket(create -> create.bucket("first"));
            new Store(server.endpoint(), s3).put("first", "hello", "world");
        }
        assertThat(debian.shell(volute + " space --endpoint " + server.endpoint()).orFail())
                .contains("cube default (healthy)");
    }

    private static String text(DebianRoot.Server server) {
        try (S3Client s3 = Clients.once(server.endpoint())) {
            return new Store(server.endpoint(), s3).text("first", "hello");
        }
    }

    private static void unpack(String options) throws Exception {
        debian.shell("dpkg " + options + " /opt/*.deb").orFail();
    }

    /** Starts the server as the unit does: with its user, environment and file of settings. */
    private static DebianRoot.Server service() throws IOException {
        return debian.start(
                "env VOLUTE_CONFIG=/etc/volute/volute.conf VOLUTE_DATA_DIRECTORY=/var/lib/volute"
                        + " setpriv --reuid volute --regid volute --clear-groups"
                        + " /usr/bin/volute server");
    }

    @Test
    void theDebianPackageIsInstalledUpgradedAndPurged() throws Exception {
        debian.bring(file(".deb"), "/opt");
        unpack("--install");
        assertThat(debian.shell("stat -c '%U %a' /var/lib/volute").orFail())
                .isEqualTo("volute 700\n");
        assertThat(debian.path("/usr/share/man/man1/volute-restore.1.gz")).exists();
        assertThat(debian.path("/usr/share/bash-completion/completions/volute"))
                .content()
                .contains("complete -F _complete_volute");
        assertThat(debian.path("/usr/lib/systemd/system/volute.service")).exists();
        assertThat(debian.path("/usr/share/volute/monitoring/alerts.yml")).exists();
        Path settings = debian.path("/etc/volute/volute.conf");
        Files.writeString(settings, Files.readString(settings) + "log.segment-size = 16 MiB\n");
        String checked = "volute config check --config /etc/volute/volute.conf";
        debian.shell("/usr/bin/" + checked).orFail();
        try (DebianRoot.Server server = service()) {
            firstUse(server, "/usr/bin/volute");
            assertThat(server.stop()).isZero();
            assertThat(debian.shell("stat -c %U /var/lib/volute/*").orFail().lines())
                    .isNotEmpty()
                    .allMatch("volute"::equals);
        }
        unpack("--install");
        try (DebianRoot.Server server = service()) {
            assertThat(text(server)).isEqualTo("world");
        }
        assertThat(settings).content().contains("log.segment-size = 16 MiB");
        debian.shell("dpkg --purge volute").orFail();
        assertThat(debian.path("/usr/bin/volute")).doesNotExist();
        assertThat(debian.path("/usr/lib/volute")).doesNotExist();
        assertThat(settings).doesNotExist();
        assertThat(debian.path("/var/lib/volute")).isNotEmptyDirectory();
    }
}
