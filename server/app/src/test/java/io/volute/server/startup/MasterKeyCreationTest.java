package io.volute.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.keys.MasterKey;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of a new master key: it replaces nothing. */
class MasterKeyCreationTest {
    private final FileSystem files = new OsFileSystem();
    private final SecureRandom random = new SecureRandom();
    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void place() {
        file = directory.resolve("master.key");
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void whatExistsIsNeverReplaced() throws IOException {
        Files.writeString(file, "kept");
        Path dangling = directory.resolve("dangling");
        Files.createSymbolicLink(dangling, directory.resolve("nowhere"));
        for (Path each : List.of(file, dangling)) {
            assertThatThrownBy(() -> MasterKeys.create(files, each, random))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(each + " exists and is not replaced");
        }
        assertThat(file).hasContent("kept");
        assertThat(names()).containsExactly("dangling", "master.key");
    }

    @Test
    void ofManyWhoMakeItOneDoes() throws Exception {
        List<Future<Boolean>> makers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 16; i++) {
                makers.add(
                        threads.submit(
                                () -> {
                                    MasterKeys.create(files, file, random);
                                    return true;
                                }));
            }
        }
        assertThat(makers.stream().filter(each -> each.state() == Future.State.SUCCESS)).hasSize(1);
        assertThat(MasterKey.ofFile(file)).isNotNull();
        assertThat(names()).containsExactly("master.key");
    }
}
