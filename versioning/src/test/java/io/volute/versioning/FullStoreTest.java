package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that takes no more writes. */
@Tag("slow")
class FullStoreTest extends PastFixture {
    private static final int WRITES_MAX = 10_000;

    @TempDir private Path directory;

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.open(directory, 4 << 20);
    }

    private void fill(int bytes) throws IOException {
        for (int i = 0; i < WRITES_MAX; i++) {
            try {
                put(ALICE, "key-" + bytes + "-" + i, "x".repeat(bytes));
            } catch (CubeUnavailableException e) {
                if (e.reason() == CubeUnavailableException.Reason.FULL) {
                    return;
                }
            }
        }
        throw new AssertionError("never full: " + cube.space());
    }

    @Test
    void whatWasReadIsKnownAfterItHasStopped() throws IOException {
        fill(1000);
        fill(0);
        assertThat(read(new Caller("alice", "key-a", "reader"), "key-1000-0")).hasSize(1000);
        store.close();
        store = openStore();
        assertThat(
                        store.history()
                                .actors(History.ActorFilter.ALL, Optional.empty(), 1000)
                                .entries())
                .extracting(History.ActorInfo::name)
                .contains("reader");
    }
}
