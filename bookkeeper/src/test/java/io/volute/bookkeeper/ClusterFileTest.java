package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.bookkeeper.ClusterFile.Content;
import io.volute.bookkeeper.Simulation.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** A file of a cluster, which two nodes change through servers that lag. */
class ClusterFileTest extends ClusterTestCase {
    private static final String PATH = "/file";

    private ClusterFile file(Machine of) throws IOException {
        return new ClusterFile.InZooKeeper(session(of), PATH);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Optional<String> text(ClusterFile file) throws IOException {
        return file.read().map(Content::bytes).map(ClusterFileTest::text);
    }

    private static String text(byte[] content) {
        return new String(content, StandardCharsets.UTF_8);
    }

    @Test
    void aChangeReplacesTheVersionThatItKnows() throws InterruptedException {
        run(
                () -> {
                    ClusterFile one = file(machine);
                    ClusterFile two = file(other);
                    assertThat(one.read()).isEmpty();
                    assertThat(one.version()).isEqualTo(ClusterFile.ABSENT);
                    assertThat(one.replace(bytes("a"), ClusterFile.ABSENT)).hasValue(0);
                    assertThat(two.replace(bytes("b"), ClusterFile.ABSENT)).isEmpty();
                    assertThat(two.replace(bytes("b"), 0)).hasValue(1);
                    assertThat(one.replace(bytes("c"), 0)).isEmpty();
                    assertThat(text(one)).contains("b");
                    assertThat(one.version()).isEqualTo(1);
                });
    }

    /** A quarter of the reads are answered by a server that lags. */
    @Test
    void aReadHasAllChangesBeforeIt() throws InterruptedException {
        run(
                () -> {
                    ClusterFile one = file(machine);
                    ClusterFile two = file(other);
                    int version = ClusterFile.ABSENT;
                    for (int i = 0; i < 50; i++) {
                        version = one.replace(bytes("v" + i), version).orElseThrow();
                        assertThat(two.version()).isEqualTo(version);
                        assertThat(text(two)).contains("v" + i);
                    }
                });
    }

    @Test
    void aChangeWhoseAnswerIsLostIsNotThatOfAnotherNode() throws InterruptedException {
        run(
                () -> {
                    ClusterFile one = file(machine);
                    zooKeeper.loseAnswer();
                    assertThat(one.replace(bytes("a"), ClusterFile.ABSENT)).hasValue(0);
                    zooKeeper.loseAnswer();
                    assertThat(one.replace(bytes("b"), 0)).hasValue(1);
                    assertThat(text(file(other))).contains("b");
                });
    }

    @Test
    void refusesWhatZooKeeperDoesNotTake() throws InterruptedException {
        run(
                () -> {
                    ClusterFile one = file(machine);
                    assertThatThrownBy(() -> one.replace(new byte[2 << 20], ClusterFile.ABSENT))
                            .hasMessageContaining("2097152 bytes");
                    OptionalInt gone = one.replace(bytes("a"), 3);
                    assertThat(gone).isEmpty();
                    assertThat(one.read()).isEmpty();
                });
    }
}
