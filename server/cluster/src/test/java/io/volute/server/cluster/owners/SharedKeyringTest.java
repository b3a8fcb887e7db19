package io.volute.server.cluster.owners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.encryption.DataKey;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.EncryptionContext;
import io.volute.server.encryption.KeyGoneException;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.KeyringPlace;
import io.volute.server.encryption.KeyringPlace.UnconfirmedException;
import io.volute.server.encryption.MemoryPlace;
import io.volute.server.encryption.ObjectName;
import io.volute.server.encryption.Shreds;
import io.volute.server.encryption.WrappedKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes of a cluster, each with the keyring in memory. */
@Timeout(60)
class SharedKeyringTest {
    private static final ObjectName OBJECT = new ObjectName("bucket", 1, "key");
    private static final ObjectName OTHER = new ObjectName("bucket", 1, "other");

    private final SecureRandom random = new SecureRandom();
    private final MemoryFile file = new MemoryFile();
    private final AtomicLong nanos = new AtomicLong();
    private final Map<String, Node> owners = new ConcurrentHashMap<>();
    private Runnable pausing = () -> {};
    private MasterKey master;
    private Node one;
    private Node two;

    /** A node, which is an owner. */
    private final class Node {
        private final MemoryPlace earlier = new MemoryPlace();
        private final SharedKeyring shared;
        private volatile Optional<String> failure = Optional.empty();
        private Keyring keyring;

        Node(String name) {
            shared =
                    new SharedKeyring(
                            file,
                            new OtherKeyrings(
                                    () -> others(name),
                                    (to, operation, content, limit) ->
                                            owners.get(to.address()).answer(operation, content),
                                    this::pause,
                                    nanos::get));
            owners.put(name, this);
        }

        private void pause() {
            long now = nanos.addAndGet(1_000_000_000);
            assertThat(now).isPositive();
            pausing.run();
        }

        private byte[] answer(String operation, byte[] content) throws IOException {
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
            return shared.operations().get(operation).handle(content);
        }

        Node open(boolean hasStore) throws IOException {
            keyring = shared.open(earlier, master, random);
            if (hasStore) {
                shared.takeStore();
            } else {
                shared.leaveStore();
            }
            return this;
        }

        WrappedKey make(ObjectName object) throws IOException {
            return make(object, Keyring.DEFAULT_KEY);
        }

        WrappedKey make(ObjectName object, String name) throws IOException {
            return keys().make(object, name, EncryptionContext.NONE).wrapped();
        }

        private DataKeys keys() {
            return new DataKeys(keyring, Optional.empty());
        }

        boolean opens(WrappedKey key, ObjectName object) throws IOException {
            try {
                DataKey unused = keys().open(key, object, Optional.empty());
                return true;
            } catch (KeyGoneException e) {
                assertThat(e.reason()).isEqualTo(KeyGoneException.Reason.SHREDDED);
                return false;
            }
        }
    }

    private Map<String, Owner> others(String name) {
        Map<String, Owner> others = new TreeMap<>();
        owners.keySet().forEach(each -> others.put(each, new Owner(each, 1)));
        others.remove(name);
        return others;
    }

    @BeforeEach
    void open() throws IOException {
        master = MasterKey.create(random, text -> {});
        one = new Node("one").open(true);
        two = new Node("two").open(false);
    }

    @Test
    void changesOfTwoNodesAreBothKept() throws IOException {
        WrappedKey first = one.make(OBJECT);
        WrappedKey second = two.make(OTHER);
        assertThat(one.keyring.rotate(Keyring.DEFAULT_KEY)).isEqualTo(2);
        assertThat(two.keyring.rotate(Keyring.DEFAULT_KEY)).isEqualTo(3);
        owners.clear();
        Shreds.shred(one.keyring, OBJECT, 0);
        Shreds.shred(two.keyring, OTHER, 0);
        one.shared.look();
        for (Node each : new Node[] {one, two, new Node("three").open(false)}) {
            assertThat(each.keyring.names()).containsEntry(Keyring.DEFAULT_KEY, 3);
            assertThat(each.opens(first, OBJECT)).isFalse();
            assertThat(each.opens(second, OTHER)).isFalse();
        }
    }

    @Test
    void changesAtTheSameTimeAreAllKept() throws Exception {
        int each = 50;
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            Node node = i % 2 == 0 ? one : two;
            threads[i] =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            for (int n = 0; n < each; n++) {
                                                int unused = node.keyring.rotate("reports");
                                            }
                                        } catch (IOException | RuntimeException e) {
                                            failure.set(e);
                                        }
                                    });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
        assertThat(new Node("three").open(false).keyring.names())
                .containsEntry("reports", threads.length * each);
    }

    /** The next owner has opened keys before it was the owner. */
    @Test
    void anErasureIsInTheMemoryOfOtherOwnersWhenItReturns() throws IOException {
        WrappedKey key = one.make(OBJECT);
        assertThat(two.opens(key, OBJECT)).isTrue();
        Shreds.shred(one.keyring, OBJECT, 0);
        assertThat(two.opens(key, OBJECT)).isFalse();
    }

    @Test
    void anErasureNamesTheOwnersThatDoNotConfirmIt() throws IOException {
        WrappedKey key = one.make(OBJECT);
        assertThat(two.opens(key, OBJECT)).isTrue();
        Node three = new Node("three").open(false);
        assertThat(three.opens(key, OBJECT)).isTrue();
        two.failure = Optional.of("no answer within 1000 ms");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> Shreds.shred(one.keyring, OBJECT, 0))
                    .isInstanceOf(UnconfirmedException.class)
                    .hasMessageContaining("destroyed in the keyring")
                    .hasMessageContaining("two (no answer within 1000 ms)")
                    .hasMessageContaining("Repeat the request")
                    .hasMessageNotContaining("three");
            assertThat(one.opens(key, OBJECT)).isFalse();
            assertThat(three.opens(key, OBJECT)).isFalse();
            assertThat(two.opens(key, OBJECT)).isTrue();
        }
        two.failure = Optional.empty();
        int version = file.version();
        Shreds.shred(one.keyring, OBJECT, 0);
        assertThat(two.opens(key, OBJECT)).isFalse();
        assertThat(file.version()).isEqualTo(version);
    }

    /** Its lease has ended then, and it reads the keyring before it serves again. */
    @Test
    void anErasureNeedsNoConfirmationOfAnOwnerThatIsGone() throws IOException {
        WrappedKey key = one.make(OBJECT);
        assertThat(two.opens(key, OBJECT)).isTrue();
        two.failure = Optional.of("connection refused");
        pausing = () -> owners.remove("two");
        Shreds.shred(one.keyring, OBJECT, 0);
        assertThat(two.opens(key, OBJECT)).isTrue();
        two.shared.look();
        assertThat(two.opens(key, OBJECT)).isFalse();
    }

    @Test
    void anOwnerThatAnswersLateConfirmsIt() throws IOException {
        WrappedKey key = one.make(OBJECT);
        assertThat(two.opens(key, OBJECT)).isTrue();
        two.failure = Optional.of("it has no such role now");
        pausing = () -> two.failure = Optional.empty();
        Shreds.shred(one.keyring, OBJECT, 0);
        assertThat(two.opens(key, OBJECT)).isFalse();
    }

    @Test
    void anErasureIsNotConfirmedWhileTheOwnersAreUnknown() throws IOException {
        OtherKeyrings unknown =
                new OtherKeyrings(
                        () -> {
                            throw new IOException("ZooKeeper does not answer");
                        },
                        (to, operation, content, limit) -> content,
                        () -> {},
                        nanos::get);
        assertThatThrownBy(() -> unknown.awaitLoaded(1))
                .isInstanceOf(UnconfirmedException.class)
                .hasMessageContaining("ZooKeeper does not answer");
    }

    @Test
    void aNodeFollowsTheChangesOfOthers() throws IOException {
        WrappedKey key = one.make(OBJECT);
        assertThat(two.opens(key, OBJECT)).isTrue();
        owners.clear();
        Shreds.shred(one.keyring, OBJECT, 0);
        int version = one.keyring.rotate(Keyring.DEFAULT_KEY);
        assertThat(two.opens(key, OBJECT)).isTrue();
        two.shared.look();
        assertThat(two.opens(key, OBJECT)).isFalse();
        assertThat(two.make(OBJECT).version()).isEqualTo(version);
    }

    @Test
    void theNextServerOfANodeHasTheKeyringOfNow() throws IOException {
        WrappedKey key = one.make(OBJECT);
        assertThat(two.opens(key, OBJECT)).isTrue();
        owners.clear();
        Shreds.shred(one.keyring, OBJECT, 0);
        assertThat(two.open(true).opens(key, OBJECT)).isFalse();
    }

    @Test
    void aKeyThatAnotherNodeHasMadeIsReadOnce() throws IOException {
        int unused = one.keyring.rotate(Keyring.DEFAULT_KEY);
        one.keyring.require(Set.of("reports"));
        for (String name : new String[] {Keyring.DEFAULT_KEY, "reports"}) {
            WrappedKey key = one.make(OBJECT, name);
            assertThat(two.opens(key, OBJECT)).isTrue();
        }
        WrappedKey never =
                new WrappedKey(
                        "reports",
                        2,
                        OptionalLong.of(1),
                        0,
                        EncryptionContext.NONE,
                        one.make(OBJECT, "reports").form());
        assertThatThrownBy(() -> two.keys().open(never, OBJECT, Optional.empty()))
                .isInstanceOf(KeyGoneException.class)
                .hasMessageContaining("no version 2 of key reports");
    }

    /** The call of another node comes when this one has read the file, and not opened it. */
    @Test
    void anErasureReachesAKeyringThatIsBeingOpened() throws IOException {
        WrappedKey key = one.make(OBJECT);
        Node late = new Node("late");
        file.afterNextRead(
                () -> {
                    try {
                        Shreds.shred(one.keyring, OBJECT, 0);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertThat(late.open(false).opens(key, OBJECT)).isFalse();
    }

    @Test
    void aCallDemandsTheVersionThatItNames() throws IOException {
        int now = file.version();
        byte[] answer = two.answer(OtherKeyrings.LOAD, version(now));
        assertThat(answer).isEmpty();
        assertThatThrownBy(() -> two.answer(OtherKeyrings.LOAD, version(now + 1)))
                .hasMessageContaining("version " + now);
        assertThatThrownBy(() -> two.answer(OtherKeyrings.LOAD, new byte[3]))
                .hasMessageContaining("compare the releases");
        Node closed = new Node("closed");
        assertThat(closed.answer(OtherKeyrings.LOAD, version(now + 1))).isEmpty();
    }

    private static byte[] version(int version) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(version).array();
    }

    /** A store has its keyring in a file before it joins a cluster. */
    @Test
    void theStorePutsItsKeyringWhereOtherNodesFindIt() throws IOException {
        file.delete();
        Node store = new Node("store");
        Keyring alone = Keyring.open(store.earlier, master, random);
        WrappedKey key =
                new DataKeys(alone, Optional.empty())
                        .make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE)
                        .wrapped();
        Node part = new Node("part").open(false);
        assertThatThrownBy(() -> part.make(OTHER)).hasMessageContaining("same release");
        assertThat(store.open(true).opens(key, OBJECT)).isTrue();
        assertThat(part.opens(key, OBJECT)).isTrue();
        assertThat(store.opens(part.make(OTHER), OTHER)).isTrue();
    }

    @Test
    void anEarlierKeyringIsNeverUsedAgain() throws IOException {
        Node store = new Node("store");
        Keyring.open(store.earlier, master, random).make();
        WrappedKey key = one.make(OBJECT);
        assertThat(store.open(true).opens(key, OBJECT)).isTrue();
        file.delete();
        assertThatThrownBy(() -> store.shared.look()).hasMessageContaining("has lost the keyring");
        assertThatThrownBy(() -> store.keyring.rotate(Keyring.DEFAULT_KEY))
                .hasMessageContaining("has lost the keyring");
        assertThat(store.opens(key, OBJECT)).isTrue();
    }

    /** ZooKeeper does not take it. The store serves as before. */
    @Test
    void aKeyringThatIsTooLongStaysInItsFile() throws IOException {
        file.delete();
        Node store = new Node("store");
        Keyring alone = Keyring.open(store.earlier, master, random);
        Shreds.shred(alone, OTHER, IntStream.range(0, 300).toArray());
        KeyringPlace.Stored stored = store.earlier.load().orElseThrow();
        Bytes sealed = stored.sealed();
        assertThat(sealed.length()).isGreaterThan(1_000_000);
        assertThat(store.open(true).opens(store.make(OBJECT), OBJECT)).isTrue();
        assertThat(file.read()).isEmpty();
    }
}
