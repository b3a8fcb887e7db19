package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.KEY_LIST;
import static io.volute.versioning.rows.Families.SEALED_KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.SealedKey;
import io.volute.provenance.record.Entry;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.FakeCube;
import io.volute.versioning.Provenance;
import io.volute.versioning.Signing.Signed;
import io.volute.versioning.StoreFixture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A rotation waits for the writes under way, and for no others. */
@Signed
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class KeyRotationTest extends StoreFixture {
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private volatile boolean holds;

    @Override
    public Cube openCube() {
        return new FakeCube(this::end);
    }

    private void end(Runnable commit) {
        if (holds) {
            held.add(commit);
        } else {
            commit.run();
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    /** Begins it, and returns when it waits for something. */
    private static Future<?> untilItWaits(ExecutorService threads, Task task) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        Future<?> future =
                threads.submit(
                        () -> {
                            thread.set(Thread.currentThread());
                            task.run();
                            return true;
                        });
        while (!future.isDone()
                && (thread.get() == null || thread.get().getState() != Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        return future;
    }

    /** Entries that a checkpoint lacks claim its commit or a later one: none is under way then. */
    @Test
    @Tag("slow")
    void noCheckpointIsMadeWhileAWriteIsUnderWay() throws Exception {
        put("a", "before");
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            holds = true;
            Future<?> underWay = untilItWaits(threads, () -> put("a", "under way"));
            assertThatThrownBy(() -> provenance().checkpoint(() -> true))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("writes are held up");
            holds = false;
            held.forEach(Runnable::run);
            underWay.get();
        }
        assertThat(provenance().checkpoint(() -> true).body().number()).isZero();
    }

    /** An old private key is not needed any more. A thief could sign false entries with it. */
    @Test
    void oldPrivateKeysAreDestroyed() throws IOException {
        byte[] first = sealed().getFirst();
        provenance().rotateKeys();
        assertThat(sealed()).hasSize(1).doesNotContain(first);
        // As a version of the program left it that kept them.
        byte[] id = SealedKey.decode(Bytes.of(first)).id().keyId().toArray();
        assertThat(
                        cube.commit(
                                        new Transaction()
                                                .put(
                                                        SEALED_KEYS,
                                                        id,
                                                        new byte[0],
                                                        first,
                                                        List.of()))
                                .join())
                .isPositive();
        assertThat(sealed()).hasSize(2);
        store.close();
        store = reopen();
        assertThat(sealed()).hasSize(1).doesNotContain(first);
        put("a", "signed");
    }

    /** Else it would begin anew as another store, and audits of that would find nothing. */
    @Test
    void aStoreWhoseKeyListWasWipedIsNotOpened() throws IOException {
        put("a", "signed");
        byte[] none = {};
        Transaction wipe = new Transaction();
        Transaction copy = new Transaction();
        for (Family family : List.of(KEY_LIST, SEALED_KEYS)) {
            try (RecordCursor cursor = cube.scan(family, none, none)) {
                while (cursor.next()) {
                    byte[] detail = cube.readDetail(family, cursor.key(), cursor.record());
                    wipe.delete(family, cursor.key());
                    copy.put(family, cursor.key(), none, detail, List.of());
                }
            }
        }
        assertThat(cube.commit(wipe).join()).isPositive();
        store.close();
        assertThatThrownBy(this::reopen)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the key list of this store is missing");
        assertThat(cube.commit(copy).join()).isPositive();
        store = reopen();
    }

    /** Else the store would sign with the others alone, and its checkpoints would be findings. */
    @Test
    void aStoreThatLostASigningKeyIsNotOpened() throws IOException {
        put("a", "signed");
        byte[] lost = sealed().getFirst();
        byte[] id = SealedKey.decode(Bytes.of(lost)).id().keyId().toArray();
        assertThat(cube.commit(new Transaction().delete(SEALED_KEYS, id)).join()).isPositive();
        store.close();
        assertThatThrownBy(this::reopen)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is missing: the data directory was changed");
        byte[] none = {};
        Transaction copy = new Transaction().put(SEALED_KEYS, id, none, lost, List.of());
        assertThat(cube.commit(copy).join()).isPositive();
        store = reopen();
    }

    private List<byte[]> sealed() throws IOException {
        List<byte[]> sealed = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(SEALED_KEYS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                sealed.add(cube.readDetail(SEALED_KEYS, cursor.key(), cursor.record()));
            }
        }
        return sealed;
    }

    private Entry lastEntry(String key) throws IOException {
        return entries(key).getLast();
    }

    @Test
    void writesThatComeLaterWaitForTheNewKeys() throws Exception {
        put("a", "before");
        Provenance provenance = provenance();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            holds = true;
            Future<?> underWay = untilItWaits(threads, () -> put("a", "under way"));
            Future<?> rotation = untilItWaits(threads, provenance::rotateKeys);
            Future<?> later = untilItWaits(threads, () -> put("b", "later"));
            assertThat(rotation.isDone()).isFalse();
            holds = false;
            held.forEach(Runnable::run);
            underWay.get();
            rotation.get();
            later.get();
        }
        put("c", "behind it");
        assertThat(lastEntry("b").signers())
                .isEqualTo(lastEntry("c").signers())
                .isNotEqualTo(lastEntry("a").signers());
    }
}
