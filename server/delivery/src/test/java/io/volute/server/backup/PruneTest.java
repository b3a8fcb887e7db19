package io.volute.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.backup.Prune.Pruned;
import io.volute.storage.CubeMaintenance.Cleaning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A prune deletes what no snapshot needs, and nothing that a backup beside it needs. */
@Tag("slow")
class PruneTest {
    @TempDir private Path temporary;

    private final MemoryTarget target = new MemoryTarget();
    private BackedUpStore store;

    @BeforeEach
    void open() throws IOException {
        store = new BackedUpStore(temporary.resolve("a"), 1);
        store.fill(60);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private Pruned prune(int keep) throws IOException {
        return new Prune(repository()).run(keep);
    }

    private Repository repository() throws IOException {
        return Repository.open(target, Optional.empty());
    }

    private void assertWhole(String... snapshots) throws IOException {
        assertThat(repository().snapshots()).containsExactly(snapshots);
        for (String each : snapshots) {
            assertThat(
                            new Verification(repository(), (files, total, bytes) -> {})
                                    .run(repository().snapshot(each)))
                    .isEmpty();
        }
    }

    /** Rewrites all keys, and cleans, so that the segments of before are gone. */
    private void renew() throws IOException {
        store.fill(60);
        while (store.cube.clean(Cleaning.COMBINED) > 0) {
            // Until nothing more is worth it.
        }
    }

    @Test
    void deletesOldSnapshotsAndTheirPacksOnly() throws IOException {
        store.backUp(target, "1");
        renew();
        store.backUp(target, "2");
        renew();
        store.backUp(target, "3");
        Pruned none = prune(3);
        assertThat(none.snapshots()).isEmpty();
        assertWhole("1", "2", "3");
        Pruned pruned = prune(1);
        assertThat(pruned.snapshots()).containsExactly("1", "2");
        assertThat(pruned.packs()).isPositive();
        assertWhole("3");
        List<String> needed =
                repository().snapshot("3").packs().stream()
                        .map(Manifest.Pack::name)
                        .sorted()
                        .toList();
        assertThat(target.list("packs/")).containsExactlyElementsOf(needed);
    }

    @Test
    void keepsAllPacksBesideAnUnfinishedBackup() throws IOException {
        store.backUp(target, "1");
        renew();
        target.fails = name -> name.startsWith("snapshots/");
        assertThatThrownBy(() -> store.backUp(target, "2")).hasMessageContaining("killed");
        target.fails = name -> false;
        int packs = target.list("packs/").size();
        assertThat(prune(1).isBesideBackup()).isTrue();
        assertThat(target.list("packs/")).hasSize(packs);
        Manifest next = store.backUp(target, "3");
        assertThat(prune(1).isBesideBackup()).isFalse();
        assertWhole("3");
        assertThat(target.list("packs/")).hasSize(next.packs().size());
    }

    /** The backup begins when the prune has read the snapshots, and uses the pruned one. */
    @Test
    void aBackupThatBeginsMeanwhileIsWhole() throws IOException {
        store.backUp(target, "1");
        store.backUp(target, "2");
        for (int lists = 0; lists < 4; lists++) {
            AtomicBoolean isRunning = new AtomicBoolean();
            int[] left = {lists};
            String name = "3" + lists;
            target.beforeList =
                    () -> {
                        if (left[0]-- == 0 && !isRunning.getAndSet(true)) {
                            backUp(name);
                        }
                    };
            Pruned pruned = prune(1);
            target.beforeList = () -> {};
            assertThat(isRunning).as("list %s was reached: %s", lists, pruned).isTrue();
            for (String each : repository().snapshots()) {
                assertThat(
                                new Verification(repository(), (files, total, bytes) -> {})
                                        .run(repository().snapshot(each)))
                        .as("snapshot %s after list %s", each, lists)
                        .isEmpty();
            }
            renew();
        }
    }

    private void backUp(String name) {
        try {
            store.backUp(target, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void keepsTheNewestAlways() throws IOException {
        store.backUp(target, "1");
        assertThatThrownBy(() -> prune(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
