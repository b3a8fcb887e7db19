package io.volute.testkit.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientLedgerTest {
    private final ClientLedger ledger = ClientLedger.inMemory();
    private final Map<String, String> store = new HashMap<>();

    private long put(String key, String digest) {
        return ledger.intend("client", key, Optional.of(digest));
    }

    private void acknowledgedPut(String key, String digest) {
        ledger.acknowledge(put(key, digest));
    }

    private List<String> violations() throws IOException {
        return new LedgerCheck(ledger).currentStates(key -> Optional.ofNullable(store.get(key)));
    }

    @Test
    void anAcknowledgedWriteMustBeThere() throws IOException {
        acknowledgedPut("k", "one");
        assertThat(violations()).hasSize(1);
        store.put("k", "one");
        assertThat(violations()).isEmpty();
        store.put("k", "other");
        assertThat(violations()).singleElement().asString().contains("a value that no client sent");
    }

    @Test
    void anUnknownWriteMayBeThereOrNot() throws IOException {
        acknowledgedPut("k", "one");
        assertThat(put("k", "two")).isPositive();
        ledger.serverDied();
        store.put("k", "one");
        assertThat(violations()).isEmpty();
        store.put("k", "two");
        assertThat(violations()).isEmpty();
        store.remove("k");
        assertThat(violations()).hasSize(1);
    }

    @Test
    void anUnknownWriteOfADeadServerIsReplacedForGood() throws IOException {
        assertThat(put("k", "one")).isPositive();
        ledger.serverDied();
        acknowledgedPut("k", "two");
        store.put("k", "one");
        assertThat(violations()).hasSize(1);
    }

    @Test
    void anUnknownWriteOfALivingServerMayStillHappen() throws IOException {
        assertThat(put("k", "one")).isPositive();
        acknowledgedPut("k", "two");
        store.put("k", "one");
        assertThat(violations()).isEmpty();
    }

    @Test
    void writesAtTheSameTimeMayEndInEitherOrder() throws IOException {
        long first = put("k", "one");
        long second = put("k", "two");
        ledger.acknowledge(second);
        ledger.acknowledge(first);
        store.put("k", "one");
        assertThat(violations()).isEmpty();
        store.put("k", "two");
        assertThat(violations()).isEmpty();
    }

    @Test
    void aRefusedWriteMustNotBeThere() throws IOException {
        ledger.refuse(put("k", "one"));
        assertThat(violations()).isEmpty();
        store.put("k", "one");
        assertThat(violations()).hasSize(1);
    }

    @Test
    void anAcknowledgedDeleteMustBeDone() throws IOException {
        acknowledgedPut("k", "one");
        ledger.acknowledge(ledger.intend("client", "k", Optional.empty()));
        store.put("k", "one");
        assertThat(violations()).hasSize(1);
        store.remove("k");
        assertThat(violations()).isEmpty();
    }

    @Test
    void allVersionsMustBeThere() throws IOException {
        acknowledgedPut("k", "one");
        assertThat(put("k", "two")).isPositive();
        LedgerCheck check = new LedgerCheck(ledger);
        assertThat(check.allVersions(key -> List.of("one"))).isEmpty();
        assertThat(check.allVersions(key -> List.of("two", "one"))).isEmpty();
        assertThat(check.allVersions(key -> List.of("two"))).hasSize(1);
        assertThat(check.allVersions(key -> List.of("one", "x"))).hasSize(1);
        assertThat(check.allVersions(key -> List.of("one", "one"))).hasSize(1);
    }

    @Test
    void aFileTakesItOver(@TempDir Path directory) throws IOException {
        Path path = directory.resolve("ledger");
        try (ClientLedger first = ClientLedger.open(path)) {
            first.acknowledge(first.intend("a b", "k/é %", Optional.of("one")));
            assertThat(first.intend("c", "k/é %", Optional.of("two"))).isPositive();
            first.serverDied();
        }
        try (ClientLedger second = ClientLedger.open(path)) {
            assertThat(second.acknowledged()).isEqualTo(1);
            assertThat(second.unknown()).isEqualTo(1);
            second.acknowledge(second.intend("c", "k/é %", Optional.of("three")));
            LedgerCheck check = new LedgerCheck(second);
            assertThat(check.currentStates(key -> Optional.of("three"))).isEmpty();
            assertThat(check.currentStates(key -> Optional.of("two"))).hasSize(1);
        }
    }

    @Test
    void anOutcomeNeedsAnIntent() {
        assertThatThrownBy(() -> ledger.acknowledge(7)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void digestsAreSha256() {
        assertThat(Digests.of(new byte[0])).startsWith("e3b0c44298fc1c14");
    }
}
