package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.FakeCube;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A purge during a copy: the copy either has the state, or fails because it is gone. */
class PastCopyInterferenceTest extends PastFixture {
    private static final int READS = 30;
    private static final Caller BOB = new Caller("bob", "key-b", "desk");
    private int most;

    @Override
    public int recordBodyBytesMax() {
        return most;
    }

    @BeforeEach
    void keepEverything() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
    }

    private void purge(Instant before) {
        try {
            assertThat(store.history().purge(ALICE, BUCKET, before)).isPositive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean copies(String key, Instant at) throws IOException {
        try {
            Source source =
                    new Source(BUCKET, new ObjectKey(key), VersionSelector.LATEST, Optional.of(at));
            ObjectVersion copied =
                    store.copy(
                                    BOB,
                                    source,
                                    BUCKET,
                                    new ObjectKey("copy of " + key),
                                    version -> {},
                                    ObjectVersion::attributes,
                                    WriteCondition.NONE)
                            .target();
            assertThat(copied.bytes()).isEqualTo(4);
            return true;
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(Reason.NO_SUCH_KEY);
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void hasItOrIsRefused(int recordBodyBytesMax) throws IOException {
        most = recordBodyBytesMax;
        store.close();
        store = openStore();
        int copied = 0;
        for (int reads = 1; reads <= READS; reads++) {
            String key = "key " + reads;
            put(ALICE, key, "good");
            Instant good = tick();
            put(THIEF, key, "bad");
            Instant bad = tick();
            ((FakeCube) cube).afterReads(reads, () -> purge(bad));
            if (copies(key, good)) {
                assertThat(read(ALICE, "copy of " + key)).isEqualTo("good");
                copied++;
            }
            ((FakeCube) cube).afterNextRead(() -> {});
        }
        assertThat(copied).as("too late to matter, or too early").isBetween(1, READS - 1);
    }
}
