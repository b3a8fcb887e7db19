package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.History;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustedHeadsTest {
    private final Random random = new Random(67);
    @TempDir private Path directory;

    private Path file(Map<Hash, ChainHead> heads) throws IOException {
        Path file = directory.resolve("heads");
        try (OutputStream out = Files.newOutputStream(file)) {
            List<Hash> ascending = List.copyOf(heads.keySet());
            assertThat(HeadsFile.write(HeadSets.inOrder(ascending, heads), heads.size(), out))
                    .isEqualTo(HeadSets.inMemory(heads).mapRoot());
        }
        return file;
    }

    private static Checkpoint checkpoint(Map<Hash, ChainHead> heads) {
        return Checkpoint.sign(
                Optional.empty(),
                7,
                2_000,
                HeadSets.inMemory(heads).mapRoot(),
                History.keys(),
                List.of(History.STORE, History.POST_QUANTUM));
    }

    @Test
    void findsEachAndNoOther() throws IOException {
        for (int count : new int[] {0, 1, 2, 3, 64, 100}) {
            Map<Hash, ChainHead> heads = HeadSets.crowded(random, count);
            try (TrustedHeads trusted = TrustedHeads.open(file(heads), checkpoint(heads))) {
                for (Map.Entry<Hash, ChainHead> each : heads.entrySet()) {
                    assertThat(trusted.find(each.getKey())).contains(each.getValue());
                    Hash near = HeadSets.parting(random, each.getKey(), 255);
                    assertThat(trusted.find(near)).isEqualTo(Optional.ofNullable(heads.get(near)));
                }
                assertThat(trusted.find(Hash.ZERO)).isEmpty();
                trusted.forEachMissing((chainId, head) -> assertThat(chainId).isNull());
            }
        }
    }

    @Test
    void namesThoseNobodyAskedFor() throws IOException {
        Map<Hash, ChainHead> heads = HeadSets.spread(random, 50);
        List<Hash> left = new ArrayList<>(heads.keySet());
        List<Hash> missing = new ArrayList<>();
        try (TrustedHeads trusted = TrustedHeads.open(file(heads), checkpoint(heads))) {
            for (int i = 0; i < 20; i++) {
                assertThat(trusted.find(left.remove(random.nextInt(left.size())))).isPresent();
            }
            trusted.forEachMissing((chainId, head) -> missing.add(chainId));
        }
        assertThat(missing).isEqualTo(left);
    }

    @Test
    void refusesHeadsThatTheCheckpointHasNot() throws IOException {
        Map<Hash, ChainHead> heads = HeadSets.spread(random, 5);
        Path file = file(heads);
        Checkpoint other = checkpoint(HeadSets.spread(random, 5));
        assertThatThrownBy(() -> TrustedHeads.open(file, other))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("has other heads");
    }
}
